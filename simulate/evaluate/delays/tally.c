/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes the account of steps to places in perturb mode; for calls with several edges, by the rank at the begin of each
 * edge. */
#include "common/reserve.h"
#include "simulate/evaluate/evaluator_private.h"

/* ---- the two ranks of a message ---- */

/* Returns whether edge E receives, in some lane, a message from a different rank than in the trace. */
static bool is_mixed(const struct mpg_evaluator *l, const struct mpg_edge *e)
{
    bool mixed = false;
    for (uint32_t w = 0; w < l->n && e->is_view && !mixed; w++)
        mixed = mpg_choosing_source(l->choice, e->slot, w, e->source) != e->source;
    return mixed;
}

int mpg_delays_tally_sources(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err)
{
    l->mixed = false;
    for (uint32_t i = 0; i < s->edge_number && l->tally->pairs; i++)
        l->mixed = l->mixed || is_mixed(l, &s->edges[i]);
    if (l->mixed &&
        mpg_reserve_at(&l->lane_place, l->n * sizeof *l->lane_place, &l->lane_places, s->edge_number, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->edge_number && l->mixed; i++)
        for (uint32_t w = 0; w < l->n; w++) {
            const struct mpg_edge *e = &s->edges[i];
            uint32_t *place = &l->lane_place[(size_t)i * l->n + w];
            *place = l->edge_place[i];
            if (e->is_view && mpg_tally_between(l->tally, s->stream, mpg_choosing_source(l->choice, e->slot, w, e->source),
                                                s->rank, place, err) < 0)
                return -1;
        }
    return 0;
}

/* Moves TERM of the step to RANK's account, in all lanes. */
static void move_to_rank(struct mpg_evaluator *l, int32_t rank, enum mpg_delay_term term)
{
    double *step = account_of(l, rank, term), *of_rank = l->rank_account + ((size_t)rank * MPG_ACCOUNT_TERMS + term) * l->n;
    for (uint32_t w = 0; w < l->n; w++) {
        of_rank[w] += step[w];
        step[w] = 0;
    }
}

/* Adds TERM of a call with several edges to RANK's account and to the place of the latest edge, which can differ between
 * lanes. */
static void move_by_latest(struct mpg_evaluator *l, int32_t rank, enum mpg_delay_term term)
{
    const double *step = account_of(l, rank, term);
    for (uint32_t w = 0; w < l->n; w++)
        mpg_tally_put(l->tally, l->latest[w], term, w, step[w]);
    move_to_rank(l, rank, term);
}

/* Adds TERM of the I-th edge to RANK's account and to the place of the edge. */
static void move_of_edge(struct mpg_evaluator *l, int32_t rank, enum mpg_delay_term term, uint32_t i)
{
    if (!l->mixed) {
        mpg_evaluator_move(l, rank, term, l->edge_place[i]);
        return;
    }
    mpg_tally_add_lanes(l->tally, l->lane_place + (size_t)i * l->n, term, account_of(l, rank, term));
    move_to_rank(l, rank, term);
}

void mpg_delays_tally_edge(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t i, bool first)
{
    for (uint32_t w = 0; w < l->n; w++) {
        const bool is_later = first || l->all[w] > l->latest_ns[w];
        const uint32_t place = l->mixed ? l->lane_place[(size_t)i * l->n + w] : l->edge_place[i];
        l->latest[w] = is_later ? place : l->latest[w];
        l->latest_ns[w] = is_later ? l->all[w] : l->latest_ns[w];
    }
    move_of_edge(l, s->rank, MPG_TERM_MESSAGE, i);
    move_of_edge(l, s->rank, MPG_TERM_COLLECTIVE, i);
}

/* ---- terms of a step ---- */

/* Returns true if S waits for a collective into which delays can be injected. */
static bool has_collective(const struct mpg_step *s)
{
    bool any = s->dropped;
    for (uint32_t i = 0; i < s->edge_number && !any; i++)
        any = s->edges[i].kind != MPG_EDGE_ARRIVAL && s->edges[i].kind != MPG_EDGE_ACK;
    return any;
}

static void tally_leave(struct mpg_evaluator *l, const struct mpg_step *s)
{
    const uint32_t place = l->tally->at[s->stream];
    const bool by_edge = l->tally->pairs && s->edge_number > 0 && !s->dropped;
    if (!mpg_delays_waits(s) && !s->dropped && !mpg_delays_moves(l, s) && !l->choice) { /* the call adds only its own cost */
        if (l->charges || s->changed || mpg_delays_shortens(l, s))
            mpg_evaluator_move(l, s->rank, MPG_TERM_CALL, place);
        return;
    }
    if (by_edge && s->edge_number > 1)
        for (enum mpg_delay_term i = MPG_TERM_PROPAGATED; i <= MPG_TERM_HIDDEN; i++)
            move_by_latest(l, s->rank, i);
    for (enum mpg_delay_term i = MPG_TERM_CALL; i <= MPG_TERM_HIDDEN; i++) {
        if (i == MPG_TERM_COLLECTIVE && !has_collective(s))
            continue;
        if (by_edge && i != MPG_TERM_CALL)
            move_of_edge(l, s->rank, i, 0);
        else
            mpg_evaluator_move(l, s->rank, i, place);
    }
}

void mpg_delays_tally(struct mpg_evaluator *l, const struct mpg_step *s)
{
    const uint32_t place = l->tally->at[s->stream];
    switch (s->kind) {
    case MPG_STEP_ENTER:
        mpg_evaluator_move(l, s->rank, MPG_TERM_COMPUTE, place);
        if (l->choice)
            mpg_evaluator_move(l, s->rank, MPG_TERM_PROPAGATED, place);
        break;
    case MPG_STEP_LEAVE:
        tally_leave(l, s);
        break;
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        mpg_evaluator_move(l, s->rank, MPG_TERM_PROPAGATED, place);
        mpg_evaluator_move(l, s->rank, MPG_TERM_HIDDEN, place);
        break;
    default:
        break;
    }
}
