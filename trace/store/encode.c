/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes events. The repeating part of an event, the shape, is stored once and predicted from the shapes before; numbers are
 * stored as differences of variable length. The last store of an event increments the segment's event count, and makes the
 * event part of the trace. Each put_*() with a parameter P writes at P and returns the end of the bytes written. */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "trace/store/writer_private.h"

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

static const uint8_t kinds[] = {
#define MPG_CALL(name, kind, result, parameters) MPG_KIND_##kind,
#define MPG_LARGE(name) MPG_KIND_OF_##name,
#include "trace/calls.def"
#undef MPG_CALL
};

/* --- lists --- */

/* Most events have no lists: the functions for lists are not inlined, to keep encode() short. */
#define RARE __attribute__((noinline))

static RARE uint8_t *put_some_runs(uint8_t *p, const int64_t *values, size_t n, int64_t base, int64_t step)
{
    p = mpg_put_zigzag(p, values[0] - base);
    for (size_t i = 1, run; i < n; i += run) {
        int64_t distance = values[i] - values[i - 1] - step;
        for (run = 1; i + run < n && values[i + run] - values[i + run - 1] - step == distance;)
            run++;
        p = mpg_put_zigzag(p, distance);
        p = mpg_put_varint(p, run - 1);
    }
    return p;
}

/* Writes N numbers: of the first, the distance from BASE; of each further number, the distance from the number before, minus
 * STEP. Consecutive equal distances are stored as a run. */
static inline uint8_t *put_runs(uint8_t *p, const int64_t *values, size_t n, int64_t base, int64_t step)
{
    return n == 0 ? p : put_some_runs(p, values, n, base, step);
}

static size_t runs_bound(const int64_t *values, size_t n)
{
    size_t runs = 1;
    for (size_t i = 1; i < n; i++)
        runs += i == 1 || values[i] - values[i - 1] != values[i - 1] - values[i - 2];
    return 2 * MPG_VARINT_BYTES * runs;
}

/* --- shapes --- */

/* Shapes and events have the shape's fields in equal order: the fields are compared and copied as words. */
typedef uint64_t __attribute__((may_alias)) word;
enum {
    SHAPE_START = offsetof(struct mpg_shape, site),
    SHAPE_WORDS = (sizeof(struct mpg_shape) - SHAPE_START) / sizeof(word)
};
#define SAME_PLACE(field) \
    _Static_assert(offsetof(struct mpg_event, field) - offsetof(struct mpg_event, site) == \
                       offsetof(struct mpg_shape, field) - SHAPE_START, \
                   "events have " #field " elsewhere than shapes");
MPG_SHAPE_FIELDS(SAME_PLACE)
#undef SAME_PLACE

static inline bool is_shape(const struct mpg_shape *s, const struct mpg_event *e, uint32_t flags,
                            const struct mpg_shape *mask)
{
    const word *shape = (const word *)&s->site, *event = (const word *)&e->site,
               *compared = (const word *)&mask->site;
    uint64_t difference = (s->call ^ (uint32_t)e->call) | (s->flags ^ flags);
#pragma GCC unroll 8
    for (int i = 0; i < SHAPE_WORDS; i++)
        difference |= (shape[i] ^ event[i]) & compared[i];
    return difference == 0;
}

static uint32_t slot_of(const struct mpg_event *e, uint32_t flags, const struct mpg_shape *mask)
{
    const word *event = (const word *)&e->site, *used = (const word *)&mask->site;
    uint64_t h = (uint64_t)e->call << 32 | flags;
#pragma GCC unroll 8
    for (int i = 0; i < SHAPE_WORDS; i++) {
        h = (h ^ (event[i] & used[i])) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32) % MPG_SHAPE_SLOTS;
}

/* Writes the fields of the shape of E, number NUMBER, that differ from the last new shape of E's call. */
static uint8_t *put_shape(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_event *e,
                          uint32_t flags, const struct mpg_shape *mask, uint32_t number)
{
    static const struct mpg_shape none;
    struct mpg_shape shape = {.call = (uint32_t)e->call, .flags = flags};
    const struct mpg_shape *base = &w->shapes[w->last_of_call[e->call]];
    if (w->shape_total == 0 || base->call != shape.call || ((base->flags | flags) & MPG_SHAPE_FAILED))
        base = &none;
    uint32_t given = 0, bit = 1;
#define GIVE(field) \
    shape.field = e->field & mask->field; \
    given |= shape.field != base->field ? bit : 0; \
    bit <<= 1;
    MPG_SHAPE_FIELDS(GIVE)
#undef GIVE
    p = mpg_put_varint(p, shape.call);
    p = mpg_put_varint(p, flags);
    p = mpg_put_varint(p, given);
    bit = 1;
#define PUT(field) \
    if (given & bit) \
        p = mpg_put_zigzag(p, (int64_t)shape.field); \
    bit <<= 1;
    MPG_SHAPE_FIELDS(PUT)
#undef PUT
    w->shapes[number] = shape;
    w->last_of_call[e->call] = (uint16_t)number;
    return p;
}

/* Writes the operation code of a shape that was not predicted; if the shape is new, also the shape. */
static __attribute__((noinline)) uint8_t *put_unexpected(struct mpg_trace_writer *w, uint8_t *p,
                                                         const struct mpg_event *e, uint32_t flags,
                                                         const struct mpg_shape *mask,
                                                         uint16_t *predicted)
{
    uint16_t *slot = &w->slots[slot_of(e, flags, mask)];
    uint32_t number = *slot;
    if (w->shape_total > number && is_shape(&w->shapes[number], e, flags, mask)) {
        p = mpg_put_varint(p, MPG_OP_SHAPE + number);
    } else {
        number = (uint32_t)(w->shape_total % MPG_MAX_SHAPES);
        *p++ = MPG_OP_NEW_SHAPE;
        p = put_shape(w, p, e, flags, mask, number);
        w->shape_total++;
        *slot = (uint16_t)number;
    }
    *predicted = (uint16_t)number;
    return p;
}

/* Writes the operation code of E's record, and E's shape if new. */
static inline uint8_t *put_operation(struct mpg_trace_writer *w, uint8_t *p,
                                     const struct mpg_event *e, uint32_t flags,
                                     const struct mpg_shape *mask)
{
    uint16_t *predicted = &w->predicted[mpg_shape_context(w->history)];
    if (likely(w->shape_total > *predicted &&
               is_shape(&w->shapes[*predicted], e, flags, mask)))
        *p++ = MPG_OP_PREDICTED;
    else
        p = put_unexpected(w, p, e, flags, mask, predicted);
    w->history = mpg_shape_remember(w->history, *predicted);
    return p;
}

/* --- bodies --- */

/* Writes the completed requests of E. Of a request in the list `requests`: the index, as the distance from the index before
 * minus 1, modulo the list's length. Of any other request: the length, then the request. */
static RARE uint8_t *put_done(uint8_t *p, const struct mpg_event *e, int64_t last_request)
{
    uint32_t n = e->request_number, expected = 0;
    p = mpg_put_varint(p, e->done_number);
    for (uint32_t i = 0; i < e->done_number; i++) {
        uint32_t distance = 0, place = expected;
        while (distance < n && e->requests[place] != e->done[i]) {
            distance++;
            place = place + 1 < n ? place + 1 : 0;
        }
        p = mpg_put_varint(p, distance);
        if (distance == n)
            p = mpg_put_zigzag(p, last_request - e->done[i]);
        else
            expected = place + 1 < n ? place + 1 : 0;
    }
    return p;
}

static RARE uint8_t *put_extras(uint8_t *p, const struct mpg_event *e, int64_t last_request)
{
    p = mpg_put_varint(p, e->cancelled_number);
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        p = mpg_put_zigzag(p, last_request - e->cancelled[i]);
    p = mpg_put_varint(p, e->resolution_number);
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        p = mpg_put_zigzag(p, last_request - e->resolutions[i].request);
        p = mpg_put_zigzag(p, e->resolutions[i].source);
        p = mpg_put_zigzag(p, e->resolutions[i].tag);
    }
    return p;
}

/* Writes the number of a new request as the distance from the expected number, the last request's plus 1. */
static inline uint8_t *put_new_request(struct mpg_trace_writer *w, uint8_t *p, uint32_t flags,
                                       int64_t request)
{
    if (!(flags & MPG_SHAPE_IN_ORDER))
        p = mpg_put_zigzag(p, request - (w->last_request + 1));
    w->last_request = request;
    return p;
}

static RARE uint8_t *put_new_persistent(struct mpg_trace_writer *w, uint8_t *p, int64_t persistent)
{
    p = mpg_put_zigzag(p, persistent - (w->last_persistent + 1));
    w->last_persistent = persistent;
    return p;
}

static RARE uint8_t *put_start(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_event *e)
{
    p = put_runs(p, e->persistent, e->request_number,
                 w->last_persistent + 1 - (int64_t)e->request_number, 1);
    p = put_runs(p, e->requests, e->request_number, w->last_request + 1, 1);
    if (e->request_number)
        w->last_request = e->requests[e->request_number - 1];
    return p;
}

static RARE uint8_t *put_sum(uint8_t *p, const struct mpg_sum *s)
{
    p = mpg_put_varint(p, (uint64_t)s->calls);
    p = mpg_put_varint(p, (uint64_t)s->time_ns);
    if (s->calls == 1)
        return p;
    p = mpg_put_varint(p, (uint64_t)s->min_ns);
    return mpg_put_varint(p, (uint64_t)(s->max_ns - s->min_ns));
}

static inline uint8_t *put_body(struct mpg_trace_writer *w, uint8_t *p, const struct mpg_event *e,
                                enum mpg_kind kind, uint32_t flags)
{
    int64_t last_request = w->last_request;
    switch (kind) {
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_REQUEST:
    case MPG_KIND_IRMA:
    case MPG_KIND_IFILE:
    case MPG_KIND_ICONSTRUCTOR:
        return put_new_request(w, p, flags, e->requests[0]);
    case MPG_KIND_COMPLETE:
        if (!(flags & MPG_SHAPE_REPEATED))
            p = put_runs(p, e->requests, e->request_number,
                         last_request + 1 - (int64_t)e->request_number, 1);
        if (!(flags & MPG_SHAPE_DONE_ALL))
            p = put_done(p, e, last_request);
        return flags & MPG_SHAPE_EXTRAS ? put_extras(p, e, last_request) : p;
    case MPG_KIND_START:
        p = put_start(w, p, e);
        return flags & MPG_SHAPE_EXTRAS ? put_extras(p, e, last_request) : p;
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return put_new_persistent(w, p, e->persistent[0]);
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        p = put_new_persistent(w, p, e->persistent[0]);
        return put_runs(p, e->counts, e->count_number, 0, 0);
    case MPG_KIND_PREADY:
        p = mpg_put_zigzag(p, last_request - e->requests[0]);
        return put_runs(p, e->counts, e->count_number, 0, 0);
    case MPG_KIND_REQUEST_FREE:
        if (flags & MPG_SHAPE_PERSISTENT)
            return mpg_put_zigzag(p, w->last_persistent - e->persistent[0]);
        return mpg_put_zigzag(p, last_request - e->requests[0]);
    case MPG_KIND_CANCEL: /* only at the end of the trace are the requests known that no call completes */
        w->segment.progress->flags |= htole64(MPG_CHUNK_UNRESOLVED);
        return mpg_put_zigzag(p, last_request - e->requests[0]);
    case MPG_KIND_PARRIVED:
        return mpg_put_zigzag(p, last_request - e->requests[0]);
    case MPG_KIND_MPROBE:
        if (!(flags & MPG_SHAPE_FOUND))
            return p;
        p = mpg_put_zigzag(p, e->message - (w->last_message + 1));
        w->last_message = e->message;
        return p;
    case MPG_KIND_IMRECV:
        p = put_new_request(w, p, flags, e->requests[0]);
        return mpg_put_zigzag(p, w->last_message - e->message);
    case MPG_KIND_MRECV:
        return mpg_put_zigzag(p, w->last_message - e->message);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_INEIGHBOR:
        p = put_new_request(w, p, flags, e->requests[0]);
        return put_runs(p, e->counts, e->count_number, 0, 0);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_WIN_GROUP:
        return put_runs(p, e->counts, e->count_number, 0, 0);
    case MPG_KIND_OTHER:
        return flags & MPG_SHAPE_SUM ? put_sum(p, &e->sum) : p;
    default:
        return p;
    }
}

/* --- events --- */

/* Returns whether E's requests, MPG_REPEATED_MIN to MPG_REPEATED_MAX in number, equal the requests of the last event with a
 * list of this length. Remembers E's requests. */
static bool repeats_requests(struct mpg_trace_writer *w, const struct mpg_event *e)
{
    uint32_t n = e->request_number;
    if (n < MPG_REPEATED_MIN || n > MPG_REPEATED_MAX)
        return false;
    if (n == w->polled_number && memcmp(w->polled, e->requests, n * sizeof *w->polled) == 0)
        return true;
    memcpy(w->polled, e->requests, n * sizeof *w->polled);
    w->polled_number = n;
    return false;
}

static inline uint32_t flags_of(struct mpg_trace_writer *w, const struct mpg_event *e,
                                const struct mpg_shape *mask)
{
    uint32_t flags = (e->any & MPG_SHAPE_ANY) | (e->found ? MPG_SHAPE_FOUND : 0) |
                     (e->done_all ? MPG_SHAPE_DONE_ALL : 0) |
                     (e->cancelled_number | e->resolution_number ? MPG_SHAPE_EXTRAS : 0) |
                     (e->persistent ? MPG_SHAPE_PERSISTENT : 0) | MPG_SHAPE_IN_ORDER |
                     MPG_SHAPE_REPEATED | (e->sum.calls ? MPG_SHAPE_SUM : 0) | e->device << MPG_SHAPE_DEVICE_SHIFT;
    flags &= mask->flags;
    if ((flags & MPG_SHAPE_IN_ORDER) && e->requests[0] != w->last_request + 1)
        flags &= ~(uint32_t)MPG_SHAPE_IN_ORDER;
    if ((flags & MPG_SHAPE_REPEATED) && !repeats_requests(w, e))
        flags &= ~(uint32_t)MPG_SHAPE_REPEATED;
    return flags;
}

/* Returns whether E posts a receive whose source or tag is not known yet, or completes receives of this kind. A reader must
 * then look ahead (MPG_CHUNK_UNRESOLVED). */
static inline bool is_unresolved(const struct mpg_event *e, enum mpg_kind kind)
{
    switch (kind) {
    case MPG_KIND_IRECV:
        return ((e->any & MPG_ANY_SOURCE) && e->from == MPG_UNKNOWN) ||
               ((e->any & MPG_ANY_TAG) && e->tag == MPG_UNKNOWN);
    case MPG_KIND_ISENDRECV:
        return ((e->any & MPG_ANY_SOURCE) && e->from == MPG_UNKNOWN) ||
               ((e->any & MPG_ANY_TAG) && e->recvtag == MPG_UNKNOWN);
    case MPG_KIND_RECV_INIT:
        return e->any != 0;
    case MPG_KIND_COMPLETE: /* whether the call completes receives posted with a wildcard, or cancelled requests */
        return e->cancelled_number + e->resolution_number > 0;
    default:
        return false;
    }
}

/* Writes the off-CPU time of E, including a rest carried over. Aggregates and flushes divide the interval in which the off-CPU
 * time was measured; each part gets as much off-CPU time as fits. */
static __attribute__((noinline, cold)) uint8_t *put_off_cpu(struct mpg_trace_writer *w, uint8_t *p,
                                                            const struct mpg_event *e)
{
    const int64_t gap_ns = e->enter_ns - w->last_ns, found_ns = e->off_before_ns + w->off_carried_ns;
    const int64_t before_ns = found_ns < gap_ns ? found_ns : gap_ns;
    w->off_carried_ns = e->sum.calls || e->call == MPG_CALL_Flush ? found_ns - before_ns : 0;
    if (before_ns == 0 && e->off_in_ns == 0)
        return p;
    p = mpg_put_varint(p, MPG_OP_OFF_CPU);
    p = mpg_put_varint(p, (uint64_t)before_ns);
    return mpg_put_varint(p, (uint64_t)e->off_in_ns);
}

/* Writes the bits of the time NS below the highest to BITS_COLUMN, and the length of NS in bits to the column after. All bytes
 * are in the segment on return. */
static inline void put_time(struct mpg_trace_writer *w, int bits_column, uint64_t ns)
{
    struct mpg_bits *b = &w->bits[bits_column];
    uint8_t *p = w->p[bits_column];
    unsigned length = ns ? 64 - (unsigned)__builtin_clzll(ns) : 0;
    unsigned more = length ? length - 1 : 0, used = b->used + more;
    uint64_t rest = ns & (((uint64_t)1 << more) - 1), word = b->pending | rest << b->used;
    uint64_t stored = htole64(word);
    *w->p[bits_column + 1]++ = (uint8_t)length;
    memcpy(p, &stored, sizeof stored);
    if (unlikely(used >= 64)) {
        word = rest >> (64 - b->used);
        p[8] = (uint8_t)word;
        p += 8;
        used -= 64;
    }
    w->p[bits_column] = p + used / 8;
    b->pending = word >> (used & ~7u);
    b->used = used & 7;
}

/* All bytes of an event are in the segment, which left at LEAVE_NS: makes it part of the trace. */
static inline void end_event(struct mpg_trace_writer *w, int64_t leave_ns)
{
    w->last_ns = leave_ns;
    w->size.events++;
    w->chunk_events++;
    __atomic_store_n(&w->segment.progress->events, htole64(w->chunk_events), __ATOMIC_RELEASE);
}

/* Writes E. All columns must have room for E. */
static inline __attribute__((always_inline)) void encode(struct mpg_trace_writer *w,
                                                         const struct mpg_event *e)
{
    enum mpg_kind kind = kinds[e->call];
    const struct mpg_shape *mask = &mpg_shape_masks[kind];
    struct mpg_segment_state *progress = w->segment.progress;
    uint32_t flags;
    if (unlikely(e->failed)) {
        mask = &mpg_shape_failed_mask;
        flags = MPG_SHAPE_FAILED;
    } else {
        flags = flags_of(w, e, mask);
        if (unlikely((e->any | e->cancelled_number | e->resolution_number) && is_unresolved(e, kind)))
            progress->flags |= htole64(MPG_CHUNK_UNRESOLVED |
                                       (e->cancelled_number ? MPG_CHUNK_CANCELLED : 0));
    }
    uint8_t *p = w->p[MPG_COLUMN_RECORDS];
    if (unlikely(e->off_before_ns | e->off_in_ns | w->off_carried_ns))
        p = put_off_cpu(w, p, e);
    p = put_operation(w, p, e, flags, mask);
    w->p[MPG_COLUMN_RECORDS] = likely(!e->failed) ? put_body(w, p, e, kind, flags) : p;
    put_time(w, MPG_COLUMN_GAP_BITS, (uint64_t)(e->enter_ns - w->last_ns));
    put_time(w, MPG_COLUMN_DURATION_BITS, (uint64_t)(e->leave_ns - e->enter_ns));
    for (uint32_t i = MPG_COLUMN_VALUES; i < w->columns; i++) {
        uint32_t value = i - MPG_COLUMN_VALUES;
        w->p[i] = mpg_put_zigzag(w->p[i], value < e->value_number ? e->values[value] : 0);
    }
    end_event(w, e->leave_ns);
}

static __attribute__((noinline, cold)) int write_flush(struct mpg_trace_writer *w,
                                                       struct mpg_error *err)
{
    if (w->in_snapshot) /* the flush is no part of the snapshot, which readers may skip: it is written after the snapshot */
        return 0;
    if (mpg_writer_reserve(w, MPG_EVENT_BYTES, err) < 0)
        return -1;
    w->flush_pending = false;
    struct mpg_event e = {.call = MPG_CALL_Flush,
                          .site = MPG_NO_SITE,
                          .enter_ns = w->flush_enter_ns,
                          .leave_ns = w->flush_leave_ns,
                          .off_before_ns = w->flush_off_before_ns};
    if (e.enter_ns < w->last_ns)
        e.enter_ns = w->last_ns;
    const int64_t duration_ns = e.leave_ns > e.enter_ns ? e.leave_ns - e.enter_ns : 0;
    e.off_in_ns = w->flush_off_in_ns < duration_ns ? w->flush_off_in_ns : duration_ns;
    int64_t later_ns = w->flush_off_in_ns - e.off_in_ns; /* off the CPU after the flush, while the clocks were read */
    if (duration_ns > 0)
        encode(w, &e);
    else
        later_ns += e.off_before_ns;
    w->off_carried_ns += later_ns;
    return 0;
}

/* Returns an upper bound for the bytes of E's record. */
static size_t record_bound(const struct mpg_event *e)
{
    size_t bytes = MPG_RECORD_BYTES;
    if (e->failed)
        return bytes;
    bytes += runs_bound(e->counts, e->count_number) + runs_bound(e->requests, e->request_number);
    if (kinds[e->call] == MPG_KIND_START)
        bytes += runs_bound(e->persistent, e->request_number);
    return bytes + MPG_VARINT_BYTES * (2 * (size_t)e->done_number + e->cancelled_number +
                                       3 * (size_t)e->resolution_number);
}

int mpg_trace_check_event(const struct mpg_event *e, bool is_first, int64_t last_ns,
                          struct mpg_error *err)
{
    const char *name = mpg_call_name(e->call);
    if (e->enter_ns < last_ns && !is_first)
        return mpg_error_set(err, "MPI_%s enters at %lld, before the last call left at %lld", name,
                             (long long)e->enter_ns, (long long)last_ns);
    if (e->leave_ns < e->enter_ns)
        return mpg_error_set(err, "MPI_%s leaves at %lld, before it entered at %lld", name,
                             (long long)e->leave_ns, (long long)e->enter_ns);
    if (e->off_before_ns < 0 || e->off_before_ns > (is_first ? 0 : e->enter_ns - last_ns))
        return mpg_error_set(err, "MPI_%s: %lld ns off the CPU before it do not fit", name,
                             (long long)e->off_before_ns);
    if (e->off_in_ns < 0 || e->off_in_ns > e->leave_ns - e->enter_ns)
        return mpg_error_set(err, "MPI_%s: %lld ns off the CPU in it do not fit into %lld ns", name,
                             (long long)e->off_in_ns, (long long)(e->leave_ns - e->enter_ns));
    if (e->sum.calls &&
        (kinds[e->call] != MPG_KIND_OTHER || e->failed || !mpg_sum_is_consistent(&e->sum)))
        return mpg_error_set(err, "MPI_%s: not a sum of calls", name);
    if (e->count_number > MPG_TRACE_MAX_LIST || e->request_number > MPG_TRACE_MAX_LIST)
        return mpg_error_set(err, "MPI_%s: list too long", name);
    return 0;
}

static int check_event(const struct mpg_trace_writer *w, const struct mpg_event *e,
                       struct mpg_error *err)
{
    if (w->stopped)
        return mpg_error_set(err, "the trace has ended early");
    return mpg_trace_check_event(e, w->size.events == 0, w->last_ns, err);
}

/* Returns whether all columns have room for an event whose record has BYTES bytes. */
static inline bool has_room(const struct mpg_trace_writer *w, size_t bytes)
{
    ptrdiff_t room = w->end[0] - w->p[0] - (ptrdiff_t)bytes;
    for (uint32_t i = 1; i < MPG_COLUMN_VALUES; i++)
        room |= w->end[i] - w->p[i];
    for (uint32_t i = MPG_COLUMN_VALUES; i < w->columns; i++)
        room |= w->end[i] - w->p[i];
    return room >= 0;
}

int mpg_writer_settle(struct mpg_trace_writer *w, const struct mpg_event *e, struct mpg_error *err)
{
    /* Twice, because the first pass can end the chunk, which begins a flush. The second pass then writes the flush as an
     * event, after which E still has room. */
    for (int i = 0; i < 2; i++) {
        if (w->flush_pending && w->flush_leave_ns <= e->enter_ns && write_flush(w, err) < 0)
            return -1;
        if (!has_room(w, MPG_EVENT_BYTES) && mpg_writer_reserve(w, MPG_EVENT_BYTES, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_trace_write_event(struct mpg_trace_writer *w, const struct mpg_event *e,
                          struct mpg_error *err)
{
    uint32_t lists = e->count_number | e->request_number | e->done_number | e->cancelled_number |
                     e->resolution_number;
    if (unlikely(w->stopped || e->enter_ns < w->last_ns || e->leave_ns < e->enter_ns ||
                 lists >= MPG_SHORT_LIST || e->sum.calls || (e->off_before_ns | e->off_in_ns)) &&
        check_event(w, e, err) < 0)
        return -1;
    if (unlikely(w->flush_pending && w->flush_leave_ns <= e->enter_ns) && write_flush(w, err) < 0)
        return -1;
    size_t bytes = likely(lists <= 1)             ? MPG_EVENT_BYTES
                   : lists < MPG_SHORT_LIST ? MPG_RECORD_BYTES
                                            : record_bound(e);
    if (unlikely(!has_room(w, bytes)) && mpg_writer_reserve(w, bytes, err) < 0)
        return -1;
    if (unlikely(w->size.events == 0)) {
        w->last_ns = e->enter_ns;
        w->segment.progress->first_ns = (int64_t)htole64((uint64_t)e->enter_ns);
    }
    encode(w, e);
    /* A flush that began during E is written after E. If E is an aggregate, the event after E had begun before the flush:
     * the flush is written after that event. */
    return unlikely(w->flush_pending) && !e->sum.calls ? write_flush(w, err) : 0;
}

/* Returns whether the shapes A and B are equal. */
static inline bool are_equal(const struct mpg_shape *a, const struct mpg_shape *b)
{
    const word *x = (const word *)a, *y = (const word *)b;
    uint64_t difference = 0;
#pragma GCC unroll 16
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        difference |= x[i] ^ y[i];
    return difference == 0;
}
_Static_assert(sizeof(struct mpg_shape) % sizeof(word) == 0, "a shape is whole words");

bool mpg_trace_write_predicted(struct mpg_trace_writer *w, const struct mpg_shape *shape, int64_t enter_ns, int64_t leave_ns)
{
    const uint16_t predicted = w->predicted[mpg_shape_context(w->history)];
    if (unlikely(w->stopped || w->flush_pending || w->off_carried_ns != 0 || w->columns > MPG_COLUMN_VALUES ||
                 enter_ns < w->last_ns || leave_ns < enter_ns || w->shape_total <= predicted || !has_room(w, MPG_EVENT_BYTES)) ||
        !are_equal(&w->shapes[predicted], shape))
        return false;
    *w->p[MPG_COLUMN_RECORDS]++ = MPG_OP_PREDICTED;
    w->history = mpg_shape_remember(w->history, predicted);
    put_time(w, MPG_COLUMN_GAP_BITS, (uint64_t)(enter_ns - w->last_ns));
    put_time(w, MPG_COLUMN_DURATION_BITS, (uint64_t)(leave_ns - enter_ns));
    end_event(w, leave_ns);
    return true;
}

void mpg_trace_carry_off_cpu(struct mpg_trace_writer *w, int64_t off_ns)
{
    w->off_carried_ns += off_ns;
}

int mpg_trace_writer_worked(struct mpg_trace_writer *w, const struct mpg_work *work, int64_t *last_ns, struct mpg_error *err)
{
    *last_ns = w->last_ns;
    if (!w->now_ns || w->stopped || w->size.events == 0)
        return 0;
    if (w->flush_pending && write_flush(w, err) < 0)
        return -1;
    w->flush_pending = true;
    w->flush_enter_ns = work->enter_ns;
    w->flush_leave_ns = work->leave_ns;
    w->flush_off_before_ns = work->off_before_ns;
    w->flush_off_in_ns = work->off_in_ns;
    const int status = write_flush(w, err);
    *last_ns = w->last_ns;
    return status;
}

void mpg_trace_writer_inside(struct mpg_trace_writer *w, enum mpg_call call, int64_t enter_ns)
{
    struct mpg_segment_state *progress = w->segment.progress;
    progress->inside_ns = (int64_t)htole64((uint64_t)enter_ns);
    __atomic_store_n(&progress->inside, htole64(w->chunk_events << 32 | ((uint64_t)call + 1)),
                     __ATOMIC_RELEASE);
}
