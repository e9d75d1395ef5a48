/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes the account of docs/MODEL.md, sections 5 and 8, to places, in both modes. During a step the account holds the
 * terms of this step only; after the step these terms are added to the place of the call and to the rank. */
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/evaluate/evaluator_private.h"
#include "simulate/evaluate/recorder.h"
#include "simulate/attribution/attribution.h"

int mpg_evaluator_use_tally(struct mpg_evaluator *e, bool pairs, struct mpg_error *err)
{
    double *step = calloc((size_t)MPG_ACCOUNT_TERMS * e->n, sizeof *step);
    e->latest_ns = calloc(e->n, sizeof *e->latest_ns);
    e->latest = calloc(e->n, sizeof *e->latest);
    e->tally = mpg_tally_new(e->n, MPG_ATTRIBUTION_TERMS, pairs, err);
    if (!step || !e->latest_ns || !e->latest || !e->tally) {
        free(step);
        mpg_tally_free(e->tally);
        e->tally = NULL;
        return mpg_error_set(err, "out of memory");
    }
    e->rank_account = e->account;
    e->account = step;
    e->account_stride = 0;
    return 0;
}

void mpg_evaluator_free_tally(struct mpg_evaluator *e)
{
    free(e->rank_account);
    mpg_tally_free(e->tally);
    free(e->latest);
    free(e->latest_ns);
    free(e->edge_place);
    free(e->lane_place);
}

const struct mpg_tally *mpg_evaluator_tallied(const struct mpg_evaluator *e)
{
    return e->tally;
}

static double *rank_term(const struct mpg_evaluator *e, int32_t rank, uint32_t term)
{
    return e->rank_account + ((size_t)rank * MPG_ACCOUNT_TERMS + term) * e->n;
}

void mpg_evaluator_move(struct mpg_evaluator *e, int32_t rank, uint32_t term, uint32_t place)
{
    mpg_tally_move(e->tally, place, term, account_of(e, rank, term), rank_term(e, rank, term));
}

/* Evaluates FINISH: adds the settled terms, which are totals of the rank, to the place of the call. */
static int finish(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    double *step = e->account;
    for (uint32_t i = 0; i < e->mode->settled_number; i++)
        for (uint32_t w = 0; w < e->n; w++)
            step[e->mode->settled[i] * e->n + w] = -rank_term(e, s->rank, e->mode->settled[i])[w];
    e->account = e->rank_account;
    e->account_stride = MPG_ACCOUNT_TERMS;
    const int status = e->mode->step(e, s, slots, err);
    e->account = step;
    e->account_stride = 0;
    for (uint32_t i = 0; i < e->mode->settled_number; i++) {
        const uint32_t term = e->mode->settled[i];
        double *more = step + term * e->n;
        for (uint32_t w = 0; w < e->n; w++)
            more[w] += rank_term(e, s->rank, term)[w];
        mpg_tally_add(e->tally, e->tally->at[s->stream], term, more);
        zero(more, e->n);
    }
    return status;
}

/* Finds the places of all edges. Places are numbered in the order of steps, independently of the edges for which lanes wait. */
static int find_pairs(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err)
{
    if (!e->tally->pairs || s->kind != MPG_STEP_LEAVE)
        return 0;
    int status = mpg_reserve_at(&e->edge_place, sizeof *e->edge_place, &e->edge_places, s->edge_number, err);
    for (uint32_t i = 0; i < s->edge_number && status == 0; i++) {
        e->edge_place[i] = e->tally->at[s->stream]; /* an edge without message counts for the place of the call */
        status = mpg_tally_edge(e->tally, s, &s->edges[i], &e->edge_place[i], err);
    }
    return status;
}

static int take_one(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (e->recorder && e->recorder->tally != e->tally && mpg_tally_step(e->recorder->tally, s, err) < 0)
        return -1;
    if (e->tally && (mpg_tally_step(e->tally, s, err) < 0 || find_pairs(e, s, err) < 0))
        return -1;
    if (reserve_for(e, s, slots, err) < 0 || (e->recorder && mpg_recorder_begin(e, s, err) < 0) ||
        (e->tally && s->kind == MPG_STEP_FINISH ? finish : e->mode->step)(e, s, slots, err) < 0 ||
        (e->recorder && mpg_recorder_end(e, s, err) < 0))
        return -1;
    if (e->tally)
        e->mode->tally(e, s);
    return 0;
}

int mpg_evaluator_take_one_by_one(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (take_one(e, &steps->step[i], steps->slots, err) < 0)
            return -1;
    return e->recorder ? mpg_recorder_cut(e, steps, err) : 0;
}
