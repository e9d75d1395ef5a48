/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parametric family that a signature has fitted to a distribution, to draw from
 * (docs/MODEL.md, section 3, Fitted families). Immutable once chosen. */
#ifndef MPG_FITTED_H
#define MPG_FITTED_H

#include "common/error.h"
#include "statistics/distribution.h"
#include "statistics/gamma.h"

enum mpg_fitted_family {
    MPG_FITTED_CONSTANT, /* all samples were equal: there is nothing to fit */
    MPG_FITTED_EXPONENTIAL,
    MPG_FITTED_GAMMA,
    MPG_FITTED_LOGNORMAL,
    MPG_FITTED_WEIBULL
};

struct mpg_fitted {
    enum mpg_fitted_family family;
    double location; /* the least value; below in the samples' unit beyond it: */
    double a, b;     /* exponential: mean; gamma, weibull: shape, scale; lognormal: mu, sigma */
    struct mpg_gamma gamma;  /* of shape a */
    struct mpg_gamma biased; /* what length-biased draws need: of shape 2, a + 1, 1 + 1 / a */
};

/* Of D's fits that are about all samples, that of the least Kolmogorov-Smirnov distance, the first
 * of equal ones; of a D whose quantiles are all one value, this. Errors: D has none; its parameters
 * are not those of its family, or give values too large to add up (beyond 1e100). */
int mpg_fitted_choose(const struct mpg_distribution *d, struct mpg_fitted *f,
                      struct mpg_error *err);
/* The value at probability U of [0, 1): the location at 0. */
double mpg_fitted_quantile(const struct mpg_fitted *f, double u);
/* Its mean, location and all. */
double mpg_fitted_mean(const struct mpg_fitted *f);
/* Of a row of such values after each other, the one in which a point of it lies that is chosen by
 * V of [0, 1): a draw in which each value counts by its length. F's values are all >= 0 and not
 * all 0. The part location / mean of V takes a value as it is, the rest one of the family weighted
 * by what it is beyond the location (gamma: of shape + 1; Cox, Renewal theory, 1962, section 5.4). */
double mpg_fitted_biased(const struct mpg_fitted *f, double v);

#endif
