/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided operations that progress only inside MPI calls of the target: finds the target's call for which the origin's call
 * waits, and counts observations. */
#include "graph/matching/rma_progress.h"

#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "graph/matching/messages.h"

struct rma_evidence {
    struct {
        enum mpg_call call;
        int64_t bytes;
        /* Number of calls that waited, and of calls that did not wait; [0]: calls that complete operations, [1]: calls that
         * start operations. */
        uint64_t waited[2], left[2];
    } kind[MPG_RMA_PROGRESS_MAX];
    uint32_t n;
};

static const struct mpg_rma_progress *find_served(const struct mpg_weak_progress *limits, const struct rma_under_way *s)
{
    for (uint32_t i = 0; i < limits->rma_number; i++)
        if (limits->rma[i].call == s->call && limits->rma[i].bytes == s->bytes)
            return &limits->rma[i];
    return NULL;
}

static int add(struct progress *c, struct call *call, const struct rma_under_way *s, struct rma_waits *list,
               struct mpg_error *err)
{
    if (mpg_reserve_at(&list->item, sizeof *list->item, &list->capacity, list->n + 1, err) < 0)
        return -1;
    list->item[list->n++] = *s;
    return mpg_graph_await_progress(c, s->target, call->leave_ns, &call->waiter, err);
}

int mpg_graph_rma_start(struct matching *matching, struct call *call, int32_t target, int64_t bytes,
                        struct rma_under_way *under_way,
                        struct rma_waits *list, struct mpg_error *err)
{
    struct progress *c = &matching->progress;
    const struct rma_under_way s = {target, call->enter_ns, mpg_call_plain(call->event->call), bytes};
    if (!c->serves || target < 0 || target == call->rank || !mpg_graph_is_alone(matching, call->rank))
        return 0;
    const struct mpg_rma_progress *rule = find_served(&c->limits, &s);
    if (under_way && (c->observes || (rule && rule->completing)))
        *under_way = s;
    list->starts = true;
    return c->observes || (rule && rule->starting) ? add(c, call, &s, list, err) : 0;
}

int mpg_graph_rma_end(struct matching *matching, struct call *call, struct rma_under_way *under_way, struct rma_waits *list,
                      struct mpg_error *err)
{
    const struct rma_under_way s = *under_way;
    under_way->target = -1;
    list->starts = false;
    return matching->progress.serves && s.target >= 0
               ? add(&matching->progress, call, &s, list, err)
               : 0;
}

static void count(struct progress *c, const struct rma_under_way *s, bool starts, bool waited)
{
    if (!c->rma_evidence && !(c->rma_evidence = calloc(1, sizeof *c->rma_evidence)))
        return; /* out of memory: the observation is left out */
    struct rma_evidence *e = c->rma_evidence;
    uint32_t i = 0;
    while (i < e->n && (e->kind[i].call != s->call || e->kind[i].bytes != s->bytes))
        i++;
    if (i == MPG_RMA_PROGRESS_MAX)
        return;
    if (i == e->n) {
        e->kind[e->n].call = s->call;
        e->kind[e->n++].bytes = s->bytes;
    }
    ++*(waited ? &e->kind[i].waited[starts] : &e->kind[i].left[starts]);
}

/* Counts whether CALL waited for a target to enter MPI. Among several targets CALL waits for the target whose next MPI call
 * begins last. */
static void observe(struct progress *c, const struct call *call, const struct rma_waits *list)
{
    const struct rma_under_way *last = NULL;
    double last_ns = -INFINITY;
    for (uint32_t i = 0; i < list->n; i++) {
        bool is_known;
        const struct rma_under_way *s = &list->item[i];
        const struct progress_call *p = mpg_graph_rma_progress_call_after(c, s->target, s->since_ns, &is_known);
        const double enter_ns = p && p->enter_ns < call->leave_ns ? p->enter_ns : INFINITY;
        if (is_known && (enter_ns > last_ns || (last && enter_ns >= last_ns && s->target < last->target))) {
            last_ns = enter_ns;
            last = s;
        }
    }
    if (last && last_ns > call->enter_ns)
        count(c, last, list->starts, isfinite(last_ns));
}

int mpg_graph_rma_edges(struct matching *matching, const struct call *call, struct rma_waits *list, struct mpg_error *err)
{
    struct progress *c = &matching->progress;
    double until_ns = call->enter_ns;
    const uint32_t n = list->n;
    list->n = 0;
    if (c->observes) {
        const struct rma_waits all = {list->item, n, 0, list->starts};
        observe(c, call, &all);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool is_known;
        const struct rma_under_way *s = &list->item[i];
        const struct progress_call *p = mpg_graph_rma_progress_call_after(c, s->target, s->since_ns, &is_known);
        if (!p || p->enter_ns >= call->leave_ns)
            continue;
        struct mpg_edge *edge = graph_add_edge(c->steps, MPG_EDGE_HELD);
        if (!edge)
            return mpg_graph_out_of_memory(err);
        edge->source = s->target;
        edge->slot = p->slot;
        edge->from_ns = p->enter_ns;
        edge->awaits_call = true;
        until_ns = fmax(until_ns, p->enter_ns);
    }
    matching->counts->served_ns += until_ns - call->enter_ns;
    return 0;
}

void mpg_graph_rma_found(const struct progress *c, struct mpg_weak_progress *found)
{
    const struct rma_evidence *e = c->rma_evidence;
    for (uint32_t i = 0; e && i < e->n; i++) {
        const struct mpg_rma_progress s = {.call = e->kind[i].call,
                                           .bytes = e->kind[i].bytes,
                                           .completing = mpg_graph_waits_are_evident(e->kind[i].waited[0], e->kind[i].left[0]),
                                           .starting = mpg_graph_waits_are_evident(e->kind[i].waited[1], e->kind[i].left[1])};
        if (s.starting || s.completing)
            found->rma[found->rma_number++] = s;
    }
}
