/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEAVE steps: costs and waits of a call (docs/MODEL.md, section 5, Calls). */
#include <math.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"

/* --- further costs of the call --- */

const struct mpg_perturbation *mpg_times_one_sided_costs(const struct mpg_evaluator *t, const struct mpg_step *s,
                                                         const struct mpg_one_sided_cost *cost)
{
    return cost->to < 0 ? mpg_target_farthest(t->target) : mpg_target_between(t->target, s->rank, cost->to);
}

/* Adds the costs of the call's one-sided operations to t->own: measured ones, else the round trip of the transfers that the call
 * completes. Returns false if there are none. */
static bool add_one_sided(struct mpg_evaluator *t, const struct mpg_step *s)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    struct mpg_sent_message m = {.rank = s->rank, .to = -1, .call = s->number,
                            .bytes = s->round_trip_target_bytes};
    struct mpg_one_sided_cost cost[MPG_ONE_SIDED_COSTS];
    const uint32_t n = mpg_may_be_one_sided(s) ? mpg_one_sided_costs(s, cost) : 0;
    bool any = false, completed = !s->round_trip;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_perturbation *path_costs = mpg_times_one_sided_costs(t, s, &cost[i]);
        if (!mpg_one_sided_known(path_costs, cost[i].which))
            continue;
        const struct mpg_sent_message own = mpg_one_sided_message(s, &cost[i]);
        mpg_time_overhead(path_costs, cost[i].which, &own, 1, t->first, t->n, t->own);
        any = true;
        completed = completed || cost[i].completes;
    }
    if (completed)
        return any;
    mpg_time_flight(p, &m, t->first, t->n, t->own, t->own);
    mpg_time_ack(p, &m, t->first, t->n, t->own);
    return true;
}

/* Returns true if S may have waited in the trace, in which case the duration of S does not measure S's own cost. */
static bool may_have_waited(const struct mpg_step *s)
{
    bool waited = mpg_call_kind(s->call) == MPG_KIND_COMPLETE && !s->found_nothing;
    for (uint32_t i = 0; i < s->sent_number; i++)
        waited = waited || (s->sent[i].blocking && s->sent[i].sync_source);
    return waited;
}

/* Returns the own time of S on the target, ns, for a call without messages of known cost. */
static double own_ns(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    double took_ns = (double)(s->duration_ns - s->call_off_ns), ratio = t->target->noise->compute_ratio;
    if (mpg_step_keeps_time(s))
        return took_ns;
    if (t->target->noise->calls_cost_nothing)
        return 0;
    if (s->edge_number > 0 || (s->found_nothing && t->options.polling == MPG_POLLING_WAIT))
        return 0;
    if (may_have_waited(s))
        took_ns = fmin(took_ns, mpg_floor_call(t->floors, s->rank, s->call, s->bytes));
    return ratio * took_ns;
}

/* Adds NS to the call's own time, except in lanes in which the call receives, at a known cost, a message received by a later
 * call in the trace. */
static void add(struct mpg_evaluator *t, double ns)
{
    for (uint32_t w = 0; w < t->n; w++)
        t->own[w] += t->receives[w] ? 0 : ns;
}

/* --- waits of the call --- */

/* Raises `best`, the latest input so far, to VALUE + MORE_NS (NULL: 0) in lanes in which the sum is later. The sum is raised
 * to MIN if earlier. Also stores whether the latest input is a message. */
static void take(struct mpg_evaluator *t, const double *value, const double *more_ns, const double *min,
                 bool is_message)
{
    for (uint32_t w = 0; w < t->n; w++) {
        double v = fmax(value[w] + (more_ns ? more_ns[w] : 0), min[w]);
        if (!(v > t->best[w]))
            continue;
        t->best[w] = v;
        t->by_message[w] = is_message;
    }
}

bool mpg_times_is_answered(const struct mpg_evaluator *t)
{
    return t->target->noise->latency.n > 0;
}

bool mpg_times_is_large(const struct mpg_evaluator *t, double bytes)
{
    return bytes > (double)t->options.eager_limit_bytes;
}

/* Returns the time, by lane, at which the synchronous send of E completes. With latencies from the command line: when the
 * acknowledgement of the arrival comes back. Without: for a message of eager size when the acknowledgement of the match comes
 * back, for a larger message when all bytes have left. */
const double *mpg_times_sender_done(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    struct mpg_sent_message m = sending_of(&e->origin, e->bytes);
    const struct mpg_perturbation *path_costs = mpg_times_path_costs(t, s, e);
    const double *met = slot_value(t, e->slot, SLOT_MEET);
    const bool is_large = mpg_times_is_large(t, e->bytes);
    const bool is_answered = mpg_times_is_answered(t);
    memcpy(t->scratch, is_answered ? slot_value(t, e->slot, SLOT_VALUE) : is_large ? slot_value(t, e->slot, SLOT_BEGIN) : met,
           t->n * sizeof *t->scratch);
    if (is_answered || !is_large)
        mpg_time_ack(path_costs, &m, t->first, t->n, t->scratch);
    else if (!mpg_time_in_send(path_costs, &m, t->first, t->n, t->scratch))
        return slot_value(t, e->slot, SLOT_VALUE);
    for (uint32_t w = 0; w < t->n; w++) /* a send does not complete before the message has met the receive */
        t->scratch[w] = fmax(t->scratch[w], met[w]);
    return t->scratch;
}

static void take_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e)
{
    const double *slot = slot_value(t, e->slot, SLOT_VALUE);
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL: /* receive() has evaluated arrivals */
        break;
    case MPG_EDGE_ENVELOPE:
        slot = slot_value(t, e->slot, SLOT_ENVELOPE);
        take(t, slot, t->kappa, slot, true);
        break;
    case MPG_EDGE_ACK:
        slot = mpg_times_sender_done(t, s, e);
        take(t, slot, NULL, slot, true);
        break;
    case MPG_EDGE_MEETING: /* the value of a node contains the members' kappas */
        take(t, slot, NULL, slot, false);
        break;
    case MPG_EDGE_MEMBER:
    case MPG_EDGE_HELD:
        take(t, slot, NULL, slot, false);
        break;
    case MPG_EDGE_MET:
        take(t, slot, t->kappa, slot, false);
        break;
    case MPG_EDGE_ROOT:
        memcpy(t->scratch, slot, t->n * sizeof *t->scratch);
        mpg_times_add_collective(t, e->call, &e->origin, e->rounds, e->bytes, &e->meeting,
                                 e->members, e->contributed_bytes, t->scratch);
        take(t, t->scratch, t->kappa, slot, false);
        break;
    }
}

/* Raises `best` by the received messages and all edges. */
static void take_all(struct mpg_evaluator *t, const struct mpg_step *s)
{
    take(t, t->scratch, t->kappa, t->arrived, true);
    for (uint32_t i = 0; i < s->edge_number; i++)
        take_edge(t, s, &s->edges[i]);
}

/* As take_all(), and records the provenance. */
static int follow(struct mpg_evaluator *t, const struct mpg_step *s, bool costs, struct mpg_error *err)
{
    mpg_record_times_own(t, s, costs || mpg_step_keeps_time(s) ? 0 : own_ns(t, s));
    mpg_record_times_before(t);
    take(t, t->scratch, t->kappa, t->arrived, true);
    mpg_record_times_message(t);
    for (uint32_t i = 0; i < s->edge_number; i++) {
        mpg_record_times_before(t);
        take_edge(t, s, &s->edges[i]);
        mpg_record_times_edge(t, s, &s->edges[i]);
    }
    return mpg_record_times_leave(t, s, err);
}

/* --- the whole call --- */

static double covered_ns(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    double ns = 0;
    for (uint32_t i = 0; i < s->edge_number; i++)
        if (s->edges[i].kind == MPG_EDGE_ARRIVAL || s->edges[i].kind == MPG_EDGE_ENVELOPE)
            ns += 2 * mpg_flight_median(mpg_times_path_costs(t, s, &s->edges[i]), s->edges[i].bytes);
    return ns;
}

/* Sets the stream's time to `best`, and adds the components to the rank's account. */
static void leave_with(struct mpg_evaluator *t, const struct mpg_step *s, bool meeting)
{
    double *value = stream_value(t, s->stream, STREAM_VALUE);
    double *call = account_of(t, s->rank, TERM_CALL);
    double *message = account_of(t, s->rank, TERM_MESSAGE);
    double *collective = account_of(t, s->rank, TERM_COLLECTIVE);
    for (uint32_t w = 0; w < t->n; w++) {
        if (t->choice && t->choice->skips[w])
            continue;
        double own = meeting ? value[w] : t->own[w], waited_ns = t->best[w] - own;
        if (is_of_first_thread(t, s)) {
            call[w] += own - value[w];
            (t->by_message[w] ? message : collective)[w] += waited_ns;
        }
        value[w] = t->best[w];
    }
}

int mpg_times_leave(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err)
{
    const double *value = stream_value(t, s->stream, STREAM_VALUE);
    bool meeting = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING, costs = false;
    if (t->choice && mpg_choosing_make(t->choice, s, 0, value, err) < 0)
        return -1;
    if (s->dropped) { /* a dropped call takes no time */
        memcpy(t->own, value, t->n * sizeof *t->own);
        if (t->covers)
            t->covered_ns[s->stream] = 0;
        if (t->choice)
            mpg_choosing_end_views(t->choice, s);
        return 0;
    }
    zero(t->kappa, t->n);
    if (!meeting)
        mpg_perturb_call(t->target->noise, s->rank, s->number, t->first, t->n, t->kappa);
    for (uint32_t w = 0; w < t->n; w++) {
        t->own[w] = value[w] + t->kappa[w];
        t->by_message[w] = false;
    }
    if (!mpg_step_keeps_time(s)) {
        costs = mpg_target_add_sent(t->target, s, t->first, t->n, t->own);
        costs = add_one_sided(t, s) || costs;
    }
    if (mpg_times_receive(t, s, &costs, err) < 0)
        return -1;
    if (!costs)
        add(t, own_ns(t, s));
    for (uint32_t w = 0; w < t->n; w++) {
        t->own[w] = fmax(t->own[w], value[w]);
        t->best[w] = meeting ? value[w] : t->own[w];
    }
    if (!t->recorder)
        take_all(t, s);
    else if (follow(t, s, costs, err) < 0)
        return -1;
    leave_with(t, s, meeting);
    if (t->covers)
        t->covered_ns[s->stream] = covered_ns(t, s);
    if (t->choice)
        mpg_choosing_end_views(t->choice, s);
    return 0;
}
