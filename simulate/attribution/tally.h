/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of account terms by place instead of by rank: over calls and over the lanes of a block, so that the size of a place
 * depends neither on the number of lanes nor on the number of calls. The lanes of a block are summed in one fixed order; any
 * thread or process may evaluate a block. */
#ifndef MPG_ATTRIBUTION_TALLY_H
#define MPG_ATTRIBUTION_TALLY_H

#include "simulate/attribution/places.h"

/* lanes of a block, as in result.h */
enum { MPG_LANES_A_BLOCK = 16 };

struct mpg_lane_sums;

struct mpg_tally {
    struct mpg_attribution_places places;
    uint32_t n, blocks, terms; /* number of lanes, of blocks of lanes, and of terms */
    bool pairs;                /* a place has the two ranks of a message */
    uint64_t *calls;           /* for each place: number of calls */
    double *sum;               /* for each place: blocks x terms */
    uint32_t *at;              /* for each stream, its current place */
    uint32_t *next;            /* for each stream, its place from its next step on; UINT32_MAX: the same */
    uint32_t calls_capacity, sum_capacity, at_capacity, next_capacity;
    const struct mpg_lane_sums *code;
};

/* Returns an empty tally for N >= 1 lanes and TERMS terms. PAIRS: places of messages have the two ranks. NULL: no memory, with
 * ERR. */
struct mpg_tally *mpg_tally_new(uint32_t n, uint32_t terms, bool pairs, struct mpg_error *err);
/* Returns an estimate, before the trace is read, of the memory of a lane with TERMS terms, bytes: SITES callsites on all RANKS,
 * with PAIRS several partners for each. */
double mpg_tally_lane_bytes(int32_t ranks, int32_t sites, uint32_t terms, bool pairs);
void mpg_tally_free(struct mpg_tally *tally); /* NULL is allowed */
/* Takes step S, before its terms are added: sets the place of S's stream. During an ENTER the place is the computation before
 * the call, later the call. The graph's options have `regions`. Returns 0, or -1 with ERR: no memory. */
int mpg_tally_step(struct mpg_tally *tally, const struct mpg_step *s, struct mpg_error *err);
/* Writes into *NUMBER the place for a message from rank FROM to rank TO in the current call of STREAM; only with pairs. Returns
 * 0, or -1 with ERR: no memory. */
int mpg_tally_between(struct mpg_tally *tally, uint32_t stream, int32_t from, int32_t to, uint32_t *number,
                      struct mpg_error *err);

/* As mpg_tally_between() for the message of edge E of S, a LEAVE; without a message *NUMBER does not change. */
int mpg_tally_edge(struct mpg_tally *tally, const struct mpg_step *s, const struct mpg_edge *e, uint32_t *number,
                   struct mpg_error *err);

/* Returns the sums of PLACE over the block of LANE, one for each term. */
static inline double *mpg_tally_sum(const struct mpg_tally *t, uint32_t place, uint32_t lane)
{
    return t->sum + ((size_t)place * t->blocks + lane / MPG_LANES_A_BLOCK) * t->terms;
}

/* Adds VALUES, one a lane, to TERM of PLACE and to ONTO; VALUES are 0 afterwards. */
void mpg_tally_move(struct mpg_tally *tally, uint32_t place, uint32_t term, double *restrict values, double *restrict onto);
/* Adds VALUES, one a lane, to TERM of the lane's place, PLACES[lane]. Sums of lanes with one place have the same bits as in
 * mpg_tally_add(). */
void mpg_tally_add_lanes(struct mpg_tally *tally, const uint32_t *places, uint32_t term, const double *values);
/* Adds VALUES, one a lane, to TERM of PLACE. */
void mpg_tally_add(struct mpg_tally *tally, uint32_t place, uint32_t term, const double *values);

#endif
