/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inverse of trace/writer.c. Trusts nothing it reads. */
#include "trace/decode.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

void mpg_decoder_start(struct mpg_decoder *d, struct mpg_trace *trace, int32_t rank)
{
    *d = (struct mpg_decoder){
        .trace = trace, .rank = rank, .offset = trace->rank[rank].first_offset};
}

void mpg_decoder_stop(struct mpg_decoder *d)
{
    free(d->raw);
    free(d->stored);
    free(d->shapes);
    mpg_map_clear(&d->comms);
    struct mpg_list *lists[] = {&d->requests,  &d->persistent,  &d->done,
                                &d->cancelled, &d->resolutions, &d->counts};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->data);
}

void *mpg_list_reserve(struct mpg_list *list, size_t n, size_t size)
{
    size_t need = (n ? n : 1) * size;
    if (need > list->capacity_bytes) {
        void *grown = realloc(list->data, 2 * need);
        if (!grown)
            return NULL;
        list->data = grown;
        list->capacity_bytes = 2 * need;
    }
    return list->data;
}

static const struct trace_file *file_of(const struct mpg_decoder *d)
{
    return &d->trace->files[d->trace->rank[d->rank].file];
}

static int damaged(const struct mpg_decoder *d, const char *what, struct mpg_error *err)
{
    return mpg_error_set(err, "%s: rank %d, call %llu: damaged trace (%s)", file_of(d)->path,
                         d->rank, (unsigned long long)d->event, what);
}

static int reserve_bytes(uint8_t **data, size_t *capacity, size_t need, struct mpg_error *err)
{
    if (need <= *capacity)
        return 0;
    uint8_t *grown = realloc(*data, need);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    *data = grown;
    *capacity = need;
    return 0;
}

static int unpack_chunk(struct mpg_decoder *d, const uint8_t *header, const struct mpg_chunk *c,
                        struct mpg_error *err)
{
    if (reserve_bytes(&d->stored, &d->stored_capacity, c->stored_bytes, err) < 0 ||
        mpg_trace_pread(file_of(d), d->stored, c->stored_bytes,
                        d->offset + MPG_CHUNK_HEADER_BYTES, err) < 0)
        return -1;
    if (!mpg_chunk_check(header, c, d->stored))
        return damaged(d, "checksum", err);
    if (ZSTD_getFrameContentSize(d->stored, c->stored_bytes) != c->raw_bytes)
        return damaged(d, "chunk size", err);
    if (reserve_bytes(&d->raw, &d->raw_capacity, c->raw_bytes, err) < 0)
        return -1;
    size_t n = ZSTD_decompress(d->raw, c->raw_bytes, d->stored, c->stored_bytes);
    if (ZSTD_isError(n) || n != c->raw_bytes)
        return damaged(d, "compression", err);
    d->p = d->raw;
    d->end = d->raw + n;
    d->chunk_events = c->events;
    if (d->event > 0 && c->first_ns != d->last_ns)
        return damaged(d, "chunk does not follow the one before", err);
    d->last_ns = c->first_ns;
    return 0;
}

/* Goes to the rank's next event chunk: 1, or 0 at the end. */
static int next_chunk(struct mpg_decoder *d, struct mpg_error *err)
{
    const struct trace_file *f = file_of(d);
    while (d->sequence < d->trace->rank[d->rank].chunks && d->offset < f->usable_bytes) {
        uint8_t header[MPG_CHUNK_HEADER_BYTES];
        struct mpg_chunk c;
        if (mpg_trace_pread(f, header, sizeof header, d->offset, err) < 0)
            return -1;
        if (mpg_chunk_unpack(header, &c, err) < 0)
            return mpg_error_prefix(err, "%s", f->path);
        bool mine = c.rank == (uint32_t)d->rank;
        int status = mine && c.kind == MPG_CHUNK_EVENTS ? unpack_chunk(d, header, &c, err) : 0;
        if (status < 0)
            return -1;
        d->offset += MPG_CHUNK_HEADER_BYTES + (int64_t)c.stored_bytes;
        d->sequence += mine;
        if (mine && c.kind == MPG_CHUNK_EVENTS)
            return 1;
    }
    return 0;
}

static bool get_i32(struct mpg_decoder *d, int32_t *v)
{
    int64_t value;
    if (!mpg_get_zigzag(&d->p, d->end, &value) || value < INT32_MIN || value > INT32_MAX)
        return false;
    *v = (int32_t)value;
    return true;
}

static bool get_u32(struct mpg_decoder *d, uint32_t *v, uint32_t limit)
{
    uint64_t value;
    if (!mpg_get_varint(&d->p, d->end, &value) || value > limit)
        return false;
    *v = (uint32_t)value;
    return true;
}

/* A list length; every element takes a byte or more. */
static bool get_length(struct mpg_decoder *d, uint32_t *n)
{
    return get_u32(d, n, MPG_TRACE_MAX_LIST) && (size_t)(d->end - d->p) >= *n;
}

/* The members of both groups, each the distance from the one before plus one. */
static bool get_members(struct mpg_decoder *d, int32_t *members, int32_t n)
{
    int64_t expected = 0, delta;
    for (int32_t i = 0; i < n; i++, expected++) {
        if (!mpg_get_zigzag(&d->p, d->end, &delta))
            return false;
        expected += delta;
        if (expected < 0 || expected >= d->trace->ranks)
            return false;
        members[i] = (int32_t)expected;
    }
    return true;
}

static int read_comm(struct mpg_decoder *d, struct mpg_error *err)
{
    int32_t comm, instance, label, status = -1;
    uint32_t size, remote_size;
    if (!get_i32(d, &comm) || !get_i32(d, &instance) || !get_i32(d, &label) ||
        !get_length(d, &size) || !get_length(d, &remote_size) || size == 0 ||
        size > (uint32_t)d->trace->ranks || remote_size > (uint32_t)d->trace->ranks)
        return damaged(d, "communicator", err);
    int32_t *members = malloc(((size_t)size + remote_size) * sizeof *members);
    uint64_t *slot = mpg_map_add(&d->comms, (uint64_t)(int64_t)comm, 0);
    if (!members || !slot) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    if (!get_members(d, members, (int32_t)(size + remote_size))) {
        damaged(d, "members of a communicator", err);
        goto out;
    }
    int32_t number = mpg_trace_intern_comm(d->trace, instance, label, (int32_t)size,
                                           (int32_t)remote_size, members);
    if (number < 0) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    *slot = (uint64_t)number + 1;
    status = 0;
out:
    free(members);
    return status;
}

static bool kind_has_comm(enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_INIT:
    case MPG_KIND_FINALIZE:
    case MPG_KIND_COMPLETE:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
    case MPG_KIND_START:
        return false;
    default:
        return true;
    }
}

/* Translates a communicator number of the rank's to the trace-wide one. */
static bool translate_comm(const struct mpg_decoder *d, int32_t *comm)
{
    uint64_t *number = mpg_map_find(&d->comms, (uint64_t)(int64_t)*comm, 0);
    if (!number)
        return false;
    *comm = (int32_t)(*number - 1);
    return true;
}

static int read_shape(struct mpg_decoder *d, struct mpg_error *err)
{
    struct mpg_shape s = {0};
    if (d->shape_count == MPG_MAX_SHAPES)
        return damaged(d, "too many shapes", err);
    if (!get_u32(d, &s.call, MPG_CALL_COUNT - 1) || !get_u32(d, &s.flags, 63) ||
        !get_u32(d, &s.count_number, MPG_TRACE_MAX_LIST) ||
        !get_u32(d, &s.request_number, MPG_TRACE_MAX_LIST) || !get_i32(d, &s.comm) ||
        !get_i32(d, &s.to) || !get_i32(d, &s.from) || !get_i32(d, &s.tag) ||
        !get_i32(d, &s.recvtag) || !get_i32(d, &s.root) || !get_i32(d, &s.newcomm) ||
        !mpg_get_zigzag(&d->p, d->end, &s.bytes) || !mpg_get_zigzag(&d->p, d->end, &s.recvbytes) ||
        s.bytes < 0 || s.recvbytes < 0)
        return damaged(d, "shape", err);
    enum mpg_kind kind = mpg_call_kind((enum mpg_call)s.call);
    if (kind_has_comm(kind) && !translate_comm(d, &s.comm))
        return damaged(d, "unknown communicator", err);
    if (kind == MPG_KIND_CONSTRUCTOR && s.newcomm != MPG_NO_COMM && !translate_comm(d, &s.newcomm))
        return damaged(d, "unknown new communicator", err);
    if (d->shape_count == d->shape_capacity) {
        uint32_t capacity = d->shape_capacity ? 2 * d->shape_capacity : 64;
        void *grown = realloc(d->shapes, capacity * sizeof *d->shapes);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        d->shapes = grown;
        d->shape_capacity = capacity;
    }
    d->shapes[d->shape_count++] = s;
    return 0;
}

/* Reads definitions up to an event's shape, whose number goes to SHAPE. */
static int read_operation(struct mpg_decoder *d, uint32_t *shape, struct mpg_error *err)
{
    for (;;) {
        uint64_t op;
        if (!mpg_get_varint(&d->p, d->end, &op))
            return damaged(d, "record", err);
        if (op == MPG_OP_NEW_SHAPE) {
            if (read_shape(d, err) < 0)
                return -1;
            *shape = d->shape_count - 1;
            return 0;
        }
        if (op == MPG_OP_COMM) {
            if (read_comm(d, err) < 0)
                return -1;
        } else if (op == MPG_OP_RESET)
            d->shape_count = 0;
        else if (op - MPG_OP_SHAPE < d->shape_count) {
            *shape = (uint32_t)(op - MPG_OP_SHAPE);
            return 0;
        } else
            return damaged(d, "unknown shape", err);
    }
}

static bool get_new_request(struct mpg_decoder *d, int64_t *request)
{
    int64_t delta;
    if (!mpg_get_zigzag(&d->p, d->end, &delta))
        return false;
    d->last_request += 1 + delta;
    *request = d->last_request;
    return true;
}

/* N numbers, each BASE minus what is stored; CHAIN: relative to the last one + 1. */
static int64_t *get_differences(struct mpg_decoder *d, struct mpg_list *list, uint32_t n,
                                int64_t base, bool chain)
{
    if ((size_t)(d->end - d->p) < n)
        return NULL;
    int64_t *values = mpg_list_reserve(list, n, sizeof *values), delta;
    for (uint32_t i = 0; values && i < n; i++) {
        if (!mpg_get_zigzag(&d->p, d->end, &delta))
            return NULL;
        values[i] = base - delta;
        if (chain)
            base = values[i] + 1;
    }
    return values;
}

static bool read_completion(struct mpg_decoder *d, struct mpg_event *e)
{
    e->requests = get_differences(d, &d->requests, e->request_number, d->last_request, true);
    if (!e->requests)
        return false;
    if (e->done_all)
        return true;
    if (!get_length(d, &e->done_number))
        return false;
    return (e->done = get_differences(d, &d->done, e->done_number, d->last_request, false));
}

static bool read_start(struct mpg_decoder *d, struct mpg_event *e)
{
    if ((size_t)(d->end - d->p) < e->request_number)
        return false;
    int64_t *requests = mpg_list_reserve(&d->requests, e->request_number, sizeof *requests);
    int64_t *persistent = mpg_list_reserve(&d->persistent, e->request_number, sizeof *persistent);
    int64_t delta;
    for (uint32_t i = 0; requests && persistent && i < e->request_number; i++) {
        if (!mpg_get_zigzag(&d->p, d->end, &delta) || !get_new_request(d, &requests[i]))
            return false;
        persistent[i] = d->last_persistent - delta;
    }
    e->requests = requests;
    e->persistent = persistent;
    return requests && persistent;
}

static bool read_one_request(struct mpg_decoder *d, struct mpg_event *e, bool persistent)
{
    int64_t *value = persistent
                         ? get_differences(d, &d->persistent, 1, d->last_persistent, false)
                         : get_differences(d, &d->requests, 1, d->last_request, false);
    if (persistent)
        e->persistent = value;
    else
        e->requests = value;
    e->request_number = persistent ? 0 : 1;
    return value;
}

static bool read_init(struct mpg_decoder *d, struct mpg_event *e)
{
    int64_t delta;
    int64_t *value = mpg_list_reserve(&d->persistent, 1, sizeof *value);
    if (!value || !mpg_get_zigzag(&d->p, d->end, &delta))
        return false;
    d->last_persistent += 1 + delta;
    *value = d->last_persistent;
    e->persistent = value;
    return true;
}

static bool read_counts(struct mpg_decoder *d, struct mpg_event *e)
{
    if ((size_t)(d->end - d->p) < e->count_number)
        return false;
    int64_t *counts = mpg_list_reserve(&d->counts, e->count_number, sizeof *counts);
    for (uint32_t i = 0; counts && i < e->count_number; i++) {
        uint64_t v;
        if (!mpg_get_varint(&d->p, d->end, &v) || v > INT64_MAX / 2)
            return false;
        counts[i] = (int64_t)v;
    }
    e->counts = counts;
    return counts;
}

static bool read_body(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    int64_t *request;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
        e->request_number = 1;
        e->requests = request = mpg_list_reserve(&d->requests, 1, sizeof *request);
        return request && get_new_request(d, request);
    case MPG_KIND_COMPLETE:
        return read_completion(d, e);
    case MPG_KIND_START:
        return read_start(d, e);
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
        return read_init(d, e);
    case MPG_KIND_REQUEST_FREE:
        return read_one_request(d, e, flags & MPG_SHAPE_PERSISTENT);
    case MPG_KIND_CANCEL:
        return read_one_request(d, e, false);
    default:
        return read_counts(d, e);
    }
}

static bool read_extras(struct mpg_decoder *d, struct mpg_event *e, int64_t base)
{
    if (!get_length(d, &e->cancelled_number))
        return false;
    e->cancelled = get_differences(d, &d->cancelled, e->cancelled_number, base, false);
    if (!e->cancelled || !get_length(d, &e->resolution_number))
        return false;
    struct mpg_resolution *r = mpg_list_reserve(&d->resolutions, e->resolution_number, sizeof *r);
    for (uint32_t i = 0; r && i < e->resolution_number; i++) {
        int64_t delta;
        if (!mpg_get_zigzag(&d->p, d->end, &delta) || !get_i32(d, &r[i].source) ||
            !get_i32(d, &r[i].tag))
            return false;
        r[i].request = base - delta;
    }
    e->resolutions = r;
    return r;
}

static void apply_shape(const struct mpg_shape *s, struct mpg_event *e)
{
    *e = (struct mpg_event){
        .call = (enum mpg_call)s->call,
        .comm = s->comm,
        .to = s->to,
        .from = s->from,
        .tag = s->tag,
        .recvtag = s->recvtag,
        .root = s->root,
        .newcomm = s->newcomm,
        .any = s->flags & (MPG_SHAPE_ANY_SOURCE | MPG_SHAPE_ANY_TAG),
        .found = s->flags & MPG_SHAPE_FOUND,
        .done_all = s->flags & MPG_SHAPE_DONE_ALL,
        .bytes = s->bytes,
        .recvbytes = s->recvbytes,
        .count_number = s->count_number,
        .request_number = s->request_number,
    };
}

/* A chunk may end in definitions whose event is in the next one. */
static int read_last_definitions(struct mpg_decoder *d, struct mpg_error *err)
{
    while (d->p < d->end) {
        uint64_t op;
        if (!mpg_get_varint(&d->p, d->end, &op) || op != MPG_OP_COMM)
            return damaged(d, "more records than events", err);
        if (read_comm(d, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_decoder_next(struct mpg_decoder *d, struct mpg_event *e, struct mpg_error *err)
{
    while (d->chunk_events == 0) {
        if (read_last_definitions(d, err) < 0)
            return -1;
        int more = next_chunk(d, err);
        if (more <= 0)
            return more;
    }
    uint32_t shape = 0;
    if (read_operation(d, &shape, err) < 0)
        return -1;
    uint32_t flags = d->shapes[shape].flags;
    apply_shape(&d->shapes[shape], e);
    uint64_t gap, duration;
    if (!mpg_get_varint(&d->p, d->end, &gap) || !mpg_get_varint(&d->p, d->end, &duration) ||
        gap > INT64_MAX / 4 || duration > INT64_MAX / 4)
        return damaged(d, "time", err);
    if (__builtin_add_overflow(d->last_ns, (int64_t)gap, &e->enter_ns) ||
        __builtin_add_overflow(e->enter_ns, (int64_t)duration, &e->leave_ns))
        return damaged(d, "time", err);
    int64_t base = d->last_request;
    if (!read_body(d, e, flags) || ((flags & MPG_SHAPE_EXTRAS) && !read_extras(d, e, base)))
        return damaged(d, mpg_call_name(e->call), err);
    d->last_ns = e->leave_ns;
    d->chunk_events--;
    d->event++;
    return 1;
}
