/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cache of the distributions of message times, by path and size: most messages of a program repeat a few sizes. Holds the
 * look-up tables of all replicas of one evaluation. Used by one thread. */
#ifndef MPG_QUANTILE_CACHE_H
#define MPG_QUANTILE_CACHE_H

#include "simulate/models/perturbation.h"

struct mpg_quantile_cache;

/* Returns an empty cache for the N >= 1 replicas FIRST .. FIRST + N - 1. The caller frees it. NULL with ERR: out of memory. */
struct mpg_quantile_cache *mpg_quantile_cache_new(uint32_t first, uint32_t n, struct mpg_error *err);
void mpg_quantile_cache_free(struct mpg_quantile_cache *cache); /* NULL is allowed */
/* Returns an estimate of the cache's memory per replica, bytes, for messages between RANKS ranks. Not counted: look-up tables,
 * some kB for each launch and measured size. */
double mpg_quantile_cache_bytes(int32_t ranks);

/* Uniform draws for an overhead of a message, made together with the draws of the message time: faster than separate draws. */
struct mpg_overhead_draws {
    struct mpg_address of; /* address of the message; valid if left is true */
    bool left;             /* the draws exist */
    double *u;             /* one probability for each replica */
};

/* Each function below has bit for bit the result of the uncached function named in its comment. Functions with VALUE_NS add ns to
 * the element of each replica. P must have the replicas of the cache, must outlive the cache and must not change. */

/* Adds the extra message time of M: mpg_perturb_flight() with MPG_FLIGHT_WHOLE. Fills SEND and RECEIVE with the draws for o_s and
 * o_r, if these draws can be made together with the draw of the message time. RECEIVE may be NULL. */
void mpg_quantile_cache_perturb_flight(struct mpg_quantile_cache *cache, const struct mpg_perturbation *p,
                                       const struct mpg_sent_message *m, double *value_ns, struct mpg_overhead_draws *send,
                                       struct mpg_overhead_draws *receive);
/* Adds the extra call overhead of M: mpg_perturb_overhead(); if TARGET, adds the whole overhead on the target:
 * mpg_add_target_overhead() with factor 1. Uses the draws of LEFT if LEFT is not NULL and belongs to M; otherwise draws. */
void mpg_quantile_cache_add_overhead(struct mpg_quantile_cache *cache, const struct mpg_perturbation *p,
                                     enum mpg_overhead which, bool target, const struct mpg_sent_message *m,
                                     const struct mpg_overhead_draws *left, double *value_ns);
/* Returns the median one-way time of BYTES on the target, ns: mpg_flight_median(). */
double mpg_quantile_cache_median(struct mpg_quantile_cache *cache, const struct mpg_perturbation *p, double bytes);
/* Returns the source's median overhead of a message of BYTES, ns: mpg_overhead_median() with OF_SOURCE, for a message whose
 * receive completes alone. */
double mpg_quantile_cache_overhead_of_source(struct mpg_quantile_cache *cache, const struct mpg_perturbation *p,
                                             enum mpg_overhead which, double bytes);

#endif
