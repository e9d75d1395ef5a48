/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The streams of a trace being written. A limited number of streams have a writer; records of all further streams are spooled
 * in a file. */
#define _GNU_SOURCE
#include "trace/store/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "common/varint.h"
#include "trace/store/spool.h"

enum {
    IMPORT_BUFFER_BYTES = 16 * 1024,
    IMPORT_LEVEL = 1,
    MAX_OPEN = 64,
    MIN_BUFFER_BYTES = 128, /* minimum bytes of a stream's buffer of records */
    MAX_BUFFER_BYTES = 16 << 10, /* maximum; less with many streams: all buffers together have at most ALL_BUFFERS bytes */
    ALL_BUFFERS = 32 << 20
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Returns how many streams may have a writer at once: at most MAX_OPEN, and a quarter of the process's limit of descriptors. */
static size_t max_open(int fd)
{
    struct rlimit limit;
    if (fd >= 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 4 > MAX_OPEN)
        return MAX_OPEN;
    return limit.rlim_cur >= 8 ? (size_t)limit.rlim_cur / 4 : 1;
}

void mpg_streams_init(struct mpg_streams *s, const char *target, int fd)
{
    *s = (struct mpg_streams){
        .target = target, .fd = fd, .open_limit = max_open(fd), .spool = -1};
}

static void clear_stream(struct mpg_stream *s)
{
    mpg_trace_writer_free(s->writer);
    if (s->fd >= 0)
        close(s->fd);
    mpg_map_clear(&s->defined);
    free(s->buffer);
    free(s->blocks);
}

void mpg_streams_clear(struct mpg_streams *s)
{
    for (size_t i = 0; i < s->count; i++) {
        clear_stream(s->items[i]);
        free(s->items[i]);
    }
    for (size_t i = 0; i < s->fact_number; i++) {
        free(s->facts[i].key);
        free(s->facts[i].value);
    }
    free(s->items);
    free(s->facts);
    mpg_map_clear(&s->index);
    ZSTD_freeCCtx(s->packer);
    if (s->spool >= 0)
        close(s->spool);
    *s = (struct mpg_streams){.fd = -1, .spool = -1};
}

/* --- writers --- */

static int open_file(const struct mpg_streams *all, struct mpg_stream *s, char *path, size_t size, struct mpg_error *err)
{
    char thread[32] = "";
    if (s->thread)
        snprintf(thread, sizeof thread, "-thread-%u", s->thread);
    if (snprintf(path, size, "%s/rank-%d%s.mpgt", all->target, s->rank, thread) >= (int)size)
        return mpg_error_set(err, "%s: name too long", all->target);
    s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return s->fd < 0 ? mpg_error_errno(err, errno, "%s", path) : 0;
}

int mpg_stream_open(struct mpg_streams *all, struct mpg_stream *s, struct mpg_error *err)
{
    char path[4096];
    if (s->writer)
        return 0;
    if (!all->packer && !(all->packer = ZSTD_createCCtx()))
        return out_of_memory(err);
    if (all->fd < 0 && open_file(all, s, path, sizeof path, err) < 0)
        return -1;
    struct mpg_trace_writer_options options = {.name = all->fd < 0 ? path : all->target,
                                               .rank = s->rank,
                                               .ranks = all->ranks,
                                               .thread = s->thread,
                                               .value_number = s->value_number,
                                               .segment_bytes = IMPORT_BUFFER_BYTES,
                                               .packer = all->packer,
                                               .level = IMPORT_LEVEL};
    s->writer = mpg_trace_writer_new(all->fd < 0 ? s->fd : all->fd, &options, err);
    all->open += s->writer != NULL;
    return s->writer ? 0 : -1;
}

int mpg_stream_close(struct mpg_streams *all, struct mpg_stream *s, struct mpg_error *err)
{
    if (mpg_trace_writer_close(s->writer, err) < 0)
        return -1;
    mpg_trace_writer_free(s->writer);
    mpg_map_clear(&s->defined);
    free(s->buffer);
    free(s->blocks);
    s->writer = NULL;
    s->buffer = NULL;
    s->blocks = NULL;
    s->used = s->capacity = s->block_number = 0;
    all->open--;
    int fd = s->fd;
    s->fd = -1;
    if (fd >= 0 && close(fd) < 0)
        return mpg_error_errno(err, errno, "%s: cannot write", all->target);
    return 0;
}

/* --- streams --- */

static int write_facts(struct mpg_streams *all, struct mpg_stream *s, struct mpg_error *err)
{
    for (size_t i = 0; i < all->fact_number && s->thread == 0; i++)
        if (mpg_stream_write_fact(all, s, all->facts[i].key, all->facts[i].value, err) < 0)
            return -1;
    return 0;
}

static struct mpg_stream *add_stream(struct mpg_streams *all, int32_t rank,
                                          uint32_t thread, uint64_t *place, struct mpg_error *err)
{
    const struct mpg_stream *first = thread ? mpg_streams_find(all, rank) : NULL;
    struct mpg_stream *s = calloc(1, sizeof *s);
    if (s && all->count == all->capacity) {
        const size_t capacity = all->capacity ? 2 * all->capacity : 16;
        struct mpg_stream **grown = realloc(all->items, capacity * sizeof *grown);
        if (grown) {
            all->items = grown;
            all->capacity = capacity;
        }
    }
    if (!s || all->count == all->capacity) {
        free(s);
        out_of_memory(err);
        return NULL;
    }
    *s = (struct mpg_stream){.rank = rank,
                                  .thread = thread,
                                  .value_number = first ? first->value_number : all->value_number,
                                  .comm = -1,
                                  .fd = -1};
    all->items[all->count++] = s;
    *place = all->count;
    if ((all->open < all->open_limit && mpg_stream_open(all, s, err) < 0) ||
        write_facts(all, s, err) < 0)
        return NULL;
    return s;
}

struct mpg_stream *mpg_streams_find(const struct mpg_streams *all, int32_t rank)
{
    const uint64_t *place = mpg_map_find(&all->index, (uint64_t)rank, 0);
    return place && *place ? all->items[*place - 1] : NULL;
}

struct mpg_stream *mpg_streams_get(struct mpg_streams *all, int32_t rank, uint32_t thread, struct mpg_error *err)
{
    if (all->last && all->last->rank == rank && all->last->thread == thread)
        return all->last;
    uint64_t *place = mpg_map_add(&all->index, (uint64_t)rank, thread);
    if (!place) {
        out_of_memory(err);
        return NULL;
    }
    struct mpg_stream *s = *place ? all->items[*place - 1] : add_stream(all, rank, thread, place, err);
    all->last = s;
    return s;
}

/* --- facts --- */

int mpg_stream_write_fact(struct mpg_streams *all, struct mpg_stream *s, const char *key,
                        const char *value, struct mpg_error *err)
{
    char *line;
    if (s->writer)
        return mpg_trace_write_fact(s->writer, key, value, err);
    if (mpg_trace_check_fact(key, value, err) < 0)
        return -1;
    const size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    if (!(line = malloc(key_bytes + value_bytes)))
        return out_of_memory(err);
    memcpy(line, key, key_bytes);
    memcpy(line + key_bytes, value, value_bytes);
    const int status = mpg_stream_spool(all, s, '!', line, key_bytes + value_bytes, err);
    free(line);
    return status;
}

int mpg_streams_write_fact(struct mpg_streams *all, const char *key, const char *value, struct mpg_error *err)
{
    struct mpg_stream_fact *grown =
        realloc(all->facts, (all->fact_number + 1) * sizeof *grown);
    if (!grown)
        return out_of_memory(err);
    all->facts = grown;
    struct mpg_stream_fact fact = {strdup(key), strdup(value)};
    if (!fact.key || !fact.value) {
        free(fact.key);
        free(fact.value);
        return out_of_memory(err);
    }
    all->facts[all->fact_number++] = fact;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i]->thread == 0 &&
            mpg_stream_write_fact(all, all->items[i], key, value, err) < 0)
            return -1;
    return 0;
}

/* --- the spool --- */

static int write_block(struct mpg_streams *all, struct mpg_stream *s, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    if (all->spool < 0 && (all->spool = mpg_spool_file(err)) < 0)
        return -1;
    const size_t n = s->block_number;
    if ((n & (n - 1)) == 0) { /* a power of two: the array is full */
        void *grown = realloc(s->blocks, (n ? 2 * n : 1) * sizeof *s->blocks);
        if (!grown)
            return out_of_memory(err);
        s->blocks = grown;
    }
    for (size_t done = 0; done < s->used;) {
        ssize_t written = pwrite(all->spool, s->buffer + done, s->used - done,
                                 all->spooled + (int64_t)done);
        if (written < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot write", mpg_spool_name(name));
        done += written > 0 ? (size_t)written : 0;
    }
    s->blocks[s->block_number++] = (struct mpg_stream_block){all->spooled, s->used};
    all->spooled += (int64_t)s->used;
    s->used = 0;
    return 0;
}

int mpg_stream_spool(struct mpg_streams *all, struct mpg_stream *s, char mark, const void *data, size_t size,
                     struct mpg_error *err)
{
    const size_t need = size + MPG_VARINT_BYTES + 1;
    size_t max = ALL_BUFFERS / all->count;
    max = max > MAX_BUFFER_BYTES ? MAX_BUFFER_BYTES : max < MIN_BUFFER_BYTES ? MIN_BUFFER_BYTES : max;
    if (s->used > 0 && s->used + need > max && write_block(all, s, err) < 0)
        return -1;
    if (s->used + need > s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : MIN_BUFFER_BYTES;
        while (capacity < s->used + need)
            capacity *= 2;
        uint8_t *grown = realloc(s->buffer, capacity);
        if (!grown)
            return out_of_memory(err);
        s->buffer = grown;
        s->capacity = capacity;
    }
    uint8_t *p = s->buffer + s->used;
    *p++ = (uint8_t)mark;
    p = mpg_put_varint(p, size);
    memcpy(p, data, size);
    s->used = (size_t)(p - s->buffer) + size;
    return 0;
}

size_t mpg_stream_blocks(const struct mpg_stream *s)
{
    return s->block_number + (s->used > 0);
}

uint8_t *mpg_stream_read_block(const struct mpg_streams *all, const struct mpg_stream *s, size_t i, size_t *bytes,
                               struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    const bool in_file = i < s->block_number;
    *bytes = in_file ? s->blocks[i].bytes : s->used;
    uint8_t *block = malloc(*bytes + 1);
    if (!block) {
        out_of_memory(err);
        return NULL;
    }
    if (!in_file) {
        memcpy(block, s->buffer, *bytes);
        return block;
    }
    size_t got = 0;
    int status = mpg_spool_read(all->spool, block, *bytes, s->blocks[i].offset, mpg_spool_name(name), &got, err);
    if (status == 0 && got < *bytes)
        status = mpg_error_errno(err, EIO, "%s: cannot read", name);
    if (status == 0)
        return block;
    free(block);
    return NULL;
}

bool mpg_stream_next(const uint8_t *block, size_t bytes, size_t *at, struct mpg_stream_record *record)
{
    const uint8_t *p = block + *at, *const end = block + bytes;
    uint64_t size;
    if (p == end)
        return false;
    record->mark = *p++;
    if (!mpg_get_varint(&p, end, &size) || size > (uint64_t)(end - p))
        return false;
    record->data = p;
    record->size = (size_t)size;
    *at = (size_t)(p - block) + record->size;
    return true;
}
