/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates segments and maps them into memory. A segment is the file with the events of a stream that are not in a chunk yet. */
#include "trace/store/segment.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/store/process.h"

enum {
    MIN_COLUMN_BYTES = 512,
    SUM_BYTES = MPG_SUM_ROWS * MPG_SUM_ROW_BYTES,
    ATTEMPTS = 100
};
#define ENDING ".mpgt"

struct mpg_mapping_observer mpg_mapping_observer;

static size_t align(size_t bytes)
{
    return (bytes + MPG_SEGMENT_ALIGNMENT - 1) / MPG_SEGMENT_ALIGNMENT * MPG_SEGMENT_ALIGNMENT;
}

static size_t head_bytes(uint32_t columns)
{
    return align(MPG_CHUNK_HEADER_BYTES + MPG_SEGMENT_STATE_BYTES + columns * sizeof(uint64_t));
}

int mpg_segment_layout(struct mpg_segment *w, uint8_t *base, size_t size, uint32_t columns)
{
    size_t used = head_bytes(columns);
    if (size < used)
        return -1;
    w->base = base;
    w->size = size;
    w->columns = columns;
    w->progress = (struct mpg_segment_state *)(base + MPG_CHUNK_HEADER_BYTES);
    const uint8_t *capacities = base + MPG_CHUNK_HEADER_BYTES + MPG_SEGMENT_STATE_BYTES;
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
    w->sums = (struct mpg_sum_row *)(base + used);
    w->sum_number = used % _Alignof(struct mpg_sum_row) == 0
                        ? (uint32_t)((size - used) / sizeof *w->sums) : 0;
    return 0;
}

struct mpg_segment_state mpg_segment_state_of(const struct mpg_segment *w)
{
    const struct mpg_segment_state *p = w->progress;
    return (struct mpg_segment_state){.sequence = le64toh(p->sequence),
                                      .first_ns = (int64_t)le64toh((uint64_t)p->first_ns),
                                      .events = le64toh(p->events),
                                      .flags = le64toh(p->flags),
                                      .inside_ns = (int64_t)le64toh((uint64_t)p->inside_ns),
                                      .inside = le64toh(p->inside),
                                      .stopped = le64toh(p->stopped),
                                      .process = le64toh(p->process)};
}

bool mpg_segment_is_whole(const struct mpg_segment *w, uint64_t sequence)
{
    struct mpg_chunk chunk = {0};
    return mpg_chunk_unpack(w->base, &chunk, NULL) == 0 && chunk.kind == MPG_CHUNK_SEGMENT &&
           le64toh(w->progress->sequence) == sequence;
}

bool mpg_file_may_have(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

/* Allocates SIZE bytes on the disk for FD. Returns 0 or an error number. Repeats the call, since timers of the program
 * can interrupt it any number of times. */
static int allocate(int fd, size_t size)
{
    int status = mpg_file_may_have(size) ? EINTR : EFBIG;
    for (int i = 0; status == EINTR && i < ATTEMPTS; i++)
        status = posix_fallocate(fd, 0, (off_t)size);
    return status;
}

/* Returns whether FAILED means that the file system lacks shared mappings (mmap(2)) or preallocation. */
static bool is_unmappable(int failed)
{
    return failed == ENODEV || failed == EOPNOTSUPP || failed == EINVAL || failed == ENOSYS;
}

bool mpg_file_is(const char *path, const struct mpg_file_id *id)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_dev == id->device && st.st_ino == id->inode;
}

bool mpg_file_has(const char *path, size_t bytes)
{
    struct stat st;
    return stat(path, &st) == 0 && (uint64_t)st.st_size == bytes;
}

/* Writes a new file name beside PATH, not taken for a part of the trace by readers of the folder, to TEMPORARY of SIZE bytes.
 * Returns 0, or -1 with ERR. */
static int make_hidden_name(const char *path, char *temporary, size_t size, struct mpg_error *err)
{
    static unsigned made;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const uint64_t number = ((uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec << 8 ^
                             (uint64_t)getpid() << 20) +
                            __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    const size_t length = strlen(path), end = strlen(ENDING);
    const bool ends = length > end && strcmp(path + length - end, ENDING) == 0;
    if (snprintf(temporary, size, "%.*s.%016" PRIx64 ENDING ".new", (int)(ends ? length - end : length),
                 path, number * 0x9e3779b97f4a7c15u) >= (int)size)
        return mpg_error_set(err, "%s: name too long", path);
    return 0;
}

int mpg_file_hidden(const char *path, char *temporary, size_t size, struct mpg_error *err)
{
    int fd = -1;
    for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
        if (make_hidden_name(path, temporary, size, err) < 0)
            return -1;
        /* Fails if the name exists, also as a link. */
        fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST && errno != EINTR)
            break;
    }
    return fd >= 0 ? fd : mpg_error_errno(err, errno, "%s", path);
}

static int map_shared(int fd, size_t size, uint8_t **base, struct mpg_file_id *id)
{
    struct stat st;
    int failed = allocate(fd, size);
    if (failed)
        return failed;
    if (fstat(fd, &st) < 0)
        return errno;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return errno;
    *id = (struct mpg_file_id){st.st_dev, st.st_ino};
    *base = p;
    return 0;
}

int mpg_file_map(const char *path, size_t size, void (*fill)(uint8_t *, const void *),
                 const void *data, uint8_t **base, struct mpg_file_id *id, struct mpg_error *err)
{
    char temporary[4096];
    const int fd = mpg_file_hidden(path, temporary, sizeof temporary, err);
    if (fd < 0)
        return -1;
    int failed = map_shared(fd, size, base, id);
    close(fd);
    if (failed) {
        unlink(temporary);
        mpg_error_errno(err, failed, "%s", path);
        return is_unmappable(failed) ? -2 : -1;
    }
    if (mpg_mapping_observer.mapped)
        mpg_mapping_observer.mapped(*base, size, path);
    if (fill)
        fill(*base, data);
    if (rename(temporary, path) == 0)
        return 0;
    failed = errno;
    mpg_file_unmap(*base, size);
    unlink(temporary);
    return mpg_error_errno(err, failed, "%s", path);
}

void mpg_file_unmap(uint8_t *base, size_t size)
{
    if (mpg_mapping_observer.unmapped)
        mpg_mapping_observer.unmapped(base);
    munmap(base, size);
}

/* Initial content of a segment. */
struct head {
    const struct mpg_chunk *chunk;
    size_t size;
    const size_t *capacity; /* bytes of each column */
    const struct mpg_sum_row *sums;
    uint32_t sum_number;
};

static void fill_head(uint8_t *base, const void *data)
{
    const struct head *h = data;
    struct mpg_chunk head = *h->chunk;
    head.kind = MPG_CHUNK_SEGMENT;
    head.stored_bytes = (uint32_t)(h->size - MPG_CHUNK_HEADER_BYTES);
    mpg_chunk_pack(&head, NULL, base);
    const struct mpg_segment_state progress = {.sequence = htole64(head.sequence),
                                               .first_ns = (int64_t)htole64((uint64_t)head.first_ns),
                                               .process = htole64(mpg_process_mark(getpid()))};
    memcpy(base + MPG_CHUNK_HEADER_BYTES, &progress, sizeof progress);
    for (uint32_t i = 0; i < head.columns; i++) {
        uint64_t stored = htole64(h->capacity[i]);
        memcpy(base + MPG_CHUNK_HEADER_BYTES + MPG_SEGMENT_STATE_BYTES + i * sizeof stored, &stored,
               sizeof stored);
    }
    if (h->sum_number > 0)
        memcpy(base + h->size - SUM_BYTES, h->sums, h->sum_number * sizeof *h->sums);
}

/* Makes all pages of a small segment present in advance, because a page fault in a mapped file takes a microsecond or two. No
 * effect before Linux 5.14. */
static void populate(uint8_t *base, size_t size)
{
    enum { MAX_BYTES = 1 << 20, PAGE_BYTES = 4096 };
    const size_t page = (uintptr_t)base & (PAGE_BYTES - 1);
#ifdef MADV_POPULATE_WRITE
    if (size <= MAX_BYTES)
        (void)madvise(base - page, size + page, MADV_POPULATE_WRITE);
#else
    (void)page, (void)size;
#endif
}

int mpg_segment_make(struct mpg_segment *w, const char *path, const struct mpg_chunk *chunk,
                     size_t segment_bytes, size_t record_bytes, const struct mpg_sum_row *sums,
                     uint32_t sum_number, struct mpg_error *err)
{
    size_t capacity[MPG_MAX_COLUMNS], size = head_bytes(chunk->columns) + SUM_BYTES;
    size_t share = segment_bytes / chunk->columns;
    for (uint32_t i = 0; i < chunk->columns; i++) {
        capacity[i] = align(share > MIN_COLUMN_BYTES ? share : MIN_COLUMN_BYTES);
        if (i == MPG_COLUMN_RECORDS && capacity[i] < record_bytes)
            capacity[i] = align(record_bytes);
        size += capacity[i];
    }
    if (size > MPG_CHUNK_MAX_BYTES)
        return mpg_error_set(err, "trace writer: a record of %zu bytes is too large", record_bytes);
    const struct head head = {chunk, size, capacity, sums, sum_number};
    struct mpg_file_id id = {0};
    uint8_t *base = NULL;
    const int status = path ? mpg_file_map(path, size, fill_head, &head, &base, &id, err) : -2;
    if (status == -1)
        return -1;
    if (status < 0) {
        path = NULL;
        if (!(base = calloc(1, size)))
            return mpg_error_set(err, "out of memory");
        fill_head(base, &head);
    }
    populate(base, size);
    (void)mpg_segment_layout(w, base, size, chunk->columns);
    w->mapped = path;
    w->file = id;
    return 0;
}

void mpg_segment_drop(struct mpg_segment *w)
{
    if (w->mapped)
        mpg_file_unmap(w->base, w->size);
    else
        free(w->base);
    *w = (struct mpg_segment){.base = NULL};
}
