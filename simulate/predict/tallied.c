/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The account of section 5 place by place, as simulate/engine/tallied.c has it of delays. */
#include <stdlib.h>

#include "simulate/predict/times_private.h"

int mpg_times_use_tally(struct mpg_times *t, bool pairs, struct mpg_error *err)
{
    double *step = calloc((size_t)TERMS * t->n, sizeof *step);
    if (!step || !(t->tally = mpg_tally_new(t->n, MPG_WHERE_TERMS, pairs, err))) {
        free(step);
        return mpg_error_set(err, "out of memory");
    }
    t->rank_account = t->account;
    t->account = step;
    t->account_stride = 0;
    return 0;
}

const struct mpg_tally *mpg_times_tallied(const struct mpg_times *t)
{
    return t->tally;
}

/* TERM of the step goes to its place and its rank's account, and is 0 again. */
static void move(struct mpg_times *t, const struct mpg_step *s, enum times_term term)
{
    double *step = account_of(t, s->rank, term);
    double *of_rank = t->rank_account + ((size_t)s->rank * TERMS + term) * t->n;
    mpg_tally_move(t->tally, t->tally->at[s->stream], term, step, of_rank);
}

/* Places of all edges, whichever are waited for: they are numbered by the steps alone. */
static int find_pairs(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err)
{
    int status = 0;
    for (uint32_t i = 0, number; i < s->edge_number && status == 0; i++)
        status = mpg_tally_edge(t->tally, s, &s->edges[i], &number, err);
    return status;
}

static int take_one(struct mpg_times *t, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (!t->trail)
        return mpg_times_step(t, s, slots, err);
    if (mpg_times_reserve(t, s->stream + 1, slots, err) < 0 || mpg_times_trail_begin(t, s, err) < 0 ||
        mpg_times_step(t, s, slots, err) < 0)
        return -1;
    mpg_times_trail_end(t, s);
    return 0;
}

/* FINISH is about all that the rank has come to. */
static int finish(struct mpg_times *t, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    double *step = t->account;
    t->account = t->rank_account;
    t->account_stride = TERMS;
    const int status = take_one(t, s, slots, err);
    mpg_tally_add(t->tally, t->tally->at[s->stream], TERM_THREAD, account_of(t, s->rank, TERM_THREAD));
    t->account = step;
    t->account_stride = 0;
    return status;
}

int mpg_times_step_tallied(struct mpg_times *t, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    if (mpg_tally_step(t->tally, s, err) < 0 ||
        (t->tally->pairs && s->kind == MPG_STEP_LEAVE && find_pairs(t, s, err) < 0))
        return -1;
    if (s->kind == MPG_STEP_FINISH)
        return finish(t, s, slots, err);
    if (take_one(t, s, slots, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_ENTER) {
        move(t, s, TERM_COMPUTE);
        move(t, s, TERM_NOISE);
        move(t, s, TERM_POLLED);
    } else if (s->kind == MPG_STEP_LEAVE) {
        move(t, s, TERM_CALL);
        move(t, s, TERM_MESSAGE);
        move(t, s, TERM_COLLECTIVE);
    }
    return 0;
}
