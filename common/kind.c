/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises files by their first bytes and folders by the names of contained files, and suggests remedies. */
#include "config.h"

#include "common/kind.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/printable.h"
#include "common/shell_word.h"

static const char *const names[MPG_FILE_KINDS] = {
    [MPG_FILE_UNKNOWN] = "an unknown kind of file",
    [MPG_FILE_ABSENT] = "nothing that can be read",
    [MPG_FILE_SPECIAL] = "a device or a pipe",
    [MPG_FILE_EMPTY] = "an empty file",
    [MPG_FILE_EMPTY_FOLDER] = "an empty folder",
    [MPG_FILE_FOLDER] = "a folder",
    [MPG_FILE_SIGNATURE] = "a signature",
    [MPG_FILE_RESULTS] = "a results file",
    [MPG_FILE_RESULTS_FOLDER] = "a folder of results",
    [MPG_FILE_TRACE] = "a trace",
    [MPG_FILE_TRACE_FOLDER] = "a trace",
    [MPG_FILE_TRACE_TEXT] = "a trace as text",
    [MPG_FILE_PROFILE] = "a profile",
    [MPG_FILE_PROFILE_FOLDER] = "a profile",
    [MPG_FILE_OTF2] = "an OTF2 archive",
    [MPG_FILE_OTF2_FOLDER] = "an OTF2 archive",
    [MPG_FILE_OTF2_EVENTS] = "a part of an OTF2 archive",
    [MPG_FILE_OTF1] = "an OTF 1 trace",
    [MPG_FILE_PARAVER] = "a Paraver trace",
    [MPG_FILE_EXTRAE] = "an unmerged trace of Extrae",
    [MPG_FILE_DUMPI] = "a DUMPI trace",
    [MPG_FILE_DUMPI_META] = "a DUMPI trace",
    [MPG_FILE_DUMPI_FOLDER] = "a DUMPI trace",
    [MPG_FILE_GOAL] = "a GOAL schedule",
    [MPG_FILE_LIBALLPROF] = "a trace of liballprof",
    [MPG_FILE_LIBALLPROF_FOLDER] = "a trace of liballprof",
    [MPG_FILE_LIBALLPROF2] = "a trace of liballprof2",
    [MPG_FILE_SIMGRID] = "time-independent actions of SimGrid",
    [MPG_FILE_SIMGRID_LIST] = "time-independent actions of SimGrid",
    [MPG_FILE_ANSWER] = "an answer of mpgsim",
    [MPG_FILE_JSON] = "JSON of another kind",
    [MPG_FILE_GZIP] = "compressed (gzip)",
    [MPG_FILE_XZ] = "compressed (xz)",
    [MPG_FILE_BZIP2] = "compressed (bzip2)",
    [MPG_FILE_ZSTD] = "compressed (zstd)",
    [MPG_FILE_ZIP] = "a ZIP archive",
    [MPG_FILE_TAR] = "a tar archive",
    [MPG_FILE_PROGRAM] = "a program or library (ELF)",
    [MPG_FILE_SCRIPT] = "a script",
    [MPG_FILE_IMAGE] = "an image",
    [MPG_FILE_TEXT] = "a text of another kind",
};

/* Advice to a user who gives a file of kind FOUND where a file of kind WANTED is needed. Printed as FIRST, the file's
 * path, SECOND; if SECOND is NULL, as FIRST alone. */
static const struct {
    enum mpg_file_kind found, wanted;
    const char *first, *second;
} remedies[] = {
    {MPG_FILE_RESULTS_FOLDER, MPG_FILE_SIGNATURE, "'sigmake ", " > machineX.sig' makes one"},
    {MPG_FILE_RESULTS, MPG_FILE_SIGNATURE, "'sigmake FOLDER' of its folder makes one", NULL},
    {MPG_FILE_TRACE, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_TRACE_FOLDER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_TRACE_TEXT, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_PROFILE, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' shows it"},
    {MPG_FILE_PROFILE_FOLDER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' shows it"},
    {MPG_FILE_EMPTY_FOLDER, MPG_FILE_SIGNATURE,
     "'mpgbench -o FOLDER' fills it with measurements of a machine, of which sigmake makes a signature", NULL},
    {MPG_FILE_SIGNATURE, MPG_FILE_TRACE, "'mpgsim --signature ", " TRACE' takes it"},
    {MPG_FILE_RESULTS_FOLDER, MPG_FILE_TRACE, "sigmake makes a signature of these results", NULL},
    {MPG_FILE_RESULTS, MPG_FILE_TRACE, "sigmake makes a signature of its folder",
     NULL},
    {MPG_FILE_PROFILE, MPG_FILE_TRACE,
     "a profile has sums, not events: record without --profile; 'mpgtrace stat ", "' shows it"},
    {MPG_FILE_PROFILE_FOLDER, MPG_FILE_TRACE,
     "a profile has sums, not events: record without --profile; 'mpgtrace stat ", "' shows it"},
    {MPG_FILE_TRACE_TEXT, MPG_FILE_TRACE, "'mpgtrace import --text ",
     " -o app.trace' makes one"},
    {MPG_FILE_EMPTY_FOLDER, MPG_FILE_TRACE,
     "'mpirun ... mpgtrace record -o FOLDER PROGRAM' makes one", NULL},
    {MPG_FILE_OTF2, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_OTF2_FOLDER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_OTF2_EVENTS, MPG_FILE_TRACE, "give its anchor file (*.otf2), or the folder that holds it", NULL},
    {MPG_FILE_OTF1, MPG_FILE_TRACE, "convert it to OTF2", NULL},
    {MPG_FILE_PARAVER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_LIBALLPROF2, MPG_FILE_TRACE, "mpgkit does not read this format: trace with liballprof, mpgtrace or Score-P", NULL},
    {MPG_FILE_EXTRAE, MPG_FILE_TRACE, "mpi2prv makes a Paraver trace of it", NULL},
    {MPG_FILE_DUMPI, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_DUMPI_FOLDER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_GOAL, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_LIBALLPROF, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_LIBALLPROF_FOLDER, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_SIMGRID, MPG_FILE_SIGNATURE, "'mpgtrace stat ", "' summarises it"},
    {MPG_FILE_TRACE, MPG_FILE_TRACE_TEXT, "'mpgtrace print ", "' makes one"},
    {MPG_FILE_TRACE_FOLDER, MPG_FILE_TRACE_TEXT, "'mpgtrace print ", "' makes one"},
    {MPG_FILE_RESULTS, MPG_FILE_RESULTS_FOLDER, "give its folder", NULL},
    {MPG_FILE_SIGNATURE, MPG_FILE_RESULTS_FOLDER,
     "sigmake reads a folder of results; 'sigshow ", "' shows it"},
    {MPG_FILE_EMPTY_FOLDER, MPG_FILE_RESULTS_FOLDER, "'mpgbench -o ", "' measures into it"},
    {MPG_FILE_GZIP, MPG_FILE_KINDS, "'gzip -d ", "' unpacks it"},
    {MPG_FILE_XZ, MPG_FILE_KINDS, "'xz -d ", "' unpacks it"},
    {MPG_FILE_BZIP2, MPG_FILE_KINDS, "'bzip2 -d ", "' unpacks it"},
    {MPG_FILE_ZSTD, MPG_FILE_KINDS, "'zstd -d ", "' unpacks it"},
    {MPG_FILE_ZIP, MPG_FILE_KINDS, "'unzip ", "' unpacks it"},
    {MPG_FILE_TAR, MPG_FILE_KINDS, "'tar -xf ", "' unpacks it"},
};

/* The first bytes of each kind of file. */
static const struct {
    size_t offset;
    const char *bytes;
    size_t length;
    enum mpg_file_kind kind;
} beginnings[] = {
    {0, "#mpgresults ", 12, MPG_FILE_RESULTS},
    {0, "#mpgtext", 8, MPG_FILE_TRACE_TEXT},
    {0, "\x03" "BOTF2", 6, MPG_FILE_OTF2},
    {0, "\x03" "#OTF2", 6, MPG_FILE_OTF2},
    {0, "\x03" "B\x01\0\0\0\0\0", 8, MPG_FILE_OTF2_EVENTS},
    {0, "#Paraver (", 10, MPG_FILE_PARAVER},
    {0, "mpits", 5, MPG_FILE_EXTRAE},
    {0, "\xff\xaa\xdd" "DUMPI", 8, MPG_FILE_DUMPI},
    {0, "num_ranks ", 10, MPG_FILE_GOAL},
    {0, "\x7f\x10\0\0\0\0\0\0", 8, MPG_FILE_GOAL},
    {0, "# collprof", 10, MPG_FILE_LIBALLPROF},
    {0, "# htor's PMPI Tracer", 20, MPG_FILE_LIBALLPROF},
    {0, "\x1f\x8b", 2, MPG_FILE_GZIP},
    {0, "\xfd" "7zXZ", 6, MPG_FILE_XZ},
    {0, "BZh", 3, MPG_FILE_BZIP2},
    {0, "\x28\xb5\x2f\xfd", 4, MPG_FILE_ZSTD},
    {0, "PK\x03\x04", 4, MPG_FILE_ZIP},
    {257, "ustar", 5, MPG_FILE_TAR},
    {0, "\x7f" "ELF", 4, MPG_FILE_PROGRAM},
    {0, "#!", 2, MPG_FILE_SCRIPT},
    {0, "\x89PNG", 4, MPG_FILE_IMAGE},
    {0, "\xff\xd8\xff", 3, MPG_FILE_IMAGE},
    {0, "%PDF", 4, MPG_FILE_IMAGE},
    {0, "<svg", 4, MPG_FILE_IMAGE},
    {0, "<?xml", 5, MPG_FILE_TEXT},
};

/* First chunk of a trace or profile: magic, version, kind (mpgtrace(5)). */
static const char chunk_magic[] = "MPGTRCE\n";
enum { CHUNK_KIND_OFFSET = 10, CHUNK_KIND_PROFILE = 4, CHUNK_MIN = 12 };

const char *mpg_kind_name(enum mpg_file_kind kind)
{
    return names[kind];
}

static bool holds(const unsigned char *bytes, size_t n, const char *text)
{
    return memmem(bytes, n, text, strlen(text)) != NULL;
}

static enum mpg_file_kind kind_of_json(const unsigned char *bytes, size_t n)
{
    if (holds(bytes, n, "\"mpgkit-signature\""))
        return MPG_FILE_SIGNATURE;
    return holds(bytes, n, "\"mpgsim-result\"") ? MPG_FILE_ANSWER : MPG_FILE_JSON;
}

/* Whether BYTES, a text, begin with a line "RANK ACTION ..." of SimGrid; empty lines and comments may come before. */
static bool is_actions(const unsigned char *bytes, size_t n)
{
    static const char *const actions[] = {"init", "finalize", "send", "recv", "isend", "irecv", "sendrecv",
                                          "compute", "sleep", "bcast", "barrier", "reduce", "allreduce", "alltoall",
                                          "location", "comm_size"};
    char text[256];
    size_t i = 0;
    while (i < n && (bytes[i] == '#' || isspace(bytes[i]))) {
        const unsigned char *end = bytes[i] == '#' ? memchr(bytes + i, '\n', n - i) : bytes + i;
        i = end ? (size_t)(end - bytes) + 1 : n;
    }
    snprintf(text, sizeof text, "%.*s", (int)(n - i < sizeof text ? n - i : sizeof text - 1), (const char *)bytes + i);
    char *word = text + strspn(text, "0123456789");
    if (word == text || (*word != ' ' && *word != '\t'))
        return false;
    word += strspn(word, " \t");
    word[strcspn(word, " \t\r\n")] = '\0';
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
        if (strcasecmp(word, actions[k]) == 0)
            return true;
    return false;
}

/* Whether BYTES, a text, begin with GOAL's `num_ranks`, after comments. */
static bool is_schedule(const unsigned char *bytes, size_t n)
{
    static const char first[] = "num_ranks";
    size_t i = 0;
    while (i < n) {
        const char *rest = (const char *)bytes + i;
        const bool is_line = n - i > 1 && strncmp(rest, "//", 2) == 0, is_block = n - i > 1 && strncmp(rest, "/*", 2) == 0;
        const char *end = is_line ? memchr(rest, '\n', n - i) : is_block ? memmem(rest, n - i, "*/", 2) : NULL;
        if (!end && !isspace(bytes[i]))
            break;
        i = end ? (size_t)(end - (const char *)bytes) + 1 + is_block : i + 1;
    }
    return n - i > sizeof first && strncmp((const char *)bytes + i, first, sizeof first - 1) == 0;
}

/* Whether BYTES, a text, begin with a call as written by liballprof2: "MPI_Init:0.00:". */
static bool is_call(const unsigned char *bytes, size_t n)
{
    char line[128], name[64];
    int end = 0;
    snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), (const char *)bytes);
    return sscanf(line, "MPI_%63[A-Za-z_]:%*[0-9].%*2[0-9]:%n", name, &end) == 1 && end > 0;
}

/* Returns the kind of BYTES, a text beginning with no mark in `beginnings`. */
static enum mpg_file_kind kind_of_text(const unsigned char *bytes, size_t n)
{
    if (holds(bytes, n, "fileprefix=") && holds(bytes, n, "numprocs="))
        return MPG_FILE_DUMPI_META;
    if (is_schedule(bytes, n))
        return MPG_FILE_GOAL;
    if (is_call(bytes, n))
        return MPG_FILE_LIBALLPROF2;
    return is_actions(bytes, n) ? MPG_FILE_SIMGRID : MPG_FILE_TEXT;
}

/* Returns true if the first N of BYTES are text; the last character may be truncated. */
static bool is_text(const unsigned char *bytes, size_t n)
{
    char line[MPG_FILE_BYTES + 1];
    size_t length = 0;
    for (size_t i = 0; i < n && i < MPG_FILE_BYTES; i++) {
        bool space = bytes[i] == '\n' || bytes[i] == '\t' || bytes[i] == '\r';
        line[length++] = space ? ' ' : (char)bytes[i];
    }
    for (int cut = 0; n >= MPG_FILE_BYTES && cut < 4 && length > 0 && (line[length - 1] & 0x80);
         cut++)
        length--;
    line[length] = '\0';
    return strlen(line) == length && mpg_printable_is(line);
}

enum mpg_file_kind mpg_kind_of_bytes(const void *first, size_t n)
{
    const unsigned char *bytes = first;
    size_t blank = 0;
    if (n == 0)
        return MPG_FILE_EMPTY;
    if (n >= CHUNK_MIN && memcmp(bytes, chunk_magic, sizeof chunk_magic - 1) == 0)
        return bytes[CHUNK_KIND_OFFSET] == CHUNK_KIND_PROFILE ? MPG_FILE_PROFILE : MPG_FILE_TRACE;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (n >= beginnings[i].offset + beginnings[i].length &&
            memcmp(bytes + beginnings[i].offset, beginnings[i].bytes, beginnings[i].length) == 0)
            return beginnings[i].kind;
    while (blank < n && memchr(" \t\r\n", bytes[blank], 4))
        blank++;
    bool text = is_text(bytes, n);
    if (text && blank < n && (bytes[blank] == '{' || bytes[blank] == '['))
        return kind_of_json(bytes, n);
    return text ? kind_of_text(bytes, n) : MPG_FILE_UNKNOWN;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

/* Returns the kind of a folder by the names in the folder. A single results file makes a folder of results. */
static enum mpg_file_kind kind_of_folder(const char *path)
{
    enum mpg_file_kind kind = MPG_FILE_EMPTY_FOLDER;
    DIR *folder = opendir(path);
    if (!folder)
        return MPG_FILE_ABSENT;
    for (struct dirent *entry; kind != MPG_FILE_RESULTS_FOLDER && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (ends_with(name, ".otf2") && name[0] != '.' && kind != MPG_FILE_TRACE_FOLDER && kind != MPG_FILE_PROFILE_FOLDER)
            kind = MPG_FILE_OTF2_FOLDER;
        else if (ends_with(name, ".samples") && name[0] != '.')
            kind = MPG_FILE_RESULTS_FOLDER;
        else if (ends_with(name, ".profile.mpgt"))
            kind = MPG_FILE_PROFILE_FOLDER;
        else if (ends_with(name, ".mpgt") && kind != MPG_FILE_PROFILE_FOLDER)
            kind = MPG_FILE_TRACE_FOLDER;
        else if (kind == MPG_FILE_EMPTY_FOLDER && strcmp(name, ".") != 0 &&
                 strcmp(name, "..") != 0)
            kind = MPG_FILE_FOLDER;
    }
    (void)closedir(folder);
    return kind;
}

/* Returns the kind of a folder with a file of KIND, for formats whose traces are several files with arbitrary names. */
static enum mpg_file_kind folder_of(enum mpg_file_kind kind)
{
    return kind == MPG_FILE_LIBALLPROF ? MPG_FILE_LIBALLPROF_FOLDER
           : kind == MPG_FILE_DUMPI    ? MPG_FILE_DUMPI_FOLDER
                                       : MPG_FILE_FOLDER;
}

/* Returns the kind of a folder without mpgkit's files by the first bytes of the folder's files. */
static enum mpg_file_kind kind_of_parts(const char *path)
{
    enum { MAX_LOOKS = 64 };
    enum mpg_file_kind kind = MPG_FILE_FOLDER;
    char name[4096];
    struct stat st;
    int looks = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && kind == MPG_FILE_FOLDER && looks < MAX_LOOKS && (entry = readdir(folder)); looks++) {
        const int n = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && n > 0 && (size_t)n < sizeof name && stat(name, &st) == 0 && S_ISREG(st.st_mode))
            kind = folder_of(mpg_kind_of(name));
    }
    if (folder)
        (void)closedir(folder);
    return kind;
}

/* Returns true if the text file PATH is a list of SimGrid's files: the first line, within the first N BYTES, names a file with
 * actions. */
static bool is_list(const char *path, const char *bytes, size_t n)
{
    char name[2048];
    unsigned char first[MPG_FILE_BYTES];
    struct stat st;
    const char *slash = strrchr(path, '/'), *end = memchr(bytes, '\n', n);
    const size_t length = end ? (size_t)(end - bytes) : n, folder = slash && *bytes != '/' ? (size_t)(slash - path) + 1 : 0;
    if (length == 0 || length >= MPG_FILE_BYTES || folder >= sizeof name - MPG_FILE_BYTES)
        return false;
    snprintf(name, sizeof name, "%.*s%.*s", (int)folder, path, (int)length, bytes);
    name[strcspn(name, "\r")] = '\0';
    if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const ssize_t got = fd < 0 ? -1 : pread(fd, first, sizeof first, 0);
    if (fd >= 0)
        (void)close(fd);
    return got > 0 && mpg_kind_of_bytes(first, (size_t)got) == MPG_FILE_SIMGRID;
}

enum mpg_file_kind mpg_kind_of(const char *path)
{
    struct stat st;
    unsigned char bytes[MPG_FILE_BYTES];
    if (strcmp(path, "-") == 0)
        return MPG_FILE_UNKNOWN;
    if (stat(path, &st) < 0)
        return MPG_FILE_ABSENT;
    if (S_ISDIR(st.st_mode)) {
        const enum mpg_file_kind kind = kind_of_folder(path);
        return kind == MPG_FILE_FOLDER ? kind_of_parts(path) : kind;
    }
    if (!S_ISREG(st.st_mode))
        return MPG_FILE_SPECIAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return MPG_FILE_ABSENT;
    const enum mpg_file_kind kind = mpg_kind_of_bytes(bytes, (size_t)n);
    return kind == MPG_FILE_TEXT && is_list(path, (const char *)bytes, (size_t)n) ? MPG_FILE_SIMGRID_LIST : kind;
}

int mpg_kind_find_anchor(const char *path, char *anchor, size_t size, struct mpg_error *err)
{
    struct stat st;
    int found = 0, n = 0;
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        n = snprintf(anchor, size, "%s", path);
    DIR *folder = n == 0 ? opendir(path) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (ends_with(entry->d_name, ".otf2") && entry->d_name[0] != '.') {
            n = snprintf(anchor, size, "%s/%s", path, entry->d_name);
            found++;
        }
    if (folder)
        (void)closedir(folder);
    if (n <= 0 || found > 1)
        return mpg_error_set(err, "%s: %s anchor file (*.otf2) of an OTF2 archive in this folder", path,
                             found > 1 ? "more than one" : "no");
    return (size_t)n < size ? 0 : mpg_error_set(err, "%s: name too long", path);
}

/* Maps a folder's kind to the kind of the folder's files. */
static enum mpg_file_kind without_folder(enum mpg_file_kind kind)
{
    return kind == MPG_FILE_TRACE_FOLDER        ? MPG_FILE_TRACE
           : kind == MPG_FILE_PROFILE_FOLDER    ? MPG_FILE_PROFILE
           : kind == MPG_FILE_OTF2_FOLDER       ? MPG_FILE_OTF2
           : kind == MPG_FILE_LIBALLPROF_FOLDER ? MPG_FILE_LIBALLPROF
           : kind == MPG_FILE_DUMPI_FOLDER      ? MPG_FILE_DUMPI
           : kind == MPG_FILE_DUMPI_META        ? MPG_FILE_DUMPI
           : kind == MPG_FILE_SIMGRID_LIST      ? MPG_FILE_SIMGRID
                                                : kind;
}

/* Returns whether every program can read files of KIND as traces: the reader's own error then says more than the kind
 * would. */
static bool is_read_as_trace(enum mpg_file_kind kind)
{
    return kind == MPG_FILE_TRACE_TEXT || kind == MPG_FILE_OTF2 || kind == MPG_FILE_LIBALLPROF || kind == MPG_FILE_DUMPI ||
           kind == MPG_FILE_SIMGRID || kind == MPG_FILE_GOAL || kind == MPG_FILE_PARAVER;
}

int mpg_kind_error(const char *path, enum mpg_file_kind found, enum mpg_file_kind wanted,
                   struct mpg_error *err)
{
    char word[MPG_ERROR_SIZE];
    wanted = without_folder(wanted);
    if (found == MPG_FILE_UNKNOWN)
        return mpg_error_set(err, "%s: not %s", path, names[wanted]);
    if (without_folder(found) == wanted)
        return mpg_error_set(err, "%s: no whole %s", path, strchr(names[wanted], ' ') + 1);
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
        if (remedies[i].found != found ||
            (remedies[i].wanted != wanted && remedies[i].wanted != MPG_FILE_KINDS))
            continue;
        const char *second = remedies[i].second;
        return mpg_error_set(err, "%s: %s, not %s: %s%s%s", path, names[found], names[wanted],
                             remedies[i].first, second ? mpg_shell_word(word, sizeof word, path) : "", second ? second : "");
    }
    return mpg_error_set(err, "%s: %s, not %s", path, names[found], names[wanted]);
}

int mpg_kind_explain(const char *path, enum mpg_file_kind wanted, struct mpg_error *err)
{
    enum mpg_file_kind found = mpg_kind_of(path);
    bool any_trace = without_folder(wanted) == MPG_FILE_TRACE && is_read_as_trace(without_folder(found));
    bool some_text = wanted == MPG_FILE_TRACE_TEXT &&
                     /* The parser's error is better: the parser names the line. */
                     (found == MPG_FILE_TEXT || found == MPG_FILE_EMPTY);
    if (found == MPG_FILE_UNKNOWN || found == MPG_FILE_ABSENT || found == MPG_FILE_SPECIAL ||
        any_trace || some_text || without_folder(found) == without_folder(wanted))
        return -1;
    return mpg_kind_error(path, found, wanted, err);
}
