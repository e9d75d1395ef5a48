/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a trace rank by rank: makes and completes the files of a rank's streams. */
#include "trace/copy/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/copy/define.h"
#include "trace/store/private.h"
#include "trace/store/signature.h"

enum { SEGMENT_BYTES = 64 << 10, LEVEL = 1 };

struct mpg_copy {
    struct mpg_trace *trace;
    const char *folder; /* NULL: all ranks are appended to FILE, called NAME in errors */
    int file;
    const char *name;
    int32_t rank;
    struct mpg_copy_stream **streams; /* streams of the rank being written; the first gets the rank's facts */
    size_t count, capacity;
    struct mpg_map used;
    ZSTD_CCtx *packer;
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct mpg_copy *mpg_copy_new(struct mpg_trace *trace, const char *folder, struct mpg_error *err)
{
    struct mpg_copy *c = calloc(1, sizeof *c);
    if (c && (c->packer = ZSTD_createCCtx())) {
        c->trace = trace;
        c->folder = folder;
        return c;
    }
    free(c);
    out_of_memory(err);
    return NULL;
}

struct mpg_copy *mpg_copy_new_file(struct mpg_trace *trace, int fd, const char *name, struct mpg_error *err)
{
    struct mpg_copy *c = mpg_copy_new(trace, NULL, err);
    if (c) {
        c->file = fd;
        c->name = name;
    }
    return c;
}

static void clear_stream(struct mpg_copy_stream *s)
{
    mpg_trace_writer_free(s->writer);
    if (s->fd >= 0)
        close(s->fd);
    mpg_map_clear(&s->defined);
    free(s);
}

static void clear_streams(struct mpg_copy *c)
{
    for (size_t i = 0; i < c->count; i++)
        clear_stream(c->streams[i]);
    c->count = 0;
}

void mpg_copy_free(struct mpg_copy *c)
{
    if (!c)
        return;
    clear_streams(c);
    free(c->streams);
    mpg_map_clear(&c->used);
    ZSTD_freeCCtx(c->packer);
    free(c);
}

/* Opens the file of S, called PATH, of SIZE bytes, in errors. */
static int open_file(const struct mpg_copy *c, struct mpg_copy_stream *s, char *path, size_t size, struct mpg_error *err)
{
    char thread[32] = "";
    if (s->thread)
        snprintf(thread, sizeof thread, "-thread-%u", s->thread);
    if (!c->folder) {
        snprintf(path, size, "%s", c->name);
        s->fd = fcntl(c->file, F_DUPFD_CLOEXEC, 0);
    } else if (snprintf(path, size, "%s/rank-%d%s.mpgt", c->folder, c->rank, thread) >= (int)size)
        return mpg_error_set(err, "%s: name too long", c->folder);
    else
        s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return s->fd < 0 ? mpg_error_errno(err, errno, "%s", path) : 0;
}

static int open_stream(const struct mpg_copy *c, struct mpg_copy_stream *s, uint32_t value_number, struct mpg_error *err)
{
    char path[4096];
    if (open_file(c, s, path, sizeof path, err) < 0)
        return -1;
    const struct mpg_trace_writer_options options = {.name = path,
                                                     .rank = c->rank,
                                                     .ranks = mpg_trace_ranks(c->trace),
                                                     .thread = s->thread,
                                                     .value_number = value_number,
                                                     .segment_bytes = SEGMENT_BYTES,
                                                     .packer = c->packer,
                                                     .level = LEVEL};
    s->writer = mpg_trace_writer_new(s->fd, &options, err);
    return s->writer ? 0 : -1;
}

/* Returns how many counter values each event of the rank has. */
static uint32_t count_values(const struct mpg_copy *c)
{
    const char *names = mpg_trace_find_fact(c->trace, c->rank, "values");
    uint32_t n = 0;
    for (bool inside = false; names && *names; names++) {
        n += *names != ' ' && !inside;
        inside = *names != ' ';
    }
    return n;
}

static struct mpg_copy_stream *find_stream(struct mpg_copy *c, uint32_t thread,
                                           struct mpg_error *err)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->streams[i]->thread == thread)
            return c->streams[i];
    struct mpg_copy_stream *s = calloc(1, sizeof *s);
    if (s && c->count == c->capacity) {
        const size_t capacity = 2 * c->capacity + 4;
        void *grown = realloc(c->streams, capacity * sizeof *c->streams);
        if (grown) {
            c->streams = grown;
            c->capacity = capacity;
        }
    }
    if (!s || c->count == c->capacity) {
        free(s);
        out_of_memory(err);
        return NULL;
    }
    *s = (struct mpg_copy_stream){.thread = thread, .fd = -1};
    c->streams[c->count++] = s;
    return open_stream(c, s, count_values(c), err) < 0 ? NULL : s;
}

int mpg_copy_begin(struct mpg_copy *c, int32_t rank, struct mpg_error *err)
{
    c->rank = rank;
    return find_stream(c, 0, err) ? 0 : -1;
}

int mpg_copy_thread(struct mpg_copy *c, uint32_t thread, struct mpg_error *err)
{
    return find_stream(c, thread, err) ? 0 : -1;
}

int mpg_copy_fact(struct mpg_copy *c, const char *key, const char *value, struct mpg_error *err)
{
    return mpg_trace_write_fact(c->streams[0]->writer, key, value, err);
}

int mpg_copy_signature(struct mpg_copy *c, const char *name, const void *text, size_t bytes,
                       struct mpg_error *err)
{
    return mpg_trace_write_signature(c->streams[0]->writer, name, text, bytes, err);
}

/* Writes the fact "died" instead of E, the call in which the process was killed. Readers of the trace make the call from
 * this fact. */
static int write_killed(struct mpg_copy *c, const struct mpg_event *e, struct mpg_error *err)
{
    char value[96];
    snprintf(value, sizeof value, "%u %s %lld", e->thread, mpg_call_name(e->call),
             (long long)e->enter_ns);
    return mpg_copy_fact(c, "died", value, err);
}

int mpg_copy_event(struct mpg_copy *c, const struct mpg_event *event, struct mpg_error *err)
{
    struct mpg_event e = *event;
    struct mpg_copy_stream *s = find_stream(c, e.thread, err);
    if (!s)
        return -1;
    if (e.killed)
        return write_killed(c, &e, err);
    /* The cursor has added the cancelled requests to this call; the requests belong to the completing call. */
    if (mpg_call_kind(e.call) != MPG_KIND_COMPLETE) {
        e.cancelled = NULL;
        e.cancelled_number = 0;
    }
    if (mpg_copy_need(s, c->trace, c->rank, &e, &c->used, err) < 0)
        return -1;
    return mpg_trace_write_event(s->writer, &e, err);
}

/* --- definitions unnamed by events --- */

static int need_topologies(struct mpg_copy *c, struct mpg_error *err)
{
    const int32_t comms = mpg_trace_topology_at(c->trace, 0) ? mpg_trace_comm_count(c->trace) : 0;
    for (int32_t i = 0; i < comms; i++)
        if (mpg_copy_need_topology(c->streams[0], c->trace, c->rank, i, &c->used, err) < 0)
            return -1;
    return 0;
}

static int need_unused(struct mpg_copy *c, struct mpg_error *err)
{
    const int32_t comms = mpg_trace_comm_count(c->trace);
    for (int32_t i = 0; i < comms; i++)
        if (!mpg_map_find(&c->used, (uint64_t)i, 0) &&
            mpg_copy_need_comm(c->streams[0], c->trace, i, &c->used, err) < 0)
            return -1;
    return 0;
}

/* If S has no calls, writes the definition of MPI_COMM_WORLD, to give the stream a chunk in the trace. */
static int need_anything(struct mpg_copy *c, struct mpg_copy_stream *s, struct mpg_error *err)
{
    const struct mpg_comm_definition world = {.parent = MPG_NO_COMM,
                                              .size = mpg_trace_ranks(c->trace)};
    if (s->defined.count > 0 || mpg_trace_writer_size(s->writer).events > 0)
        return 0;
    if (mpg_trace_comm_count(c->trace) > 0)
        return mpg_copy_need_comm(s, c->trace, 0, &c->used, err);
    return mpg_trace_write_comm(s->writer, &world, err);
}

int mpg_copy_end(struct mpg_copy *c, bool last, struct mpg_error *err)
{
    if (need_topologies(c, err) < 0 || (last && need_unused(c, err) < 0))
        return -1;
    for (size_t i = 0; i < c->count; i++) {
        struct mpg_copy_stream *s = c->streams[i];
        if (need_anything(c, s, err) < 0 || mpg_trace_writer_close(s->writer, err) < 0)
            return -1;
        const int fd = s->fd;
        s->fd = -1;
        if (close(fd) < 0)
            return mpg_error_errno(err, errno, "%s: cannot write", c->folder ? c->folder : c->name);
    }
    clear_streams(c);
    return 0;
}

/* --- struct mpg_sink --- */

static int sink_begin(void *copy, int32_t rank, struct mpg_error *err)
{
    return mpg_copy_begin(copy, rank, err);
}

static int sink_fact(void *copy, const char *key, const char *value, struct mpg_error *err)
{
    return mpg_copy_fact(copy, key, value, err);
}

static int sink_event(void *copy, const struct mpg_event *event, struct mpg_error *err)
{
    return mpg_copy_event(copy, event, err);
}

static int sink_end(void *copy, bool last, struct mpg_error *err)
{
    return mpg_copy_end(copy, last, err);
}

struct mpg_sink mpg_copy_sink(struct mpg_copy *copy)
{
    return (struct mpg_sink){
        .context = copy, .begin = sink_begin, .fact = sink_fact, .event = sink_event, .end = sink_end};
}
