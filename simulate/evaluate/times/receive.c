/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages received by a call: the costs, and the message for which the call waits (docs/MODEL.md, section 5, Calls). */
#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"
#include "simulate/rules.h"

static bool is_received(const struct mpg_step *s, const struct mpg_edge *e)
{
    return e->kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(s->call);
}

/* Returns whether the receiver pays a known overhead for the message of edge E. */
static bool has_cost(const struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    return is_received(s, e) && mpg_overhead_known(mpg_times_path_costs(t, s, e), MPG_OVERHEAD_RECEIVE);
}

static int reserve_arrivals(struct mpg_evaluator *t, uint32_t edges, struct mpg_error *err)
{
    if (edges <= t->receive_capacity)
        return 0;
    uint32_t wanted = 2 * edges;
    double *receive = realloc(t->receive_ns, 2 * (size_t)wanted * t->n * sizeof *receive);
    if (receive)
        t->receive_ns = receive;
    struct mpg_arrival *arrival = realloc(t->arrival, wanted * sizeof *arrival);
    if (arrival)
        t->arrival = arrival;
    if (!receive || !arrival)
        return mpg_error_set(err, "out of memory");
    t->receive_capacity = wanted;
    return 0;
}

/* Draws the cost of receiving A; FURTHER: after another message of the sender. */
static void draw_cost(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_arrival *a, bool further)
{
    double *ns = mpg_times_receive_ns(t, a->i, further);
    struct mpg_sent_message m = sending_of(&a->edge->origin, a->edge->bytes);
    m.further = further && mpg_rule_holds(MPG_RULE_FURTHER);
    zero(ns, t->n);
    if (a->costs)
        mpg_time_overhead(mpg_times_path_costs(t, s, a->edge), MPG_OVERHEAD_RECEIVE, &m, 1, t->first, t->n, ns);
}

/* Appends E to the K listed messages, and draws the cost of receiving E. EARLY: the traced call does not receive E. Returns
 * the new number of messages. */
static uint32_t list_arrival(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e,
                             bool early, uint32_t k)
{
    if (!is_received(s, e))
        return k;
    t->arrival[k] = (struct mpg_arrival){.edge = e, .i = k, .early = early, .costs = has_cost(t, s, e)};
    draw_cost(t, s, &t->arrival[k], false);
    return k + 1;
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct mpg_arrival *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->i < y->i ? -1 : 1;
}

/* Returns whether the call receives A in lane W. A message received by the traced call is received unless an earlier call has
 * received the message in this lane; an early message (received by a later call in the trace) only if chosen in this lane. */
static bool is_there(const struct mpg_evaluator *t, const struct mpg_arrival *a, uint32_t w)
{
    if (!t->choice || !a->edge->is_view)
        return true;
    return a->early ? mpg_choosing_is_new(t->choice, a->edge->slot, w)
                    : !mpg_choosing_is_done(t->choice, a->edge->slot, w);
}

/* Receives K messages in lane W in sequence. Returns the sum of the costs, ns. Sets `arrived` to the last arrival, and *LATEST
 * to the end of the last receive for which the call must wait. */
static double receive_in_lane(struct mpg_evaluator *t, uint32_t k, uint32_t w, double *latest)
{
    double later_ns = 0;
    for (uint32_t i = 0; i < k; i++) {
        struct mpg_arrival *a = &t->arrival[i];
        bool there = is_there(t, a, w);
        t->receives[w] = t->receives[w] || (there && a->early && a->costs);
        a->time_ns = there ? slot_value(t, a->edge->slot, SLOT_VALUE)[w] : -INFINITY;
    }
    if (k > 1)
        qsort(t->arrival, k, sizeof *t->arrival, compare_arrivals);
    t->turns++;
    t->arrived[w] = k > 0 ? t->arrival[k - 1].time_ns : -INFINITY;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t *turn = &t->turn[t->arrival[i].edge->source];
        if (t->arrival[i].time_ns == -INFINITY)
            continue;
        t->arrival[i].further = *turn == t->turns;
        *turn = t->turns;
    }
    for (uint32_t i = k; i > 0 && t->arrival[i - 1].time_ns > -INFINITY; i--) {
        const struct mpg_arrival *a = &t->arrival[i - 1];
        *latest = fmax(*latest, a->time_ns + later_ns);
        later_ns += mpg_times_receive_ns(t, a->i, a->further)[w];
    }
    return later_ns;
}

/* If receiving any message of S has a cost, lists all messages received by S, *K in number; else sets *K to 0. *COSTS becomes
 * true if a message received by the traced call has a cost. */
static int list_received(struct mpg_evaluator *t, const struct mpg_step *s, uint32_t *k, bool *costs,
                         struct mpg_error *err)
{
    const uint32_t more = t->choice && t->choice->early ? s->alternatives->candidate_number : 0;
    bool any = false;
    *k = 0;
    for (uint32_t i = 0; i < s->edge_number && !any; i++)
        any = has_cost(t, s, &s->edges[i]);
    *costs = *costs || any;
    for (uint32_t i = 0; i < more && !any; i++)
        any = has_cost(t, s, s->alternatives->candidates[i].arrival);
    if (!any)
        return 0;
    if (reserve_arrivals(t, s->edge_number + more, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->edge_number; i++)
        *k = list_arrival(t, s, &s->edges[i], false, *k);
    for (uint32_t i = 0; i < more; i++)
        if (!s->alternatives->candidates[i].completed)
            *k = list_arrival(t, s, s->alternatives->candidates[i].arrival, true, *k);
    for (uint32_t i = 0; i < *k && *k > 1; i++) /* a single message need not wait for another receive */
        draw_cost(t, s, &t->arrival[i], true);
    return 0;
}

int mpg_times_receive(struct mpg_evaluator *t, const struct mpg_step *s, bool *costs,
                      struct mpg_error *err)
{
    uint32_t k;
    if (list_received(t, s, &k, costs, err) < 0)
        return -1;
    const bool follows = t->recorder && k > 0;
    for (uint32_t w = 0; w < t->n; w++) {
        t->scratch[w] = -INFINITY;
        t->receives[w] = false;
        t->own[w] += receive_in_lane(t, k, w, &t->scratch[w]);
        if (follows)
            mpg_record_times_received(t, s, k, w);
    }
    for (uint32_t i = 0; i < s->edge_number && k == 0; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL)
            continue;
        const double *arrival =
            slot_value(t, e->slot, mpg_call_is_probe(s->call) ? SLOT_ENVELOPE : SLOT_VALUE);
        for (uint32_t w = 0; w < t->n; w++)
            t->scratch[w] = t->arrived[w] = fmax(t->scratch[w], arrival[w]);
    }
    if (t->recorder && k == 0)
        mpg_record_times_brought(t, s);
    return 0;
}
