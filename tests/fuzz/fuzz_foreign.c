/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other tools' traces: an input holds the files of a trace, separated by lines "%%"; the first bytes choose the reader, and the
 * imported trace is printed. A reader opens its files by name, so they are in a temporary folder that is made once: a folder for
 * each number of files, whose files stay open and are written anew for each input. Of a Paraver trace the second file has the
 * names of calls. An input that no reader accepts ends before its files are written; the number of the other inputs is printed at
 * the end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "trace/format.h"
#include "trace/reader.h"
#include "trace/text/text.h"

enum { MAX_FILES = 16 };

/* A folder with one number of files: of Paraver, or of other formats. */
struct folder {
    char *path; /* NULL: not made yet */
    int fd[MAX_FILES];
    size_t size[MAX_FILES]; /* of the last input */
};

/* A file of an input. */
struct part {
    const uint8_t *data;
    size_t size;
};

static const char separator[] = "%%\n";
static struct folder folders[2][MAX_FILES + 1];
static char *root; /* the temporary folder */
static unsigned long read_inputs;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)type;
    (void)place;
    return remove(path);
}

static void end(void)
{
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
    for (int i = 0; i <= 2 * MAX_FILES + 1; i++)
        free(folders[i / (MAX_FILES + 1)][i % (MAX_FILES + 1)].path);
    fprintf(stderr, "%lu inputs reached a reader\n", read_inputs);
}

static void make_root(void)
{
    const char *tmp = getenv("TMPDIR");
    if (asprintf(&root, "%s/foreign-XXXXXX", tmp ? tmp : "/tmp") < 0 || !mkdtemp(root) || atexit(end) != 0)
        abort();
}

/* Returns the folder of N files, made at its first use. A file alone has a name without a number: then a reader looks for no
 * files beside it. */
static struct folder *folder_of(int n, bool is_paraver)
{
    struct folder *f = &folders[is_paraver][n];
    if (f->path)
        return f;
    if (!root)
        make_root();
    if (asprintf(&f->path, "%s/%s%d", root, is_paraver ? "paraver" : "files", n) < 0 || mkdir(f->path, 0700) < 0)
        abort();
    for (int i = 0; i < n; i++) {
        char name[4096];
        if (n == 1 || (is_paraver && i < 2))
            snprintf(name, sizeof name, "%s/trace%s", f->path, i == 1 ? ".pcf" : is_paraver ? ".prv" : "");
        else
            snprintf(name, sizeof name, "%s/part-%d", f->path, i);
        f->fd[i] = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (f->fd[i] < 0)
            abort();
    }
    return f;
}

/* Splits DATA at its separators into PART. Returns the number of files; the last one holds the rest. */
static int split(const uint8_t *data, size_t size, struct part part[MAX_FILES])
{
    for (int n = 0;; n++) {
        const uint8_t *end = n + 1 < MAX_FILES ? memmem(data, size, separator, sizeof separator - 1) : NULL;
        part[n] = (struct part){data, end ? (size_t)(end - data) : size};
        if (!end)
            return n + 1;
        data += part[n].size + sizeof separator - 1;
        size -= part[n].size + sizeof separator - 1;
    }
}

/* Returns the format that the first file of N has, or NULL. */
static const struct mpg_trace_format *choose(const struct part *part, int n, enum mpg_file_kind *kind)
{
    *kind = mpg_kind_of_bytes(part->data, part->size < MPG_FILE_BYTES ? part->size : MPG_FILE_BYTES);
    if (*kind == MPG_FILE_TEXT && n > 1 && part->size > 5 && memcmp(part->data, "part-", 5) == 0)
        *kind = MPG_FILE_SIMGRID_LIST;
    const struct mpg_trace_format *format = mpg_trace_format_of_kind(*kind);
    return format && format->import_path && *kind != MPG_FILE_OTF2 ? format : NULL;
}

/* libFuzzer's own mutations; NULL in replay.c. */
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static bool has_reader(const uint8_t *data, size_t size)
{
    struct part part[MAX_FILES];
    enum mpg_file_kind kind;
    return choose(part, split(data, size, part), &kind) != NULL;
}

/* Mutates as libFuzzer does, but keeps the first bytes where they would no longer choose a reader. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint8_t first[64];
    const size_t n = size < sizeof first ? size : sizeof first;
    const bool had_reader = has_reader(data, size);
    (void)seed;
    memcpy(first, data, n);
    const size_t mutated = LLVMFuzzerMutate(data, size, max_size);
    if (had_reader && !has_reader(data, mutated))
        memcpy(data, first, n < mutated ? n : mutated);
    return mutated;
}

/* Writes the N files of PART. Stores the name that a user would give in NAME: of the folder if each rank has a file, else of the
 * first file. */
static void write_files(const struct part *part, int n, enum mpg_file_kind kind, char *name, size_t name_bytes)
{
    const bool is_paraver = kind == MPG_FILE_PARAVER,
               has_folder = n > 1 && (kind == MPG_FILE_DUMPI || kind == MPG_FILE_LIBALLPROF);
    struct folder *f = folder_of(n, is_paraver);
    for (int i = 0; i < n; i++) {
        if ((part[i].size < f->size[i] && ftruncate(f->fd[i], (off_t)part[i].size) < 0) ||
            pwrite(f->fd[i], part[i].data, part[i].size, 0) != (ssize_t)part[i].size)
            abort();
        f->size[i] = part[i].size;
    }
    snprintf(name, name_bytes, "%s%s", f->path,
             has_folder   ? ""
             : is_paraver ? "/trace.prv"
             : n == 1     ? "/trace"
                          : "/part-0");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char imported[64];
    struct part part[MAX_FILES];
    enum mpg_file_kind kind;
    struct mpg_error err = {""};
    char name[4096];
    const int n = split(data, size, part);
    const struct mpg_trace_format *format = choose(part, n, &kind);
    if (!format)
        return 0;
    read_inputs++;
    write_files(part, n, kind, name, sizeof name);
    if (fd < 0) {
        fd = memfd_create("imported", MFD_CLOEXEC);
        snprintf(imported, sizeof imported, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) != 0)
        abort();
    if (mpg_trace_import(format, name, "the trace", fd, &mpg_import_defaults, &err) < 0) {
        fuzz_check_error(&err);
        return 0;
    }
    struct mpg_trace *t = mpg_trace_open(imported, &err);
    if (!t || mpg_text_print(t, fuzz_nowhere(), &err) < 0)
        fuzz_check_error(&err);
    mpg_trace_close(t);
    return 0;
}
