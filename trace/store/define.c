/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes definitions: communicators, topologies, windows, files, names, modules, callsites. Each put_*() writes to P and
 * returns the end of the bytes written. */
#include <string.h>

#include "trace/store/writer_private.h"

/* Writes N ranks: of each, the distance from the rank before, minus 1; the first rank as such. Consecutive equal distances are
 * stored as a run. */
static uint8_t *put_ranks(uint8_t *p, const int32_t *ranks, size_t n)
{
    if (n == 0)
        return p;
    p = mpg_put_zigzag(p, ranks[0]);
    for (size_t i = 1, run; i < n; i += run) {
        int64_t distance = (int64_t)ranks[i] - ranks[i - 1] - 1;
        for (run = 1; i + run < n && (int64_t)ranks[i + run] - ranks[i + run - 1] - 1 == distance;)
            run++;
        p = mpg_put_zigzag(p, distance);
        p = mpg_put_varint(p, run - 1);
    }
    return p;
}

static size_t ranks_bound(const int32_t *ranks, size_t n)
{
    size_t runs = 1;
    for (size_t i = 1; i < n; i++)
        runs += i == 1 || (int64_t)ranks[i] - ranks[i - 1] != (int64_t)ranks[i - 1] - ranks[i - 2];
    return 2 * MPG_VARINT_BYTES * runs;
}

/* Writes the ranks 0 to N - 1 in the form of put_ranks(). */
static uint8_t *put_all_ranks(uint8_t *p, size_t n)
{
    static const int32_t few[] = {0, 1};
    p = put_ranks(p, few, n < 2 ? n : 1);
    if (n < 2)
        return p;
    p = mpg_put_zigzag(p, 0);
    return mpg_put_varint(p, n - 2);
}

/* Begins the definition of ID: makes room for BYTES bytes and ten integers, and writes OPERATION and ID. Returns the position
 * after ID; NULL with ERR. */
static uint8_t *begin(struct mpg_trace_writer *w, uint8_t operation, int32_t id, size_t bytes,
                      struct mpg_error *err)
{
    if (w->stopped) {
        mpg_error_set(err, "the trace has ended early");
        return NULL;
    }
    if (mpg_writer_reserve(w, bytes + 10 * MPG_VARINT_BYTES, err) < 0)
        return NULL;
    uint8_t *p = w->p[MPG_COLUMN_RECORDS];
    *p++ = operation;
    return mpg_put_zigzag(p, id);
}

static int end(struct mpg_trace_writer *w, uint8_t *p)
{
    w->p[MPG_COLUMN_RECORDS] = p;
    return 0;
}

int mpg_trace_write_comm(struct mpg_trace_writer *w, const struct mpg_comm_definition *c,
                         struct mpg_error *err)
{
    size_t size = (size_t)c->size, remote_size = (size_t)c->remote_size;
    size_t bytes = (c->world_ranks ? ranks_bound(c->world_ranks, size) : 0) +
                   ranks_bound(c->remote, remote_size);
    uint8_t *p = begin(w, MPG_OP_COMM, c->comm, bytes, err);
    if (!p)
        return -1;
    p = mpg_put_zigzag(p, c->parent);
    p = mpg_put_zigzag(p, c->instance);
    p = mpg_put_zigzag(p, c->label);
    p = mpg_put_varint(p, size);
    p = mpg_put_varint(p, remote_size);
    p = c->world_ranks ? put_ranks(p, c->world_ranks, size) : put_all_ranks(p, size);
    return end(w, put_ranks(p, c->remote, remote_size));
}

int mpg_trace_write_topology(struct mpg_trace_writer *w, int32_t comm, uint32_t source_number,
                             const int32_t *sources, uint32_t destination_number,
                             const int32_t *destinations, struct mpg_error *err)
{
    if (source_number > MPG_TRACE_MAX_LIST || destination_number > MPG_TRACE_MAX_LIST)
        return mpg_error_set(err, "trace writer: too many neighbours");
    size_t bytes =
        ranks_bound(sources, source_number) + ranks_bound(destinations, destination_number);
    uint8_t *p = begin(w, MPG_OP_TOPOLOGY, comm, bytes, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, source_number);
    p = mpg_put_varint(p, destination_number);
    p = put_ranks(p, sources, source_number);
    return end(w, put_ranks(p, destinations, destination_number));
}

int mpg_trace_write_object(struct mpg_trace_writer *w, int32_t object, enum mpg_object_kind kind,
                           int32_t comm, int32_t number, struct mpg_error *err)
{
    uint8_t *p = begin(w, MPG_OP_OBJECT, object, 0, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, kind);
    p = mpg_put_zigzag(p, comm);
    return end(w, mpg_put_zigzag(p, number));
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t n)
{
    p = mpg_put_varint(p, n);
    if (n > 0)
        memcpy(p, bytes, n);
    return p + n;
}

int mpg_trace_check_string(const char *text, struct mpg_error *err)
{
    return strlen(text) <= MPG_TRACE_MAX_TEXT && !strchr(text, '\n')
               ? 0
               : mpg_error_set(err, "a region's name is longer than %d bytes or has a line end",
                               MPG_TRACE_MAX_TEXT);
}

int mpg_trace_write_string(struct mpg_trace_writer *w, int32_t string, const char *text,
                           struct mpg_error *err)
{
    size_t n = strlen(text);
    if (mpg_trace_check_string(text, err) < 0)
        return -1;
    uint8_t *p = begin(w, MPG_OP_STRING, string, n, err);
    return p ? end(w, put_bytes(p, text, n)) : -1;
}

int mpg_trace_check_module(uint32_t size, const char *path, struct mpg_error *err)
{
    if (strlen(path) > MPG_TRACE_MAX_TEXT || size > MPG_TRACE_MAX_BUILD_ID || strchr(path, '\n'))
        return mpg_error_set(err, "a module's path is longer than %d bytes or has a line end, or "
                             "its build id is longer than %d", MPG_TRACE_MAX_TEXT,
                             MPG_TRACE_MAX_BUILD_ID);
    return 0;
}

int mpg_trace_write_module(struct mpg_trace_writer *w, int32_t module, const uint8_t *build_id,
                           uint32_t size, const char *path, struct mpg_error *err)
{
    size_t n = strlen(path);
    if (mpg_trace_check_module(size, path, err) < 0)
        return -1;
    uint8_t *p = begin(w, MPG_OP_MODULE, module, size + n, err);
    return p ? end(w, put_bytes(put_bytes(p, build_id, size), path, n)) : -1;
}

int mpg_trace_write_site(struct mpg_trace_writer *w, int32_t site, uint32_t frame_number,
                         const struct mpg_frame *frames, struct mpg_error *err)
{
    if (frame_number == 0 || frame_number > MPG_TRACE_MAX_FRAMES)
        return mpg_error_set(err, "trace writer: a callsite of %u frames", frame_number);
    uint8_t *p = begin(w, MPG_OP_SITE, site, 2 * MPG_VARINT_BYTES * (size_t)frame_number, err);
    if (!p)
        return -1;
    p = mpg_put_varint(p, frame_number);
    for (uint32_t i = 0; i < frame_number; i++) {
        p = mpg_put_zigzag(p, frames[i].module);
        p = mpg_put_varint(p, frames[i].offset);
    }
    return end(w, p);
}
