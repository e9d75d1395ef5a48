/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kolmogorov-Smirnov distances: the largest difference of two cumulative distribution functions (CDFs), within
 * 0..1. Pure functions, thread-safe, deterministic. */
#ifndef MPG_KOLMOGOROV_H
#define MPG_KOLMOGOROV_H

#include <stddef.h>

#include "statistics/distribution.h"

/* Returns the largest distance of the CDFs of A and B. *PROBABILITY becomes the p-value: the chance of at least
 * this distance between two samples of a single distribution, by Kolmogorov's distribution at the effective sizes
 * with Stephens' correction (J. R. Stat. Soc. B 32 (1970) 115). Ties make the true chance smaller. CDFs are linear
 * between knots. Between the outermost two knots the CDF is only known to lie between the knots; a distance there
 * counts only as far as the range excludes agreement. */
double mpg_kolmogorov_two_sample(const struct mpg_distribution *a,
                             const struct mpg_distribution *b, double *probability);

/* Returns the largest distance of the empirical CDF of N >= 1 ascending samples X from CDF(CONTEXT, x), an
 * ascending function with values within 0..1. CDF is called far fewer than N times if the two are close. */
double mpg_kolmogorov_one_sample(const double *x, size_t n,
                               double (*cdf)(const void *context, double x),
                               const void *context);

/* Returns the largest distance of two CDFs on a common grid of N points; A and B: probability masses at the
   points. */
double mpg_kolmogorov_grid(const double *a, const double *b, size_t n);

#endif
