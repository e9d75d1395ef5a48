/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the provenance of times at all steps except LEAVE (computation, messages, slots, collectives). */
#include <math.h>

#include "simulate/evaluate/operations.h"
#include "simulate/evaluate/recorder.h"

/* --- computation --- */

void mpg_record_times_enter(const struct mpg_evaluator *t, const struct mpg_step *s, const double *before, double done_ns)
{
    const double *value = stream_value(t, s->stream, STREAM_VALUE);
    const bool quiet = mpg_perturbation_is_quiet(t->target->noise), rounds = quiet &&
        mpg_provenance_is_path(t->recorder->provenance);
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_COMPUTATION] = rounds ? value[0] - before[0] : done_ns};
    double *noise = t->recorder->other;
    mpg_recorder_continue(t, s, term);
    mpg_provenance_begins(t->recorder->provenance);
    if (quiet)
        return;
    for (uint32_t w = 0; w < t->n; w++)
        noise[w] = value[w] - before[w] - done_ns;
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_NOISE, noise);
}

void mpg_record_times_polled(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    if (!mpg_provenance_is_path(t->recorder->provenance)) /* the value does not change */
        return;
    mpg_recorder_continue(t, s, NULL);
    mpg_provenance_begins(t->recorder->provenance);
}

/* --- messages --- */

/* Before S's message leaves: stores the lanes that may not send yet, and the departure in each lane. */
static void begin_sending(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double *now = stream_value(t, s->stream, STREAM_VALUE), *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_recorder *x = t->recorder;
    mpg_provenance_find_larger(t->n, next, now, x->lane_mask);
    for (uint32_t w = 0; w < t->n; w++)
        x->before[w] = now[w] > next[w] ? now[w] : next[w];
}

/* Adds the origin of the departure of S's message, with TERMS: the sender's enter, or the sender's previous send. */
static void add_leaving(const struct mpg_evaluator *t, const struct mpg_step *s, const double *terms)
{
    mpg_provenance_from(t->recorder->provenance, mpg_value_stream(s->stream), terms, NOWHERE);
    if (mpg_provenance_any(t->recorder->lane_mask, t->n))
        mpg_provenance_add_from(t->recorder->provenance, mpg_value_next(s->stream), terms, NOWHERE, t->recorder->lane_mask);
}

static void add_next(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_recorder *x = t->recorder;
    bool any = mpg_provenance_any(x->lane_mask, t->n);
    for (uint32_t w = 0; w < t->n; w++) {
        x->other[w] = next[w] - x->before[w];
        any |= x->other[w] != 0;
    }
    if (!any) /* the stream can send the next message at once */
        return;
    mpg_provenance_add(x->provenance, mpg_value_next(s->stream), NOWHERE);
    add_leaving(t, s, NULL);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_BYTES, x->other);
}

static void end_eager(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_MESSAGES] = 1, [MPG_CRITICAL_SIZE] = s->bytes};
    struct mpg_provenance *provenance = t->recorder->provenance;
    mpg_provenance_renew(provenance, s->slot);
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    add_leaving(t, s, term);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, t->lambda);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_BYTES, t->tau);
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_ENVELOPE), NOWHERE);
    mpg_provenance_from(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NULL, NOWHERE);
    if (t->choice && s->is_followed) { /* the receiver may read the message after the slot has been reused */
        mpg_provenance_add(provenance, mpg_value_kept(mpg_choosing_kept(t->choice, s->message)), NOWHERE);
        mpg_provenance_from(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NULL, NOWHERE);
    }
    add_next(t, s);
}

static void end_store(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double term[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_MESSAGES] = 1};
    struct mpg_provenance *provenance = t->recorder->provenance;
    mpg_provenance_renew(provenance, s->slot);
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    if (!s->sends) {
        mpg_provenance_from(provenance, mpg_value_stream(s->stream), NULL, NOWHERE);
        return;
    }
    add_leaving(t, s, NULL);
    mpg_provenance_add(provenance, mpg_value_slot(s->slot, MPG_VALUE_ENVELOPE), NOWHERE);
    mpg_provenance_from(provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), term, NOWHERE);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, t->lambda);
    add_next(t, s);
}

/* Records the meeting of both ends of a synchronous message; `lane_mask` marks the lanes in which the sender came last. */
static void add_met(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double with[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_MESSAGES] = 1}, *lambda = t->lambda;
    struct mpg_recorder *x = t->recorder;
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_MEET), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(mpg_times_progress_slot(t, s), MPG_VALUE_TIME), NULL, NOWHERE);
    mpg_provenance_add_from(t->recorder->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), with, NOWHERE, x->lane_mask);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = x->lane_mask[w / 64] >> w % 64 & 1 ? lambda[w] : 0;
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, x->other);
}

static void end_synchronous(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    const double back[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_MESSAGES] = -1},
        flight[MPG_ATTRIBUTION_TERMS] = {[MPG_CRITICAL_SIZE] = s->bytes};
    struct mpg_recorder *x = t->recorder;
    const struct mpg_value met = mpg_value_slot(s->slot, MPG_VALUE_MEET);
    for (uint32_t w = 0; w < t->n; w++)
        x->before[w] += t->lambda[w];
    mpg_provenance_find_larger(t->n, x->before, x->latest, x->lane_mask);
    add_met(t, s);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_BEGIN), NOWHERE);
    mpg_provenance_from(x->provenance, met, back, NOWHERE);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = -t->lambda[w];
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, x->other);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, met, flight, NOWHERE);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_BYTES, t->tau);
}

/* --- collectives --- */

/* Records the value of S, a MERGE, which is the value of A in the lanes of `lane_mask`, and the value of B in the remaining
 * lanes. */
static void end_merge(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    struct mpg_recorder *x = t->recorder;
    mpg_provenance_renew(x->provenance, s->slot);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(s->b, MPG_VALUE_TIME), NULL, NOWHERE);
    mpg_provenance_add_from(x->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), NULL, NOWHERE, x->lane_mask);
}

/* Writes the call noise in the rounds of a collective into `other`, and returns `other`. */
static const double *find_rounds_calls(const struct mpg_evaluator *t, const struct mpg_perturbation *p,
                                       const struct mpg_origin *origin, uint32_t rounds)
{
    double *calls = t->recorder->other;
    zero(calls, t->n);
    if (p->call_noise.n > 0)
        mpg_time_rounds(p, origin->rank, origin->call, origin->index, rounds, 0, false, t->first, t->n, calls);
    return calls;
}

void mpg_record_times_collective(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin,
                                 uint32_t rounds, double bytes, int32_t members, double bytes_each, const double *took_ns,
                                 double *term)
{
    const struct mpg_perturbation *p = mpg_target_farthest(t->target);
    struct mpg_recorder *x = t->recorder;
    const double *calls = find_rounds_calls(t, p, origin, rounds);
    x->has_terms = true;
    if (mpg_collective_measured(p, mpg_operation_whole(call), members, bytes_each)) {
        term[MPG_CRITICAL_COLLECTIVES] = 1;
        for (uint32_t w = 0; w < t->n; w++)
            x->whole[w] = took_ns[w] > 0 ? took_ns[w] - calls[w] : x->whole[w];
        return;
    }
    term[MPG_CRITICAL_MESSAGES] = rounds;
    term[MPG_CRITICAL_SIZE] = bytes;
    double *empty = x->latest;
    zero(empty, t->n);
    if (bytes > 0)
        mpg_times_add_rounds(t, call, origin, rounds, 0, true, empty);
    for (uint32_t w = 0; w < t->n; w++) {
        if (!(took_ns[w] > 0))
            continue;
        x->latency[w] = (bytes > 0 ? empty[w] : took_ns[w]) - calls[w];
        x->bytes[w] = bytes > 0 ? took_ns[w] - empty[w] : 0;
    }
}

static void end_contribute(const struct mpg_evaluator *t, const struct mpg_step *s)
{
    struct mpg_recorder *x = t->recorder;
    double term[MPG_ATTRIBUTION_TERMS] = {0}, *took = x->last_ns;
    const double *after = slot_value(t, s->slot, SLOT_VALUE);
    mpg_provenance_find_larger(t->n, after, x->before, x->lane_mask);
    for (uint32_t w = 0; w < t->n; w++) {
        took[w] = after[w] - x->before[w];
        x->latency[w] = x->bytes[w] = x->whole[w] = 0;
    }
    mpg_provenance_renew(x->provenance, s->slot);
    mpg_provenance_add(x->provenance, mpg_value_slot(s->slot, MPG_VALUE_TIME), NOWHERE);
    mpg_provenance_from(x->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), NULL, NOWHERE);
    if (!mpg_provenance_any(x->lane_mask, t->n))
        return;
    mpg_record_times_collective(t, s->call, &s->origin, s->rounds, s->bytes, s->members, s->contributed_bytes, took, term);
    mpg_provenance_add_from(t->recorder->provenance, mpg_value_slot(s->a, MPG_VALUE_TIME), term, NOWHERE, x->lane_mask);
    for (uint32_t w = 0; w < t->n; w++)
        took[w] = fmax(took[w], 0) - x->latency[w] - x->bytes[w] - x->whole[w];
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_CALL, took);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_LATENCY, x->latency);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_BYTES, x->bytes);
    mpg_provenance_add_term(t->recorder->provenance, MPG_CRITICAL_WHOLE, x->whole);
}

/* --- begin and end of a step --- */

void mpg_record_times_begin(struct mpg_evaluator *t, const struct mpg_step *s)
{
    struct mpg_recorder *x = t->recorder;
    const size_t bytes = t->n * sizeof(double);
    switch (s->kind) {
    case MPG_STEP_STORE:
        if (s->sends)
            begin_sending(t, s);
        break;
    case MPG_STEP_EAGER:
        begin_sending(t, s);
        break;
    case MPG_STEP_SYNCHRONOUS: /* the step may overwrite its input slots */
        memcpy(x->latest, slot_value(t, mpg_times_progress_slot(t, s), SLOT_VALUE), bytes);
        memcpy(x->before, slot_value(t, s->a, SLOT_VALUE), bytes);
        break;
    case MPG_STEP_CONTRIBUTE:
        memcpy(x->before, slot_value(t, s->a, SLOT_VALUE), bytes);
        break;
    case MPG_STEP_MERGE:
        mpg_provenance_find_larger(t->n, slot_value(t, s->a, SLOT_VALUE), slot_value(t, s->b, SLOT_VALUE), x->lane_mask);
        break;
    default:
        break;
    }
}

int mpg_record_times_end(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
        end_store(t, s);
        break;
    case MPG_STEP_EAGER:
        end_eager(t, s);
        break;
    case MPG_STEP_SYNCHRONOUS:
        end_synchronous(t, s);
        break;
    case MPG_STEP_CONTRIBUTE:
        end_contribute(t, s);
        break;
    case MPG_STEP_MERGE:
        end_merge(t, s);
        break;
    default: /* steps of all other kinds record provenance in their own code, or need none */
        break;
    }
    (void)err;
    return 0;
}

double mpg_record_times_run(const struct mpg_evaluator *t, int32_t rank, uint32_t w)
{
    return mpg_evaluator_end(t, rank)[w];
}

/* --- expanded collectives --- */

static double *came_of(const struct mpg_evaluator *t, double *value, enum mpg_value_provenance which)
{
    return mpg_value_provenance(value, t->n, t->n, which);
}

/* Returns the part of VALUE, in lane W, added to the slot's value as overheads of messages: neither latency nor time of bytes. */
static double calls_of(const struct mpg_evaluator *t, double *value, const uint32_t *from, uint32_t w)
{
    const uint32_t slot = from[(size_t)came_of(t, value, MPG_PROVENANCE_ORIGIN)[w]];
    return value[w] - slot_value(t, slot, SLOT_VALUE)[w] - came_of(t, value, MPG_PROVENANCE_LATENCY)[w] -
           came_of(t, value, MPG_PROVENANCE_BYTES)[w];
}

void mpg_record_times_came(const struct mpg_evaluator *t, double *value, const uint32_t *from)
{
    struct mpg_recorder *x = t->recorder;
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = calls_of(t, value, from, w);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_CALL, x->other);
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_LATENCY, came_of(t, value, MPG_PROVENANCE_LATENCY));
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_MESSAGES, came_of(t, value, MPG_PROVENANCE_MESSAGES));
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_BYTES, came_of(t, value, MPG_PROVENANCE_BYTES));
    mpg_provenance_add_term(x->provenance, MPG_CRITICAL_SIZE, came_of(t, value, MPG_PROVENANCE_SIZE));
}
