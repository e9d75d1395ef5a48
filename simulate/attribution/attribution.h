/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run's delay, or its time, comes from, place by place, over all replicas: what lanes have tallied
 * (simulate/attribution/tally.h), put together. docs/MODEL.md, 8. */
#ifndef MPG_WHERE_H
#define MPG_WHERE_H

#include "simulate/attribution/tally.h"

/* Terms of a place: first those of the mode's account, in the order of its struct, then what the critical path
 * has there. */
enum mpg_attribution_term {
    MPG_ATTRIBUTION_ACCOUNT = 0, /* 8 of them */
    MPG_CRITICAL_COMPUTATION = 8, /* ns on the path, as all that has no comment; in twos, as it is recorded */
    MPG_CRITICAL_NOISE,
    MPG_CRITICAL_CALL,
    MPG_CRITICAL_SCALED, /* of that, what goes with the ratio of computation */
    MPG_CRITICAL_LATENCY,
    MPG_CRITICAL_MESSAGES, /* latencies on it */
    MPG_CRITICAL_BYTES,
    MPG_CRITICAL_SIZE, /* bytes on it */
    MPG_CRITICAL_WHOLE,
    MPG_CRITICAL_WHOLES, /* collectives on it that were measured as a whole */
    MPG_CRITICAL_ABSORBED, /* of delays: what slack takes off on it, and */
    MPG_CRITICAL_TRACER,   /* what of it was the tracer's: 0 or less, as they count in the sum */
    MPG_CRITICAL_ORDER,    /* of delays: what calls complete in place of another message was there so much later */
    MPG_ATTRIBUTION_TERMS
};

struct mpg_attribution {
    struct mpg_attribution_places places;
    uint32_t replicas, blocks;
    uint64_t *calls; /* a place */
    double *sum;     /* a place: blocks x terms */
    double *base;    /* a place: terms of the run that all delays are against; taken off */
    double *mean;    /* a place: terms; once it is finished, */
    uint32_t *order; /* and places in an order in which it does not matter who met them first */
    uint32_t calls_capacity, sum_capacity, base_capacity;
    bool counted;    /* calls are there */
    bool ran_out;    /* there was no memory for all of it; finishing says so */
};

/* Of REPLICAS. Error: out of memory. */
struct mpg_attribution *mpg_attribution_new(uint32_t replicas, struct mpg_error *err);
void mpg_attribution_free(struct mpg_attribution *where); /* NULL is allowed */
/* Adds what was tallied in replicas from BEGIN on, a multiple of a block's or within one; or, of one lane, in the
 * run that delays are against. */
void mpg_attribution_take(struct mpg_attribution *where, const struct mpg_tally *tally, uint32_t begin);
void mpg_attribution_take_base(struct mpg_attribution *where, const struct mpg_tally *tally);
/* Makes room for REPLICAS instead; the first are those that it has. */
int mpg_attribution_widen(struct mpg_attribution *where, uint32_t replicas, struct mpg_error *err);
/* Adds what another one has of replicas from BEGIN on: N places, and BLOCKS of terms of each. */
void mpg_attribution_take_places(struct mpg_attribution *where, const struct mpg_attribution_place *place, uint32_t n,
                                 const double *sum,
                           uint32_t blocks, uint32_t begin);
/* Once all are there: the means. */
int mpg_attribution_finish(struct mpg_attribution *where, struct mpg_error *err);

/* Of replicas 16 BLOCK ...: sums over them. */
static inline const double *mpg_attribution_block(const struct mpg_attribution *w, uint32_t place, uint32_t block)
{
    return w->sum + ((size_t)place * w->blocks + block) * MPG_ATTRIBUTION_TERMS;
}

static inline const double *mpg_attribution_mean(const struct mpg_attribution *w, uint32_t place)
{
    return w->mean + (size_t)place * MPG_ATTRIBUTION_TERMS;
}

#endif
