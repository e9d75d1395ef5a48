/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/build/arrivals.h"

#include <stdio.h>
#include <stdlib.h>

enum { SORT_BYTES = 2 << 20 }; /* memory of each sorter, bytes */

/* An end of a message: the begin of the send, or the end of the call completing the receive. */
struct build_end {
    /* The keys for sorting. Both ends have equal GROUP, of the communicator's label and the tag, and CHANNEL, of the world ranks
     * FROM and TO. ORDER: position among the sends, or among the posted receives, of the trace. */
    int64_t group, channel;
    uint64_t order;
    int32_t from, to;
    int64_t at_ns;
};

/* A measured offset: when the clock of RANK shows TIME_NS, the clock common to all ranks shows TIME_NS + OFFSET_NS. */
struct build_offset {
    int32_t rank;
    int64_t time_ns, offset_ns;
};

static int compare_channels(const struct build_end *x, const struct build_end *y)
{
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

static int compare_offsets(const void *a, const void *b)
{
    const struct build_offset *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

struct build_arrivals *mpg_arrivals_new(struct mpg_error *err)
{
    struct build_arrivals *a = calloc(1, sizeof *a);
    if (!a) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if ((a->sends = mpg_sorter_new(sizeof(struct build_end), 3, SORT_BYTES, err)) &&
        (a->receives = mpg_sorter_new(sizeof(struct build_end), 3, SORT_BYTES, err)))
        return a;
    mpg_arrivals_free(a);
    return NULL;
}

void mpg_arrivals_free(struct build_arrivals *a)
{
    if (!a)
        return;
    mpg_sorter_free(a->sends);
    mpg_sorter_free(a->receives);
    mpg_map_clear(&a->open);
    free(a->items);
    free(a->unused);
    free(a->offsets);
    free(a);
}

int mpg_arrivals_clock(struct build_arrivals *a, int32_t rank, const char *value, struct mpg_error *err)
{
    long long time_ns, offset_ns;
    if (sscanf(value, "%lld %lld", &time_ns, &offset_ns) != 2)
        return 0;
    if (a->offset_number == a->offset_capacity) {
        const size_t capacity = a->offset_capacity ? 2 * a->offset_capacity : 16;
        struct build_offset *grown = realloc(a->offsets, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        a->offsets = grown;
        a->offset_capacity = capacity;
    }
    a->offsets[a->offset_number++] = (struct build_offset){rank, time_ns, offset_ns};
    return 0;
}

/* --- ends of messages --- */

/* Returns the world rank of PEER, a rank of the communicator LABEL; -1: unknown, or LABEL is an inter-communicator. */
static int32_t world_rank(const struct mpg_build_definitions *d, int32_t label, int32_t peer)
{
    const uint64_t *slot = mpg_map_find(&d->tables[BUILD_COMM].labels, (uint64_t)label, 0);
    const struct build_comm *c = slot ? mpg_definitions_comm(d, (size_t)*slot - 1) : NULL;
    if (!c)
        return label == 0 && peer < d->ranks ? peer : -1;
    return c->remote_size == 0 && peer < c->size ? c->members[peer] : -1;
}

static bool describe(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                     bool is_send, int32_t tag, struct build_end *end)
{
    const int32_t peer = is_send ? e->to : e->from, other = peer >= 0 && e->comm >= 0 ? world_rank(d, e->comm, peer) : -1;
    if (other < 0)
        return false;
    const int32_t from = is_send ? rank : other, to = is_send ? other : rank;
    *end = (struct build_end){.group = mpg_sorter_pair(e->comm, tag), .channel = mpg_sorter_pair(from, to), .order = a->order++,
                              .from = from, .to = to};
    return true;
}

static int add_send(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                    struct mpg_error *err)
{
    struct build_end end;
    if (!describe(a, d, rank, e, true, e->tag, &end))
        return 0;
    end.at_ns = e->enter_ns;
    return mpg_sorter_add(a->sends, &end, err);
}

static int add_receive(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                       int32_t tag, struct mpg_error *err)
{
    struct build_end end;
    if (!describe(a, d, rank, e, false, tag, &end))
        return 0;
    end.at_ns = e->leave_ns;
    return mpg_sorter_add(a->receives, &end, err);
}

static bool grow(struct build_arrivals *a)
{
    const uint32_t capacity = a->capacity ? 2 * a->capacity : 64;
    struct build_end *items = realloc(a->items, capacity * sizeof *items);
    a->items = items ? items : a->items;
    uint32_t *unused = items ? realloc(a->unused, capacity * sizeof *unused) : NULL;
    a->unused = unused ? unused : a->unused;
    a->capacity = unused ? capacity : a->capacity;
    return unused;
}

static int post(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                struct mpg_error *err)
{
    struct build_end end;
    if (e->request_number == 0 || !describe(a, d, rank, e, false, e->tag, &end))
        return 0;
    if (a->unused_number == 0 && a->number == a->capacity && !grow(a))
        return mpg_error_set(err, "out of memory");
    uint64_t *place = mpg_map_add(&a->open, (uint64_t)rank, (uint64_t)e->requests[0]);
    if (!place)
        return mpg_error_set(err, "out of memory");
    if (*place == 0)
        *place = (a->unused_number > 0 ? a->unused[--a->unused_number] : a->number++) + 1;
    a->items[*place - 1] = end;
    return 0;
}

static int complete(struct build_arrivals *a, int32_t rank, const struct mpg_event *e, struct mpg_error *err)
{
    const uint32_t n = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *place = mpg_map_find(&a->open, (uint64_t)rank, (uint64_t)done[i]);
        if (!place)
            continue;
        struct build_end end = a->items[*place - 1];
        a->unused[a->unused_number++] = (uint32_t)(*place - 1);
        mpg_map_remove(&a->open, (uint64_t)rank, (uint64_t)done[i]);
        end.at_ns = e->leave_ns;
        if (mpg_sorter_add(a->receives, &end, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_arrivals_event(struct build_arrivals *a, const struct mpg_build_definitions *d, int32_t rank, const struct mpg_event *e,
                       struct mpg_error *err)
{
    if (e->failed)
        return 0;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        return add_send(a, d, rank, e, err);
    case MPG_KIND_RECV:
        return add_receive(a, d, rank, e, e->tag, err);
    case MPG_KIND_SENDRECV:
        return add_send(a, d, rank, e, err) < 0 ? -1 : add_receive(a, d, rank, e, e->recvtag, err);
    case MPG_KIND_IRECV:
        return post(a, d, rank, e, err);
    case MPG_KIND_COMPLETE:
        return complete(a, rank, e, err);
    default:
        return 0;
    }
}

/* --- counting messages with an arrival before the departure --- */

/* Returns the time on the common clock at which the clock of RANK shows AT_NS. Offsets are interpolated between the measured
 * times and constant outside, as in the reader of traces. */
static int64_t common_ns(const struct build_arrivals *a, int32_t rank, int64_t at_ns)
{
    size_t low = 0, high = a->offset_number; /* the rank's first offset after AT_NS is in [LOW, HIGH] */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct build_offset *o = &a->offsets[middle];
        if (o->rank < rank || (o->rank == rank && o->time_ns <= at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    const struct build_offset *before = low > 0 && a->offsets[low - 1].rank == rank ? &a->offsets[low - 1] : NULL;
    const struct build_offset *after = low < a->offset_number && a->offsets[low].rank == rank ? &a->offsets[low] : NULL;
    if (!before || !after)
        return at_ns + (before ? before->offset_ns : after ? after->offset_ns : 0);
    const __int128 part = (__int128)(after->offset_ns - before->offset_ns) * (at_ns - before->time_ns);
    return at_ns + before->offset_ns + (int64_t)(part / (after->time_ns - before->time_ns));
}

static void count_message(const struct build_arrivals *a, const struct build_end *send, const struct build_end *receive,
                          struct mpg_build_arrivals *found)
{
    const int64_t flight_ns = common_ns(a, receive->to, receive->at_ns) - common_ns(a, send->from, send->at_ns);
    found->messages++;
    found->with += flight_ns < 0;
    found->without += receive->at_ns < send->at_ns;
    found->worst_ns = -flight_ns > found->worst_ns ? -flight_ns : found->worst_ns;
}

int mpg_arrivals_count(struct build_arrivals *a, struct mpg_build_arrivals *found, struct mpg_error *err)
{
    const void *send = NULL, *receive = NULL;
    *found = (struct mpg_build_arrivals){.messages = 0};
    if (a->offset_number > 0)
        qsort(a->offsets, a->offset_number, sizeof *a->offsets, compare_offsets);
    if (mpg_sorter_sort(a->sends, err) < 0 || mpg_sorter_sort(a->receives, err) < 0)
        return -1;
    int more = mpg_sorter_next(a->sends, &send, err), others = more < 0 ? -1 : mpg_sorter_next(a->receives, &receive, err);
    while (more > 0 && others > 0) {
        const int which = compare_channels(send, receive);
        if (which == 0)
            count_message(a, send, receive, found);
        if (which <= 0)
            more = mpg_sorter_next(a->sends, &send, err);
        if (more >= 0 && which >= 0)
            others = mpg_sorter_next(a->receives, &receive, err);
    }
    return more < 0 || others < 0 ? -1 : 0;
}
