/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deconvolution: the distribution of a summand from samples of a sum, such as the one-way time from round trips,
 * or a transfer from transfers with acknowledgements. Pure functions, thread-safe, deterministic. */
#ifndef MPG_DECONVOLUTION_H
#define MPG_DECONVOLUTION_H

#include <stddef.h>

#include "common/error.h"
#include "statistics/distribution.h"

enum { MPG_DECONVOLUTION_MIN_SAMPLES = 50 };

/* Estimates the distribution of X from N >= MPG_DECONVOLUTION_MIN_SAMPLES samples of X1 + X2, two independent
 * copies of X. SUMS: samples in time order, copied. Method: nonparametric maximum likelihood by expectation
 * maximisation (Richardson, J. Opt. Soc. Am. 62 (1972) 55; Lucy, Astron. J. 79 (1974) 745; Vardi and Lee, J. R.
 * Stat. Soc. B 55 (1993) 569) with the estimate itself as the known factor. The grid is fine where samples are
 * dense and logarithmic in the tails. Stopping after 60 iterations (100 with a known summand) keeps the estimate
 * smooth.
 *
 * The result's mean is half the samples' mean, the sd the samples' sd / sqrt(2), imposed by the smallest possible
 * change (or not at all if impossible). Values lie between half the smallest sample and the largest sample less
 * that half. n is N, lag1 the samples' lag1. KNOTS: as for mpg_distribution_from_samples().
 *
 * *MISFIT becomes the Kolmogorov-Smirnov distance of the samples from the prediction of the estimate: below 1 /
 * sqrt(N) if the model holds. A small misfit does not prove X1 and X2 alike or independent: 300 + 700 and 500 +
 * 500 give equal sums. The caller frees the result. Time: a sort and about 0.1 s. Errors: too few samples; a
 * sample not finite, negative or beyond 1e150; KNOTS out of range; out of memory. */
struct mpg_distribution *mpg_deconvolve_halves(const double *sums, size_t n, size_t knots,
                                               double *misfit, struct mpg_error *err);

/* Estimates the distribution of T from N samples of T + A (SUMS) and M >= MPG_DECONVOLUTION_MIN_SAMPLES samples of
 * A alone (KNOWN), T and A independent. Values lie between max(0, smallest sum - largest A) and largest sum -
 * smallest A. Mean and sd come from the estimate, since differences of the samples' moments would suffer from A's
 * tail; lag1 is the sums' lag1. Where A has the longer tail, T's tail is uncertain: with c samples of A beyond a
 * value, T's probability beyond the value has an error of about sqrt(2 c) / N. Remaining parameters, result and
 * errors as for mpg_deconvolve_halves(). */
struct mpg_distribution *mpg_deconvolve_known(const double *sums, size_t n, const double *known,
                                              size_t m, size_t knots, double *misfit,
                                              struct mpg_error *err);

#endif
