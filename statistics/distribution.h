/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An empirical distribution as an inverse CDF over equally spaced
 * probabilities; immutable once made, so shared by threads freely. */
#ifndef MPG_DISTRIBUTION_H
#define MPG_DISTRIBUTION_H

#include <stddef.h>

#include "common/error.h"

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

struct mpg_distribution {
    size_t n;           /* samples it was made from */
    double mean, sd;    /* of the samples; sd divides by n - 1, and is 0 when n = 1 */
    double lag1;        /* lag-1 autocorrelation of the samples in time order */
    size_t knots;       /* >= 2; probability of knot i is i / (knots - 1) */
    double *quantiles;  /* ascending; exact minimum first, exact maximum last */
    size_t fits;        /* best first; 0: none was made */
    struct mpg_distribution_fit *fit;
};

enum {
    MPG_DISTRIBUTION_KNOTS = 257,
    MPG_DISTRIBUTION_MAX_KNOTS = 65537,
    MPG_DISTRIBUTION_MAX_FITS = 16,
};

/* Largest magnitude of a sample: its square is still finite. */
#define MPG_DISTRIBUTION_LIMIT 1e150

/* From N >= 1 samples in time order (copied), in any one unit. KNOTS is within
 * 2..MPG_DISTRIBUTION_MAX_KNOTS. The caller frees the result. The quantile at p
 * is the linear interpolation of the order statistics at (n - 1) p (Hyndman and
 * Fan, Am. Stat. 50 (1996) 361, definition 7). lag1 is
 * sum (x[i-1] - mean)(x[i] - mean) / sum (x[i] - mean)^2, and 0 when all samples
 * are equal. Errors: no samples, a sample that is no number or larger than
 * MPG_DISTRIBUTION_LIMIT, KNOTS out of range, out of memory. */
struct mpg_distribution *mpg_distribution_from_samples(const double *samples, size_t n,
                                                       size_t knots, struct mpg_error *err);
/* The value below which a fraction U of [0, 1] lies, linear between knots; U
 * outside that range means its nearer end. Thread-safe. */
double mpg_distribution_quantile(const struct mpg_distribution *d, double u);
/* Checks what the comments of the structs promise of D, however it was filled:
 * n >= 1, finite numbers, knots and fits in range, ascending quantiles, sd >= 0,
 * lag1 within -1..1, mean between the extremes (to a relative 1e-9). */
int mpg_distribution_check(const struct mpg_distribution *d, struct mpg_error *err);
void mpg_distribution_free(struct mpg_distribution *d); /* NULL is allowed */

#endif
