/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks sharing a processor: a rank runs until it waits or the quantum ends; the rank that has been ready longest follows
 * (docs/MACHINES.md). */
#include <stdlib.h>

#include "simulate/events/replica.h"

int mpg_events_share_init(struct replica *rep, struct mpg_error *err)
{
    const struct mpg_processors *x = rep->processors;
    rep->processor = calloc((size_t)x->number, sizeof *rep->processor);
    if (!rep->processor)
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < rep->ranks; r++)
        rep->processor[x->of[r]].capacity++;
    for (int32_t i = 0; i < x->number; i++) {
        struct processor *p = &rep->processor[i];
        rep->shares = rep->shares || p->capacity > 1;
        p->holder = p->last = -1;
        p->queue = calloc((size_t)p->capacity + 1, sizeof *p->queue);
        if (!p->queue)
            return mpg_error_set(err, "out of memory");
    }
    return 0;
}

void mpg_events_share_clear(struct replica *rep)
{
    for (int32_t i = 0; rep->processor && i < rep->processors->number; i++)
        free(rep->processor[i].queue);
    free(rep->processor);
}

struct processor *mpg_events_share_processor(const struct replica *rep, int32_t rank)
{
    return &rep->processor[rep->processors->of[rank]];
}

bool mpg_events_share_wanted(const struct replica *rep, int32_t rank)
{
    return rep->shares && mpg_events_share_processor(rep, rank)->n > 0;
}

/* Gives P to RANK; returns the time at which RANK runs, after the switch. */
static double grant(struct replica *rep, struct processor *p, int32_t rank)
{
    const bool switches = p->last >= 0 && p->last != rank;
    p->holder = rank;
    rep->rank[rank].holds = true;
    rep->rank[rank].queued = false;
    return switches ? rep->now_ns + rep->parameters->switch_ns : rep->now_ns;
}

static int announce(struct replica *rep, int32_t rank, double at_ns, struct mpg_error *err)
{
    rep->rank[rank].switching = true;
    return mpg_events_push(&rep->heap, (struct event){.at_ns = at_ns, .kind = EVENT_GRANT, .id = (uint32_t)rank}, err);
}

int mpg_events_share_take(struct replica *rep, int32_t rank, bool *has, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    struct processor *p = mpg_events_share_processor(rep, rank);
    *has = r->holds && !r->switching;
    if (r->holds || r->queued)
        return 0;
    if (p->rounds > 0 && mpg_events_turns_interrupt(rep, p, err) < 0)
        return -1;
    r->ready_ns = rep->now_ns;
    if (p->holder < 0) {
        const double at_ns = grant(rep, p, rank);
        *has = at_ns <= rep->now_ns;
        return *has ? 0 : announce(rep, rank, at_ns, err);
    }
    r->queued = true;
    p->queue[(p->first + p->n++) % p->capacity] = rank;
    return 0;
}

int mpg_events_share_release(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct processor *p = mpg_events_share_processor(rep, rank);
    rep->rank[rank].holds = false;
    p->holder = -1;
    p->last = rank;
    if (p->n == 0)
        return 0;
    const int32_t next = p->queue[p->first];
    p->first = (p->first + 1) % p->capacity;
    p->n--;
    return announce(rep, next, grant(rep, p, next), err);
}

int mpg_events_share_leave(struct replica *rep, int32_t rank, double at_ns, struct mpg_error *err)
{
    const struct rank *r = &rep->rank[rank];
    if (!r->holds || r->switching) /* a rank being switched to serves first */
        return 0;
    if (at_ns <= rep->now_ns)
        return mpg_events_share_release(rep, rank, err);
    return mpg_events_push(&rep->heap,
                           (struct event){.at_ns = at_ns, .kind = EVENT_RELEASE, .id = (uint32_t)rank, .turn = r->waits}, err);
}
