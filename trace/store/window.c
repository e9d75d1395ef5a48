/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making windows, and finding one's way in them. */
#include "trace/store/window.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/store/process.h"

enum { LEAST_COLUMN_BYTES = 512, ATTEMPTS = 100 };

static size_t align(size_t bytes)
{
    return (bytes + MPG_WINDOW_ALIGNMENT - 1) / MPG_WINDOW_ALIGNMENT * MPG_WINDOW_ALIGNMENT;
}

static size_t head_bytes(uint32_t columns)
{
    return align(MPG_CHUNK_HEADER_BYTES + MPG_PROGRESS_BYTES + columns * sizeof(uint64_t));
}

int mpg_window_layout(struct mpg_window *w, uint8_t *base, size_t size, uint32_t columns)
{
    size_t used = head_bytes(columns);
    if (size < used)
        return -1;
    w->base = base;
    w->size = size;
    w->columns = columns;
    w->progress = (struct mpg_progress *)(base + MPG_CHUNK_HEADER_BYTES);
    const uint8_t *capacities = base + MPG_CHUNK_HEADER_BYTES + MPG_PROGRESS_BYTES;
    for (uint32_t i = 0; i < columns; i++) {
        uint64_t capacity;
        memcpy(&capacity, capacities + i * sizeof capacity, sizeof capacity);
        capacity = le64toh(capacity);
        if (capacity > size - used)
            return -1;
        w->column[i] = base + used;
        w->capacity[i] = capacity;
        used += capacity;
    }
    return 0;
}

struct mpg_progress mpg_window_progress(const struct mpg_window *w)
{
    const struct mpg_progress *p = w->progress;
    return (struct mpg_progress){.sequence = le64toh(p->sequence),
                                 .first_ns = (int64_t)le64toh((uint64_t)p->first_ns),
                                 .events = le64toh(p->events),
                                 .flags = le64toh(p->flags),
                                 .inside_ns = (int64_t)le64toh((uint64_t)p->inside_ns),
                                 .inside = le64toh(p->inside),
                                 .stopped = le64toh(p->stopped),
                                 .process = le64toh(p->process)};
}

bool mpg_file_may_have(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

/* 0 or an error number. A program's timer may interrupt it, again and again. */
static int allocate(int fd, size_t size)
{
    int status = mpg_file_may_have(size) ? EINTR : EFBIG;
    for (int i = 0; status == EINTR && i < ATTEMPTS; i++)
        status = posix_fallocate(fd, 0, (off_t)size);
    return status;
}

/* Whether FAILED says that a file system has no shared mappings (mmap(2)), or cannot give
 * files their space ahead. */
static bool is_unmappable(int failed)
{
    return failed == ENODEV || failed == EOPNOTSUPP || failed == EINVAL || failed == ENOSYS;
}

bool mpg_file_is(const char *path, const struct mpg_file_id *id)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == id->device && st.st_ino == id->inode;
}

int mpg_file_map(const char *path, const char *name, size_t size, uint8_t **base,
                 struct mpg_file_id *id, struct mpg_error *err)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return mpg_error_errno(err, errno, "%s", name);
    int failed = allocate(fd, size);
    void *p = MAP_FAILED;
    if (!failed && fstat(fd, &st) < 0)
        failed = errno;
    if (!failed) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        failed = p == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (failed) {
        unlink(path);
        mpg_error_errno(err, failed, "%s", name);
        return is_unmappable(failed) ? -2 : -1;
    }
    *id = (struct mpg_file_id){st.st_dev, st.st_ino};
    *base = p;
    return 0;
}

static void fill_head(uint8_t *base, const struct mpg_chunk *chunk, size_t size,
                      const size_t *capacity)
{
    struct mpg_chunk head = *chunk;
    head.kind = MPG_CHUNK_WINDOW;
    head.stored_bytes = (uint32_t)(size - MPG_CHUNK_HEADER_BYTES);
    mpg_chunk_pack(&head, NULL, base);
    const struct mpg_progress progress = {.sequence = htole64(chunk->sequence),
                                          .first_ns = (int64_t)htole64((uint64_t)chunk->first_ns),
                                          .process = htole64(mpg_process_mark(getpid()))};
    memcpy(base + MPG_CHUNK_HEADER_BYTES, &progress, sizeof progress);
    for (uint32_t i = 0; i < chunk->columns; i++) {
        uint64_t stored = htole64(capacity[i]);
        memcpy(base + MPG_CHUNK_HEADER_BYTES + MPG_PROGRESS_BYTES + i * sizeof stored, &stored,
               sizeof stored);
    }
}

int mpg_window_make(struct mpg_window *w, const char *path, const struct mpg_chunk *chunk,
                    size_t window_bytes, size_t record_bytes, struct mpg_error *err)
{
    size_t capacity[MPG_MAX_COLUMNS], size = head_bytes(chunk->columns);
    size_t share = window_bytes / chunk->columns;
    for (uint32_t i = 0; i < chunk->columns; i++) {
        capacity[i] = align(share > LEAST_COLUMN_BYTES ? share : LEAST_COLUMN_BYTES);
        if (i == MPG_COLUMN_RECORDS && capacity[i] < record_bytes)
            capacity[i] = align(record_bytes);
        size += capacity[i];
    }
    if (size > MPG_CHUNK_MAX_BYTES)
        return mpg_error_set(err, "trace writer: one record of %zu bytes", record_bytes);
    struct mpg_file_id id = {0};
    uint8_t *base = NULL;
    char aside[4096];
    if (path) {
        if (snprintf(aside, sizeof aside, "%s.new", path) >= (int)sizeof aside)
            return mpg_error_set(err, "%s: name too long", path);
        int status = mpg_file_map(aside, path, size, &base, &id, err);
        if (status == -1)
            return -1;
        if (status < 0)
            path = NULL;
    }
    if (!path && !(base = calloc(1, size)))
        return mpg_error_set(err, "out of memory");
    fill_head(base, chunk, size, capacity);
    if (path && rename(aside, path) < 0) {
        int saved = errno;
        munmap(base, size);
        unlink(aside);
        return mpg_error_errno(err, saved, "%s", path);
    }
    (void)mpg_window_layout(w, base, size, chunk->columns);
    w->mapped = path;
    w->file = id;
    return 0;
}

void mpg_window_drop(struct mpg_window *w)
{
    if (w->mapped)
        munmap(w->base, w->size);
    else
        free(w->base);
    *w = (struct mpg_window){.base = NULL};
}
