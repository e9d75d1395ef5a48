/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overheads of a call: costs of the sent and received messages, in the order of occurrence (docs/MODEL.md, sections 3 and 4). */
#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/rules.h"

/* Returns whether a send that waited on the traced machine completes at once on the target. */
static bool is_released(const struct mpg_sent *sent)
{
    return sent->blocking && sent->sync_source && !sent->sync_target;
}

/* Returns true if a send waits within the call for the receiver on both machines. */
static bool is_awaited(const struct mpg_sent *sent)
{
    return sent->blocking && sent->sync_source && sent->sync_target;
}

bool mpg_delays_is_absolute(const struct mpg_step *s)
{
    if (mpg_is_inserted(s->number))
        return true;
    for (uint32_t i = 0; i < s->sent_number; i++)
        if (s->sent[i].blocking && s->sent[i].sync_source != s->sent[i].sync_target)
            return true;
    return false;
}

/* ---- order of arriving messages ---- */

bool mpg_delays_takes_turns(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    const bool receives = l->paths ? l->paths->receives : l->p->overhead[MPG_OVERHEAD_RECEIVE].target != NULL;
    return s->edge_number > 1 && receives &&
           !mpg_call_is_probe(s->call);
}

static int compare_edges(const void *a, const void *b)
{
    const struct mpg_delay_edge *x = a, *y = b;
    if (x->arrival_ns != y->arrival_ns)
        return x->arrival_ns < y->arrival_ns ? 1 : -1;
    return x->i < y->i ? 1 : -1;
}

static int reserve_edges(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->edge_number <= l->edge_capacity)
        return 0;
    uint32_t capacity = 2 * s->edge_number;
    void *grown = realloc(l->edge, capacity * sizeof *l->edge);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    l->edge = grown;
    l->edge_capacity = capacity;
    return 0;
}

/* Sorts the edges by arrival, the latest first; without comparable clocks, in reverse order of the call's list. */
static void sort_edges(struct mpg_evaluator *l, const struct mpg_step *s)
{
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        l->edge[i].arrival_ns =
            l->comparable && e->kind == MPG_EDGE_ARRIVAL
                ? start_ns(l, s->rank, e) + flight_ns(l, e->source, s->rank, e->bytes)
                : 0;
    }
    qsort(l->edge, s->edge_number, sizeof *l->edge, compare_edges);
    l->turns++;
    for (uint32_t i = s->edge_number; i > 0; i--) {
        const struct mpg_edge *e = &s->edges[l->edge[i - 1].i];
        if (e->kind != MPG_EDGE_ARRIVAL)
            continue;
        l->edge[i - 1].further = l->turn[e->source] == l->turns && mpg_rule_holds(MPG_RULE_FURTHER);
        l->turn[e->source] = l->turns;
    }
}

int mpg_delays_list_edges(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (reserve_edges(l, s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->edge_number; i++)
        l->edge[i] = (struct mpg_delay_edge){.i = i};
    if (s->edge_number > 1 && mpg_delays_takes_turns(l, s))
        sort_edges(l, s);
    return 0;
}

/* ---- costs of a call for its rank ---- */

/* Returns whether o_s of message SENT occupies the caller. */
static inline bool costs_sender(const struct mpg_evaluator *l, const struct mpg_sent *sent)
{
    const struct mpg_overhead_sizes *o =
        &path_costs_between(l, sent->origin.rank, sent->origin.to)->overhead[MPG_OVERHEAD_SEND];
    if (!o->target || is_released(sent))
        return o->target != NULL;
    return !((sent->blocking || o->in_send) && (sent->sync_source || sent->sync_target));
}

/* Returns whether S, which waits for a call of another rank, waits because of one-sided transfers. */
static bool is_served(const struct mpg_step *s)
{
    switch (mpg_call_kind(s->call)) {
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
        return true;
    default:
        return false;
    }
}

/* Returns the perturbation of the message of edge E, if the edge completes a receive with an overhead; else NULL. */
static inline const struct mpg_perturbation *received_by(const struct mpg_evaluator *l, const struct mpg_step *s,
                                                         const struct mpg_edge *e)
{
    if (e->kind != MPG_EDGE_ARRIVAL || mpg_call_is_probe(s->call))
        return NULL;
    const struct mpg_perturbation *path_costs = path_costs_between(l, e->source, s->rank);
    return path_costs->overhead[MPG_OVERHEAD_RECEIVE].target ? path_costs : NULL;
}

/* Returns the median overhead, ns, on the source of PATH_COSTS for the message of E; EDGE: E's entry in the sorted list. */
static double received_from_source(const struct mpg_evaluator *l, const struct mpg_perturbation *path_costs,
                                   const struct mpg_edge *e, const struct mpg_delay_edge *edge)
{
    return edge->further ? mpg_overhead_median(path_costs, MPG_OVERHEAD_RECEIVE, true, e->bytes, true)
                         : mpg_quantile_cache_overhead_of_source(l->quantile_cache, path_costs, MPG_OVERHEAD_RECEIVE, e->bytes);
}

double mpg_delays_own_floor(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    double min_ns = mpg_floor_call(l->floors, s->rank, s->call, s->bytes), own_ns = 0;
    bool waits = false;
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sent *sent = &s->sent[i];
        waits = waits || is_awaited(sent);
        if (costs_sender(l, sent))
            own_ns += mpg_quantile_cache_overhead_of_source(l->quantile_cache, path_costs_between(l, s->rank, sent->origin.to),
                                                    MPG_OVERHEAD_SEND, sent->bytes);
    }
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[l->edge[i].i];
        /* the send waits for the receiver, or the transfer for the target */
        waits = waits || (e->kind == MPG_EDGE_HELD && (s->sent_number > 0 || is_served(s)));
        const struct mpg_perturbation *path_costs = received_by(l, s, e);
        if (path_costs)
            own_ns += received_from_source(l, path_costs, e, &l->edge[i]);
    }
    return own_ns > 0 || waits ? fmin(min_ns, own_ns) : min_ns;
}

void mpg_delays_add_overheads(struct mpg_evaluator *l, const struct mpg_step *s, double *value)
{
    bool absolute = mpg_delays_is_absolute(s), target = absolute || !l->p->source, any = false;
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sent *sent = &s->sent[i];
        if (!costs_sender(l, sent))
            continue;
        struct mpg_sent_message m = sending_of(&sent->origin, sent->target_bytes);
        mpg_quantile_cache_add_overhead(l->quantile_cache, path_costs_between(l, s->rank, sent->origin.to), MPG_OVERHEAD_SEND,
                                        target, &m, &l->sent_left, value);
        any = true;
    }
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[l->edge[i].i];
        const struct mpg_perturbation *path_costs = received_by(l, s, e);
        if (!path_costs)
            continue;
        struct mpg_sent_message m = received_of(e, &l->edge[i]);
        mpg_quantile_cache_add_overhead(l->quantile_cache, path_costs, MPG_OVERHEAD_RECEIVE, target, &m, slot_left(l, e->slot),
                                        value);
        any = true;
    }
    if (!any || absolute || l->p->source || !l->floors)
        return;
    l->code->less(l->n, mpg_floor_call(l->floors, s->rank, s->call, s->bytes), value);
}

double mpg_delays_covered(struct mpg_evaluator *l, const struct mpg_step *s)
{
    double covered_ns = 0;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ENVELOPE)
            covered_ns += 2 * mpg_quantile_cache_median(l->quantile_cache, path_costs_between(l, e->source, s->rank),
                                                        e->target_bytes);
    }
    return covered_ns;
}
