/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a trace. The number of open files is limited: a job can have more ranks than a process may have descriptors.
 * The least recently used file is closed first. */
#include "trace/store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_OPEN = 4, MAX_OPEN = 1024 };

/* Returns how many files to keep open: half of the process's limit, as other code also needs descriptors. */
static size_t open_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > MAX_OPEN)
        return MAX_OPEN;
    return limit.rlim_cur / 2 > MIN_OPEN ? (size_t)(limit.rlim_cur / 2) : MIN_OPEN;
}

/* --- list of open files by last use --- */

static void unlink_file(struct mpg_trace *t, size_t file)
{
    struct trace_file *f = &t->files[file];
    *(f->older == MPG_NO_FILE ? &t->oldest : &t->files[f->older].newer) = f->newer;
    *(f->newer == MPG_NO_FILE ? &t->newest : &t->files[f->newer].older) = f->older;
}

static void link_newest(struct mpg_trace *t, size_t file)
{
    struct trace_file *f = &t->files[file];
    f->older = t->newest;
    f->newer = MPG_NO_FILE;
    *(t->newest == MPG_NO_FILE ? &t->oldest : &t->files[t->newest].newer) = file;
    t->newest = file;
}

/* Closes the least recently used file. Returns false: no file to close. */
static bool close_oldest(struct mpg_trace *t)
{
    const size_t file = t->oldest;
    if (file == MPG_NO_FILE)
        return false;
    unlink_file(t, file);
    close(t->files[file].fd);
    t->files[file].fd = -1;
    t->open_files--;
    return true;
}

static void note_open(struct mpg_trace *t, size_t file)
{
    link_newest(t, file);
    t->open_files++;
}

/* --- opening --- */

/* Opens the regular file PATH, after closing files if too many are open. Returns the descriptor, or -1 with ERR. Refuses all
 * files but regular files, as a device or pipe in the folder could block or never end. */
static int open_regular(struct mpg_trace *t, const char *path, struct stat *st,
                        struct mpg_error *err)
{
    int fd;
    if (t->open_limit == 0)
        t->open_limit = open_limit();
    while (t->open_files >= t->open_limit && close_oldest(t))
        ;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && (errno == EMFILE || errno == ENFILE) && close_oldest(t));
    if (fd < 0) {
        const int failed = errno;
        mpg_error_errno(err, failed, "%s", path);
        errno = failed;
        return -1;
    }
    if (fstat(fd, st) < 0)
        mpg_error_errno(err, errno, "%s", path);
    else if (!S_ISREG(st->st_mode))
        mpg_error_set(err, "%s: no regular file", path);
    else
        return fd;
    close(fd);
    return -1;
}

int mpg_trace_add_open(struct mpg_trace *t, int fd, const char *path, struct mpg_error *err)
{
    if (t->file_count == t->file_capacity) {
        const size_t capacity = t->file_capacity ? 2 * t->file_capacity : 16;
        struct trace_file *grown = realloc(t->files, capacity * sizeof *grown);
        if (grown) {
            t->files = grown;
            t->file_capacity = capacity;
        }
    }
    char *name = strdup(path);
    if (t->file_count == t->file_capacity || !name) {
        free(name);
        close(fd);
        return mpg_error_set(err, "out of memory");
    }
    t->files[t->file_count++] = (struct trace_file){.fd = fd, .path = name, .kept = true};
    return 0;
}

int mpg_trace_add_file(struct mpg_trace *t, const char *path, struct mpg_error *err)
{
    struct stat st;
    int fd = open_regular(t, path, &st, err);
    if (fd < 0 || mpg_trace_add_open(t, fd, path, err) < 0)
        return -1;
    struct trace_file *f = &t->files[t->file_count - 1];
    f->kept = false;
    f->device = st.st_dev;
    f->inode = st.st_ino;
    note_open(t, t->file_count - 1);
    return 0;
}

void mpg_trace_replace_file(struct mpg_trace *t, size_t file, int fd)
{
    struct trace_file *f = &t->files[file];
    if (!f->kept && f->fd >= 0) {
        unlink_file(t, file);
        t->open_files--;
    }
    if (f->fd >= 0)
        close(f->fd);
    f->fd = fd;
    f->kept = true;
}

void mpg_trace_close_files(struct mpg_trace *t)
{
    for (size_t i = 0; i < t->file_count; i++) {
        if (t->files[i].fd >= 0)
            close(t->files[i].fd);
        free(t->files[i].path);
    }
    free(t->files);
}

int mpg_trace_fd(struct mpg_trace *t, size_t file, bool *gone, struct mpg_error *err)
{
    struct trace_file *f = &t->files[file];
    struct stat st;
    *gone = false;
    if (f->fd >= 0) {
        if (!f->kept && t->newest != file) {
            unlink_file(t, file);
            link_newest(t, file);
        }
        return f->fd;
    }
    errno = 0;
    int fd = open_regular(t, f->path, &st, err);
    if (fd < 0) {
        *gone = errno == ENOENT;
        return -1;
    }
    if (st.st_dev != f->device || st.st_ino != f->inode) {
        close(fd);
        *gone = true;
        return mpg_error_set(err, "%s: is another file than when the trace was opened", f->path);
    }
    f->fd = fd;
    note_open(t, file);
    return fd;
}

int mpg_trace_pread(struct mpg_trace *t, size_t file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err)
{
    bool gone;
    int fd = mpg_trace_fd(t, file, &gone, err);
    if (fd < 0)
        return -1;
    uint8_t *p = data;
    while (size > 0) {
        ssize_t n = pread(fd, p, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mpg_error_errno(err, errno, "%s", t->files[file].path);
        if (n == 0)
            return mpg_error_set(err, "%s: ends at byte %lld", t->files[file].path,
                                 (long long)offset);
        p += n;
        offset += n;
        size -= (size_t)n;
    }
    return 0;
}
