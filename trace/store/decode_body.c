/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes an event's body after the shape: the inverse of put_body() in trace/store/encode.c. Checks all input. */
#include "trace/store/decode.h"

static void *reserve(struct mpg_decoder *d, struct mpg_list *list, size_t n, size_t size)
{
    void *data = mpg_list_reserve(list, n, size);
    d->ran_out = d->ran_out || !data;
    return data;
}

/* Returns A + B. Wraps around, because numbers in a damaged file can have any value. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Limits the memory that a damaged file can claim, since a few bytes can encode runs of any length. Returns whether lists may
 * have N further elements. In real traces, the elements of lists are requests made by events, or a number for each process,
 * and programs do not pass as many requests as often as the limits allow. */
static bool may_list(struct mpg_decoder *d, uint64_t n)
{
    enum { MIN_LISTED = 1 << 20, LISTED_A_BYTE = 4096, SHORT = 4096 };
    const struct trace_rank *r = &d->trace->rank[d->rank];
    if (n > SHORT && n > r->events && n > d->trace->named && n > r->stored_bytes)
        return false;
    d->listed += n;
    return d->listed <= MIN_LISTED + LISTED_A_BYTE * r->stored_bytes;
}

int64_t *mpg_decode_runs(struct mpg_decoder *d, struct mpg_list *list, size_t n, int64_t base,
                         int64_t step)
{
    size_t room = n < 1024 ? n : 1024; /* a damaged length can be too large: room grows with the elements read */
    int64_t *values = reserve(d, list, room, sizeof *values), distance = 0;
    if (!values || n == 0)
        return values;
    if (!may_list(d, n) || !mpg_get_zigzag(&d->p, d->end, &distance))
        return NULL;
    values[0] = add(base, distance);
    for (size_t i = 1; i < n;) {
        uint64_t repeat;
        if (!mpg_get_zigzag(&d->p, d->end, &distance) ||
            !mpg_get_varint(&d->p, d->end, &repeat) || repeat >= n - i)
            return NULL;
        size_t stop = i + 1 + repeat;
        if (!(values = reserve(d, list, stop, sizeof *values)))
            return NULL;
        for (; i < stop; i++)
            values[i] = add(add(values[i - 1], step), distance);
    }
    return values;
}

/* Reads the length of a list with elements of at least a byte each. */
static bool get_length(struct mpg_decoder *d, uint32_t *n)
{
    return mpg_decode_u32(d, n, MPG_TRACE_MAX_LIST) && (size_t)(d->end - d->p) >= *n;
}

/* Sets *VALUE to BASE minus the number read. Returns false if the data are damaged. */
static bool get_before(struct mpg_decoder *d, int64_t base, int64_t *value)
{
    int64_t distance;
    if (!mpg_get_zigzag(&d->p, d->end, &distance))
        return false;
    *value = add(base, (int64_t)(0 - (uint64_t)distance));
    return true;
}

static bool get_new_request(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    int64_t *request = reserve(d, &d->requests, 1, sizeof *request), distance = 0;
    if (!request || (!(flags & MPG_SHAPE_IN_ORDER) &&
                     !mpg_get_zigzag(&d->p, d->end, &distance)))
        return false;
    *request = d->last_request = add(add(d->last_request, 1), distance);
    e->requests = request;
    e->request_number = 1;
    return true;
}

static bool read_done(struct mpg_decoder *d, struct mpg_event *e)
{
    if (!get_length(d, &e->done_number))
        return false;
    int64_t *done = reserve(d, &d->done, e->done_number, sizeof *done);
    uint32_t n = e->request_number, distance;
    uint64_t expected = 0;
    for (uint32_t i = 0; done && i < e->done_number; i++) {
        if (!mpg_decode_u32(d, &distance, n))
            return false;
        if (distance == n) {
            if (!get_before(d, d->last_request, &done[i]))
                return false;
        } else {
            uint64_t place = (expected + distance) % n;
            done[i] = e->requests[place];
            expected = place + 1;
        }
    }
    e->done = done;
    return done;
}

static bool read_extras(struct mpg_decoder *d, struct mpg_event *e, int64_t last_request)
{
    if (!get_length(d, &e->cancelled_number))
        return false;
    int64_t *cancelled = reserve(d, &d->cancelled, e->cancelled_number, sizeof *cancelled);
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        if (!cancelled || !get_before(d, last_request, &cancelled[i]))
            return false;
    if (!get_length(d, &e->resolution_number))
        return false;
    struct mpg_resolution *list =
        reserve(d, &d->resolutions, e->resolution_number, sizeof *list);
    for (uint32_t i = 0; i < e->resolution_number; i++)
        if (!list || !get_before(d, last_request, &list[i].request) ||
            !mpg_decode_i32(d, &list[i].source) || !mpg_decode_i32(d, &list[i].tag))
            return false;
    e->cancelled = cancelled;
    e->resolutions = list;
    return cancelled && list;
}

/* Reads the requests passed to a completing call. A list of MPG_REPEATED_MIN to MPG_REPEATED_MAX requests can be equal to the
 * last list of this kind, and is then not stored again. */
static bool read_candidates(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    uint32_t n = e->request_number;
    bool several = n >= MPG_REPEATED_MIN && n <= MPG_REPEATED_MAX;
    struct mpg_list *list = several ? &d->polled : &d->requests;
    if (flags & MPG_SHAPE_REPEATED) {
        e->requests = several && n == d->polled_number ? list->data : NULL;
    } else {
        if (several)
            d->polled_number = n;
        e->requests =
            mpg_decode_runs(d, list, n, add(d->last_request, 1 - (int64_t)n), 1);
    }
    return e->requests;
}

static bool read_completion(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    if (!read_candidates(d, e, flags) || (!(flags & MPG_SHAPE_DONE_ALL) && !read_done(d, e)))
        return false;
    return !(flags & MPG_SHAPE_EXTRAS) || read_extras(d, e, d->last_request);
}

static bool read_start(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    uint32_t n = e->request_number;
    int64_t last_request = d->last_request;
    e->persistent =
        mpg_decode_runs(d, &d->persistent, n, add(d->last_persistent, 1 - (int64_t)n), 1);
    if (!e->persistent ||
        !(e->requests = mpg_decode_runs(d, &d->requests, n, add(last_request, 1), 1)))
        return false;
    if (n > 0)
        d->last_request = e->requests[n - 1];
    return !(flags & MPG_SHAPE_EXTRAS) || read_extras(d, e, last_request);
}

static bool read_one_request(struct mpg_decoder *d, struct mpg_event *e, bool persistent)
{
    struct mpg_list *list = persistent ? &d->persistent : &d->requests;
    int64_t *value = reserve(d, list, 1, sizeof *value);
    if (!value || !get_before(d, persistent ? d->last_persistent : d->last_request, value))
        return false;
    if (persistent)
        e->persistent = value;
    else
        e->requests = value;
    e->request_number = persistent ? 0 : 1;
    return true;
}

static bool read_init(struct mpg_decoder *d, struct mpg_event *e)
{
    int64_t distance, *value = reserve(d, &d->persistent, 1, sizeof *value);
    if (!value || !mpg_get_zigzag(&d->p, d->end, &distance))
        return false;
    *value = d->last_persistent = add(add(d->last_persistent, 1), distance);
    e->persistent = value;
    return true;
}

static bool read_new_message(struct mpg_decoder *d, struct mpg_event *e)
{
    int64_t distance;
    if (!mpg_get_zigzag(&d->p, d->end, &distance))
        return false;
    e->message = d->last_message = add(add(d->last_message, 1), distance);
    return true;
}

static bool read_counts(struct mpg_decoder *d, struct mpg_event *e)
{
    e->counts = mpg_decode_runs(d, &d->counts, e->count_number, 0, 0);
    for (uint32_t i = 0; e->counts && i < e->count_number; i++)
        if (e->counts[i] < 0 || e->counts[i] > INT64_MAX / 2)
            return false;
    return e->counts;
}

static bool read_sum(struct mpg_decoder *d, struct mpg_event *e)
{
    uint64_t calls, time_ns, min_ns, more_ns = 0;
    if (!mpg_get_varint(&d->p, d->end, &calls) || !mpg_get_varint(&d->p, d->end, &time_ns))
        return false;
    min_ns = time_ns;
    if (calls != 1 && (!mpg_get_varint(&d->p, d->end, &min_ns) ||
                       !mpg_get_varint(&d->p, d->end, &more_ns)))
        return false;
    if (calls > INT64_MAX || time_ns > INT64_MAX || min_ns > INT64_MAX / 2 ||
        more_ns > INT64_MAX / 2)
        return false;
    e->sum = (struct mpg_sum){(int64_t)calls, (int64_t)time_ns, (int64_t)min_ns,
                              (int64_t)(min_ns + more_ns)};
    return e->enter_ns == e->leave_ns && mpg_sum_is_consistent(&e->sum);
}

bool mpg_decode_body(struct mpg_decoder *d, struct mpg_event *e, uint32_t flags)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_REQUEST:
    case MPG_KIND_IRMA:
    case MPG_KIND_IFILE:
    case MPG_KIND_ICONSTRUCTOR:
        return get_new_request(d, e, flags);
    case MPG_KIND_COMPLETE:
        return read_completion(d, e, flags);
    case MPG_KIND_START:
        return read_start(d, e, flags);
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return read_init(d, e);
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return read_init(d, e) && read_counts(d, e);
    case MPG_KIND_PREADY:
        return read_one_request(d, e, false) && read_counts(d, e);
    case MPG_KIND_REQUEST_FREE:
        return read_one_request(d, e, flags & MPG_SHAPE_PERSISTENT);
    case MPG_KIND_CANCEL:
    case MPG_KIND_PARRIVED:
        return read_one_request(d, e, false);
    case MPG_KIND_MPROBE:
        return !(flags & MPG_SHAPE_FOUND) || read_new_message(d, e);
    case MPG_KIND_IMRECV:
        return get_new_request(d, e, flags) && get_before(d, d->last_message, &e->message);
    case MPG_KIND_MRECV:
        return get_before(d, d->last_message, &e->message);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_INEIGHBOR:
        return get_new_request(d, e, flags) && read_counts(d, e);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_WIN_GROUP:
        return read_counts(d, e);
    case MPG_KIND_OTHER:
        return !(flags & MPG_SHAPE_SUM) || read_sum(d, e);
    default:
        return true;
    }
}
