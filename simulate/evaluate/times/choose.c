/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrival times in predict mode, for calls that can complete different messages than in the trace (docs/MODEL.md, section 5,
 * Choice). */
#include <stdlib.h>

#include "simulate/evaluate/evaluator_private.h"

static void find_vectors(void *times, uint32_t slot, const double **value, const double **cause)
{
    *value = slot_value(times, slot, SLOT_VALUE);
    *cause = slot_value(times, slot, SLOT_BEGIN);
}

static void place(void *times, const struct mpg_step *s, uint32_t begin, uint32_t end, struct mpg_pick *pick)
{
    (void)s;
    for (uint32_t i = begin; i < end; i++)
        find_vectors(times, pick[i].slot, &pick[i].value, &pick[i].cause);
}

/* Sets the arrival in SLOT, lane W. For eager messages, the envelope seen by a later probe arrives at AT_NS also; the
 * envelopes of synchronous messages have separate times. */
static void set_arrival(const struct mpg_evaluator *t, uint32_t slot, uint32_t w, double at_ns)
{
    slot_value(t, slot, SLOT_VALUE)[w] = slot_value(t, slot, SLOT_ENVELOPE)[w] = at_ns;
}

/* Records that lane W of the view at SLOT comes from FROM. */
static void record_provenance(const struct mpg_evaluator *t, uint32_t slot, uint32_t w, struct mpg_value from)
{
    if (!t->moves)
        return;
    mpg_moved_arrivals_set(t->moves, mpg_value_slot(slot, MPG_VALUE_TIME), w, from, 0);
    mpg_moved_arrivals_set(t->moves, mpg_value_slot(slot, MPG_VALUE_ENVELOPE), w, from, 0);
}

static void assign(void *times, uint32_t slot, uint32_t w, const struct mpg_pending *taken, double shift_ns, double value)
{
    set_arrival(times, slot, w, value + shift_ns);
    record_provenance(times, slot, w, mpg_value_kept(taken->number));
}

static void exchange(void *times, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w)
{
    set_arrival(times, p->slot, w, q->at_ns);
    set_arrival(times, q->slot, w, p->at_ns);
    record_provenance(times, p->slot, w, mpg_value_slot(q->came.slot, MPG_VALUE_TIME));
    record_provenance(times, q->slot, w, mpg_value_slot(p->came.slot, MPG_VALUE_TIME));
}

static void transmit(void *times, const struct mpg_step *s, const struct mpg_sent *sent, double *ns)
{
    struct mpg_evaluator *t = times;
    struct mpg_sent_message m = sending_of(&sent->origin, sent->bytes);
    zero(t->lambda, t->n);
    zero(t->tau, t->n);
    mpg_time_flight(mpg_target_between(t->target, s->rank, sent->origin.to), &m, t->first, t->n,
                    t->lambda, t->tau);
    for (uint32_t w = 0; w < t->n; w++)
        ns[w] = t->lambda[w] + t->tau[w];
}

const struct mpg_arrivals mpg_times_arrivals = {
    .place = place, .find_vectors = find_vectors, .assign = assign, .exchange = exchange, .transmit = transmit};

int mpg_times_sent(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err)
{
    const double *at = slot_value(t, s->slot, SLOT_VALUE);
    return mpg_choosing_sent(t->choice, s, 0, at, at, 0, slot_value(t, s->slot, SLOT_BEGIN), err);
}
