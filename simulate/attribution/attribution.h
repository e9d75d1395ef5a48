/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution of a run's delay, or of its time, to places, over all replicas: sums of the tallies (tally.h), each of
 * which has some of the replicas (docs/MODEL.md, 8). */
#ifndef MPG_ATTRIBUTION_H
#define MPG_ATTRIBUTION_H

#include "simulate/attribution/tally.h"

/* Terms of a place: the terms of struct mpg_delay_account or struct mpg_run_account (simulate/evaluate/evaluator.h), in the order
 * of the struct; then the terms of the critical path. */
enum mpg_attribution_term {
    MPG_ATTRIBUTION_ACCOUNT = 0, /* 8 of them */
    MPG_CRITICAL_COMPUTATION = 8, /* ns, like all terms without a comment; from here on critical.c writes terms in pairs */
    MPG_CRITICAL_NOISE,
    MPG_CRITICAL_CALL,
    MPG_CRITICAL_SCALED, /* the part that is scaled by the ratio of computation */
    MPG_CRITICAL_LATENCY,
    MPG_CRITICAL_MESSAGES, /* number of latencies in MPG_CRITICAL_LATENCY */
    MPG_CRITICAL_BYTES,
    MPG_CRITICAL_SIZE, /* number of bytes in MPG_CRITICAL_BYTES */
    MPG_CRITICAL_WHOLE, /* collectives that are one node; delays: injected into a collective */
    MPG_CRITICAL_COLLECTIVES, /* number of collectives in MPG_CRITICAL_WHOLE */
    MPG_CRITICAL_ABSORBED, /* delays: absorbed by slack; 0 or less */
    MPG_CRITICAL_TRACER,   /* time of the tracer; 0 or less */
    MPG_CRITICAL_ORDER,    /* delays: a call completes another message than in the trace, which arrives later */
    MPG_ATTRIBUTION_TERMS
};

struct mpg_attribution {
    struct mpg_attribution_places places;
    uint32_t replicas, blocks;
    uint64_t *calls; /* for each place: number of traced calls */
    double *sum;     /* for each place: blocks x terms */
    double *base;    /* for each place: terms of the run without perturbation, subtracted from the mean */
    double *mean;    /* for each place: terms; set by mpg_attribution_finish() */
    uint32_t *order; /* places, in the same order for any number of threads; set by mpg_attribution_finish() */
    uint32_t calls_capacity, sum_capacity, base_capacity;
    bool counted;    /* a tally has set the calls, which are the same in all tallies */
    bool ran_out;    /* there was no memory; mpg_attribution_finish() reports the error */
};

/* Returns an attribution without places for REPLICAS replicas. NULL: no memory, with ERR. */
struct mpg_attribution *mpg_attribution_new(uint32_t replicas, struct mpg_error *err);
void mpg_attribution_free(struct mpg_attribution *where); /* NULL is allowed */
/* Adds TALLY, of replicas from BEGIN on: BEGIN is a multiple of a block's lanes, or the tally is within one block. The second
 * function adds the tally of the run without perturbation, one lane. mpg_attribution_finish() reports a lack of memory. */
void mpg_attribution_take(struct mpg_attribution *where, const struct mpg_tally *tally, uint32_t begin);
void mpg_attribution_take_base(struct mpg_attribution *where, const struct mpg_tally *tally);
/* Makes room for REPLICAS replicas; existing replicas keep their sums. Returns 0, or -1 with ERR: no memory. */
int mpg_attribution_widen(struct mpg_attribution *where, uint32_t replicas, struct mpg_error *err);
/* Adds sums that another process has computed for replicas from BEGIN on: SUM has BLOCKS blocks of terms for each of the N places
 * PLACE. */
void mpg_attribution_take_places(struct mpg_attribution *where, const struct mpg_attribution_place *place, uint32_t n,
                                 const double *sum,
                           uint32_t blocks, uint32_t begin);
/* Computes the means, after all replicas are added. Returns 0, or -1 with ERR: no memory. */
int mpg_attribution_finish(struct mpg_attribution *where, struct mpg_error *err);

/* Returns the terms of PLACE, summed over the replicas of BLOCK; the first of these is replica MPG_LANES_A_BLOCK * BLOCK. */
static inline const double *mpg_attribution_block(const struct mpg_attribution *w, uint32_t place, uint32_t block)
{
    return w->sum + ((size_t)place * w->blocks + block) * MPG_ATTRIBUTION_TERMS;
}

/* Returns the terms of PLACE, as means over the replicas; after mpg_attribution_finish(). */
static inline const double *mpg_attribution_mean(const struct mpg_attribution *w, uint32_t place)
{
    return w->mean + (size_t)place * MPG_ATTRIBUTION_TERMS;
}

#endif
