/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first pass: counts the operations of each rank before and in an excerpt. */
#include "trace/excerpt/place.h"

struct counting {
    struct mpg_trace *trace;
    struct mpg_crossings *crossings;
    struct mpg_operations operations;
    struct mpg_map before; /* meeting -> collectives of the rank before the excerpt */
    uint64_t calls;
    int64_t last_ns;
};

static int count_operation(struct counting *x, const struct mpg_operation *o, bool is_before, bool messages_are_before,
                           struct mpg_error *err)
{
    if (o->kind == MPG_OPERATION_PEEK || o->kind == MPG_OPERATION_NEVER)
        return 0;
    if (o->kind == MPG_OPERATION_MEET) {
        uint64_t *slot = is_before ? mpg_map_add(&x->before, o->where, 0) : NULL;
        if (is_before && !slot)
            return mpg_error_set(err, "out of memory");
        if (slot)
            *slot += o->unrecorded ? o->unrecorded : 1;
        return 0;
    }
    struct mpg_channel *c = &x->crossings->channels[o->where];
    struct mpg_channel_end *end = o->kind == MPG_OPERATION_SEND ? &c->sends : &c->receives;
    *(messages_are_before ? &end->before : &end->inside) += o->unrecorded ? o->unrecorded : 1;
    return 0;
}

/* Adds the rank's collectives to the counts of the meetings. */
static void count_meetings(const struct counting *x)
{
    const struct mpg_map *counts = &x->operations.counts;
    for (size_t i = 0; i < counts->capacity; i++) {
        const struct mpg_map_entry *entry = &counts->entries[i];
        if (!entry->used)
            continue;
        const uint64_t *slot = mpg_map_find(&x->before, entry->key[0], 0);
        const uint64_t before = slot ? *slot : 0;
        mpg_meeting_count(&x->crossings->meetings[entry->key[0]], before, entry->value - before);
    }
}

static int count_rank(struct counting *x, int32_t rank, const struct mpg_edges *edges, struct mpg_error *err)
{
    const uint32_t threads = mpg_trace_threads(x->trace, rank);
    struct mpg_cursor *cursor = mpg_cursor_open(x->trace, rank, err);
    const struct mpg_event *e;
    int more = cursor ? 1 : -1, status = 0;
    mpg_operations_begin(&x->operations, x->trace, x->crossings, rank);
    mpg_map_clear(&x->before);
    while (more > 0 && status == 0 && (more = mpg_cursor_read(cursor, &e, err)) > 0) {
        const enum mpg_place place = mpg_place_of(edges, e);
        x->last_ns = e->leave_ns - edges->init_ns > x->last_ns ? e->leave_ns - edges->init_ns : x->last_ns;
        if (place == MPG_AFTER)
            break;
        x->calls += place == MPG_INSIDE && mpg_event_is_call(e) && mpg_call_kind(e->call) != MPG_KIND_INIT;
        status = mpg_operations_of(&x->operations, e, err);
        /* Unrecorded operations counted in the excerpt belong to the preceding pause. */
        const bool is_before = place == MPG_BEFORE || mpg_call_kind(e->call) == MPG_KIND_UNRECORDED;
        for (uint32_t i = 0; i < x->operations.n && status == 0; i++)
            status = count_operation(x, &x->operations.list[i], is_before,
                                     is_before || mpg_messages_are_before(edges, e, threads), err);
    }
    mpg_cursor_close(cursor);
    count_meetings(x);
    return status < 0 || more < 0 ? -1 : 0;
}

int mpg_excerpt_count(struct mpg_trace *trace, const struct mpg_edges *edges, struct mpg_crossings *crossings, uint64_t *calls,
                      int64_t *last_ns, struct mpg_error *err)
{
    struct counting x = {.trace = trace, .crossings = crossings};
    int status = 0;
    for (int32_t r = 0; r < mpg_trace_ranks(trace) && status == 0; r++)
        status = count_rank(&x, r, &edges[r], err);
    *calls = x.calls;
    *last_ns = x.last_ns;
    mpg_operations_clear(&x.operations);
    mpg_map_clear(&x.before);
    return status;
}
