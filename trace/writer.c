/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding events into chunks: interned shapes, varint deltas, zstd.
 *
 * Records gather in a small raw buffer; when that is full it is compressed into
 * a chunk; chunks gather in memory until the caller's buffer size is reached and
 * go to the file together. Chunks are small because a reader holds one for each
 * rank, and cost no compression: what repeats in a trace repeats soon. */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/chunk.h"

enum {
    SHAPE_SLOTS = 2 * MPG_MAX_SHAPES,
    SHAPE_BYTES = 17 * MPG_VARINT_BYTES,
    RAW_CHUNK_BYTES = 8192
};

struct mpg_trace_writer {
    int fd;
    int32_t rank, ranks;
    ZSTD_CCtx *zstd;
    int level;
    uint8_t *buffer, *batch, *facts; /* raw records; whole chunks; facts as text */
    size_t capacity, used, batch_capacity, batch_used, fact_used, fact_capacity;
    uint64_t sequence;
    uint32_t chunk_events, chunk_flags;
    int64_t last_ns, chunk_first_ns, last_request, last_persistent;
    struct mpg_shape *shapes;
    uint32_t shape_count, *slots; /* slots: hash table of shape numbers + 1 */
    struct mpg_trace_writer_size size;
};

/* The most that a chunk of RAW_BYTES takes. */
static size_t chunk_bound(size_t raw_bytes)
{
    return MPG_CHUNK_HEADER_BYTES + ZSTD_compressBound(raw_bytes);
}

struct mpg_trace_writer *mpg_trace_writer_new(int fd, const struct mpg_trace_writer_options *o,
                                              struct mpg_error *err)
{
    int32_t rank = o->rank, ranks = o->ranks;
    size_t buffer_bytes = o->window_bytes;
    int level = o->level;
    if (rank < 0 || rank >= ranks || ranks > MPG_CHUNK_MAX_RANKS || buffer_bytes < 4096 ||
        buffer_bytes > MPG_CHUNK_MAX_BYTES) {
        mpg_error_set(err, "trace writer: rank, ranks or buffer size out of range");
        return NULL;
    }
    struct mpg_trace_writer *w = calloc(1, sizeof *w);
    if (!w)
        goto fail;
    w->fd = fd;
    w->rank = rank;
    w->ranks = ranks;
    w->level = level;
    w->capacity = buffer_bytes < RAW_CHUNK_BYTES ? buffer_bytes : RAW_CHUNK_BYTES;
    w->batch_capacity = chunk_bound(w->capacity);
    if (w->batch_capacity < buffer_bytes)
        w->batch_capacity = buffer_bytes;
    w->buffer = malloc(w->capacity);
    w->batch = malloc(w->batch_capacity);
    w->zstd = ZSTD_createCCtx();
    w->shapes = malloc(MPG_MAX_SHAPES * sizeof *w->shapes);
    w->slots = calloc(SHAPE_SLOTS, sizeof *w->slots);
    if (!w->buffer || !w->batch || !w->zstd || !w->shapes || !w->slots)
        goto fail;
    return w;
fail:
    mpg_trace_writer_free(w);
    mpg_error_set(err, "out of memory");
    return NULL;
}

void mpg_trace_writer_free(struct mpg_trace_writer *w)
{
    if (!w)
        return;
    ZSTD_freeCCtx(w->zstd);
    free(w->buffer);
    free(w->batch);
    free(w->facts);
    free(w->shapes);
    free(w->slots);
    free(w);
}

struct mpg_trace_writer_size mpg_trace_writer_size(const struct mpg_trace_writer *w)
{
    return w->size;
}

/* Writes SIZE bytes; WRITTEN says how many are in the file, also on failure. */
static int write_all(int fd, const uint8_t *data, size_t size, size_t *written,
                     struct mpg_error *err)
{
    for (*written = 0; *written < size;) {
        ssize_t n = write(fd, data + *written, size - *written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return mpg_error_errno(err, n < 0 ? errno : ENOSPC, "cannot write the trace");
        *written += (size_t)n;
    }
    return 0;
}

/* How many of the first SIZE bytes of the batch are whole chunks. */
static size_t whole_chunks(const struct mpg_trace_writer *w, size_t size)
{
    size_t whole = 0;
    struct mpg_chunk chunk;
    while (size - whole >= MPG_CHUNK_HEADER_BYTES &&
           mpg_chunk_unpack(w->batch + whole, &chunk, NULL) == 0 &&
           size - whole - MPG_CHUNK_HEADER_BYTES >= chunk.stored_bytes)
        whole += MPG_CHUNK_HEADER_BYTES + chunk.stored_bytes;
    return whole;
}

static int write_batch(struct mpg_trace_writer *w, struct mpg_error *err)
{
    size_t written, whole = w->batch_used;
    off_t before = lseek(w->fd, 0, SEEK_CUR);
    int status = write_all(w->fd, w->batch, w->batch_used, &written, err);
    if (status < 0) {
        /* Leave no half chunk behind: a reader would report it as cut off. */
        whole = whole_chunks(w, written);
        if (before >= 0 && ftruncate(w->fd, before + (off_t)whole) == 0)
            (void)lseek(w->fd, before + (off_t)whole, SEEK_SET);
    }
    w->size.written_bytes += whole;
    w->batch_used = 0;
    return status;
}

/* Makes room for a chunk of RAW_BYTES and returns where its payload goes. */
static uint8_t *begin_chunk(struct mpg_trace_writer *w, size_t raw_bytes, struct mpg_error *err)
{
    if (w->batch_capacity - w->batch_used < chunk_bound(raw_bytes) && write_batch(w, err) < 0)
        return NULL;
    return w->batch + w->batch_used + MPG_CHUNK_HEADER_BYTES;
}

/* Completes the header of the payload that begin_chunk made room for. */
static void end_chunk(struct mpg_trace_writer *w, struct mpg_chunk *chunk)
{
    uint8_t *header = w->batch + w->batch_used;
    chunk->rank = (uint32_t)w->rank;
    chunk->ranks = (uint32_t)w->ranks;
    chunk->sequence = w->sequence++;
    mpg_chunk_pack(chunk, header + MPG_CHUNK_HEADER_BYTES, header);
    w->batch_used += MPG_CHUNK_HEADER_BYTES + chunk->stored_bytes;
}

static int end_facts(struct mpg_trace_writer *w, struct mpg_error *err)
{
    size_t done = 0;
    while (done < w->fact_used) {
        size_t size = w->fact_used - done;
        if (size > RAW_CHUNK_BYTES) { /* cut after a whole line */
            size = RAW_CHUNK_BYTES;
            while (w->facts[done + size - 1] != '\n')
                size--;
        }
        uint8_t *payload = begin_chunk(w, size, err);
        if (!payload)
            return -1;
        memcpy(payload, w->facts + done, size);
        end_chunk(w, &(struct mpg_chunk){.kind = MPG_CHUNK_FACTS,
                                         .first_ns = w->last_ns,
                                         .raw_bytes = (uint32_t)size,
                                         .stored_bytes = (uint32_t)size});
        done += size;
    }
    w->fact_used = 0;
    return 0;
}

static int end_events(struct mpg_trace_writer *w, struct mpg_error *err)
{
    if (w->used == 0)
        return 0;
    uint8_t *payload = begin_chunk(w, w->used, err);
    if (!payload)
        return -1;
    size_t stored = ZSTD_compressCCtx(w->zstd, payload, ZSTD_compressBound(w->used), w->buffer,
                                      w->used, w->level);
    if (ZSTD_isError(stored))
        return mpg_error_set(err, "zstd: %s", ZSTD_getErrorName(stored));
    end_chunk(w, &(struct mpg_chunk){.kind = MPG_CHUNK_EVENTS,
                                     .flags = w->chunk_flags,
                                     .first_ns = w->chunk_first_ns,
                                     .events = w->chunk_events,
                                     .raw_bytes = (uint32_t)w->used,
                                     .stored_bytes = (uint32_t)stored});
    w->used = 0;
    w->chunk_events = 0;
    w->chunk_flags = 0;
    w->chunk_first_ns = w->last_ns;
    bool full = w->batch_capacity - w->batch_used < chunk_bound(w->capacity);
    return full ? write_batch(w, err) : 0;
}

int mpg_trace_writer_close(struct mpg_trace_writer *w, struct mpg_error *err)
{
    return mpg_trace_writer_flush(w, err);
}

int mpg_trace_writer_flush(struct mpg_trace_writer *w, struct mpg_error *err)
{
    if (end_facts(w, err) < 0 || end_events(w, err) < 0)
        return -1;
    return write_batch(w, err);
}

int mpg_trace_write_fact(struct mpg_trace_writer *w, const char *key, const char *value,
                         struct mpg_error *err)
{
    size_t key_size = strlen(key), value_size = strlen(value);
    size_t need = w->fact_used + key_size + value_size + 2;
    if (strpbrk(key, " \n") || strchr(value, '\n'))
        return mpg_error_set(err, "trace fact '%s' holds a line end or a blank in its key", key);
    if (key_size + value_size + 2 > RAW_CHUNK_BYTES)
        return mpg_error_set(err, "trace fact '%.40s' is larger than %d bytes", key,
                             RAW_CHUNK_BYTES);
    if (need > w->fact_capacity) {
        uint8_t *grown = realloc(w->facts, 2 * need);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        w->facts = grown;
        w->fact_capacity = 2 * need;
    }
    uint8_t *p = w->facts + w->fact_used;
    memcpy(p, key, key_size);
    p[key_size] = ' ';
    memcpy(p + key_size + 1, value, value_size);
    p[key_size + 1 + value_size] = '\n';
    w->fact_used = need;
    return 0;
}

/* Makes sure that BYTES fit into the raw buffer, ending a chunk (and, for one very
 * large record, growing the buffers). */
static int reserve(struct mpg_trace_writer *w, size_t bytes, struct mpg_error *err)
{
    if (w->used + bytes <= w->capacity)
        return 0;
    if (end_events(w, err) < 0)
        return -1;
    if (bytes <= w->capacity)
        return 0;
    if (bytes > MPG_CHUNK_MAX_BYTES)
        return mpg_error_set(err, "trace writer: one event of %zu bytes", bytes);
    uint8_t *buffer = malloc(bytes);
    if (!buffer)
        return mpg_error_set(err, "out of memory");
    if (w->batch_capacity < chunk_bound(bytes)) {
        uint8_t *batch = realloc(w->batch, chunk_bound(bytes));
        if (!batch) {
            free(buffer);
            return mpg_error_set(err, "out of memory");
        }
        w->batch = batch;
        w->batch_capacity = chunk_bound(bytes);
    }
    free(w->buffer);
    w->buffer = buffer;
    w->capacity = bytes;
    return 0;
}

int mpg_trace_write_comm(struct mpg_trace_writer *w, const struct mpg_comm_definition *c,
                         struct mpg_error *err)
{
    int32_t comm = c->comm, instance = c->instance, label = c->label, size = c->size;
    int32_t remote_size = c->remote_size;
    const int32_t *world_ranks = c->world_ranks, *remote = c->remote;
    size_t bytes = ((size_t)size + (size_t)remote_size + 6) * MPG_VARINT_BYTES;
    if (reserve(w, bytes, err) < 0)
        return -1;
    uint8_t *p = w->buffer + w->used;
    *p++ = MPG_OP_COMM;
    p = mpg_put_zigzag(p, comm);
    p = mpg_put_zigzag(p, instance);
    p = mpg_put_zigzag(p, label);
    p = mpg_put_varint(p, (uint64_t)size);
    p = mpg_put_varint(p, (uint64_t)remote_size);
    int32_t expected = 0; /* consecutive ranks cost a byte each, and zstd the rest */
    for (int32_t i = 0; i < size; i++, expected++) {
        p = mpg_put_zigzag(p, (int64_t)world_ranks[i] - expected);
        expected = world_ranks[i];
    }
    for (int32_t i = 0; i < remote_size; i++, expected++) {
        p = mpg_put_zigzag(p, (int64_t)remote[i] - expected);
        expected = remote[i];
    }
    size_t n = (size_t)(p - (w->buffer + w->used));
    w->used += n;
    w->size.encoded_bytes += n;
    return 0;
}

static uint32_t shape_hash(const struct mpg_shape *s)
{
    const uint8_t *p = (const uint8_t *)s;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < sizeof *s; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static struct mpg_shape shape_of(const struct mpg_event *e)
{
    struct mpg_shape s;
    memset(&s, 0, sizeof s);
    s.call = (uint32_t)e->call;
    s.flags = e->any & 3;
    if (e->found)
        s.flags |= MPG_SHAPE_FOUND;
    if (e->done_all)
        s.flags |= MPG_SHAPE_DONE_ALL;
    if (e->cancelled_number || e->resolution_number)
        s.flags |= MPG_SHAPE_EXTRAS;
    if (mpg_call_kind(e->call) == MPG_KIND_REQUEST_FREE && e->persistent)
        s.flags |= MPG_SHAPE_PERSISTENT;
    s.count_number = e->count_number;
    s.request_number = e->request_number;
    s.comm = e->comm;
    s.to = e->to;
    s.from = e->from;
    s.tag = e->tag;
    s.recvtag = e->recvtag;
    s.root = e->root;
    s.newcomm = e->newcomm;
    s.bytes = e->bytes;
    s.recvbytes = e->recvbytes;
    return s;
}

static uint8_t *put_shape(uint8_t *p, const struct mpg_shape *s)
{
    p = mpg_put_varint(p, s->call);
    p = mpg_put_varint(p, s->flags);
    p = mpg_put_varint(p, s->count_number);
    p = mpg_put_varint(p, s->request_number);
    const int32_t fields[] = {s->comm, s->to, s->from, s->tag, s->recvtag, s->root, s->newcomm};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = mpg_put_zigzag(p, fields[i]);
    p = mpg_put_zigzag(p, s->bytes);
    return mpg_put_zigzag(p, s->recvbytes);
}

/* Writes the record's operation code, and the shape where it is new. */
static uint8_t *put_operation(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_shape *s)
{
    uint32_t slot = shape_hash(s) % SHAPE_SLOTS;
    while (w->slots[slot]) {
        if (memcmp(&w->shapes[w->slots[slot] - 1], s, sizeof *s) == 0)
            return mpg_put_varint(p, MPG_OP_SHAPE + w->slots[slot] - 1);
        slot = (slot + 1) % SHAPE_SLOTS;
    }
    if (w->shape_count == MPG_MAX_SHAPES) {
        *p++ = MPG_OP_RESET;
        memset(w->slots, 0, SHAPE_SLOTS * sizeof *w->slots);
        w->shape_count = 0;
        slot = shape_hash(s) % SHAPE_SLOTS;
    }
    w->shapes[w->shape_count++] = *s;
    w->slots[slot] = w->shape_count;
    *p++ = MPG_OP_NEW_SHAPE;
    return put_shape(p, s);
}

static uint8_t *put_extras(uint8_t *p, const struct mpg_event *e, int64_t base)
{
    p = mpg_put_varint(p, e->cancelled_number);
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        p = mpg_put_zigzag(p, base - e->cancelled[i]);
    p = mpg_put_varint(p, e->resolution_number);
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        p = mpg_put_zigzag(p, base - e->resolutions[i].request);
        p = mpg_put_zigzag(p, e->resolutions[i].source);
        p = mpg_put_zigzag(p, e->resolutions[i].tag);
    }
    return p;
}

/* A fresh request id, as its distance from the expected next one. */
static uint8_t *put_new_request(struct mpg_trace_writer *w, uint8_t *p, int64_t request)
{
    p = mpg_put_zigzag(p, request - (w->last_request + 1));
    w->last_request = request;
    return p;
}

static uint8_t *put_completion(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_event *e)
{
    int64_t previous = w->last_request;
    for (uint32_t i = 0; i < e->request_number; i++) {
        p = mpg_put_zigzag(p, previous - e->requests[i]);
        previous = e->requests[i] + 1;
    }
    if (e->done_all)
        return p;
    p = mpg_put_varint(p, e->done_number);
    for (uint32_t i = 0; i < e->done_number; i++)
        p = mpg_put_zigzag(p, w->last_request - e->done[i]);
    return p;
}

static uint8_t *put_body(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
        return put_new_request(w, p, e->requests[0]);
    case MPG_KIND_COMPLETE:
        return put_completion(w, p, e);
    case MPG_KIND_START:
        for (uint32_t i = 0; i < e->request_number; i++) {
            p = mpg_put_zigzag(p, w->last_persistent - e->persistent[i]);
            p = put_new_request(w, p, e->requests[i]);
        }
        return p;
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
        p = mpg_put_zigzag(p, e->persistent[0] - (w->last_persistent + 1));
        w->last_persistent = e->persistent[0];
        return p;
    case MPG_KIND_REQUEST_FREE:
        if (e->persistent)
            return mpg_put_zigzag(p, w->last_persistent - e->persistent[0]);
        return mpg_put_zigzag(p, w->last_request - e->requests[0]);
    case MPG_KIND_CANCEL:
        return mpg_put_zigzag(p, w->last_request - e->requests[0]);
    default:
        for (uint32_t i = 0; i < e->count_number; i++)
            p = mpg_put_varint(p, (uint64_t)e->counts[i]);
        return p;
    }
}

/* Whether EVENT opens or tells something that a reader must look ahead for. */
static bool is_unresolved(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_IRECV:
        return ((e->any & MPG_ANY_SOURCE) && e->from == MPG_UNKNOWN) ||
               ((e->any & MPG_ANY_TAG) && e->tag == MPG_UNKNOWN);
    case MPG_KIND_RECV_INIT:
        return e->any != 0;
    case MPG_KIND_COMPLETE:
        return e->cancelled_number > 0;
    default:
        return false;
    }
}

static int check_event(const struct mpg_trace_writer *w, const struct mpg_event *e,
                       struct mpg_error *err)
{
    if (e->enter_ns < w->last_ns && (w->size.events > 0))
        return mpg_error_set(err, "MPI_%s enters at %lld, before the last call left at %lld",
                             mpg_call_name(e->call), (long long)e->enter_ns,
                             (long long)w->last_ns);
    if (e->leave_ns < e->enter_ns)
        return mpg_error_set(err, "MPI_%s leaves at %lld, before it entered at %lld",
                             mpg_call_name(e->call), (long long)e->leave_ns,
                             (long long)e->enter_ns);
    if (e->count_number > MPG_TRACE_MAX_LIST || e->request_number > MPG_TRACE_MAX_LIST)
        return mpg_error_set(err, "MPI_%s: list too long", mpg_call_name(e->call));
    return 0;
}

int mpg_trace_write_event(struct mpg_trace_writer *w, const struct mpg_event *e,
                          struct mpg_error *err)
{
    if (check_event(w, e, err) < 0)
        return -1;
    size_t lists = (size_t)e->count_number + 2 * (size_t)e->request_number + e->done_number +
                   e->cancelled_number + 3 * (size_t)e->resolution_number;
    if (reserve(w, SHAPE_BYTES + (lists + 6) * MPG_VARINT_BYTES, err) < 0)
        return -1;
    if (w->size.events == 0)
        w->last_ns = w->chunk_first_ns = e->enter_ns;
    uint8_t *start = w->buffer + w->used, *p = start;
    struct mpg_shape shape = shape_of(e);
    p = put_operation(w, p, &shape);
    p = mpg_put_varint(p, (uint64_t)(e->enter_ns - w->last_ns));
    p = mpg_put_varint(p, (uint64_t)(e->leave_ns - e->enter_ns));
    int64_t base = w->last_request;
    p = put_body(w, p, e);
    if (shape.flags & MPG_SHAPE_EXTRAS)
        p = put_extras(p, e, base);
    if (is_unresolved(e))
        w->chunk_flags |= MPG_CHUNK_UNRESOLVED;
    w->last_ns = e->leave_ns;
    w->used += (size_t)(p - start);
    w->size.encoded_bytes += (size_t)(p - start);
    w->size.events++;
    w->chunk_events++;
    return 0;
}
