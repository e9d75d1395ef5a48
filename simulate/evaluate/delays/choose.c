/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrival times in perturb mode, from traced times and delays, for calls that can complete different messages than in the
 * trace (docs/MODEL.md, section 6). */
#include <math.h>
#include <stdlib.h>

#include "simulate/evaluate/evaluator_private.h"
#include "simulate/rounding.h"

/* ---- times of candidates ---- */

/* Finds the traced arrival t(A) of candidate C of S, whose message takes FLIGHT_NS, and the time to which the slot's delay
 * must be added. */
static void place_candidate(const struct mpg_evaluator *l, const struct mpg_step *s,
                            const struct mpg_candidate *c, double flight_ns, struct mpg_pick *p)
{
    const struct mpg_edge *e = c->arrival;
    p->value = slot_delay(l, e->slot);
    p->cause = slot_propagated(l, e->slot);
    if (l->absorb == MPG_ABSORB_WAIT) { /* with this kind of slack a message arrives when the receive completes */
        p->traced_ns = p->base_ns = c->done_ns;
        p->cause_ns = c->done_ns - flight_ns;
        return;
    }
    p->traced_ns = start_ns(l, s->rank, e) + flight_ns;
    p->base_ns = e->changed ? e->base_ns : p->traced_ns;
    p->cause_ns = e->changed ? e->sent_ns : start_ns(l, s->rank, e);
}

static void place(void *evaluator, const struct mpg_step *s, uint32_t begin, uint32_t end, struct mpg_pick *pick)
{
    const struct mpg_edge *before = NULL; /* most lists have few sources and sizes, and therefore few different message times */
    double flight = 0;
    for (uint32_t i = begin; i < end; i++) {
        const struct mpg_edge *e = s->alternatives->candidates[i].arrival;
        if (!before || e->source != before->source || e->bytes != before->bytes)
            flight = flight_ns(evaluator, e->source, s->rank, e->bytes);
        before = e;
        place_candidate(evaluator, s, &s->alternatives->candidates[i], flight, &pick[i]);
    }
}

static void find_vectors(void *evaluator, uint32_t slot, const double **value, const double **cause)
{
    *value = slot_delay(evaluator, slot);
    *cause = slot_propagated(evaluator, slot);
}

/* ---- exchanges of arrivals ---- */

/* Sets the arrival of P in lane W to AT_NS, including PUT_NS of injected delay. */
static void set_arrival(const struct mpg_evaluator *l, const struct mpg_pick *p, uint32_t w,
                        double at_ns, double put_ns)
{
    slot_delay(l, p->slot)[w] = at_ns - p->base_ns;
    slot_propagated(l, p->slot)[w] = at_ns - p->traced_ns - put_ns;
}

/* Returns the injected part of P's arrival in lane W, ns. P does not arrive before its earliest departure. */
static double put_into(const struct mpg_evaluator *l, const struct mpg_pick *p, uint32_t w)
{
    const double at_ns = fmax(slot_delay(l, p->slot)[w] + p->base_ns, p->start_ns - p->raised_ns);
    return at_ns - p->traced_ns - slot_propagated(l, p->slot)[w];
}

/* Records the provenance of P in lane W. The arrival comes from CAME; the arrival without the injected part comes from
 * PROPAGATED_SLOT, which had the value PROPAGATED_NS. */
static void record_provenance(const struct mpg_evaluator *l, const struct mpg_pick *p, uint32_t w,
                              const struct mpg_arrival_origin *came, uint32_t propagated_slot, double propagated_ns)
{
    const struct mpg_value from = mpg_value_slot(came->slot, came->early ? MPG_VALUE_PROPAGATED : MPG_VALUE_TIME);
    struct mpg_moved_arrivals *moves = l->moves;
    mpg_moved_arrivals_set(moves, mpg_value_slot(p->slot, MPG_VALUE_TIME), w, from, slot_delay(l, p->slot)[w] - came->value);
    mpg_moved_arrivals_set(moves, mpg_value_slot(p->slot, MPG_VALUE_PROPAGATED), w,
                           mpg_value_slot(propagated_slot, MPG_VALUE_PROPAGATED), slot_propagated(l, p->slot)[w] - propagated_ns);
}

static void exchange(void *evaluator, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w)
{
    const struct mpg_evaluator *l = evaluator;
    const double put_p = put_into(evaluator, p, w), put_q = put_into(evaluator, q, w);
    const double propagated_p = slot_propagated(l, p->slot)[w], propagated_q = slot_propagated(l, q->slot)[w];
    set_arrival(evaluator, p, w, q->at_ns, put_q);
    set_arrival(evaluator, q, w, p->at_ns, put_p);
    if (!l->moves)
        return;
    record_provenance(l, p, w, &q->came, q->slot, propagated_q);
    record_provenance(l, q, w, &p->came, p->slot, propagated_p);
}

static void assign(void *evaluator, uint32_t slot, uint32_t w, const struct mpg_pending *taken, double shift_ns, double value)
{
    const struct mpg_evaluator *l = evaluator;
    const bool early = value > taken->value[w];
    slot_delay(l, slot)[w] = value + shift_ns;
    slot_propagated(l, slot)[w] = taken->propagated[w] + shift_ns;
    if (!l->moves)
        return;
    const struct mpg_value kept = mpg_value_kept(taken->number), propagated = {taken->number, MPG_VALUE_KEPT_PROPAGATED};
    mpg_moved_arrivals_set(l->moves, mpg_value_slot(slot, MPG_VALUE_TIME), w, early ? propagated : kept,
                  slot_delay(l, slot)[w] - (early ? taken->propagated : taken->value)[w]);
    mpg_moved_arrivals_set(l->moves, mpg_value_slot(slot, MPG_VALUE_PROPAGATED), w, propagated, shift_ns);
}

static void transmit(void *evaluator, const struct mpg_step *s, const struct mpg_sent *sent, double *ns)
{
    const struct mpg_evaluator *l = evaluator;
    const double flight = flight_ns(l, s->rank, sent->origin.to, sent->target_bytes);
    for (uint32_t w = 0; w < l->n; w++)
        ns[w] = flight;
}

const struct mpg_arrivals mpg_delays_arrivals = {
    .is_bounded = true, .place = place, .find_vectors = find_vectors, .assign = assign, .exchange = exchange,
        .transmit = transmit};

/* ---- functions for the evaluator ---- */

double mpg_delays_vanished(const struct mpg_evaluator *l, const struct mpg_step *s, uint32_t w)
{
    const double min = stream_delay(l, s->stream)[w] - (double)s->duration_ns;
    if (l->polling_ns < 0)
        return min;
    return fmin(min, l->before[(size_t)s->stream * l->n + w] - l->interval_ns[s->stream] -
                           (double)s->duration_ns);
}

int mpg_delays_sent(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    const double traced_ns = s->sender_ns + flight_ns(l, s->rank, s->receiver, s->bytes);
    const double *propagated = slot_propagated(l, s->slot);
    return mpg_choosing_sent(l->choice, s, traced_ns, slot_delay(l, s->slot), propagated, s->sender_ns, propagated,
                             err);
}
