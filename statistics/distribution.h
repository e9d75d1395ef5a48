/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An empirical distribution as a piecewise linear inverse CDF; immutable once
 * made, so shared by threads freely. */
#ifndef MPG_DISTRIBUTION_H
#define MPG_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "statistics/knots.h"

/* A family of distributions fitted to the samples (statistics/fit.h). */
struct mpg_distribution_fit {
    char *family;              /* "exponential", "gamma", "lognormal", "weibull", "pareto tail" */
    double location;           /* what was subtracted from the samples first */
    int parameters;            /* 1 or 2 */
    char *name[2];             /* "mean"; "shape", "scale"; ... */
    double value[2], low[2], high[2]; /* with 95 % confidence intervals; low <= high */
    double distance;           /* Kolmogorov-Smirnov, 0..1 */
    double tail_fraction;      /* > 0, of the samples that the fit is about; 1 but for a tail */
};

/* Where a quantile of what the samples were taken from is, with a probability of 95 %
 * (statistics/series.h). */
struct mpg_quantile_interval {
    double p;                  /* within (0, 1) */
    double low, high;          /* -INFINITY, INFINITY: too few samples to say */
    double independent;        /* >= 1: how many independent samples tell as much */
    double freedom;            /* >= 1: degrees of freedom of the interval's width */
    size_t launches;           /* >= 1: whose differences it covers; 1: of none */
};

/* A line of the inverse CDF, from one knot to the next. */
struct mpg_distribution_piece {
    double from, to; /* probabilities; equal ones: a jump */
    double least;    /* the value at FROM; */
    double slope;    /* least + (to - from) slope is no more than the value at TO */
};

struct mpg_distribution {
    size_t n;           /* samples it was made from */
    double mean, sd;    /* of the samples; sd divides by n - 1, and is 0 when n = 1 */
    double lag1;        /* lag-1 autocorrelation of the samples in time order */
    size_t knots;          /* >= 2 */
    double *probabilities; /* from 0 to 1, ascending; two equal ones in a row, neither of
                            * them 0 or 1, are a jump. NULL until prepared: equal steps */
    double *quantiles;     /* ascending; exact minimum first, exact maximum last */
    struct mpg_distribution_piece *piece; /* knots - 1; NULL: not prepared */
    double cells;          /* of guide, a power of 2; 0: there is none */
    uint16_t *guide;       /* cells + 1: the last knot but one of those whose probability is
                            * at most i / cells (Chen and Asau, Oper. Res. 22 (1974)) */
    size_t fits;        /* best first; 0: none was made */
    struct mpg_distribution_fit *fit;
    double rank_lag1;   /* of the samples' ranks, which outliers do not blind; 0: not said */
    size_t intervals;   /* ascending in p; 0: none were made */
    struct mpg_quantile_interval *interval;
};

enum {
    MPG_DISTRIBUTION_KNOTS = 400,
    MPG_DISTRIBUTION_MAX_KNOTS = 65537,
    MPG_DISTRIBUTION_MAX_FITS = 16,
    MPG_DISTRIBUTION_MAX_INTERVALS = 16,
};

/* Largest magnitude of a sample: its square is still finite. */
#define MPG_DISTRIBUTION_LIMIT 1e150

/* From N >= 1 samples in time order (copied), in any one unit. KNOTS is within
 * 2..MPG_DISTRIBUTION_MAX_KNOTS: there are at most so many; MPG_DISTRIBUTION_KNOTS are enough
 * for what mpg_knots_choose() says of mean and variance. The caller frees the result. Sample k of n (from
 * 0, sorted) has the probabilities k / n to (k + 1) / n. lag1 is
 * sum (x[i-1] - mean)(x[i] - mean) / sum (x[i] - mean)^2, and 0 when all samples
 * are equal. Errors: no samples, a sample that is no number or larger than
 * MPG_DISTRIBUTION_LIMIT, KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_from_samples(const double *samples, size_t n,
                                                       size_t knots, struct mpg_error *err);
/* From PIECES, whose values are as samples'. The result's n is PIECES's samples; its mean, sd and
 * lag1 are 0: the caller fills them. Errors: KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_from_pieces(const struct mpg_pieces *pieces,
                                                      size_t knots, struct mpg_error *err);
/* What D says with at most KNOTS knots: as mpg_distribution_from_pieces(), and D's mean, sd,
 * lag1; without fits. Errors: KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_with_fewer(const struct mpg_distribution *d,
                                                     size_t knots, struct mpg_error *err);
/* For a D filled by other means: probabilities in equal steps where it has none, and the
 * guide, without which mpg_distribution_quantile() is slower. D's knots must be at least 2
 * and its probabilities, if any, be as promised above. Errors: out of memory. */
int mpg_distribution_prepare(struct mpg_distribution *d, struct mpg_error *err);
/* The value below which a fraction U of [0, 1] lies, linear between knots; at a jump the
 * lower value plus (1 - U) of the jump (statistics/knots.h); U outside that range means its
 * nearer end. Thread-safe. Takes a few steps, however many
 * knots there are, if D was made or prepared by the functions above. */
double mpg_distribution_quantile(const struct mpg_distribution *d, double u);
/* The mean of mpg_distribution_quantile() over all U: D's mean as far as its knots tell it. D is prepared. */
double mpg_distribution_drawn_mean(const struct mpg_distribution *d);
/* Checks what the comments of the structs promise of D, however it was filled:
 * n >= 1, finite numbers, knots and fits in range, ascending probabilities and quantiles, sd >= 0,
 * lag1 within -1..1, mean between the extremes (to a relative 1e-9). */
int mpg_distribution_check(const struct mpg_distribution *d, struct mpg_error *err);
void mpg_distribution_free(struct mpg_distribution *d); /* NULL is allowed */

#endif
