/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What other steps' values come from: messages, slots, collectives, threads. */
#include <math.h>

#include "simulate/predict/trail_private.h"

/* --- messages --- */

/* Notes, before S's message leaves, which lanes may not send yet; how late it leaves is the other vector. */
static void begin_sending(const struct mpg_times *t, const struct mpg_step *s)
{
    const double *now = stream_value(t, s->stream, STREAM_TIME), *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_times_trail *x = t->trail;
    mpg_trail_find_larger(t->n, next, now, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        x->before[w] = now[w] > next[w] ? now[w] : next[w];
}

/* From where S's message left, with TERMS. */
static void add_leaving(const struct mpg_times *t, const struct mpg_step *s, const double *terms)
{
    mpg_trail_from(t->trail->trail, mpg_path_stream(s->stream), terms, NOWHERE);
    if (mpg_trail_any(t->trail->waits, t->n))
        mpg_trail_add_from(t->trail->trail, next_of(s->stream), terms, NOWHERE, t->trail->waits);
}

static void add_next(const struct mpg_times *t, const struct mpg_step *s)
{
    const double *next = stream_value(t, s->stream, STREAM_NEXT);
    struct mpg_times_trail *x = t->trail;
    bool any = mpg_trail_any(x->waits, t->n);
    for (uint32_t w = 0; w < t->n; w++) {
        x->other[w] = next[w] - x->before[w];
        any |= x->other[w] != 0;
    }
    if (!any) /* it can send at once, again */
        return;
    mpg_trail_add(x->trail, next_of(s->stream), NOWHERE);
    add_leaving(t, s, NULL);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_BYTES, x->other);
}

static void end_eager(const struct mpg_times *t, const struct mpg_step *s)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1, [MPG_WHERE_SIZE] = s->bytes};
    struct mpg_trail *trail = t->trail->trail;
    mpg_trail_renew(trail, s->slot);
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    add_leaving(t, s, term);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_LATENCY, t->lambda);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_BYTES, t->tau);
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_ENVELOPE), NOWHERE);
    mpg_trail_from(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
    if (t->choice && s->is_followed) { /* who takes it may do so when its slot is another's */
        mpg_trail_add(trail, mpg_path_kept(mpg_choosing_kept(t->choice, s->message)), NOWHERE);
        mpg_trail_from(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
    }
    add_next(t, s);
}

static void end_store(const struct mpg_times *t, const struct mpg_step *s)
{
    const double term[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1};
    struct mpg_trail *trail = t->trail->trail;
    mpg_trail_renew(trail, s->slot);
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    if (!s->sends) {
        mpg_trail_from(trail, mpg_path_stream(s->stream), NULL, NOWHERE);
        return;
    }
    add_leaving(t, s, NULL);
    mpg_trail_add(trail, mpg_path_slot(s->slot, MPG_PATH_ENVELOPE), NOWHERE);
    mpg_trail_from(trail, mpg_path_slot(s->slot, MPG_PATH_TIME), term, NOWHERE);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_LATENCY, t->lambda);
    add_next(t, s);
}

/* When both ends of a synchronous message have met: the lanes are noted where its sender was the last. */
static void add_met(const struct mpg_times *t, const struct mpg_step *s)
{
    const double with[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = 1}, *lambda = t->lambda;
    struct mpg_times_trail *x = t->trail;
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_MEET), NOWHERE);
    mpg_trail_from(x->trail, mpg_path_slot(s->seen, MPG_PATH_TIME), NULL, NOWHERE);
    mpg_trail_add_from(t->trail->trail, mpg_path_slot(s->a, MPG_PATH_TIME), with, NOWHERE, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = x->waits[w / 64] >> w % 64 & 1 ? lambda[w] : 0;
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_LATENCY, x->other);
}

static void end_synchronous(const struct mpg_times *t, const struct mpg_step *s)
{
    const double back[MPG_WHERE_TERMS] = {[MPG_WHERE_MESSAGES] = -1}, flight[MPG_WHERE_TERMS] = {[MPG_WHERE_SIZE] = s->bytes};
    struct mpg_times_trail *x = t->trail;
    const struct mpg_path_value met = mpg_path_slot(s->slot, MPG_PATH_MEET);
    for (uint32_t w = 0; w < t->n; w++)
        x->before[w] += t->lambda[w];
    mpg_trail_find_larger(t->n, x->before, x->latest, x->waits);
    add_met(t, s);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_BEGIN), NOWHERE);
    mpg_trail_from(x->trail, met, back, NOWHERE);
    for (uint32_t w = 0; w < t->n; w++)
        x->other[w] = -t->lambda[w];
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_LATENCY, x->other);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, met, flight, NOWHERE);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_BYTES, t->tau);
}

/* --- all of it --- */

/* Where there is none other, VALUE is its slot's; WAITS are the lanes that take B, of a MERGE A, and of a JOIN the slot. */
static void end_later(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_times_trail *x = t->trail;
    if (s->kind == MPG_STEP_MERGE) {
        const struct mpg_path_value a = mpg_path_slot(s->a, MPG_PATH_TIME), b = mpg_path_slot(s->b, MPG_PATH_TIME);
        mpg_trail_renew(x->trail, s->slot);
        mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
        mpg_trail_from(x->trail, b, NULL, NOWHERE);
        mpg_trail_add_from(t->trail->trail, a, NULL, NOWHERE, x->waits);
    } else if (mpg_trail_any(x->waits, t->n)) {
        mpg_trail_add(x->trail, mpg_path_stream(s->stream), t->tally->at[s->stream]);
        mpg_trail_from(x->trail, mpg_path_stream(s->stream), NULL, NOWHERE);
        mpg_trail_add_from(t->trail->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NULL, NOWHERE, x->waits);
    }
}

static void end_contribute(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_times_trail *x = t->trail;
    double term[MPG_WHERE_TERMS] = {0}, *took = x->last_ns;
    const double *after = slot_value(t, s->slot, SLOT_TIME);
    mpg_trail_find_larger(t->n, after, x->before, x->waits);
    for (uint32_t w = 0; w < t->n; w++) {
        took[w] = after[w] - x->before[w];
        x->latency[w] = x->bytes[w] = x->whole[w] = 0;
    }
    mpg_trail_renew(x->trail, s->slot);
    mpg_trail_add(x->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NOWHERE);
    mpg_trail_from(x->trail, mpg_path_slot(s->a, MPG_PATH_TIME), NULL, NOWHERE);
    if (!mpg_trail_any(x->waits, t->n))
        return;
    trail_find_collective(t, s->call, &s->origin, s->rounds, s->bytes, s->members, s->contributed_bytes, took, term);
    mpg_trail_add_from(t->trail->trail, mpg_path_slot(s->a, MPG_PATH_TIME), term, NOWHERE, x->waits);
    for (uint32_t w = 0; w < t->n; w++)
        took[w] = fmax(took[w], 0) - x->latency[w] - x->bytes[w] - x->whole[w];
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_CALL, took);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_LATENCY, x->latency);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_BYTES, x->bytes);
    mpg_trail_add_term(t->trail->trail, MPG_WHERE_WHOLE, x->whole);
}

static void end_view(const struct mpg_times *t, const struct mpg_step *s)
{
    struct mpg_trail *trail = t->trail->trail;
    if (s->slot == s->a)
        return;
    mpg_trail_renew(trail, s->slot);
    for (enum mpg_path_part part = MPG_PATH_TIME; part <= MPG_PATH_BEGIN; part++)
        if (mpg_trail_has(trail, s->a, part)) {
            mpg_trail_add(trail, mpg_path_slot(s->slot, part), NOWHERE);
            mpg_trail_from(trail, mpg_path_slot(s->a, part), NULL, NOWHERE);
        }
}

static int note_stream(struct mpg_times_trail *x, const struct mpg_step *s, struct mpg_error *err)
{
    if (s->stream >= x->streams)
        x->streams = s->stream + 1;
    if (s->kind != MPG_STEP_FINISH)
        return 0;
    if (mpg_reserve_at(&x->finished, sizeof *x->finished, &x->finished_capacity, s->stream + 1, err) < 0)
        return -1;
    x->finished[s->stream] = true;
    return 0;
}

int mpg_times_trail_begin(const struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_times_trail *x = t->trail;
    const size_t bytes = t->n * sizeof(double);
    switch (s->kind) {
    case MPG_STEP_STORE:
        if (s->sends)
            begin_sending(t, s);
        break;
    case MPG_STEP_EAGER:
        begin_sending(t, s);
        break;
    case MPG_STEP_SYNCHRONOUS: /* its slots may be written by it */
        memcpy(x->latest, slot_value(t, s->seen, SLOT_TIME), bytes);
        memcpy(x->before, slot_value(t, s->a, SLOT_TIME), bytes);
        break;
    case MPG_STEP_CONTRIBUTE:
        memcpy(x->before, slot_value(t, s->a, SLOT_TIME), bytes);
        break;
    case MPG_STEP_MERGE:
        mpg_trail_find_larger(t->n, slot_value(t, s->a, SLOT_TIME), slot_value(t, s->b, SLOT_TIME), x->waits);
        break;
    case MPG_STEP_JOIN:
        mpg_trail_find_larger(t->n, slot_value(t, s->slot, SLOT_TIME), stream_value(t, s->stream, STREAM_TIME), x->waits);
        break;
    default:
        break;
    }
    return note_stream(x, s, err);
}

void mpg_times_trail_end(const struct mpg_times *t, const struct mpg_step *s)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
        end_store(t, s);
        break;
    case MPG_STEP_LOAD:
        mpg_trail_add(t->trail->trail, mpg_path_stream(s->stream), t->tally->at[s->stream]);
        mpg_trail_from(t->trail->trail, mpg_path_slot(s->slot, MPG_PATH_TIME), NULL, NOWHERE);
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
    case MPG_STEP_JOIN:
    case MPG_STEP_MERGE:
        end_later(t, s);
        break;
    case MPG_STEP_VIEW:
        end_view(t, s);
        break;
    default: /* they tell it themselves, or it is not asked for */
        break;
    }
}
