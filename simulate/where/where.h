/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run's delay, or its time, comes from, place by place, over all replicas: what lanes have tallied
 * (simulate/where/tally.h), put together. docs/MODEL.md, 8. */
#ifndef MPG_WHERE_H
#define MPG_WHERE_H

#include "simulate/where/tally.h"

/* Terms of a place: first those of the mode's account, in the order of its struct, then what the critical path
 * has there. */
enum mpg_where_term {
    MPG_WHERE_ACCOUNT = 0, /* 8 of them */
    MPG_WHERE_COMPUTATION = 8, /* ns on the path, as all that has no comment; in twos, as it is recorded */
    MPG_WHERE_NOISE,
    MPG_WHERE_CALL,
    MPG_WHERE_SCALED, /* of that, what goes with the ratio of computation */
    MPG_WHERE_LATENCY,
    MPG_WHERE_MESSAGES, /* latencies on it */
    MPG_WHERE_BYTES,
    MPG_WHERE_SIZE, /* bytes on it */
    MPG_WHERE_WHOLE,
    MPG_WHERE_WHOLES, /* collectives on it that were measured as a whole */
    MPG_WHERE_ABSORBED, /* of delays: what slack takes off on it, and */
    MPG_WHERE_TRACER,   /* what of it was the tracer's: 0 or less, as they count in the sum */
    MPG_WHERE_ORDER,    /* of delays: what calls complete in place of another message was there so much later */
    MPG_WHERE_TERMS
};

struct mpg_where {
    struct mpg_where_places places;
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
struct mpg_where *mpg_where_new(uint32_t replicas, struct mpg_error *err);
void mpg_where_free(struct mpg_where *where); /* NULL is allowed */
/* Adds what was tallied in replicas from BEGIN on, a multiple of a block's or within one; or, of one lane, in the
 * run that delays are against. */
void mpg_where_take(struct mpg_where *where, const struct mpg_tally *tally, uint32_t begin);
void mpg_where_take_base(struct mpg_where *where, const struct mpg_tally *tally);
/* Makes room for REPLICAS instead; the first are those that it has. */
int mpg_where_widen(struct mpg_where *where, uint32_t replicas, struct mpg_error *err);
/* Adds what another one has of replicas from BEGIN on: N places, and BLOCKS of terms of each. */
void mpg_where_take_places(struct mpg_where *where, const struct mpg_where_place *place, uint32_t n, const double *sum,
                           uint32_t blocks, uint32_t begin);
/* Once all are there: the means. */
int mpg_where_finish(struct mpg_where *where, struct mpg_error *err);

/* Of replicas 16 BLOCK ...: sums over them. */
static inline const double *mpg_where_block(const struct mpg_where *w, uint32_t place, uint32_t block)
{
    return w->sum + ((size_t)place * w->blocks + block) * MPG_WHERE_TERMS;
}

static inline const double *mpg_where_mean(const struct mpg_where *w, uint32_t place)
{
    return w->mean + (size_t)place * MPG_WHERE_TERMS;
}

#endif
