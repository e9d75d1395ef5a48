/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that share a processor: a rank runs until it waits or the quantum ends; the rank that has been ready longest follows
 * (docs/MACHINES.md). */
#include <stdlib.h>

#include "simulate/events/world.h"

int mpg_events_share_init(struct world *w, struct mpg_error *err)
{
    const struct mpg_processors *x = w->processors;
    w->processor = calloc((size_t)x->number, sizeof *w->processor);
    if (!w->processor)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < w->ranks; r++)
        w->processor[x->of[r]].capacity++;
    for (int32_t i = 0; i < x->number; i++) {
        struct processor *p = &w->processor[i];
        w->shares = w->shares || p->capacity > 1;
        p->holder = p->last = -1;
        p->queue = calloc((size_t)p->capacity + 1, sizeof *p->queue);
        if (!p->queue)
            return mpg_error_set(err, "out of memory");
    }
    return 0;
}

void mpg_events_share_clear(struct world *w)
{
    for (int32_t i = 0; w->processor && i < w->processors->number; i++)
        free(w->processor[i].queue);
    free(w->processor);
}

struct processor *mpg_events_share_processor(const struct world *w, int32_t rank)
{
    return &w->processor[w->processors->of[rank]];
}

bool mpg_events_share_wanted(const struct world *w, int32_t rank)
{
    return w->shares && mpg_events_share_processor(w, rank)->n > 0;
}

/* Gives P to RANK; returns the time at which RANK runs, after the switch. */
static double grant(struct world *w, struct processor *p, int32_t rank)
{
    const bool switches = p->last >= 0 && p->last != rank;
    p->holder = rank;
    w->rank[rank].holds = true;
    w->rank[rank].queued = false;
    return switches ? w->now_ns + w->parameters->switch_ns : w->now_ns;
}

static int announce(struct world *w, int32_t rank, double at_ns, struct mpg_error *err)
{
    w->rank[rank].switching = true;
    return mpg_events_push(&w->heap, (struct event){.at_ns = at_ns, .kind = EVENT_GRANT, .id = (uint32_t)rank}, err);
}

int mpg_events_share_take(struct world *w, int32_t rank, bool *has, struct mpg_error *err)
{
    struct rank *r = &w->rank[rank];
    struct processor *p = mpg_events_share_processor(w, rank);
    *has = r->holds && !r->switching;
    if (r->holds || r->queued)
        return 0;
    if (p->rounds > 0 && mpg_events_turns_interrupt(w, p, err) < 0)
        return -1;
    r->ready_ns = w->now_ns;
    if (p->holder < 0) {
        const double at_ns = grant(w, p, rank);
        *has = at_ns <= w->now_ns;
        return *has ? 0 : announce(w, rank, at_ns, err);
    }
    r->queued = true;
    p->queue[(p->first + p->n++) % p->capacity] = rank;
    return 0;
}

int mpg_events_share_release(struct world *w, int32_t rank, struct mpg_error *err)
{
    struct processor *p = mpg_events_share_processor(w, rank);
    w->rank[rank].holds = false;
    p->holder = -1;
    p->last = rank;
    if (p->n == 0)
        return 0;
    const int32_t next = p->queue[p->first];
    p->first = (p->first + 1) % p->capacity;
    p->n--;
    return announce(w, next, grant(w, p, next), err);
}

int mpg_events_share_leave(struct world *w, int32_t rank, double at_ns, struct mpg_error *err)
{
    const struct rank *r = &w->rank[rank];
    if (!r->holds || r->switching) /* a rank that is being switched to serves first */
        return 0;
    if (at_ns <= w->now_ns)
        return mpg_events_share_release(w, rank, err);
    return mpg_events_push(&w->heap,
                           (struct event){.at_ns = at_ns, .kind = EVENT_RELEASE, .id = (uint32_t)rank, .turn = r->waits}, err);
}
