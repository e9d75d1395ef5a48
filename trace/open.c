/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a trace in any format. Imports foreign formats into the native form, then finds the trace's files and reads their
 * chunk headers. */
#include "trace/store/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/input.h"
#include "common/kind.h"
#include "common/large.h"
#include "trace/excerpt/excerpt.h"
#include "trace/foreign/unpack.h"
#include "trace/format.h"
#include "trace/store/spool.h"

/* Memory of graph and decoders for a rank: an all-to-all of 1024 ranks uses two thirds. With fewer than MANY_FILES files page
 * faults cost little, and rounding memory up to large pages would add a tenth. */
enum { HEAP_BYTES_A_FILE = 512 << 10, MANY_FILES = 256 };

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Opens the file PATH from a previous listing of the folder. A file that no longer exists was a segment; its events are in the
 * stream's file by now, and the segment is left out. */
static int open_listed(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    return access(path, F_OK) < 0 && errno == ENOENT ? 0 : mpg_trace_add_file(t, path, err);
}

static int is_rank_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".mpgt") == 0;
}

static int open_directory(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_rank_file, alphasort), status = 0;
    if (count < 0)
        return mpg_error_errno(err, errno, "%s", path);
    for (int i = 0; i < count; i++) {
        char *name = NULL;
        size_t size = strlen(path) + strlen(entries[i]->d_name) + 2;
        if (status == 0 && (name = malloc(size))) {
            snprintf(name, size, "%s/%s", path, entries[i]->d_name);
            status = open_listed(t, name, err);
        } else if (status == 0)
            status = out_of_memory(err);
        free(name);
        free(entries[i]);
    }
    free(entries);
    if (status == 0 && t->file_count == 0)
        return mpg_error_set(err, "%s: no trace files (*.mpgt) in this folder", path);
    return status;
}

/* Imports a trace of FORMAT into a temporary file: from IN, called NAME in errors; if IN is NULL, from the file or folder
 * NAME. Returns the file's descriptor, or -1 with ERR. */
static int import(const struct mpg_trace_format *format, FILE *in, const char *name, struct mpg_error *err)
{
    const int spool = mpg_spool_file(err);
    char spool_name[MPG_SPOOL_NAME_BYTES];
    if (spool < 0)
        return -1;
    mpg_spool_name(spool_name);
    if ((in ? format->import(in, name, spool_name, spool, err)
            : mpg_trace_import(format, name, spool_name, spool, &mpg_import_defaults, err)) == 0)
        return spool;
    close(spool);
    return -1;
}

/* Replaces the only file of T, which is of FORMAT, by a temporary file in the native form. Returns 0, or -1 with ERR. */
static int replace_file(struct mpg_trace *t, const struct mpg_trace_format *format, struct mpg_error *err)
{
    const int copy = format->import ? dup(t->files[0].fd) : -1;
    FILE *in = copy < 0 ? NULL : fdopen(copy, "r");
    if (!in && format->import) {
        const int saved = errno;
        if (copy >= 0)
            close(copy);
        return mpg_error_errno(err, saved, "%s", t->files[0].path);
    }
    if (in)
        rewind(in);
    const int spool = import(format, in, t->files[0].path, err);
    if (in)
        (void)fclose(in);
    if (spool < 0)
        return -1;
    mpg_trace_replace_file(t, 0, spool);
    return 0;
}

/* Sets ERR: WHAT is missing, and a likely reason: a truncated or empty file. A file is also empty as long as all events are in
 * the file's segment. Returns -1. */
static int absent(const struct mpg_trace *t, const char *what, struct mpg_error *err)
{
    static const char remedy[] = ": copy the files of all ranks (of all hosts) to one folder, or record again";
    for (size_t i = 0; i < t->file_count && !t->cut; i++)
        if (t->files[i].size_bytes == 0 && strcmp(t->files[i].path, t->path) != 0)
            return mpg_error_set(err, "%s: %s; %s is empty", t->path, what, t->files[i].path);
    return mpg_error_set(err, "%s: %s%s%s", t->path, what, t->cut ? "; " : "", t->cut ? t->cut : t->ranks > 0 ? remedy : "");
}

static int check_ranks(const struct mpg_trace *t, struct mpg_error *err)
{
    char what[64];
    if (t->ranks == 0)
        return absent(t, "holds no events", err);
    for (int32_t r = 0; r < t->ranks; r++)
        if (t->rank[r].threads == 0 || t->rank[r].stream[0].thread != 0) {
            snprintf(what, sizeof what, "rank %d of %d is missing", r, t->ranks);
            return absent(t, what, err);
        }
    return 0;
}

/* Reads the trace from IN, called NAME in errors, into a temporary file in the native form. *FORMAT: the foreign format; NULL for
 * the native form. The native form's chunk headers are checked while copying, to stop reading an endless stream that is not a
 * trace at the first wrong byte. */
static int open_stream(struct mpg_trace *t, FILE *in, const char *name, const struct mpg_trace_format **format,
                       struct mpg_error *err)
{
    char first[MPG_FORMAT_BYTES];
    const size_t n = fread(first, 1, sizeof first, in);
    int fd;
    if ((*format = mpg_trace_format_of(first, n))) {
        for (size_t i = n; i > 0; i--)
            (void)ungetc(first[i - 1], in);
        fd = (*format)->import ? import(*format, in, name, err)
                               : mpg_error_set(err, "%s: a trace of this format cannot come from a pipe: give its path", name);
    } else {
        fd = mpg_spool_chunks(in, first, n, err);
        if (fd < 0)
            mpg_error_prefix(err, "%s", name);
    }
    return fd < 0 ? -1 : mpg_trace_add_open(t, fd, name, err);
}

/* Opens T's only file; a file in a foreign format is imported. *FORMAT: the foreign format; NULL for the native form. */
static int open_file(struct mpg_trace *t, const struct mpg_trace_format **format, struct mpg_error *err)
{
    char first[MPG_FORMAT_BYTES];
    if (mpg_trace_add_file(t, t->path, err) < 0)
        return -1;
    const ssize_t n = pread(t->files[0].fd, first, sizeof first, 0);
    *format = n > 0 ? mpg_trace_format_of(first, (size_t)n) : NULL;
    *format = *format ? *format : mpg_trace_format_of_kind(mpg_unpack_kind(t->path));
    return *format ? replace_file(t, *format, err) : 0;
}

static int open_files(struct mpg_trace *t, const struct mpg_trace_format **format, struct mpg_error *err)
{
    struct stat st;
    if (strcmp(t->path, "-") == 0)
        return open_stream(t, stdin, "standard input", format, err);
    if (stat(t->path, &st) < 0)
        return mpg_error_errno(err, errno, "%s", t->path);
    if (S_ISDIR(st.st_mode)) {
        if (!(*format = mpg_trace_format_of_kind(mpg_kind_of(t->path))))
            return open_directory(t, t->path, err);
        const int fd = import(*format, NULL, t->path, err);
        return fd < 0 ? -1 : mpg_trace_add_open(t, fd, t->path, err);
    }
    if (S_ISREG(st.st_mode))
        return open_file(t, format, err);
    FILE *pipe = mpg_input_open(t->path);
    if (!pipe)
        return mpg_error_errno(err, errno, "%s", t->path);
    const int status = open_stream(t, pipe, t->path, format, err);
    (void)fclose(pipe);
    return status;
}

static struct mpg_trace *make(const char *path, struct mpg_error *err)
{
    struct mpg_trace *t = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(path))) {
        out_of_memory(err);
        free(t);
        return NULL;
    }
    t->oldest = t->newest = MPG_NO_FILE;
    return t;
}

/* Reads the chunk headers of all files of T, and checks that the trace is complete. */
static int walk(struct mpg_trace *t, struct mpg_error *err)
{
    if (mpg_trace_walk(t, err) < 0 || mpg_trace_settle(t, err) < 0 || check_ranks(t, err) < 0)
        return -1;
    for (int32_t r = 0; r < t->ranks; r++)
        mpg_trace_note_killed(t, r);
    return 0;
}

static bool has_fact(const struct mpg_trace *t, const char *key)
{
    int32_t r = 0;
    while (r < t->ranks && !mpg_trace_find_fact(t, r, key))
        r++;
    return r < t->ranks;
}

/* Returns T, or the part of T that was recorded, in which case T is closed; NULL with ERR. */
static struct mpg_trace *recorded(struct mpg_trace *t, struct mpg_error *err)
{
    if (has_fact(t, "last"))
        return mpg_excerpt_of_last(t, err);
    return has_fact(t, "pauses") ? mpg_excerpt_of_pauses(t, err) : t;
}

struct mpg_trace *mpg_trace_open(const char *path, struct mpg_error *err)
{
    const struct mpg_trace_format *format = NULL;
    struct mpg_trace *t = make(path, err);
    int status = t ? open_files(t, &format, err) : -1;
    if (status == 0 && t->file_count >= MANY_FILES)
        mpg_large_heap(t->file_count * HEAP_BYTES_A_FILE);
    if (status == 0 && walk(t, err) == 0)
        return recorded(t, err);
    mpg_trace_close(t);
    if (t && !format)
        mpg_kind_explain(path, MPG_FILE_TRACE, err);
    return NULL;
}

/* Adds FILE, of another open trace, to T. A temporary file, which has no name, is added by descriptor. Returns 0, or -1 with
 * ERR. */
static int add_again(struct mpg_trace *t, const struct trace_file *file, struct mpg_error *err)
{
    if (!file->kept)
        return open_listed(t, file->path, err);
    const int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? mpg_error_errno(err, errno, "%s", file->path) : mpg_trace_add_open(t, fd, file->path, err);
}

struct mpg_trace *mpg_trace_open_again(const struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_trace *t = make(trace->path, err);
    int status = t ? 0 : -1;
    for (size_t i = 0; i < trace->file_count && status == 0; i++)
        status = add_again(t, &trace->files[i], err);
    if (status == 0 && walk(t, err) == 0)
        return t;
    mpg_trace_close(t);
    return NULL;
}

struct mpg_trace *mpg_trace_open_copy(const struct mpg_trace *trace, int fd, struct mpg_error *err)
{
    struct mpg_trace *t = make(trace->path, err);
    if (!t) {
        close(fd);
        return NULL;
    }
    int status = mpg_trace_add_open(t, fd, trace->path, err) == 0 ? walk(t, err) : -1;
    if (status == 0 && trace->cut) {
        free(t->cut);
        t->cut = strdup(trace->cut);
        status = t->cut ? 0 : out_of_memory(err);
    }
    if (status == 0)
        return t;
    mpg_trace_close(t);
    return NULL;
}

int mpg_trace_name(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    char *name = strdup(path);
    if (!name)
        return out_of_memory(err);
    free(t->path);
    t->path = name;
    return 0;
}

void mpg_trace_close(struct mpg_trace *t)
{
    if (!t)
        return;
    mpg_trace_close_files(t);
    for (int32_t r = 0; r < t->ranks; r++) {
        for (uint32_t i = 0; i < t->rank[r].threads; i++)
            free(t->rank[r].stream[i].parts);
        free(t->rank[r].stream);
        free(t->rank[r].clock);
        free(t->rank[r].facts);
        free(t->rank[r].fact);
    }
    mpg_trace_free_definitions(t);
    ZSTD_freeDCtx(t->zstd);
    free(t->stored);
    free(t->unpacked);
    free(t->rank);
    free(t->cut);
    free(t->path);
    free(t);
}
