/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lanes add up, place by place, in place of rank by rank: sums over calls and over lanes, so that a place has
 * few numbers however many lanes and calls there are. Of a block of lanes they are added up by themselves, in one
 * order, and it does not matter which threads and processes have the blocks. */
#ifndef MPG_WHERE_TALLY_H
#define MPG_WHERE_TALLY_H

#include "simulate/attribution/places.h"

/* Lanes of a block: as result.h has it. */
enum { MPG_LANES_A_BLOCK = 16 };

struct mpg_lane_sums;

struct mpg_tally {
    struct mpg_attribution_places places;
    uint32_t n, blocks, terms; /* lanes; blocks of them; what is added up */
    bool pairs;                /* ranks of messages are told apart */
    uint64_t *calls;           /* a place */
    double *sum;               /* a place: blocks x terms */
    uint32_t *at;              /* a stream: its place */
    uint32_t calls_capacity, sum_capacity, at_capacity;
    const struct mpg_lane_sums *code;
};

/* Of N >= 1 lanes and so many TERMS. Error: out of memory. */
struct mpg_tally *mpg_tally_new(uint32_t n, uint32_t terms, bool pairs, struct mpg_error *err);
/* What a lane takes of one of so many TERMS, bytes, before the trace has been read: all callsites that have been met on all
 * ranks, with PAIRS several other ends each. */
double mpg_tally_lane_bytes(int32_t ranks, int32_t sites, uint32_t terms, bool pairs);
void mpg_tally_free(struct mpg_tally *tally); /* NULL is allowed */
/* Step S of a graph whose options have `regions`, before its terms are added: an ENTER says where its stream is
 * from then on. */
int mpg_tally_step(struct mpg_tally *tally, const struct mpg_step *s, struct mpg_error *err);
/* The place of STREAM's call, as a message goes FROM one rank TO another, into *NUMBER; pairs only. */
int mpg_tally_between(struct mpg_tally *tally, uint32_t stream, int32_t from, int32_t to, uint32_t *number,
                      struct mpg_error *err);

/* The same of edge E of S, a call that is left: its message's ranks; one that is about no message leaves *NUMBER as it is. */
int mpg_tally_edge(struct mpg_tally *tally, const struct mpg_step *s, const struct mpg_edge *e, uint32_t *number,
                   struct mpg_error *err);

static inline double *mpg_tally_sum(const struct mpg_tally *t, uint32_t place, uint32_t lane)
{
    return t->sum + ((size_t)place * t->blocks + lane / MPG_LANES_A_BLOCK) * t->terms;
}

/* Adds VALUES, one a lane, to TERM of PLACE, and to those ONTO; they are 0 then. */
void mpg_tally_move(struct mpg_tally *tally, uint32_t place, uint32_t term, double *restrict values, double *restrict onto);
/* Adds VALUES, one a lane, to TERM of the one of PLACES that the lane has: those that have the same as if all had. */
void mpg_tally_add_lanes(struct mpg_tally *tally, const uint32_t *places, uint32_t term, const double *values);
/* Adds VALUES, one a lane, to TERM of PLACE. */
void mpg_tally_add(struct mpg_tally *tally, uint32_t place, uint32_t term, const double *values);

#endif
