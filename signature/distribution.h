/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An empirical distribution as an inverse CDF over equally spaced
 * probabilities; immutable once made, so shared by threads freely. */
#ifndef MPG_DISTRIBUTION_H
#define MPG_DISTRIBUTION_H

#include <stddef.h>

#include "common/error.h"

struct mpg_distribution {
    size_t n;           /* samples it was made from */
    double mean, sd;    /* of the samples */
    double lag1;        /* lag-1 autocorrelation of the samples in time order */
    size_t knots;       /* >= 2; probability of knot i is i / (knots - 1) */
    double *quantiles;  /* ascending; exact minimum first, exact maximum last */
};

enum { MPG_DISTRIBUTION_KNOTS = 257 };

/* From N >= 1 samples in time order (copied). KNOTS >= 2. */
struct mpg_distribution *mpg_distribution_from_samples(const double *samples, size_t n,
                                                       size_t knots, struct mpg_error *err);
/* The value below which a fraction U of [0, 1] lies, linear between knots. */
double mpg_distribution_quantile(const struct mpg_distribution *d, double u);
void mpg_distribution_free(struct mpg_distribution *d);

#endif
