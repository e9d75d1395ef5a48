/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes definitions: the inverse of trace/store/define.c. Checks all input. */
#include <stdlib.h>
#include <string.h>

#include "trace/store/decode.h"

/* Maps ID, a number in the stream, to NUMBER in the trace. Returns 0; -1 with ERR: out of memory, also if NUMBER is -1. */
static int define(struct mpg_map *map, int32_t id, int32_t number, struct mpg_error *err)
{
    uint64_t *slot = number < 0 ? NULL : mpg_map_add(map, (uint64_t)(int64_t)id, 0);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    *slot = (uint64_t)number + 1;
    return 0;
}

/* A run has 1 + REPEAT ranks from FIRST to LAST, in steps of STEP. Returns whether each rank is below LIMIT, and not negative
 * or NONE, a special negative value. Checking both ends suffices: NONE can only be at an end, next to a rank >= 0, or fill the
 * whole run. */
static bool are_ranks(int64_t first, int64_t last, int64_t step, uint64_t repeat, int64_t none, int64_t limit)
{
    if (first >= limit || last >= limit || (first < 0 && first != none) || (last < 0 && last != none))
        return false;
    if (repeat == 0 || (first >= 0 && last >= 0))
        return true;
    if (first < 0 && last < 0)
        return step == 0;
    return first < 0 ? first + step >= 0 : last - step >= 0;
}

/* Skips N ranks, each below LIMIT or equal to NONE. Returns false if the data are damaged. */
static bool skip_ranks(struct mpg_decoder *d, uint32_t n, int64_t none, int64_t limit)
{
    int64_t rank;
    if (n == 0)
        return true;
    if (!mpg_get_zigzag(&d->p, d->end, &rank) || (rank < 0 && rank != none) || rank >= limit)
        return false;
    for (uint64_t left = n - 1; left > 0;) {
        int64_t distance;
        uint64_t repeat;
        if (!mpg_get_zigzag(&d->p, d->end, &distance) ||
            !mpg_get_varint(&d->p, d->end, &repeat) || repeat >= left ||
            distance < INT32_MIN * (int64_t)2 || distance > INT32_MAX * (int64_t)2)
            return false;
        const int64_t first = rank + 1 + distance;
        rank = first + (int64_t)repeat * (1 + distance); /* no overflow: at most 2^26 times 2^32 */
        if (!are_ranks(first, rank, 1 + distance, repeat, none, limit))
            return false;
        left -= repeat + 1;
    }
    return true;
}

/* Reads the N ranks at *P, checked by skip_ranks() before. */
static void get_ranks(const uint8_t **p, const uint8_t *end, int32_t *ranks, uint32_t n)
{
    int64_t rank = 0, distance = 0;
    uint64_t repeat = 0;
    if (n > 0)
        (void)mpg_get_zigzag(p, end, &rank);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && repeat-- == 0) {
            (void)mpg_get_zigzag(p, end, &distance);
            (void)mpg_get_varint(p, end, &repeat);
        }
        if (i > 0)
            rank += 1 + distance;
        ranks[i] = (int32_t)rank;
    }
}

/* Decodes the ranks of two groups, N and M, from ENCODED on. NULL with ERR: out of memory, or more ranks than a file of
 * this size may name. */
static int32_t *expand(struct mpg_decoder *d, const uint8_t *encoded, uint32_t n, uint32_t m,
                       struct mpg_error *err)
{
    const uint64_t number = (uint64_t)n + m;
    if (!mpg_trace_may_name(d->trace, number)) {
        mpg_decoder_damaged(d, "groups of more processes than a file of this size names", err);
        return NULL;
    }
    int32_t *ranks = malloc((number + 1) * sizeof *ranks);
    if (!ranks) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    get_ranks(&encoded, d->p, ranks, n);
    get_ranks(&encoded, d->p, ranks + n, m);
    return ranks;
}

/* Returns the trace-wide number of the groups encoded in the bytes from ENCODED to D->p; -1 with ERR. */
static int32_t find_members(struct mpg_decoder *d, uint32_t size, uint32_t remote_size,
                            const uint8_t *encoded, struct mpg_error *err)
{
    const size_t bytes = (size_t)(d->p - encoded);
    int32_t number = mpg_trace_find_members(d->trace, (int32_t)size, (int32_t)remote_size, encoded,
                                            bytes);
    if (number >= 0)
        return number;
    int32_t *ranks = expand(d, encoded, size, remote_size, err);
    if (!ranks)
        return -1;
    number = mpg_trace_add_members(d->trace, (int32_t)size, (int32_t)remote_size, encoded, bytes,
                                   ranks);
    return number < 0 ? mpg_error_set(err, "out of memory") : number;
}

static int read_comm(struct mpg_decoder *d, int32_t comm, struct mpg_error *err)
{
    int32_t parent, instance, label, members;
    uint32_t size, remote_size, ranks = (uint32_t)d->trace->ranks;
    /* A communicator with processes of other jobs can be larger than MPI_COMM_WORLD. */
    if (!mpg_decode_i32(d, &parent) || !mpg_decode_i32(d, &instance) ||
        !mpg_decode_i32(d, &label) || !mpg_decode_u32(d, &size, MPG_CHUNK_MAX_RANKS) ||
        !mpg_decode_u32(d, &remote_size, MPG_CHUNK_MAX_RANKS) || size == 0)
        return mpg_decoder_damaged(d, "communicator", err);
    if (parent != MPG_NO_COMM && !mpg_decode_id(&d->comms, &parent))
        return mpg_decoder_damaged(d, "unknown parent of a communicator", err);
    const uint8_t *encoded = d->p;
    if (!skip_ranks(d, size, MPG_FOREIGN, ranks) || !skip_ranks(d, remote_size, MPG_FOREIGN, ranks))
        return mpg_decoder_damaged(d, "members of a communicator", err);
    if ((members = find_members(d, size, remote_size, encoded, err)) < 0)
        return -1;
    const struct trace_members *groups =
        (const struct trace_members *)d->trace->members.items + members;
    int32_t number = mpg_trace_intern_comm(d->trace, parent, instance, label, groups);
    return define(&d->comms, comm, number, err);
}

static int read_topology(struct mpg_decoder *d, int32_t comm, struct mpg_error *err)
{
    uint32_t sources, destinations;
    if (!mpg_decode_u32(d, &sources, MPG_TRACE_MAX_LIST) ||
        !mpg_decode_u32(d, &destinations, MPG_TRACE_MAX_LIST))
        return mpg_decoder_damaged(d, "topology", err);
    if (!mpg_decode_id(&d->comms, &comm))
        return mpg_decoder_damaged(d, "topology of an unknown communicator", err);
    const int32_t size = d->trace->comms[comm].size;
    const uint8_t *encoded = d->p;
    if (!skip_ranks(d, sources, MPG_PROC_NULL, size) ||
        !skip_ranks(d, destinations, MPG_PROC_NULL, size))
        return mpg_decoder_damaged(d, "neighbours in a topology", err);
    if (mpg_trace_topology(d->trace, d->rank, comm))
        return 0; /* defined by another thread of the rank, or another decoder */
    int32_t *ranks = expand(d, encoded, sources, destinations, err);
    if (!ranks)
        return -1;
    if (mpg_trace_add_topology(d->trace, d->rank, comm, sources, destinations, ranks) < 0)
        return mpg_error_set(err, "out of memory");
    return 0;
}

static int read_object(struct mpg_decoder *d, int32_t id, struct mpg_error *err)
{
    uint32_t kind;
    struct mpg_object object;
    if (!mpg_decode_u32(d, &kind, MPG_OBJECT_FILE) || !mpg_decode_i32(d, &object.comm) ||
        !mpg_decode_i32(d, &object.number))
        return mpg_decoder_damaged(d, "window or file", err);
    if (!mpg_decode_id(&d->comms, &object.comm))
        return mpg_decoder_damaged(d, "window or file of an unknown communicator", err);
    object.kind = (enum mpg_object_kind)kind;
    return define(&d->objects, id, mpg_trace_intern_object(d->trace, &object), err);
}

/* Reads a length, at most LIMIT, and sets *BYTES to the bytes that follow. Returns false if the data are damaged. */
static bool get_bytes(struct mpg_decoder *d, const uint8_t **bytes, uint32_t *size, uint32_t limit)
{
    if (!mpg_decode_u32(d, size, limit) || *size > (size_t)(d->end - d->p))
        return false;
    *bytes = d->p;
    d->p += *size;
    return true;
}

static bool is_line(const uint8_t *text, uint32_t size)
{
    return !memchr(text, '\0', size) && !memchr(text, '\n', size);
}

static int read_string(struct mpg_decoder *d, int32_t id, struct mpg_error *err)
{
    const uint8_t *text;
    uint32_t size;
    if (!get_bytes(d, &text, &size, MPG_TRACE_MAX_TEXT) || !is_line(text, size))
        return mpg_decoder_damaged(d, "name", err);
    return define(&d->strings, id, mpg_trace_intern_string(d->trace, (const char *)text, size),
                  err);
}

static int read_module(struct mpg_decoder *d, int32_t id, struct mpg_error *err)
{
    const uint8_t *build_id, *path;
    uint32_t size, path_size;
    if (!get_bytes(d, &build_id, &size, MPG_TRACE_MAX_BUILD_ID) ||
        !get_bytes(d, &path, &path_size, MPG_TRACE_MAX_TEXT) || !is_line(path, path_size))
        return mpg_decoder_damaged(d, "module", err);
    int32_t number =
        mpg_trace_intern_module(d->trace, build_id, size, (const char *)path, path_size);
    return define(&d->modules, id, number, err);
}

static int read_site(struct mpg_decoder *d, int32_t id, struct mpg_error *err)
{
    uint32_t n;
    struct mpg_frame frames[MPG_TRACE_MAX_FRAMES];
    memset(frames, 0, sizeof frames); /* clears padding, too */
    if (!mpg_decode_u32(d, &n, MPG_TRACE_MAX_FRAMES) || n == 0)
        return mpg_decoder_damaged(d, "callsite", err);
    for (uint32_t i = 0; i < n; i++) {
        if (!mpg_decode_i32(d, &frames[i].module) ||
            !mpg_get_varint(&d->p, d->end, &frames[i].offset))
            return mpg_decoder_damaged(d, "callsite", err);
        if (frames[i].module != -1 && !mpg_decode_id(&d->modules, &frames[i].module))
            return mpg_decoder_damaged(d, "callsite in an unknown module", err);
    }
    return define(&d->sites, id, mpg_trace_intern_site(d->trace, frames, n), err);
}

int mpg_decode_definition(struct mpg_decoder *d, uint64_t operation, struct mpg_error *err)
{
    int32_t id;
    if (!mpg_decode_i32(d, &id))
        return mpg_decoder_damaged(d, "definition", err);
    switch (operation) {
    case MPG_OP_COMM:
        return read_comm(d, id, err);
    case MPG_OP_TOPOLOGY:
        return read_topology(d, id, err);
    case MPG_OP_OBJECT:
        return read_object(d, id, err);
    case MPG_OP_STRING:
        return read_string(d, id, err);
    case MPG_OP_MODULE:
        return read_module(d, id, err);
    default:
        return read_site(d, id, err);
    }
}
