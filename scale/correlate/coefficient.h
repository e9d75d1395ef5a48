/* SPDX-License-Identifier: GPL-3.0-or-later */
/* r_s of a series, and how sure it is. Private to scale/correlate/. */
#ifndef MPG_SCALE_COEFFICIENT_H
#define MPG_SCALE_COEFFICIENT_H

#include "common/error.h"
#include "scale/scale.h"

/* Numbers to draw runs with: of resample b, for point i of a series, one at b * n + i. They are words of
 * Philox4x32-10 (Salmon and others, SC 2011): the first of counter (b, i, 0, 0) under the key seed. */
struct scale_draws {
    size_t n; /* points, at most */
    uint32_t *word;
};

int mpg_scale_draws_make(struct scale_draws *draws, size_t n, uint64_t seed, struct mpg_error *err);
void mpg_scale_draws_clear(struct scale_draws *draws);

/* R of SERIES, but for q, which is p. Where a point i of a resample is drawn from the m points with the same x, it is
 * the one with number floor(word m / 2^32) among them. The interval is from the resamples in which r_s is defined, in
 * ascending order: the least that at least 2.5 %, and 97.5 %, do not exceed; there is none if each x has one point, or
 * half of the resamples have none, or DRAWS is NULL. Error: out of memory. */
int mpg_scale_correlate(const struct scale_series *series, const struct scale_draws *draws,
                        struct scale_correlation *r, struct mpg_error *err);

#endif
