/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals that calls choose from, in predict mode: times (docs/MODEL.md, 5, Choice). */
#include <stdlib.h>

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

/* What the view at SLOT has in lane W from now on comes from FROM. */
static void tell(const struct mpg_times *t, uint32_t slot, uint32_t w, struct mpg_path_value from)
{
    if (!t->moves)
        return;
    mpg_moves_set(t->moves, mpg_path_slot(slot, MPG_PATH_TIME), w, from, 0);
    mpg_moves_set(t->moves, mpg_path_slot(slot, MPG_PATH_ENVELOPE), w, from, 0);
}

static void assign(void *times, uint32_t slot, uint32_t w, const struct mpg_letter *taken, double shift_ns, double value)
{
    set_arrival(times, slot, w, value + shift_ns);
    tell(times, slot, w, mpg_path_kept(taken->number));
}

static void exchange(void *times, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w)
{
    set_arrival(times, p->slot, w, q->at_ns);
    set_arrival(times, q->slot, w, p->at_ns);
    tell(times, p->slot, w, mpg_path_slot(q->came.slot, MPG_PATH_TIME));
    tell(times, q->slot, w, mpg_path_slot(p->came.slot, MPG_PATH_TIME));
}

static int settle(void *times, struct mpg_error *err)
{
    return mpg_times_tell_moves(times, err);
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
        .context = t, .place = place, .assign = assign, .exchange = exchange,
        .settle = settle, .fly = fly, .watch = watch};
    t->choice = mpg_choosing_new(t->n, keeps, &arrivals, err);
    if (!t->choice || !t->follows)
        return t->choice ? 0 : -1;
    return (t->moves = mpg_moves_new(t->n, err)) ? 0 : -1;
}

const struct mpg_choosing *mpg_times_choice(const struct mpg_times *t)
{
    return t->choice;
}
