/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distribution of one summand from samples of a sum: of a one-way time from
 * round trips, of a transfer from transfers with their acknowledgements. Pure
 * functions, thread-safe, deterministic. */
#ifndef MPG_DECONVOLUTION_H
#define MPG_DECONVOLUTION_H

#include <stddef.h>

#include "common/error.h"
#include "statistics/distribution.h"

enum { MPG_DECONVOLUTION_MIN_SAMPLES = 50 };

/* The distribution of X from N >= MPG_DECONVOLUTION_MIN_SAMPLES samples (in time
 * order, copied) of X1 + X2, two independent such X. Nonparametric maximum
 * likelihood by expectation maximisation (Richardson, J. Opt. Soc. Am. 62 (1972) 55;
 * Lucy, Astron. J. 79 (1974) 745; Vardi and Lee, J. R. Stat. Soc. B 55 (1993) 569),
 * the known factor being the estimate itself, on a grid that is fine where samples
 * are and logarithmic in the tails. Sixty iterations (a hundred with a known
 * summand): that they are few is what keeps the estimate smooth.
 *
 * The result's mean is half the samples' and its sd theirs / sqrt(2): the estimate is
 * changed by as little as makes it so (and left as it is where nothing does). No value
 * is below half the smallest sample or above the largest sample less that. n is N,
 * lag1 the samples'. KNOTS as for mpg_distribution_from_samples(). *MISFIT becomes the
 * Kolmogorov-Smirnov distance between the samples and what the estimate predicts:
 * below 1 / sqrt(N) where the model holds. That it is small does not say that X1 and X2 are
 * alike or independent: 300 and 700 add up as 500 and 500 do, and most correlated ways as others
 * would that are not. No sums can tell. The caller frees the result. Time: that of a sort and a tenth of
 * a second. Errors: too few samples, one that is not finite, negative or beyond
 * 1e150, KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_deconvolve_halves(const double *sums, size_t n, size_t knots,
                                               double *misfit, struct mpg_error *err);

/* The same for T from N samples of T + A, and M >= MPG_DECONVOLUTION_MIN_SAMPLES
 * samples of A alone, T and A independent. No value is below the smallest sum less the
 * largest A, below 0, or above the largest sum less the smallest A. Mean and sd are
 * those of the estimate, not the differences of the samples' (which A's tail would
 * blur); lag1 is the sums'. Where A has the longer tail, what T has there is chance:
 * with c samples of A beyond a value, T's part beyond it is uncertain by about
 * sqrt(2 c) / N. */
struct mpg_distribution *mpg_deconvolve_known(const double *sums, size_t n, const double *known,
                                              size_t m, size_t knots, double *misfit,
                                              struct mpg_error *err);

#endif
