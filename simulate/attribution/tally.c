/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/tally.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/attribution/lane_sums.h"

struct mpg_tally *mpg_tally_new(uint32_t n, uint32_t terms, bool pairs, struct mpg_error *err)
{
    struct mpg_tally *t = calloc(1, sizeof *t);
    const uint32_t blocks = (n + MPG_LANES_A_BLOCK - 1) / MPG_LANES_A_BLOCK;
    if (!t || !(t->block = calloc(blocks, sizeof *t->block))) {
        free(t);
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    t->n = n;
    t->sums.width = blocks;
    t->terms = terms;
    t->pairs = pairs;
    t->code = mpg_lane_sums();
    return t;
}

double mpg_tally_lane_bytes(int32_t ranks, int32_t sites, uint32_t terms, bool pairs)
{
    /* estimates: calls without a callsite; partner ranks of a callsite; places of a callsite, i.e. the call and the computation
     * before the call; number of terms of a place for each nonzero term */
    enum { CALLS = 8, OTHER_ENDS = 4, PARTS = 2, TERMS_A_SUM = 8 };
    return sizeof(double) * terms / TERMS_A_SUM * (double)ranks * PARTS * (sites + CALLS) * (pairs ? OTHER_ENDS : 1) /
           MPG_LANES_A_BLOCK;
}

void mpg_tally_free(struct mpg_tally *t)
{
    if (!t)
        return;
    mpg_attribution_places_clear(&t->places);
    free(t->calls);
    mpg_sums_clear(&t->sums);
    free(t->block);
    free(t->at);
    free(t->next);
    free(t);
}

/* Sets *NUMBER to the number of PLACE, added if new, with room for the number of calls of PLACE. Returns 0, or -1 with ERR: out
 * of memory. */
static int find(struct mpg_tally *t, const struct mpg_attribution_place *place, uint32_t *number, struct mpg_error *err)
{
    return mpg_attribution_places_find(&t->places, place, number, err) < 0
               ? -1
               : mpg_reserve_at(&t->calls, sizeof *t->calls, &t->calls_capacity, *number + 1, err);
}

/* Sets the place of a new stream, or of a stream without calls yet, to MPI_Init of the stream's rank. */
static int begin(struct mpg_tally *t, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_attribution_place place = {.rank = s->rank, .call = MPG_CALL_Init, .region = -1, .from = -1, .to = -1};
    const uint32_t before = t->at_capacity;
    uint32_t number;
    if (find(t, &place, &number, err) < 0 ||
        mpg_reserve_at(&t->at, sizeof *t->at, &t->at_capacity, s->stream + 1, err) < 0 ||
        mpg_reserve_at(&t->next, sizeof *t->next, &t->next_capacity, t->at_capacity, err) < 0)
        return -1;
    for (uint32_t i = before; i < t->at_capacity; i++)
        t->at[i] = t->next[i] = UINT32_MAX;
    t->at[s->stream] = number;
    return 0;
}

/* For an ENTER: sets the place to the computation before the call, until the stream's next step. */
static int enter(struct mpg_tally *t, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_attribution_place place = {
        .rank = s->rank, .call = s->to.call, .site = s->to.site, .region = s->region, .from = -1, .to = -1};
    if ((s->stream >= t->at_capacity && begin(t, s, err) < 0) || find(t, &place, &t->next[s->stream], err) < 0)
        return -1;
    t->calls[t->next[s->stream]]++;
    place.computes = true;
    place.region = s->work_region;
    return find(t, &place, &t->at[s->stream], err);
}

int mpg_tally_step(struct mpg_tally *t, const struct mpg_step *s, struct mpg_error *err)
{
    if (t->sums.ran_out)
        return mpg_error_set(err, "out of memory for %u places in the program", t->places.n);
    if (s->kind == MPG_STEP_ENTER)
        return enter(t, s, err);
    if (s->stream >= t->at_capacity || t->at[s->stream] == UINT32_MAX)
        return begin(t, s, err);
    if (t->next[s->stream] != UINT32_MAX)
        t->at[s->stream] = t->next[s->stream];
    t->next[s->stream] = UINT32_MAX;
    return 0;
}

int mpg_tally_between(struct mpg_tally *t, uint32_t stream, int32_t from, int32_t to, uint32_t *number,
                      struct mpg_error *err)
{
    struct mpg_attribution_place place = t->places.place[t->at[stream]];
    place.from = from;
    place.to = to;
    return find(t, &place, number, err);
}

int mpg_tally_edge(struct mpg_tally *t, const struct mpg_step *s, const struct mpg_edge *e, uint32_t *number,
                   struct mpg_error *err)
{
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL:
    case MPG_EDGE_ENVELOPE:
        return mpg_tally_between(t, s->stream, e->source, s->rank, number, err);
    case MPG_EDGE_ACK:
        return mpg_tally_between(t, s->stream, s->rank, e->source, number, err);
    default:
        return 0;
    }
}

/* Adds the sums of blocks in T->block, which become 0, to TERM of PLACE. */
static void add_blocks(struct mpg_tally *t, uint32_t place, uint32_t term)
{
    mpg_sums_add(&t->sums, place, term, 0, t->block, t->sums.width);
    memset(t->block, 0, t->sums.width * sizeof *t->block);
}

void mpg_tally_add(struct mpg_tally *t, uint32_t place, uint32_t term, const double *values)
{
    t->code->add(t->n, values, t->block, 1);
    add_blocks(t, place, term);
}

void mpg_tally_add_lanes(struct mpg_tally *t, const uint32_t *places, uint32_t term, const double *values)
{
    for (uint32_t w = 0; w < t->n; w++) {
        const uint32_t begin = w / MPG_LANES_A_BLOCK * MPG_LANES_A_BLOCK;
        const uint32_t n = t->n - begin < MPG_LANES_A_BLOCK ? t->n - begin : MPG_LANES_A_BLOCK;
        double of_place[MPG_LANES_A_BLOCK];
        bool is_first = true; /* the first lane of the block with this place */
        for (uint32_t i = 0; i < n; i++) {
            const bool is_there = places[begin + i] == places[w];
            is_first = is_first && !(is_there && begin + i < w);
            of_place[i] = is_there ? values[begin + i] : 0;
        }
        double sum = 0;
        if (!is_first)
            continue;
        t->code->add(n, of_place, &sum, 1);
        mpg_tally_put(t, places[w], term, w, sum);
    }
}

void mpg_tally_move(struct mpg_tally *t, uint32_t place, uint32_t term, double *restrict values, double *restrict onto)
{
    t->code->move(t->n, values, onto, t->block, 1);
    add_blocks(t, place, term);
}
