/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEAVE steps: edges of a call, slack, the call's own cost, and account (docs/MODEL.md, sections 4 and 8). */
#include <math.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"
#include "simulate/models/resize.h"
#include "simulate/rounding.h"

/* ---- slack ---- */

/* Returns true if the minimum times of S can be reused: S receives one message, and the minimum times depend on nothing else. */
static inline bool has_last_floors(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return l->floored && s->edge_number == 1 && s->edges[0].kind == MPG_EDGE_ARRIVAL && s->sent_number == 0 &&
           s->lost_number == 0 && !s->changed;
}

/* Returns the minimum times of S, mostly those stored for the stream's last receive. */
static inline const struct mpg_floored *last_floors(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    const struct mpg_edge *e = &s->edges[0];
    struct mpg_floored *f = &l->floored[s->stream];
    if (f->call != s->call || f->source != e->source || f->bytes != e->bytes || f->call_bytes != s->bytes)
        *f = (struct mpg_floored){s->call, e->source, e->bytes, s->bytes, mpg_delays_own_floor(l, s),
                                  flight_ns(l, e->source, s->rank, e->bytes)};
    return f;
}

/* Returns the slack of E: the time from the edge's begin to the call's leave, minus the minimum time of the edge, ns. */
static double edge_slack(const struct mpg_evaluator *l, const struct mpg_step *s,
                         const struct mpg_edge *e)
{
    double floor_ns = 0, from_ns = e->from_ns;
    if (l->absorb != MPG_ABSORB_CLOCK)
        return 0;
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL: /* t(A) = the message's earliest start + l(d) */
        from_ns = start_ns(l, s->rank, e);
        floor_ns = has_last_floors(l, s) ? last_floors(l, s)->flight_ns : flight_ns(l, e->source, s->rank, e->bytes);
        break;
    case MPG_EDGE_ENVELOPE:
        floor_ns = flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_ACK:
        if (e->changed)
            return 0;
        from_ns = start_ns(l, s->rank, e);
        floor_ns = flight_ns(l, s->rank, e->source, e->bytes) +
                   flight_ns(l, e->source, s->rank, 0);
        break;
    case MPG_EDGE_MEETING:
        return 0;
    case MPG_EDGE_MET:
        if (e->expanded)
            from_ns += l->slot_base[e->slot];
        __attribute__((fallthrough));
    case MPG_EDGE_ROOT:
        if (e->rounds)
            floor_ns = e->rounds * flight_ns(l, e->source, s->rank, e->bytes / e->rounds);
        break;
    case MPG_EDGE_HELD:
        break;
    case MPG_EDGE_MEMBER:
        floor_ns = flight_ns(l, e->source, s->rank, e->bytes);
        break;
    }
    const double slack_ns = s->leave_ns - from_ns - floor_ns;
    return slack_ns > 0 ? slack_ns : 0;
}

static double local_slack(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    if (mpg_delays_is_absolute(s))
        return (double)s->duration_ns;
    const double floor_ns = has_last_floors(l, s) ? last_floors(l, s)->own_ns : mpg_delays_own_floor(l, s);
    return fmax(0, (double)s->duration_ns - floor_ns);
}

/* Returns whether E is the acknowledgement of a message whose sender waits for the receiver only on the target, because
 * hypotheses enlarge the message. This edge has no slack. */
static bool is_answer_of_target(const struct mpg_step *s, const struct mpg_edge *e)
{
    return !s->changed && e->kind == MPG_EDGE_ACK && e->changed;
}

/* Returns how much earlier S would have ended if no rank had been off its CPU, ns: at most MIN, the minimum slack of the
 * edges. In a collective in which every member waits for all: instead at most the time since the last member arrived, minus
 * the call's minimum time. */
static double off_cpu_part(const struct mpg_evaluator *l, const struct mpg_step *s, double min)
{
    double off_ns = (double)s->call_off_ns;
    const struct mpg_edge *e = s->edges;
    if (!mpg_perturbation_removes_off_cpu(l->p) || !mpg_delays_waits(s))
        return 0;
    if (s->edge_number > 0 && e->kind == MPG_EDGE_MEETING && l->absorb == MPG_ABSORB_CLOCK) {
        off_ns = fmax(off_ns, e->off_ns);
        min = e->expanded ? s->leave_ns - (e->from_ns + l->slot_base[e->slot])
                            : s->leave_ns - fmax(s->enter_ns, e->sent_ns) -
                                  mpg_floor_call(l->floors, s->rank, s->call, s->bytes);
    }
    return fmax(0, fmin(off_ns, min));
}

/* Returns true if S, whose own part takes OWN_NS, waited for the rank at the begin of E, an edge with SLACK_NS: E began after
 * S, or the usual time of the message explains the duration of S better than OWN_NS does (compared as ratios). */
static bool has_waited_for(const struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e, double slack_ns,
                           double own_ns)
{
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL:
    case MPG_EDGE_ACK: {
        const double took_ns = s->leave_ns - start_ns(l, s->rank, e);
        return e->from_ns > s->enter_ns || took_ns * own_ns < (double)s->duration_ns * (took_ns - slack_ns);
    }
    case MPG_EDGE_MEETING:
        return false;
    case MPG_EDGE_MET:
        return !e->expanded && e->sent_ns > s->enter_ns;
    default:
        return e->from_ns > s->enter_ns;
    }
}

/* Computes the slack of each edge of S, and returns the slack of the local edge. The edge for which the call waited, the edge
 * with the minimum slack, gets no slack. If the call waited, the minimum slack is subtracted from this edge, and half of the
 * minimum slack from each further edge, because the message of any edge may have been slow; the local edge keeps the slack. If
 * the call did not wait, or was off its CPU, the minimum slack is subtracted from all edges, because the excess time of the
 * call delayed every edge. */
static double find_slacks(struct mpg_evaluator *l, const struct mpg_step *s)
{
    if (l->absorb == MPG_ABSORB_NONE) /* no edge has slack */
        return 0;
    const double local = local_slack(l, s), own_ns = (double)s->duration_ns - local;
    const bool may_wait = l->absorb == MPG_ABSORB_CLOCK && local > 0 && !s->changed && s->call_off_ns == 0;
    bool waited = false;
    double min = INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[l->edge[i].i];
        const double slack_ns = edge_slack(l, s, e);
        l->edge[i].slack_ns = slack_ns;
        if (is_answer_of_target(s, e))
            continue;
        min = slack_ns < min ? slack_ns : min;
        waited = waited || (may_wait && has_waited_for(l, s, e, slack_ns, own_ns));
    }
    if (s->changed) /* if the call changes, the traced duration is no limit */
        return local;
    for (uint32_t i = 0; i < s->lost_number; i++) { /* the call may have waited for an edge that hypotheses drop */
        const struct mpg_edge *e = &s->edges[s->edge_number + i];
        const double slack_ns = edge_slack(l, s, e);
        min = slack_ns < min ? slack_ns : min;
        waited = waited || (may_wait && e->kind == MPG_EDGE_ARRIVAL && has_waited_for(l, s, e, slack_ns, own_ns));
    }
    if (!waited && local < min)
        min = local;
    const double taken = min - off_cpu_part(l, s, min);
    for (uint32_t i = 0; i < s->edge_number; i++)
        if (!is_answer_of_target(s, &s->edges[l->edge[i].i]))
            l->edge[i].slack_ns -= waited && l->edge[i].slack_ns > min + MPG_ROUNDING_NS ? taken / 2 : taken;
    return waited ? local : local - taken;
}

/* ---- edges ---- */

/* Returns whether the call's own kappa is part of an edge of KIND. */
static inline bool has_kappa(enum mpg_edge_kind kind)
{
    return kind != MPG_EDGE_MEETING && kind != MPG_EDGE_MEMBER && kind != MPG_EDGE_HELD &&
           kind != MPG_EDGE_ACK;
}

/* Returns the kappas of edge E: the call's own kappa; for the acknowledgement of a synchronous send, if kappas are applied as
 * in Sottile 2006, the sum of the kappas of a blocking receive and of a call that completes a request. NULL: none. */
static const double *edge_kappa(struct mpg_evaluator *l, const struct mpg_edge *e)
{
    if (has_kappa(e->kind))
        return l->own_kappa;
    if (e->kind != MPG_EDGE_ACK || l->p->call_edges != MPG_CALL_EDGES_PAPER)
        return NULL;
    zero(l->answered, l->n);
    if (e->awaited)
        mpg_perturb_call(l->p, e->source, e->receive, l->first, l->n, l->answered);
    for (uint32_t w = 0; w < l->n && e->requested; w++)
        l->answered[w] += l->own_kappa[w];
    return l->answered;
}

/* Returns the difference, ns, between two delays of a message with changed protocol: from the delay relative to the message's
 * start on the target to the delay relative to the node in the traced run. In the traced run the node is not later than the
 * leave of the call, even if the usual message time is longer. */
static double changed_shift(const struct mpg_evaluator *l, const struct mpg_step *s,
                            const struct mpg_edge *e)
{
    if (!e->changed)
        return 0;
    if (e->kind == MPG_EDGE_ACK)
        return e->base_ns - s->leave_ns;
    double there_ns = start_ns(l, s->rank, e) + flight_ns(l, e->source, s->rank, e->bytes);
    return e->base_ns - fmin(there_ns, s->leave_ns);
}

/* Adds the costs of E, an ACK edge, to VALUE. */
static void add_ack(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e,
                    double *value)
{
    struct mpg_sent_message m = sending_of(&e->origin, e->target_bytes);
    const struct mpg_perturbation *path_costs = path_costs_between(l, s->rank, e->source);
    if (e->changed)
        mpg_add_target_ack(path_costs, &m, flight_ns(l, s->rank, e->source, 0), l->first, l->n, value);
    else
        mpg_perturb_ack(path_costs, &m, l->first, l->n, value);
}

/* Adds the delay injected into edge E, without kappa, to VALUE in each lane. */
static void add_delta(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e,
                      double *value)
{
    struct mpg_sent_message m = sending_of(&e->origin, e->target_bytes);
    switch (e->kind) {
    case MPG_EDGE_ACK:
        add_ack(l, s, e, value);
        break;
    case MPG_EDGE_ENVELOPE:
        add_posting(l, e->requested, e->origin.rank, e->origin.call, value);
        mpg_perturb_flight(path_costs_between(l, e->source, s->rank), &m, MPG_FLIGHT_LAMBDA, l->first, l->n, value);
        break;
    case MPG_EDGE_ROOT:
        mpg_delays_add_collective(l, e->call, &e->origin, e->rounds, e->bytes, e->target_bytes, &e->meeting,
                                 e->members, e->contributed_bytes, value);
        break;
    default:
        break;
    }
}

static bool has_delta(enum mpg_edge_kind kind)
{
    return kind == MPG_EDGE_ACK || kind == MPG_EDGE_ENVELOPE || kind == MPG_EDGE_ROOT;
}

/* Returns whether S is an inserted call that waits, by edge E, for the receiver. In the traced run, where S takes no time, the
 * receiver may come later than S. */
static bool is_wait_inserted(const struct mpg_step *s, const struct mpg_edge *e)
{
    return e->kind == MPG_EDGE_HELD && mpg_is_inserted(s->number);
}

/* Sets X to the value of edge E with its delay, but without kappa. */
static void find_value(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e,
                       struct mpg_lane_edge *x)
{
    const bool is_envelope = e->kind == MPG_EDGE_ENVELOPE;
    const bool is_node = e->kind == MPG_EDGE_MEETING || e->kind == MPG_EDGE_MEMBER ||
                         e->kind == MPG_EDGE_HELD;
    x->value = is_envelope ? slot_propagated(l, e->slot) : slot_delay(l, e->slot);
    x->ready = is_node; /* the value of a node contains the members' kappas */
    x->shift_ns = is_envelope || x->ready ? 0 : changed_shift(l, s, e);
    const bool waits = is_wait_inserted(s, e);
    if (!has_delta(e->kind) && !waits)
        return;
    const double later_ns = waits ? fmax(0, e->from_ns - s->leave_ns) : x->shift_ns;
    for (uint32_t w = 0; w < l->n; w++)
        l->scratch[w] = x->value[w] + later_ns;
    x->value = l->scratch;
    x->shift_ns = 0;
    add_delta(l, s, e, l->scratch);
}

/* Returns gap_ns of struct mpg_lane_edge for E. No message arrives before its earliest departure; the gap is the time by
 * which the call may end before this departure, ns. INFINITY: E is not an edge of a message. */
static inline double causal_gap(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e,
                         double slack_ns)
{
    if (e->changed || (e->kind != MPG_EDGE_ARRIVAL && e->kind != MPG_EDGE_ACK))
        return INFINITY;
    if (l->comparable) { /* the whole traced time, even if the minimum time is longer */
        const double took_ns = s->leave_ns - start_ns(l, s->rank, e);
        return (took_ns > 0 ? took_ns : 0) - slack_ns;
    }
    int32_t from = e->kind == MPG_EDGE_ACK ? s->rank : e->source;
    int32_t to = e->kind == MPG_EDGE_ACK ? e->source : s->rank;
    return flight_ns(l, from, to, e->bytes) - slack_ns;
}

static inline enum mpg_counted how_counted(const struct mpg_evaluator *l, const struct mpg_edge *e)
{
    if (e->kind == MPG_EDGE_ARRIVAL)
        return l->slot_met[e->slot] ? MPG_COUNTED_LATER : MPG_COUNTED_HERE;
    return e->kind == MPG_EDGE_ENVELOPE           ? MPG_COUNTED_LATER
           : e->kind == MPG_EDGE_ACK && !e->changed ? MPG_COUNTED_BACK
                                                    : MPG_COUNTED_HERE;
}

/* Finds the earliest departure of the message of edge X, as a delay; an exchange may have assigned a different message to X. */
static void find_left(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_edge *e,
                      struct mpg_lane_edge *x)
{
    for (uint32_t w = 0; w < l->n; w++) {
        const double begun_ns = mpg_choosing_start_ns(l->choice, e->slot, w);
        l->left[w] = begun_ns > -INFINITY ? begun_ns - s->leave_ns + x->slack_ns
                                          : x->propagated[w] - x->gap_ns;
    }
    x->left = l->left;
    x->gap_ns = 0;
}

/* Fills X, edge E for the recurrences. LATER: cost of the receives completed after this edge. */
static void find_edge(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_edge *edge,
                      const double *later, struct mpg_lane_edge *x)
{
    const struct mpg_edge *e = &s->edges[edge->i];
    const double *named = edge_kappa(l, e);
    x->arrival = slot_delay(l, e->slot);
    x->propagated = x->left = slot_propagated(l, e->slot);
    x->behind = later && e->kind == MPG_EDGE_ARRIVAL ? later : l->zeros;
    x->kappa = named ? named : l->zeros;
    x->slack_ns = edge->slack_ns;
    x->gap_ns = causal_gap(l, s, e, edge->slack_ns);
    x->counted = how_counted(l, e);
    find_value(l, s, e, x);
    if (l->choice && e->is_view)
        find_left(l, s, e, x);
    /* the receive of the probed message must not count the injected delay again */
    if (e->kind == MPG_EDGE_ARRIVAL && mpg_call_is_probe(s->call))
        l->slot_met[e->slot] = true;
}

static bool is_message(const struct mpg_edge *e)
{
    return e->kind == MPG_EDGE_ARRIVAL || e->kind == MPG_EDGE_ACK;
}

/* Adds edge E of the call to OUT and to the account. */
static void take_edge(struct mpg_evaluator *l, const struct mpg_step *s,
                      const struct mpg_delay_edge *edge, const double *later, double *out)
{
    const bool of_message = is_message(&s->edges[edge->i]) || is_wait_inserted(s, &s->edges[edge->i]);
    const struct mpg_lane_leave leave = leave_of(l);
    struct mpg_lane_edge x;
    find_edge(l, s, edge, later, &x);
    if (l->recorder)
        mpg_record_delays_before(l, out);
    l->code->edge(l->n, &x, &leave, out,
                  account_of(l, s->rank, of_message ? MPG_TERM_MESSAGE : MPG_TERM_COLLECTIVE));
    if (l->recorder)
        mpg_record_delays_edge(l, s, edge, &x, out);
}

static void take_edges(struct mpg_evaluator *l, const struct mpg_step *s, double *out)
{
    bool turns = mpg_delays_takes_turns(l, s);
    zero(l->later, turns ? l->n : 0);
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[l->edge[i].i];
        take_edge(l, s, &l->edge[i], turns ? l->later : NULL, out);
        if (l->tally && l->tally->pairs && s->edge_number > 1)
            mpg_delays_tally_edge(l, s, l->edge[i].i, i == 0);
        if (turns && e->kind == MPG_EDGE_ARRIVAL) {
            struct mpg_sent_message m = received_of(e, &l->edge[i]);
            mpg_quantile_cache_add_overhead(l->quantile_cache, path_costs_between(l, e->source, s->rank), MPG_OVERHEAD_RECEIVE,
                                    mpg_is_inserted(s->number), &m,
                                    slot_left(l, e->slot), l->later);
        }
    }
}

/* ---- the call itself ---- */

/* Adds the round trip of the transfers that the call completes to TRIP. */
static void add_round_trip(const struct mpg_evaluator *l, const struct mpg_step *s, double *trip)
{
    struct mpg_sent_message m = {.rank = s->rank, .call = s->number, .bytes = s->round_trip_target_bytes};
    mpg_perturb_flight(l->p, &m, MPG_FLIGHT_WHOLE, l->first, l->n, trip);
    mpg_resize_flight(l->p, &m, s->round_trip_bytes, l->first, l->n, trip);
}

/* Adds the costs of the call's one-sided operations to VALUE: measured ones, else the round trip of the transfers that the call
 * completes. */
static void add_one_sided(struct mpg_evaluator *l, const struct mpg_step *s, double *value)
{
    double *trip = l->scratch, *message = account_of(l, s->rank, MPG_TERM_MESSAGE);
    double *call = account_of(l, s->rank, MPG_TERM_CALL);
    struct mpg_one_sided_cost cost[MPG_ONE_SIDED_COSTS];
    const uint32_t n = l->one_sided ? mpg_one_sided_costs(s, cost) : 0;
    bool completed = !s->round_trip;
    zero(trip, l->n);
    for (uint32_t i = 0; i < n; i++) {
        const struct mpg_perturbation *path_costs = cost[i].to < 0 ? l->p : path_costs_between(l, s->rank, cost[i].to);
        if (!mpg_one_sided_known(path_costs, cost[i].which))
            continue;
        const struct mpg_sent_message m = mpg_one_sided_message(s, &cost[i]);
        mpg_perturb_one_sided(path_costs, cost[i].which, &m, cost[i].traced_bytes, l->first, l->n, trip);
        completed = completed || cost[i].completes;
    }
    if (!completed)
        add_round_trip(l, s, trip);
    if (l->recorder)
        memcpy(l->recorder->trip, trip, l->n * sizeof *trip);
    for (uint32_t w = 0; w < l->n; w++) {
        value[w] += trip[w];
        message[w] += trip[w];
        call[w] -= trip[w]; /* begin_leaving() adds the whole kappa to this term */
    }
}

/* Adds the time taken by the target's noise during the call's own work, which is assumed at the begin of the call. The own
 * work is the whole duration if the call waits for no rank, else the call's minimum time. */
static void add_call_noise(struct mpg_evaluator *l, const struct mpg_step *s, double *value)
{
    struct mpg_interval x = {.rank = s->rank, .call = s->number, .since_ns = l->entered_ns[s->stream]};
    double waited_ns = 0;
    if (mpg_delays_is_absolute(s))
        waited_ns = (double)s->duration_ns;
    else if (s->changed || mpg_delays_waits(s))
        waited_ns = fmax(0, (double)s->duration_ns - mpg_delays_own_floor(l, s));
    x.length_ns = fmin((double)s->duration_ns - waited_ns, (double)s->duration_ns - mpg_delays_call_off(l, s));
    meet_noise(l, s->stream, &x);
    mpg_perturb_call_work(l->p, &x, l->first, l->n, stream_delay(l, s->stream), value);
}

/* Sets `kappa` and `local` to the kappa of the call and the costs of the one-sided transfers completed by the call. */
static void find_kappa(struct mpg_evaluator *l, const struct mpg_step *s, bool meeting)
{
    zero(l->kappa, l->n);
    if (!meeting)
        mpg_perturb_call(l->p, s->rank, s->number, l->first, l->n, l->kappa);
    if (mpg_delays_moves(l, s))
        add_one_sided(l, s, l->kappa);
    memcpy(l->local, l->kappa, l->n * sizeof *l->local);
    l->own_kappa = l->kappa;
}

/* Computes l->kappa, and l->local: kappa plus all further own costs of the call. Both are zero on entry. Not inlined, because
 * many calls add nothing. */
static __attribute__((noinline)) void charge(struct mpg_evaluator *l, const struct mpg_step *s, bool meeting)
{
    if (l->has_kappa || mpg_delays_moves(l, s))
        find_kappa(l, s, meeting);
    if (!meeting && l->leaves)
        mpg_delays_add_overheads(l, s, l->local);
    if (!meeting && mpg_perturbation_call_noise_measured(l->p))
        add_call_noise(l, s, l->local);
}

/* Computes the own costs of the call: l->kappa and l->local. */
static inline void find_own(struct mpg_evaluator *l, const struct mpg_step *s, bool meeting)
{
    l->own_kappa = l->zeros;
    zero(l->local, l->n);
    if (l->charges || mpg_delays_moves(l, s))
        charge(l, s, meeting);
    if (mpg_delays_shortens(l, s))
        l->code->less(l->n, mpg_delays_call_off(l, s), l->local);
}

/* Computes the own costs of the call, and the stream's value with only these costs. A call does not end before the begin. */
static void begin_leaving(struct mpg_evaluator *l, const struct mpg_step *s, bool meeting)
{
    const struct mpg_lane_leave leave = leave_of(l);
    find_own(l, s, meeting);
    l->code->own(l->n, stream_delay(l, s->stream), l->local, (double)s->duration_ns, &leave,
                 account_of(l, s->rank, MPG_TERM_CALL));
}

/* Sets the stream's value at the leave of the call from OUT, the maximum over the edges without their slack. */
static void leave_with(struct mpg_evaluator *l, const struct mpg_step *s, const double *out)
{
    const struct mpg_lane_leave leave = leave_of(l);
    const struct mpg_lane_account account = lane_account_of(l, s->rank);
    l->code->leave(l->n, out, (double)s->duration_ns, &leave, stream_delay(l, s->stream), &account);
}

/* Sets the stream's value to GONE in lanes that do not make the call. */
static void leave_out(struct mpg_evaluator *l, const struct mpg_step *s, const double *gone)
{
    double *waited = account_of(l, s->rank, MPG_TERM_WAITED), *value = stream_delay(l, s->stream);
    for (uint32_t w = 0; w < l->n; w++)
        if (l->choice->skips[w]) {
            waited[w] += value[w] - gone[w];
            value[w] = gone[w];
        }
}

/* Evaluates a call that waits for no rank and has only the local edge. */
static void leave_local(struct mpg_evaluator *l, const struct mpg_step *s)
{
    if (l->charges || mpg_delays_moves(l, s) || mpg_delays_shortens(l, s)) {
        find_own(l, s, false);
        l->code->alone(l->n, l->local, (double)s->duration_ns, stream_delay(l, s->stream),
                       account_of(l, s->rank, MPG_TERM_CALL));
    }
    if (l->covers)
        l->covered_ns[s->stream] = 0;
}

/* As leave_received() for edge X, but in parts between which provenance is recorded. */
static void leave_by(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *x, double local_ns)
{
    const struct mpg_lane_leave leave = leave_of(l);
    double *value = stream_delay(l, s->stream), *out = l->result;
    mpg_record_delays_leaving(l, s);
    l->code->own(l->n, value, l->local, (double)s->duration_ns, &leave, account_of(l, s->rank, MPG_TERM_CALL));
    l->code->local(l->n, value, l->local, local_ns, out);
    mpg_record_delays_own(l, local_ns);
    mpg_record_delays_before(l, out);
    l->code->edge(l->n, x, &leave, out, account_of(l, s->rank, MPG_TERM_MESSAGE));
    mpg_record_delays_edge(l, s, &l->edge[0], x, out);
    mpg_record_delays_clamp(l, s, out);
    leave_with(l, s, out);
}

/* Evaluates a call that completes one message. LOCAL_NS: slack of the local edge. */
static int leave_received(struct mpg_evaluator *l, const struct mpg_step *s, double local_ns, struct mpg_error *err)
{
    const struct mpg_lane_account account = lane_account_of(l, s->rank);
    find_own(l, s, false);
    struct mpg_lane_edge x;
    find_edge(l, s, &l->edge[0], NULL, &x);
    if (l->recorder && mpg_record_delays_receive(l, s, &x, local_ns, err) < 0)
        return -1;
    if (l->recorder && !l->recorder->is_recorded)
        leave_by(l, s, &x, local_ns);
    else
        l->code->receive(l->n, l->local, local_ns, (double)s->duration_ns, &x, stream_delay(l, s->stream), &account);
    if (l->covers)
        l->covered_ns[s->stream] = mpg_delays_covered(l, s);
    return 0;
}

/* Evaluates a dropped call: removes the whole duration. */
static int leave_dropped(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    double *value = stream_delay(l, s->stream), *call = account_of(l, s->rank, MPG_TERM_CALL);
    if (l->choice && mpg_choosing_make(l->choice, s, s->enter_ns, value, err) < 0)
        return -1;
    for (uint32_t w = 0; w < l->n; w++) {
        value[w] -= (double)s->duration_ns;
        call[w] -= (double)s->duration_ns;
    }
    if (l->covers)
        l->covered_ns[s->stream] = 0;
    if (l->choice)
        mpg_choosing_end_views(l->choice, s);
    return 0;
}

/* Evaluates a call that waits, or may wait, for another rank. */
static __attribute__((noinline)) int leave_others(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    double *value = stream_delay(l, s->stream), *out = l->result, local;
    if (mpg_delays_list_edges(l, s, err) < 0)
        return -1;
    if (l->choice && mpg_choosing_make(l->choice, s, s->enter_ns, value, err) < 0)
        return -1;
    if (l->choice && l->tally && mpg_delays_tally_sources(l, s, err) < 0)
        return -1;
    local = find_slacks(l, s);
    if (l->is_plain && s->edge_number == 1 && is_message(&s->edges[0]))
        return leave_received(l, s, local, err);
    const bool meeting = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    if (l->recorder)
        mpg_record_delays_leaving(l, s);
    begin_leaving(l, s, meeting);
    if (!meeting)
        l->code->local(l->n, value, l->local, local, out);
    for (uint32_t w = 0; w < l->n && meeting; w++)
        out[w] = -INFINITY;
    if (l->recorder)
        mpg_record_delays_own(l, local);
    take_edges(l, s, out);
    if (l->recorder)
        mpg_record_delays_clamp(l, s, out);
    for (uint32_t w = 0; w < l->n && l->choice; w++)
        l->scratch[w] = l->choice->skips[w] ? mpg_delays_vanished(l, s, w) : 0;
    if (l->recorder && l->choice)
        mpg_record_delays_vanished(l, s, l->scratch);
    leave_with(l, s, out);
    if (l->choice)
        leave_out(l, s, l->scratch);
    if (l->covers)
        l->covered_ns[s->stream] = mpg_delays_covered(l, s);
    if (l->choice)
        mpg_choosing_end_views(l->choice, s);
    return 0;
}

int mpg_delays_leave(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->dropped)
        return leave_dropped(l, s, err);
    if (!l->is_plain || mpg_delays_waits(s) || s->changed)
        return leave_others(l, s, err);
    leave_local(l, s);
    return 0;
}
