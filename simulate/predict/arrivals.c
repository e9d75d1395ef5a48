/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals that calls choose from, in predict mode: times (docs/MODEL.md, 5, Choice). */
#include "simulate/predict/times_private.h"

static void place(void *times, const struct mpg_step *s, struct mpg_pick *pick)
{
    const struct mpg_times *t = times;
    for (uint32_t i = 0; i < s->alternatives->candidate_number; i++) {
        pick[i].value = slot_value(t, pick[i].slot, SLOT_TIME);
        pick[i].cause = slot_value(t, pick[i].slot, SLOT_BEGIN);
    }
}

/* A probe that follows sees an eager message there, too; of others it has its own. */
static void set_arrival(const struct mpg_times *t, uint32_t slot, uint32_t w, double at_ns)
{
    slot_value(t, slot, SLOT_TIME)[w] = slot_value(t, slot, SLOT_ENVELOPE)[w] = at_ns;
}

static void assign(void *times, uint32_t slot, uint32_t w, double shift_ns, double value, double bare)
{
    (void)bare;
    set_arrival(times, slot, w, value + shift_ns);
}

static void exchange(void *times, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w)
{
    set_arrival(times, p->slot, w, q->at_ns);
    set_arrival(times, q->slot, w, p->at_ns);
}

static void move(void *times, const struct mpg_pick *p, uint32_t w, double at_ns, bool keeps_put)
{
    (void)keeps_put;
    set_arrival(times, p->slot, w, at_ns);
}

static void fly(void *times, const struct mpg_step *s, const struct mpg_sent *sent, double *ns)
{
    struct mpg_times *t = times;
    struct mpg_sending m = sending_of(&sent->origin, sent->bytes);
    zero(t->lambda, t->n);
    zero(t->tau, t->n);
    mpg_time_flight(mpg_target_between(t->target, s->rank, sent->origin.to), &m, t->first, t->n,
                    t->lambda, t->tau);
    for (uint32_t w = 0; w < t->n; w++)
        ns[w] = t->lambda[w] + t->tau[w];
}

int mpg_times_view(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->slot != s->a)
        memcpy(slot_value(t, s->slot, SLOT_TIME), slot_value(t, s->a, SLOT_TIME),
               SLOT_VALUES * t->n * sizeof(double));
    return t->choice ? mpg_choosing_view(t->choice, s, err) : 0;
}

int mpg_times_sent(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    const double *at = slot_value(t, s->slot, SLOT_TIME);
    return mpg_choosing_sent(t->choice, s, 0, at, at, 0, slot_value(t, s->slot, SLOT_BEGIN), err);
}

int mpg_times_use_choice(struct mpg_times *t, const bool *keeps, const struct mpg_watch *watch,
                         struct mpg_error *err)
{
    const struct mpg_arrivals arrivals = {
        .context = t, .place = place, .assign = assign, .exchange = exchange, .move = move,
        .fly = fly, .watch = watch};
    t->choice = mpg_choosing_new(t->n, keeps, &arrivals, err);
    return t->choice ? 0 : -1;
}

const struct mpg_choosing *mpg_times_choice(const struct mpg_times *t)
{
    return t->choice;
}
