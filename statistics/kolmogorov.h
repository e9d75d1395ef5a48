/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kolmogorov-Smirnov distances: the largest difference of two cumulative distribution
 * functions. Pure functions, thread-safe, deterministic. */
#ifndef MPG_KOLMOGOROV_H
#define MPG_KOLMOGOROV_H

#include <stddef.h>

#include "statistics/distribution.h"

/* Largest distance of the CDFs of A and B, and in *PROBABILITY the chance that it is
 * as large between two samples of one distribution: Kolmogorov's distribution at the
 * effective sizes, with Stephens' correction (J. R. Stat. Soc. B 32 (1970) 115). Ties
 * make the true chance smaller. Between knots CDFs are linear, but within the outermost
 * two of either they are only known to be between those knots, and no distance counts
 * that may come from there. */
double mpg_kolmogorov_of_two(const struct mpg_distribution *a,
                             const struct mpg_distribution *b, double *probability);

/* Largest distance (0..1) of the empirical CDF of N >= 1 ascending samples X from CDF, an
 * ascending function with values 0..1 that is handed CONTEXT. CDF is called far fewer than
 * N times where the two are near. */
double mpg_kolmogorov_from_cdf(const double *x, size_t n,
                               double (*cdf)(const void *context, double x),
                               const void *context);

/* Largest distance of two CDFs on one grid of N points: A and B are the masses there. */
double mpg_kolmogorov_of_masses(const double *a, const double *b, size_t n);

#endif
