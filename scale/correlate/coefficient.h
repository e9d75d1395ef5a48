/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank correlation r_s of a series, with confidence interval. Private to scale/correlate/. */
#ifndef MPG_SCALE_COEFFICIENT_H
#define MPG_SCALE_COEFFICIENT_H

#include "common/error.h"
#include "scale/scale.h"

/* Random numbers for resampling: resample b uses number b * n + i for point i. A number is the first word of
 * Philox4x32-10 (Salmon and others, SC 2011) at counter (b, i, 0, 0) with the seed as key. */
struct scale_draws {
    size_t n; /* largest number of points of a series */
    uint32_t *word;
};

int mpg_scale_draws_make(struct scale_draws *draws, size_t n, uint64_t seed, struct mpg_error *err);
void mpg_scale_draws_clear(struct scale_draws *draws);

/* Computes R from SERIES; R->q is set to p. In a resample, point i is replaced by point floor(m * word / 2^32) of the m points
 * with equal x. The ends of the interval are the smallest coefficients c for which at least 2.5 % (97.5 %) of the defined
 * coefficients of all resamples do not exceed c. No interval if each x has one point, if more than half of the resamples have
 * no r_s, or if DRAWS is NULL. Error: out of memory. */
int mpg_scale_correlate(const struct scale_series *series, const struct scale_draws *draws,
                        struct scale_correlation *r, struct mpg_error *err);

#endif
