/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Empirical distributions as piecewise linear inverse CDFs. A distribution does not change once made; threads may
 * share a distribution. */
#ifndef MPG_DISTRIBUTION_H
#define MPG_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "statistics/knots.h"

/* A parametric family fitted to the samples (statistics/fit.h). */
struct mpg_distribution_fit {
    char *family;              /* "exponential", "gamma", "lognormal", "weibull", "pareto tail" */
    double location;           /* subtracted from the samples before the fit */
    int parameters;            /* 1 or 2 */
    char *name[2];             /* "mean"; "shape", "scale"; ... */
    double value[2], low[2], high[2]; /* estimates with 95 % confidence intervals; low <= high */
    double distance;           /* Kolmogorov-Smirnov distance, 0..1 */
    double tail_fraction;      /* share of the samples fitted, > 0; below 1 for a tail only */
};

/* 95 % confidence interval of a quantile of the sampled distribution (statistics/series.h). */
struct mpg_quantile_interval {
    double p;                  /* probability within (0, 1) */
    double low, high;          /* -INFINITY, INFINITY: too few samples for a bound */
    double independent;        /* effective sample size, >= 1 */
    double freedom;            /* degrees of freedom of the interval's width, >= 1 */
    size_t launches;           /* number of launches whose differences the interval covers, >= 1; 1: no differences between
                                  launches */
};

/* A linear piece of the inverse CDF between neighbouring knots. */
struct mpg_distribution_piece {
    double from, to; /* probabilities at both ends; equal: a jump */
    double min;      /* value at FROM */
    double slope;    /* rounded down: min + (to - from) slope never exceeds the value at TO */
};

struct mpg_distribution {
    size_t n;           /* number of samples */
    double mean, sd;    /* mean and standard deviation of the samples; sd divides by n - 1 and is 0 for n = 1 */
    double lag1;        /* lag-1 autocorrelation of the samples in time order */
    size_t knots;          /* number of knots of the CDF, >= 2 */
    double *probabilities; /* ascending from 0 to 1; a pair of equal probabilities inside (0, 1) is a jump. NULL before
                              mpg_distribution_prepare(): equal steps */
    double *quantiles;     /* ascending; first the exact minimum, last the exact maximum */
    struct mpg_distribution_piece *piece; /* knots - 1 pieces; NULL: not prepared */
    double cells;          /* number of cells of GUIDE, a power of 2; 0: no guide */
    uint16_t *guide;       /* guide table (Chen and Asau, Oper. Res. 22 (1974)), cells + 1 elements: the last piece that begins
                              at or below probability i / cells */
    size_t fits;        /* number of fits, best first */
    struct mpg_distribution_fit *fit;
    double rank_lag1;   /* lag-1 autocorrelation of the samples' ranks, robust against outliers; 0: unknown */
    size_t intervals;   /* number of intervals of quantiles, ascending in p */
    struct mpg_quantile_interval *interval;
};

enum {
    MPG_DISTRIBUTION_KNOTS = 400,
    MPG_DISTRIBUTION_MAX_KNOTS = 65537,
    MPG_DISTRIBUTION_MAX_FITS = 16,
    MPG_DISTRIBUTION_MAX_INTERVALS = 16,
};

/* Largest magnitude of a sample: the square is still finite. */
#define MPG_DISTRIBUTION_LIMIT 1e150

/* Makes a distribution from N >= 1 samples in time order (copied), in any unit, with at most KNOTS knots
 * (2..MPG_DISTRIBUTION_MAX_KNOTS). MPG_DISTRIBUTION_KNOTS knots preserve mean and variance as mpg_knots_choose()
 * states. Sorted sample k of n, from 0, covers probabilities k / n to (k + 1) / n. lag1 is sum (x[i-1] -
 * mean)(x[i] - mean) / sum (x[i] - mean)^2, or 0 if all samples are equal. The caller frees the result. Errors: no
 * samples, a sample not a number or larger than MPG_DISTRIBUTION_LIMIT, KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_from_samples(const double *samples, size_t n,
                                                       size_t knots, struct mpg_error *err);
/* Makes a distribution of at most KNOTS knots from PIECES (values as for samples). n is PIECES' samples; mean, sd
 * and lag1 are 0 for the caller to fill. The caller frees the result. Errors: KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_from_pieces(const struct mpg_pieces *pieces,
                                                      size_t knots, struct mpg_error *err);
/* Makes a copy of D with at most KNOTS knots, with D's mean, sd and lag1, without fits and intervals. The caller
 * frees the result. Errors: KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_thin(const struct mpg_distribution *d,
                                                     size_t knots, struct mpg_error *err);
/* Completes a D filled by other code: fills in equal probability steps if probabilities are NULL, and the guide
 * table, which speeds up mpg_distribution_quantile(). D has at least 2 knots and probabilities as the struct
 * demands. Errors: out of memory. */
int mpg_distribution_prepare(struct mpg_distribution *d, struct mpg_error *err);
/* Returns the U quantile, linear between knots; U outside [0, 1] counts as the nearer end. At a jump the result is
 * the lower value plus (1 - U) of the jump (statistics/knots.h). Takes constant time on a prepared D. Thread-safe. */
double mpg_distribution_quantile(const struct mpg_distribution *d, double u);
/* Returns the mean of mpg_distribution_quantile() over uniform U: the mean of values drawn from a prepared D. */
double mpg_distribution_drawn_mean(const struct mpg_distribution *d);
/* Checks the invariants stated in the structs: n >= 1, finite numbers, knots and fits in range, ascending
 * probabilities and quantiles, sd >= 0, lag1 within -1..1, mean between the extremes (to a relative 1e-9). Error:
 * the first violation, by name and value. */
int mpg_distribution_check(const struct mpg_distribution *d, struct mpg_error *err);
void mpg_distribution_free(struct mpg_distribution *d); /* NULL is allowed */

#endif
