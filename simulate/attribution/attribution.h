/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution of a run's delay, or of its time, to places, over all replicas: the sum of tallies (tally.h); each tally has the
 * costs of some replicas (docs/MODEL.md, section 8). */
#ifndef MPG_ATTRIBUTION_H
#define MPG_ATTRIBUTION_H

#include "simulate/attribution/tally.h"

/* Terms of a place: the terms of struct mpg_delay_account or struct mpg_run_account (simulate/evaluate/evaluator.h), in the order
 * of the struct; then the terms of the critical path. */
enum mpg_attribution_term {
    MPG_ATTRIBUTION_ACCOUNT = 0, /* first of the 8 terms of the account */
    /* ns, as are all terms of the critical path without another unit; from here on critical.c writes terms in pairs */
    MPG_CRITICAL_COMPUTATION = 8,
    MPG_CRITICAL_NOISE,
    MPG_CRITICAL_CALL,
    MPG_CRITICAL_SCALED, /* the part of the computation scaled by the option for the ratio of computation */
    MPG_CRITICAL_LATENCY,
    MPG_CRITICAL_MESSAGES, /* number of latencies in MPG_CRITICAL_LATENCY */
    MPG_CRITICAL_BYTES,
    MPG_CRITICAL_SIZE, /* number of bytes in MPG_CRITICAL_BYTES */
    MPG_CRITICAL_WHOLE, /* time in collectives evaluated as a single node; perturb mode: delay injected into a collective */
    MPG_CRITICAL_COLLECTIVES, /* number of collectives in MPG_CRITICAL_WHOLE */
    MPG_CRITICAL_ABSORBED, /* perturb mode: delay absorbed by slack; 0 or less */
    MPG_CRITICAL_TRACER,   /* time of the tracer; 0 or less */
    MPG_CRITICAL_ORDER, /* perturb mode: delay because a call completes another message than in the trace, which arrives later */
    MPG_ATTRIBUTION_TERMS
};

struct mpg_attribution {
    struct mpg_attribution_places places;
    uint32_t replicas;
    uint64_t *calls; /* for each place: number of traced calls */
    struct mpg_sums sums; /* a value for each block of replicas */
    struct mpg_sums base; /* the run without perturbation, subtracted from the mean */
    /* numbers of the places, in an order independent of the number of threads; set by mpg_attribution_finish() */
    uint32_t *order;
    uint32_t calls_capacity;
    bool counted;    /* `calls` has been set by a tally; the calls of all tallies are equal */
    bool ran_out;    /* memory ran out; mpg_attribution_finish() reports the error */
};

/* Returns an attribution without places for REPLICAS replicas. NULL: no memory, with ERR. */
struct mpg_attribution *mpg_attribution_new(uint32_t replicas, struct mpg_error *err);
void mpg_attribution_free(struct mpg_attribution *where); /* NULL is allowed */
/* mpg_attribution_take() adds TALLY, whose first replica is BEGIN: BEGIN is a multiple of MPG_LANES_A_BLOCK, or all of the
 * tally's replicas are in one block. mpg_attribution_take_base() adds the tally of the run without perturbation, one lane.
 * mpg_attribution_finish() reports a lack of memory. */
void mpg_attribution_take(struct mpg_attribution *where, const struct mpg_tally *tally, uint32_t begin);
void mpg_attribution_take_base(struct mpg_attribution *where, const struct mpg_tally *tally);
/* Makes room for REPLICAS replicas; existing replicas keep their sums. Returns 0, or -1 with ERR: no memory. */
int mpg_attribution_widen(struct mpg_attribution *where, uint32_t replicas, struct mpg_error *err);
/* Adds SUMS, computed by another process for replicas from BEGIN on, of the N places PLACE. */
void mpg_attribution_take_places(struct mpg_attribution *where, const struct mpg_attribution_place *place, uint32_t n,
                                 const struct mpg_sums *sums, uint32_t begin);
/* Orders the places, after all replicas are added. Returns 0, or -1 with ERR: no memory. */
int mpg_attribution_finish(struct mpg_attribution *where, struct mpg_error *err);

/* Writes into TERM the terms of PLACE, summed over the replicas of BLOCK; the first replica of BLOCK is MPG_LANES_A_BLOCK *
 * BLOCK. */
static inline void mpg_attribution_block(const struct mpg_attribution *w, uint32_t place, uint32_t block,
                                         double term[MPG_ATTRIBUTION_TERMS])
{
    mpg_sums_terms(&w->sums, place, block, term, MPG_ATTRIBUTION_TERMS);
}

/* Writes into TERM the terms of PLACE, as means over the replicas without the run without perturbation. */
void mpg_attribution_mean(const struct mpg_attribution *where, uint32_t place, double term[MPG_ATTRIBUTION_TERMS]);

#endif
