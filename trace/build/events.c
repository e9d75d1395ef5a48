/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes and decodes spooled events: times and fields as integers of variable length, then the lists. */
#include "trace/build/events.h"

#include <stdlib.h>
#include <string.h>

#include "common/varint.h"
#include "trace/shape.h"

enum { FAILED = 1, KILLED = 2, FOUND = 4, DONE_ALL = 8, COUNTS = 16, PERSISTENT = 32, LISTS = 64, SUM = 128, OFF = 256 };

static void put(struct mpg_bytes *b, int64_t value)
{
    uint8_t bytes[MPG_VARINT_BYTES];
    mpg_bytes_put(b, bytes, (size_t)(mpg_put_zigzag(bytes, value) - bytes));
}

/* Writes N, then each number as the difference from the predecessor, since numbers of a list are often close together. */
static void put_list(struct mpg_bytes *b, const int64_t *numbers, uint32_t n)
{
    put(b, n);
    for (uint32_t i = 0; i < n; i++)
        put(b, (int64_t)((uint64_t)numbers[i] - (i > 0 ? (uint64_t)numbers[i - 1] : 0)));
}

enum { DEVICE_SHIFT = 8 }; /* the device flags are stored above the flags of wildcards */

static uint32_t flags_of(const struct mpg_event *e)
{
    const bool lists = e->done_number | e->cancelled_number | e->resolution_number | e->value_number;
    return (e->failed ? FAILED : 0) | (e->killed ? KILLED : 0) | (e->found ? FOUND : 0) | (e->done_all ? DONE_ALL : 0) |
           (e->counts && e->count_number > 0 ? COUNTS : 0) | (e->persistent ? PERSISTENT : 0) | (lists ? LISTS : 0) |
           (e->sum.calls ? SUM : 0) | (e->off_before_ns | e->off_in_ns ? OFF : 0);
}

void mpg_spooled_put(struct mpg_bytes *b, const struct mpg_event *e)
{
    const struct mpg_shape *mask = &mpg_shape_masks[mpg_call_kind(e->call)];
    const uint32_t flags = flags_of(e);
    put(b, e->call);
    put(b, flags);
    put(b, e->enter_ns);
    put(b, e->leave_ns - e->enter_ns);
    put(b, e->any | e->device << DEVICE_SHIFT);
    put(b, e->message);
#define PUT(field) \
    if (mask->field) \
        put(b, (int64_t)e->field);
    MPG_SHAPE_FIELDS(PUT)
#undef PUT
    put_list(b, e->requests, e->request_number);
    if (flags & COUNTS)
        put_list(b, e->counts, e->count_number);
    if (flags & PERSISTENT)
        put_list(b, e->persistent, mpg_call_kind(e->call) == MPG_KIND_START ? e->request_number : 1);
    if (flags & LISTS) {
        put_list(b, e->done, e->done_number);
        put_list(b, e->cancelled, e->cancelled_number);
        put_list(b, e->values, e->value_number);
        put(b, e->resolution_number);
        for (uint32_t i = 0; i < e->resolution_number; i++) {
            put(b, e->resolutions[i].request);
            put(b, e->resolutions[i].source);
            put(b, e->resolutions[i].tag);
        }
    }
    if (flags & SUM) {
        put(b, e->sum.calls);
        put(b, e->sum.time_ns);
        put(b, e->sum.min_ns);
        put(b, e->sum.max_ns);
    }
    if (flags & OFF) {
        put(b, e->off_before_ns);
        put(b, e->off_in_ns);
    }
}

/* --- reading back --- */

/* The bytes still to decode, and the free part of the storage for numbers. */
struct left {
    const uint8_t *p, *end;
    int64_t *numbers;
    bool failed;
};

static int64_t get(struct left *l)
{
    int64_t value = 0;
    l->failed = !mpg_get_zigzag(&l->p, l->end, &value) || l->failed;
    return value;
}

/* Decodes a list into the storage for numbers. The storage has room, since each number takes at least a byte. Returns the list of
 * *N numbers; NULL: empty. */
static const int64_t *get_list(struct left *l, uint32_t *n)
{
    const int64_t number = get(l);
    const int64_t *list = l->numbers;
    l->failed = l->failed || number < 0 || number > l->end - l->p;
    for (int64_t i = 0; i < number && !l->failed; i++)
        *l->numbers++ = (int64_t)((i > 0 ? (uint64_t)list[i - 1] : 0) + (uint64_t)get(l));
    *n = l->failed ? 0 : (uint32_t)number;
    return *n > 0 ? list : NULL;
}

static bool reserve(struct mpg_spooled_event *s, size_t size)
{
    if (size > s->capacity) {
        int64_t *grown = realloc(s->numbers, 2 * size * sizeof *grown);
        if (!grown)
            return false;
        s->numbers = grown;
        s->capacity = 2 * size;
    }
    return true;
}

static bool get_resolutions(struct mpg_spooled_event *s, struct left *l)
{
    const int64_t n = get(l);
    if (l->failed || n < 0 || n > l->end - l->p)
        return false;
    if ((size_t)n > s->resolution_capacity) {
        void *grown = realloc(s->resolutions, 2 * (size_t)n * sizeof *s->resolutions);
        if (!grown)
            return false;
        s->resolutions = grown;
        s->resolution_capacity = 2 * (size_t)n;
    }
    for (int64_t i = 0; i < n; i++) {
        s->resolutions[i].request = get(l);
        s->resolutions[i].source = (int32_t)get(l);
        s->resolutions[i].tag = (int32_t)get(l);
    }
    s->event.resolutions = s->resolutions;
    s->event.resolution_number = (uint32_t)n;
    return true;
}

bool mpg_spooled_get(struct mpg_spooled_event *s, const uint8_t *data, size_t size)
{
    struct mpg_event *e = &s->event;
    uint32_t ignored;
    if (!reserve(s, size))
        return false;
    struct left l = {.p = data, .end = data + size, .numbers = s->numbers};
    *e = (struct mpg_event){.newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
    const int64_t call = get(&l);
    const uint32_t flags = (uint32_t)get(&l);
    if (l.failed || call < 0 || call >= MPG_CALL_COUNT)
        return false;
    e->call = (enum mpg_call)call;
    e->failed = flags & FAILED;
    e->killed = flags & KILLED;
    e->found = flags & FOUND;
    e->done_all = flags & DONE_ALL;
    e->enter_ns = get(&l);
    e->leave_ns = e->enter_ns + get(&l);
    const uint32_t any = (uint32_t)get(&l);
    e->any = any & ((1u << DEVICE_SHIFT) - 1);
    e->device = any >> DEVICE_SHIFT;
    e->message = get(&l);
    const struct mpg_shape *mask = &mpg_shape_masks[mpg_call_kind(e->call)];
#define GET(field) \
    if (mask->field) \
        e->field = (__typeof__(e->field))get(&l);
    MPG_SHAPE_FIELDS(GET)
#undef GET
    e->requests = get_list(&l, &e->request_number);
    if (flags & COUNTS)
        e->counts = get_list(&l, &e->count_number);
    if (flags & PERSISTENT)
        e->persistent = get_list(&l, &ignored);
    if (flags & LISTS) {
        e->done = get_list(&l, &e->done_number);
        e->cancelled = get_list(&l, &e->cancelled_number);
        e->values = get_list(&l, &e->value_number);
        if (!get_resolutions(s, &l))
            return false;
    }
    if (flags & SUM) {
        e->sum.calls = get(&l);
        e->sum.time_ns = get(&l);
        e->sum.min_ns = get(&l);
        e->sum.max_ns = get(&l);
    }
    if (flags & OFF) {
        e->off_before_ns = get(&l);
        e->off_in_ns = get(&l);
    }
    return !l.failed && l.p == l.end;
}

void mpg_spooled_clear(struct mpg_spooled_event *s)
{
    free(s->numbers);
    free(s->resolutions);
    *s = (struct mpg_spooled_event){.capacity = 0};
}
