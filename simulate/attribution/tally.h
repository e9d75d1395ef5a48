/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of the terms of struct mpg_delay_account or mpg_run_account by place, instead of by rank: over the calls of a place and
 * over the lanes of a block, so a tally grows neither with calls nor with the lanes of a block. The lanes of a block are summed
 * in a fixed order, so the sums do not depend on the thread or process evaluating the block. */
#ifndef MPG_ATTRIBUTION_TALLY_H
#define MPG_ATTRIBUTION_TALLY_H

#include "simulate/attribution/places.h"
#include "simulate/attribution/sums.h"

/* number of lanes in a block, as in result.h */
enum { MPG_LANES_A_BLOCK = 16 };

struct mpg_lane_sums;

struct mpg_tally {
    struct mpg_attribution_places places;
    uint32_t n, terms; /* number of lanes, and of terms */
    bool pairs;                /* places distinguish the two ranks of a message */
    uint64_t *calls;           /* for each place: number of calls */
    struct mpg_sums sums;      /* a value for each block of lanes */
    double *block;             /* a value for each block, in use during an addition only */
    uint32_t *at;              /* for each stream: number of the stream's current place */
    uint32_t *next;            /* for each stream: number of the stream's place from the next step on; UINT32_MAX: unchanged */
    uint32_t calls_capacity, at_capacity, next_capacity;
    const struct mpg_lane_sums *code;
};

/* Returns an empty tally for N >= 1 lanes and TERMS terms. PAIRS: places of messages have the two ranks. NULL: no memory, with
 * ERR. */
struct mpg_tally *mpg_tally_new(uint32_t n, uint32_t terms, bool pairs, struct mpg_error *err);
/* Returns an estimate of the memory for a lane with TERMS terms, bytes, without reading the trace: for SITES callsites on
 * each of RANKS ranks, and, with PAIRS, several partner ranks for each callsite. */
double mpg_tally_lane_bytes(int32_t ranks, int32_t sites, uint32_t terms, bool pairs);
void mpg_tally_free(struct mpg_tally *tally); /* NULL is allowed */
/* To be called for step S before the terms of S are added: sets the current place of S's stream. For an ENTER this is the
 * computation before the call, afterwards the call. The graph's options must have `regions`. Returns 0, or -1 with ERR: no
 * memory. */
int mpg_tally_step(struct mpg_tally *tally, const struct mpg_step *s, struct mpg_error *err);
/* Sets *NUMBER to the place of a message from rank FROM to rank TO in the current call of STREAM; only if the tally has
 * pairs. Returns 0, or -1 with ERR: out of memory. */
int mpg_tally_between(struct mpg_tally *tally, uint32_t stream, int32_t from, int32_t to, uint32_t *number,
                      struct mpg_error *err);

/* As mpg_tally_between(), for the message of edge E of S, a LEAVE; if E has no message, *NUMBER does not change. */
int mpg_tally_edge(struct mpg_tally *tally, const struct mpg_step *s, const struct mpg_edge *e, uint32_t *number,
                   struct mpg_error *err);

/* Additions report a lack of memory by the next mpg_tally_step(), and to mpg_attribution_take(). */

/* Adds VALUE to TERM of PLACE, in LANE. */
static inline void mpg_tally_put(struct mpg_tally *t, uint32_t place, uint32_t term, uint32_t lane, double value)
{
    mpg_sums_add(&t->sums, place, term, lane / MPG_LANES_A_BLOCK, &value, 1);
}

/* Adds VALUES, one for each lane, to TERM of PLACE and, lane by lane, to ONTO; then sets VALUES to 0. */
void mpg_tally_move(struct mpg_tally *tally, uint32_t place, uint32_t term, double *restrict values, double *restrict onto);
/* Adds VALUES, one for each lane, to TERM of place PLACES[lane]. If all lanes of a block have the same place, the sums are
 * bitwise equal to those of mpg_tally_add(). */
void mpg_tally_add_lanes(struct mpg_tally *tally, const uint32_t *places, uint32_t term, const double *values);
/* Adds VALUES, one for each lane, to TERM of PLACE. */
void mpg_tally_add(struct mpg_tally *tally, uint32_t place, uint32_t term, const double *values);

#endif
