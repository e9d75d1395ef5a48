/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure quantiles of samples are that depend on each other: successive ones of a series, and
 * all of one launch. Nothing is assumed of their distribution, and nothing of how they depend on
 * each other but that it is over long before the series is. Pure functions, thread-safe,
 * deterministic.
 *
 * The share of samples below a quantile is a mean: that of the series which says of each sample
 * whether it lies below. How much a mean of dependent values varies is their spectrum's density
 * at 0. It is estimated from the first cosine transforms of the series, which are nearly
 * independent and normal, each a measure of it ("equal-weighted cosines": Mueller, J. Econometrics
 * 141 (2007) 1331; Lazarus, Lewis, Stock and Watson, J. Bus. Econ. Stat. 36 (2018) 541, section
 * 3), so that Student's distribution with as many degrees of freedom says how sure that is. Fast
 * changes (the two ways of an exchange by turns) and outliers do not reach it. Which cosines are
 * low enough is looked up in the series: as long as the lower half or quarter of them has more
 * than the rest (F tests at 30 %, which are quick to see it), the upper half is left out, down to
 * four. */
#ifndef MPG_SERIES_H
#define MPG_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For how many independent samples a series counts, and as how many squares of independent normal
 * values that was estimated. */
struct mpg_worth {
    double samples; /* >= 1; more than there are where neighbours make up for each other */
    double freedom; /* >= 1 */
};

/* What the N >= 1 values of SERIES, in the order measured, tell of how many of the values that
 * could have been measured are below LIMIT (a value as large counts half). In O(N) time and on 20
 * KiB of stack. */
struct mpg_worth mpg_series_worth(const double *series, size_t n, double limit);

/* The order statistics of N samples, from 0, around their P quantile (0 < P < 1) that are worth
 * WORTH: those of mpg_order_interval() for as many independent samples, fewer by how uncertain
 * that number is (Korn and Graubard, Surv. Methodol. 24 (1998) 193, section 2, whose interval of
 * a proportion is here turned into one of a quantile, as Woodruff does, JASA 47 (1952) 635).
 * CONFIDENCE is within (0, 1). */
struct mpg_worth_bounds {
    size_t low, high;         /* < N */
    bool low_open, high_open; /* then the least or the largest sample, which are no bounds */
};
struct mpg_worth_bounds mpg_worth_bounds(const struct mpg_worth *worth, size_t n, double p,
                                         double confidence);

/* Samples of which some belong together. */
struct mpg_samples {
    size_t n;                 /* >= 1 */
    const double *value;      /* n; those of one stretch in the order measured */
    const uint32_t *launch;   /* n, or NULL: all of one */
    const uint32_t *stretch;  /* n, or NULL: as launch; which series of its launch a sample is of
                               * (its pair of ranks, say) */
};

/* Where a quantile of what samples were taken from is. */
struct mpg_sure {
    double value, low, high;    /* the samples' quantile (mpg_sorted_quantile()); -INFINITY,
                                 * INFINITY: no bound on that side, too few samples */
    double independent;         /* how many independent samples tell as much */
    double freedom;             /* degrees of freedom of the interval's width, >= 1 */
    size_t launches;            /* that it covers the differences of; 1: of none */
};

/* The intervals at CONFIDENCE of the quantiles at P[0..QUANTILES-1], each in (0, 1), of
 * what S was sampled from. In one launch it is that of mpg_worth_bounds(), its stretches being
 * strata. With more launches these are what varies: its half width is that of the mean of the
 * logarithms of their quantiles (of the quantiles where one is not above 0) by Student's
 * distribution, launches less one degrees of freedom, and at least one standard error within
 * launches; it is open where that within launches is. *RANK_LAG1 (NULL: not wanted) becomes the
 * lag-1 autocorrelation of the samples' ranks, neighbours of one stretch taken only, which
 * outliers do not blind (Wald and Wolfowitz, Ann. Math. Stat. 14 (1943) 378). Returns -1 when memory is
 * out. Time: that of a few sorts. */
int mpg_samples_sure(const struct mpg_samples *s, const double *p, size_t quantiles,
                     double confidence, struct mpg_sure *sure, double *rank_lag1);

#endif
