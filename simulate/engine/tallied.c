/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The account of section 8 place by place: while steps are evaluated it is that of one step, which then goes to the
 * place of its call and to its rank. The recurrences do not know. */
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/engine/lanes_private.h"
#include "simulate/where/where.h"

int mpg_lanes_use_tally(struct mpg_lanes *l, bool pairs, struct mpg_error *err)
{
    double *step = calloc((size_t)MPG_TERMS * l->n, sizeof *step);
    double *latest_ns = calloc(l->n, sizeof *latest_ns);
    uint32_t *latest = calloc(l->n, sizeof *latest);
    l->tally = mpg_tally_new(l->n, MPG_WHERE_TERMS, pairs, err);
    if (!step || !latest_ns || !latest || !l->tally) {
        free(step);
        free(latest_ns);
        free(latest);
        return mpg_error_set(err, "out of memory");
    }
    l->rank_account = l->account;
    l->account = step;
    l->account_stride = 0;
    l->latest_ns = latest_ns;
    l->latest = latest;
    return 0;
}

const struct mpg_tally *mpg_lanes_tallied(const struct mpg_lanes *l)
{
    return l->tally;
}

static double *rank_term(const struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term)
{
    return l->rank_account + ((size_t)rank * MPG_TERMS + term) * l->n;
}

/* TERM of the step goes to RANK's account, and is 0 again. */
static void move_to_rank(struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term)
{
    double *step = account_of(l, rank, term), *of_rank = rank_term(l, rank, term);
    for (uint32_t w = 0; w < l->n; w++) {
        of_rank[w] += step[w];
        step[w] = 0;
    }
}

static void move(struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term, uint32_t place)
{
    mpg_tally_move(l->tally, place, term, account_of(l, rank, term), rank_term(l, rank, term));
}

/* ---- between which ranks ---- */

/* The place of edge E of S: its message's, or the call's. */
static int find_edge_place(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_edge *e, uint32_t *place,
                           struct mpg_error *err)
{
    *place = l->tally->at[s->stream];
    return mpg_tally_edge(l->tally, s, e, place, err);
}

int mpg_lanes_tally_begin(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_tally_step(l->tally, s, err) < 0)
        return -1;
    if (!l->tally->pairs || s->kind != MPG_STEP_LEAVE)
        return 0;
    int status = mpg_reserve_at(&l->edge_place, sizeof *l->edge_place, &l->edge_places, s->edge_number, err);
    for (uint32_t i = 0; i < s->edge_number && status == 0; i++)
        status = find_edge_place(l, s, &s->edges[i], &l->edge_place[i], err);
    return status;
}

/* Whether by edge E another rank's message comes than in the trace, in some lane. */
static bool is_mixed(const struct mpg_lanes *l, const struct mpg_edge *e)
{
    bool mixed = false;
    for (uint32_t w = 0; w < l->n && e->is_view && !mixed; w++)
        mixed = mpg_choosing_source(l->choice, e->slot, w, e->source) != e->source;
    return mixed;
}

int mpg_lanes_tally_sources(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err)
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
            if (e->is_view && mpg_tally_between(l->tally, s->stream, mpg_choosing_source(l->choice, e->slot, w, e->source), s->rank,
                                                place, err) < 0)
                return -1;
        }
    return 0;
}

/* TERM of a call with several edges, whose latest is another one in each lane. */
static void move_by_latest(struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term)
{
    const double *step = account_of(l, rank, term);
    for (uint32_t w = 0; w < l->n; w++)
        mpg_tally_sum(l->tally, l->latest[w], w)[term] += step[w];
    move_to_rank(l, rank, term);
}

/* TERM of the I-th edge. */
static void move_of_edge(struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term, uint32_t i)
{
    if (!l->mixed) {
        move(l, rank, term, l->edge_place[i]);
        return;
    }
    mpg_tally_add_lanes(l->tally, l->lane_place + (size_t)i * l->n, term, account_of(l, rank, term));
    move_to_rank(l, rank, term);
}

void mpg_lanes_tally_edge(struct mpg_lanes *l, const struct mpg_step *s, uint32_t i, bool first)
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

/* ---- of a step ---- */

/* Whether anything can be put into a collective that S waits for. */
static bool has_collective(const struct mpg_step *s)
{
    bool any = s->dropped;
    for (uint32_t i = 0; i < s->edge_number && !any; i++)
        any = s->edges[i].kind != MPG_EDGE_ARRIVAL && s->edges[i].kind != MPG_EDGE_ACK;
    return any;
}

static void tally_leave(struct mpg_lanes *l, const struct mpg_step *s)
{
    const uint32_t place = l->tally->at[s->stream];
    const bool by_edge = l->tally->pairs && s->edge_number > 0 && !s->dropped;
    if (!mpg_lanes_waits(s) && !s->dropped && !s->round_trip && !l->choice) { /* all that it adds is its own */
        if (l->charges || s->changed || mpg_lanes_shortens(l, s))
            move(l, s->rank, MPG_TERM_CALL, place);
        return;
    }
    if (by_edge && s->edge_number > 1)
        for (enum mpg_lanes_term i = MPG_TERM_TAKEN; i <= MPG_TERM_HIDDEN; i++)
            move_by_latest(l, s->rank, i);
    for (enum mpg_lanes_term i = MPG_TERM_CALL; i <= MPG_TERM_HIDDEN; i++) {
        if (i == MPG_TERM_COLLECTIVE && !has_collective(s))
            continue;
        if (by_edge && i != MPG_TERM_CALL)
            move_of_edge(l, s->rank, i, 0);
        else
            move(l, s->rank, i, place);
    }
}

void mpg_lanes_tally_end(struct mpg_lanes *l, const struct mpg_step *s)
{
    const uint32_t place = l->tally->at[s->stream];
    switch (s->kind) {
    case MPG_STEP_ENTER:
        move(l, s->rank, MPG_TERM_COMPUTE, place);
        if (l->choice)
            move(l, s->rank, MPG_TERM_TAKEN, place);
        break;
    case MPG_STEP_LEAVE:
        tally_leave(l, s);
        break;
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        move(l, s->rank, MPG_TERM_TAKEN, place);
        move(l, s->rank, MPG_TERM_HIDDEN, place);
        break;
    default:
        break;
    }
}

/* FINISH is about all that the rank has come to; what it adds is left in the step's account. */
void mpg_lanes_tally_finish(struct mpg_lanes *l, const struct mpg_step *s,
                            void (*finish)(struct mpg_lanes *, const struct mpg_step *))
{
    static const enum mpg_lanes_term settled[] = {MPG_TERM_TAKEN, MPG_TERM_HIDDEN};
    double *step = l->account;
    for (int i = 0; i < 2; i++)
        for (uint32_t w = 0; w < l->n; w++)
            step[settled[i] * l->n + w] = -rank_term(l, s->rank, settled[i])[w];
    l->account = l->rank_account;
    l->account_stride = MPG_TERMS;
    finish(l, s);
    l->account = step;
    l->account_stride = 0;
    for (int i = 0; i < 2; i++) {
        double *more = step + settled[i] * l->n;
        for (uint32_t w = 0; w < l->n; w++)
            more[w] += rank_term(l, s->rank, settled[i])[w];
        mpg_tally_add(l->tally, l->tally->at[s->stream], settled[i], more);
        zero(more, l->n);
    }
}

void mpg_lanes_tally_free(struct mpg_lanes *l)
{
    free(l->rank_account);
    mpg_tally_free(l->tally);
    free(l->latest);
    free(l->latest_ns);
    free(l->edge_place);
    free(l->lane_place);
}
