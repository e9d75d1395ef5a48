/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the provenance of delays at all steps except LEAVE. */
#include "simulate/evaluate/recorder.h"

#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/operations.h"

/* --- computation --- */

static void keep(const struct mpg_evaluator *l, double *to, const double *from)
{
    memcpy(to, from, l->n * sizeof *to);
}

/* Components of an interval's delay except noise. QUIET: the interval has no noise. CUT: the options remove more time than the
 * interval lasts; only the interval's length is removed. */
struct made {
    struct mpg_delay_interval of;
    bool quiet, cut;
};

static struct made interval_of(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    const bool quiet = mpg_perturbation_is_quiet(l->p);
    const double rho = mpg_perturbation_rho(l->p), length_ns = (double)s->interval_ns;
    if (polls(l, s))
        return (struct made){.of = {.tracer_ns = l->p->without_tracer ? (double)s->tracer_ns : 0}, .quiet = true};
    const double off_ns = mpg_perturbation_removes_off_cpu(l->p) ? (double)s->off_ns : 0;
    const double more_ns = (rho * s->change->ratio == 1 && s->change->more_ns == 0
                                ? 0
                                : (rho * s->change->ratio - 1) * (length_ns - off_ns) + rho * s->change->more_ns) -
                           (quiet ? off_ns : 0);
    const bool cut = quiet && more_ns < -length_ns;
    return (struct made){.of = {length_ns, cut ? -length_ns : more_ns, l->p->without_tracer ? (double)s->tracer_ns : 0},
                         .quiet = quiet,
                         .cut = cut};
}

static int end_enter(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_recorder *x = l->recorder;
    const struct made m = interval_of(l, s);
    const double more_ns = m.cut ? 0 : m.of.more_ns;
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_COMPUTATION] = more_ns,
                                          [MPG_CRITICAL_SCALED] = m.of.length_ns,
                                          [MPG_CRITICAL_TRACER] = -m.of.tracer_ns};
    mpg_recorder_continue(l, s, term);
    if (!m.quiet || m.cut) /* the remainder of the step's account */
        mpg_provenance_add_difference(x->provenance, m.cut ? MPG_CRITICAL_COMPUTATION : MPG_CRITICAL_NOISE,
                                 account_of(l, s->rank, MPG_TERM_COMPUTE), NULL, more_ns - m.of.tracer_ns);
    if (!l->choice)
        return 0;
    if (mpg_reserve_at(&x->interval, sizeof *x->interval, &x->intervals, s->stream + 1, err) < 0)
        return -1;
    x->interval[s->stream] = m.of;
    return 0;
}

/* --- messages --- */

/* Records the arrival of S's message as a value outside slots, because the receiving call may take this message after the slot
 * has been reused. */
static void keep_arrival(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_provenance *provenance = l->recorder->provenance;
    const uint32_t number = mpg_choosing_kept(l->choice, s->message);
    mpg_provenance_add(provenance, mpg_value_kept(number), NOWHERE);
    mpg_provenance_from(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NULL, NOWHERE);
    mpg_provenance_add(provenance, (struct mpg_value){number, MPG_VALUE_KEPT_PROPAGATED}, NOWHERE);
    mpg_provenance_from(provenance, mpg_value_slot(s->slot, MPG_VALUE_PROPAGATED), NULL, NOWHERE);
}

static void end_eager(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    const struct mpg_value stream = mpg_value_stream(s->stream);
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_MESSAGES] = 1, [MPG_CRITICAL_SIZE] = s->target_bytes};
    const double *value = slot_delay(l, s->slot), *propagated = slot_propagated(l, s->slot), *sent = stream_delay(l, s->stream);
    const bool posts = l->p->call_edges == MPG_CALL_EDGES_PAPER;
    mpg_provenance_renew(x->provenance, s->slot);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, stream, term, NOWHERE);
    for (uint32_t w = 0; w < l->n && posts; w++) /* mpg_delays_eager() has set l->local */
        x->other[w] = sent[w] + l->local[w];
    if (posts)
        mpg_provenance_add_term(x->provenance, MPG_CRITICAL_CALL, l->local);
    mpg_provenance_add_difference(x->provenance, MPG_CRITICAL_LATENCY, value, posts ? x->other : sent, 0);
    if (!x->clamps)
        return;
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_PROPAGATED), NOWHERE);
    mpg_provenance_from(x->provenance, stream, NULL, NOWHERE);
    if (posts)
        mpg_provenance_add_difference(x->provenance, MPG_CRITICAL_CALL, propagated, sent, 0);
    if (l->choice && s->is_followed)
        keep_arrival(l, s);
}

/* Records the provenance of PART of S's message, with value VALUE: from the rank that posted the receive, or in lanes of
 * `lane_mask` from the sender. The costs in MET of posting or sending are attributed to the call; if TRANSMITS, the rest is
 * attributed to the message. */
static void add_met(struct mpg_evaluator *l, const struct mpg_step *s, enum mpg_value_part part, const double *value,
                    const struct mpg_delay_met *met, bool transmits)
{
    struct mpg_recorder *x = l->recorder;
    const double size = transmits ? s->target_bytes : 0;
    const double by_poster[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_SIZE] = size, [MPG_CRITICAL_ABSORBED] = -met->poster_slack_ns};
    const double by_sender[MPG_ATTRIBUTION_TERMS] = {
        [MPG_CRITICAL_MESSAGES] = transmits, [MPG_CRITICAL_SIZE] = size, [MPG_CRITICAL_ABSORBED] = -met->sender_slack_ns};
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, part), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(s->b, MPG_VALUE_TIME), by_poster, NOWHERE);
    if (mpg_provenance_any(x->lane_mask, l->n))
        mpg_provenance_add_from(x->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), by_sender, NOWHERE, x->lane_mask);
    for (uint32_t w = 0; w < l->n; w++) {
        const bool first = x->lane_mask[w / 64] >> w % 64 & 1;
        const double from = first ? x->before[w] - met->sender_slack_ns : x->from_ns[w] - met->poster_slack_ns;
        const double calls = first ? met->sending[w] : met->posting[w];
        x->other[w] = transmits ? calls : value[w] - from;
        x->put[w] = transmits ? value[w] - (from + calls) : 0;
    }
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_CALL, x->other);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_LATENCY, x->put);
}

void mpg_record_delays_met(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_met *met)
{
    struct mpg_recorder *x = l->recorder;
    mpg_provenance_renew(x->provenance, s->slot);
    /* the value without injected delay comes first, because add_met() overwrites slots that this loop reads */
    for (uint32_t w = 0; w < l->n; w++) {
        x->first[w] = s->changed ? INFINITY : x->before[w] - met->sender_slack_ns + fmax(met->sending[w], 0);
        x->other[w] = x->from_ns[w] - met->poster_slack_ns + fmax(met->posting[w], 0);
    }
    mpg_provenance_find_larger(l->n, x->first, x->other, x->lane_mask);
    struct mpg_delay_met propagated = *met;
    propagated.sender_slack_ns = s->changed ? 0 : met->sender_slack_ns;
    add_met(l, s, MPG_VALUE_PROPAGATED, slot_propagated(l, s->slot), &propagated, false);
    for (uint32_t w = 0; w < l->n; w++) {
        const double first = x->before[w] - met->sender_slack_ns + met->sending[w] + met->lambda[w];
        x->other[w] = x->from_ns[w] - met->poster_slack_ns + met->posting[w];
        const bool is_eager = met->eager && met->eager[w] > (first > x->other[w] ? first : x->other[w]) + met->tau[w];
        x->first[w] = is_eager ? INFINITY : first;
    }
    mpg_provenance_find_larger(l->n, x->first, x->other, x->lane_mask);
    add_met(l, s, MPG_VALUE_TIME, slot_delay(l, s->slot), met, true);
}

/* --- collectives, slots --- */

static void end_contribute(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    const bool measured = mpg_collective_measured(l->p, mpg_operation_whole(s->call), s->members, s->contributed_bytes);
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_COLLECTIVES] = measured,
                                          [MPG_CRITICAL_MESSAGES] = measured ? 0 : s->rounds,
                                          [MPG_CRITICAL_SIZE] = measured ? 0 : s->target_bytes};
    mpg_provenance_renew(x->provenance, s->slot);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), term, NOWHERE);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_WHOLE, l->scratch); /* mpg_delays_contribute() has set l->scratch */
}

/* Finds the slack that S, a MERGE, subtracts from A and from B. */
static void find_shifts(const struct mpg_evaluator *l, const struct mpg_step *s, double shift_ns[2])
{
    for (int i = 0; i < 2; i++)
        shift_ns[i] = l->absorb == MPG_ABSORB_CLOCK ? s->shift[i].clock : l->absorb == MPG_ABSORB_WAIT ? s->shift[i].wait : 0;
}

static void begin_merge(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    double shift_ns[2];
    find_shifts(l, s, shift_ns);
    for (uint32_t w = 0; w < l->n; w++) {
        x->first[w] = slot_delay(l, s->a)[w] - shift_ns[0];
        x->other[w] = slot_delay(l, s->b)[w] - shift_ns[1];
    }
    mpg_provenance_find_larger(l->n, x->first, x->other, x->lane_mask);
}

static void end_merge(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    double shift_ns[2];
    find_shifts(l, s, shift_ns);
    const double of_a[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_ABSORBED] = -shift_ns[0]};
    const double of_b[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_ABSORBED] = -shift_ns[1]};
    mpg_provenance_renew(x->provenance, s->slot);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(s->b, MPG_VALUE_TIME), of_b, NOWHERE);
    mpg_provenance_add_from(x->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), of_a, NOWHERE, x->lane_mask);
}

/* Records that S, a STORE, copies the stream's value into a slot. */
static void end_store(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_provenance *provenance = l->recorder->provenance;
    mpg_provenance_renew(provenance, s->slot);
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(provenance, mpg_value_stream(s->stream), NULL, NOWHERE);
    if (!s->sends)
        return;
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_PROPAGATED), NOWHERE); /* needed by probes */
    mpg_provenance_from(provenance, mpg_value_stream(s->stream), NULL, NOWHERE);
}

/* --- begin and end of a step --- */

void mpg_record_delays_begin(struct mpg_evaluator *l, const struct mpg_step *s)
{
    struct mpg_recorder *x = l->recorder;
    switch (s->kind) {
    case MPG_STEP_SYNCHRONOUS: /* the step may overwrite its input slots */
        keep(l, x->before, slot_delay(l, s->a));
        keep(l, x->from_ns, slot_delay(l, s->b));
        break;
    case MPG_STEP_MERGE:
        begin_merge(l, s);
        break;
    case MPG_STEP_LEAVE:
        x->is_recorded = false;
        if (s->dropped || mpg_delays_moves(l, s))
            mpg_record_delays_leaving(l, s);
        break;
    default:
        break;
    }
}

int mpg_record_delays_end(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return end_enter(l, s, err);
    case MPG_STEP_STORE:
        end_store(l, s);
        break;
    case MPG_STEP_EAGER:
        end_eager(l, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        end_contribute(l, s);
        break;
    case MPG_STEP_MERGE:
        end_merge(l, s);
        break;
    case MPG_STEP_LEAVE:
        return mpg_record_delays_left(l, s, err);
    default: /* steps of all other kinds record provenance in their own code, or need none */
        break;
    }
    return 0;
}

double mpg_record_delays_run(const struct mpg_evaluator *l, int32_t rank, uint32_t w)
{
    return (double)l->traced_ns[rank] + mpg_evaluator_end(l, rank)[w];
}

/* --- expanded collectives --- */

static double *came_of(const struct mpg_evaluator *l, double *value, enum mpg_value_provenance which)
{
    return mpg_value_provenance(value, mpg_delays_expanded_lanes(l), l->n, which);
}

void mpg_record_delays_came(const struct mpg_evaluator *l, double *value, const uint32_t *from)
{
    struct mpg_recorder *x = l->recorder;
    const double *number = came_of(l, value, MPG_PROVENANCE_ORIGIN), *base = came_of(l, value, MPG_PROVENANCE_BASE);
    for (uint32_t w = 0; w < l->n; w++) {
        const uint32_t other = from[(size_t)number[w]];
        const double unperturbed_ns = value[2 * l->n], later_ns = value[w] - unperturbed_ns;
        /* slack subtracted because another member arrived later */
        const double slack_ns = unperturbed_ns - l->slot_base[other] - base[w];
        x->other[w] = later_ns - slot_delay(l, other)[w] + slack_ns;
        x->first[w] = -slack_ns;
    }
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_MESSAGES, came_of(l, value, MPG_PROVENANCE_MESSAGES));
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_SIZE, came_of(l, value, MPG_PROVENANCE_SIZE));
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_WHOLE, x->other);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_ABSORBED, x->first);
}
