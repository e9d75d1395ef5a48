/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of quantiles of dependent samples: successive samples of a series, and samples of several
 * launches. The distribution is arbitrary; the dependence must decay long before the series ends. Pure functions,
 * thread-safe, deterministic.
 *
 * The share of samples below a quantile is the mean of an indicator series (1 below, 0 above). The variance of the
 * mean of a dependent series is its spectral density at frequency 0. The density is estimated from the first
 * cosine transforms of the series, which are nearly independent and normal ("equal-weighted cosines": Mueller, J.
 * Econometrics 141 (2007) 1331; Lazarus, Lewis, Stock and Watson, J. Bus. Econ. Stat. 36 (2018) 541, section 3).
 * The interval uses Student's distribution with the number of cosines as degrees of freedom. Fast alternation (the
 * two directions of an exchange) and outliers do not affect the estimate.
 *
 * The number of cosines is adapted to the series. While the lower half or quarter of the cosines has more power
 * than the rest (F test at 30 %, a sensitive level), the upper half is dropped, down to four. */
#ifndef MPG_SERIES_H
#define MPG_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Effective sample size of a series, and the degrees of freedom of the estimate. */
struct mpg_effective_size {
    double samples; /* >= 1; larger than the number of samples for negative dependence */
    double freedom; /* >= 1; degrees of freedom of the chi-square distribution of the estimate */
};

/* Estimates the effective size of a series for the share of samples below LIMIT. SERIES: N >= 1 values in time
 * order; a value equal to LIMIT counts half. O(N) time, 20 KiB of stack. */
struct mpg_effective_size mpg_series_effective_size(const double *series, size_t n, double limit);

/* Computes the confidence interval of the P quantile from N samples of effective size SIZE, as indices into the
 * sorted samples, counted from 0. 0 < P < 1, 0 < CONFIDENCE < 1. The result is mpg_order_interval() for the
 * effective size, reduced by the uncertainty of the size (Korn and Graubard, Surv. Methodol. 24 (1998) 193,
 * section 2, for a proportion; turned into a quantile's interval as in Woodruff, JASA 47 (1952) 635). */
struct mpg_rank_bounds {
    size_t low, high;         /* indices of samples, < N */
    bool low_open, high_open; /* true: too few samples for a bound; the index is then the smallest or largest sample */
};
struct mpg_rank_bounds mpg_rank_bounds(const struct mpg_effective_size *size, size_t n, double p,
                                         double confidence);

/* Samples grouped into launches and stretches. */
struct mpg_samples {
    size_t n;                 /* number of samples, >= 1 */
    const double *value;      /* N samples; within a stretch in time order */
    const uint32_t *launch;   /* N launch numbers; NULL: a single launch */
    const uint32_t *stretch;  /* N numbers of series within the launch (for example the pair of ranks); NULL: a single series a
                                 launch */
};

/* A quantile and its confidence interval. */
struct mpg_quantile_estimate {
    double value, low, high;    /* sample quantile by mpg_sorted_quantile(); interval; -INFINITY or INFINITY: too few samples
                                   for a bound on this side */
    double independent;         /* effective sample size */
    double freedom;             /* degrees of freedom of the interval's width, >= 1 */
    size_t launches;            /* number of launches whose differences the interval covers; 1: no differences between launches */
};

/* Estimates the quantiles P[0..QUANTILES-1], each within (0, 1), of the distribution of S, with intervals at
 * CONFIDENCE into ESTIMATE[0..QUANTILES-1].
 *
 * A single launch: the interval of mpg_rank_bounds(), with stretches as strata. Several launches: the launches are
 * the sample. The half width is the half width of the mean of the launches' log quantiles (of the quantiles if any
 * is <= 0) by Student's distribution with launches - 1 degrees of freedom, and at least a standard error within
 * launches. A side without a bound within launches stays without.
 *
 * *RANK_LAG1 (NULL: not wanted) becomes the lag-1 autocorrelation of the samples' ranks within stretches, robust
 * against outliers (Wald and Wolfowitz, Ann. Math. Stat. 14 (1943) 378). Returns -1 if memory is out. Time: a few
 * sorts. */
int mpg_estimate_quantiles(const struct mpg_samples *s, const double *p, size_t quantiles,
                     double confidence, struct mpg_quantile_estimate *estimate, double *rank_lag1);

#endif
