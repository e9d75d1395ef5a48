/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages of a shape, their size and their path, are drawn from in each of some lanes: found once a
 * shape and kept, as most messages are like others. Of one thread. */
#ifndef MPG_QUANTILE_CACHE_H
#define MPG_QUANTILE_CACHE_H

#include "simulate/models/perturbation.h"

struct mpg_quantile_cache;

/* Of N >= 1 lanes, replicas FIRST .. FIRST + N - 1. Error: out of memory. */
struct mpg_quantile_cache *mpg_quantile_cache_new(uint32_t first, uint32_t n, struct mpg_error *err);
void mpg_quantile_cache_free(struct mpg_quantile_cache *shapes); /* NULL is allowed */
/* What they take a lane, of messages between RANKS, bytes, where no more sizes are measured than are kept; guides of tables,
 * some kB a launch and size, beside it. */
double mpg_quantile_cache_bytes(int32_t ranks);

/* What a message's flight leaves of the block of its draws to its overheads, for each of the lanes. */
struct mpg_left_draws {
    struct mpg_address of; /* the message's: where LEFT */
    bool left;             /* something is: */
    double *u;             /* for one of both */
};

/* These add to all of VALUE_NS, to the last bit, what the functions do that they are named after; P's launches
 * are those of SHAPES' lanes, and P outlives them unchanged. */

/* mpg_perturb_flight(), of the whole of M. Says in SEND and RECEIVE what is left for its overheads, if it
 * is, into their arrays; RECEIVE NULL: nobody asks. */
void mpg_quantile_cache_perturb_flight(struct mpg_quantile_cache *shapes, const struct mpg_perturbation *p,
                               const struct mpg_sent_message *m, double *value_ns, struct mpg_left_draws *send,
                               struct mpg_left_draws *receive);
/* mpg_perturb_overhead(), or, where TARGET alone, mpg_add_target_overhead(), by the draws LEFT for it; NULL, or of
 * another message: by its own. */
void mpg_quantile_cache_add_overhead(struct mpg_quantile_cache *shapes, const struct mpg_perturbation *p,
                             enum mpg_overhead which, bool target, const struct mpg_sent_message *m,
                             const struct mpg_left_draws *left, double *value_ns);
/* mpg_flight_median(). */
double mpg_quantile_cache_median(struct mpg_quantile_cache *shapes, const struct mpg_perturbation *p, double bytes);
/* mpg_overhead_median() of the source, of a message that is not completed with others of its rank. */
double mpg_quantile_cache_overhead_of_source(struct mpg_quantile_cache *shapes, const struct mpg_perturbation *p,
                                     enum mpg_overhead which, double bytes);

#endif
