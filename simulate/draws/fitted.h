/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parametric family fitted to a signature's distribution (docs/MODEL.md, section 3, Fitted families). Immutable once chosen. */
#ifndef MPG_FITTED_H
#define MPG_FITTED_H

#include "common/error.h"
#include "statistics/distribution.h"
#include "statistics/gamma.h"

enum mpg_fitted_family {
    MPG_FITTED_CONSTANT, /* all samples are equal */
    MPG_FITTED_EXPONENTIAL,
    MPG_FITTED_GAMMA,
    MPG_FITTED_LOGNORMAL,
    MPG_FITTED_WEIBULL
};

struct mpg_fitted {
    enum mpg_fitted_family family;
    double location; /* the smallest value; the parameters below describe the excess over it, in the samples' unit */
    double a, b;     /* exponential: mean; gamma, weibull: shape, scale; lognormal: mu, sigma */
    struct mpg_gamma gamma;  /* gamma distribution of shape a */
    struct mpg_gamma biased; /* gamma distribution for length-biased draws: of shape 2, a + 1 or 1 + 1 / a */
};

/* Chooses among D's fits to all samples the one with the smallest Kolmogorov-Smirnov distance; a constant if D has a single
 * value. Errors: D has no such fit; its parameters do not belong to its family, or give values above 1e100. */
int mpg_fitted_choose(const struct mpg_distribution *d, struct mpg_fitted *f,
                      struct mpg_error *err);
/* Returns the quantile at U, 0 <= U < 1; the location at 0. */
double mpg_fitted_quantile(const struct mpg_fitted *f, double u);
/* Returns the mean, including the location. */
double mpg_fitted_mean(const struct mpg_fitted *f);
/* Returns a length-biased draw by V, 0 <= V < 1: the density of a value is multiplied by the value. F's values are >= 0 and not
 * all 0. With probability location / mean the draw is unweighted; otherwise it is weighted by the part beyond the location
 * (gamma: shape + 1; Cox, Renewal Theory, 1962, section 5.4). */
double mpg_fitted_biased(const struct mpg_fitted *f, double v);

#endif
