/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parametric families fitted to samples by maximum likelihood, for people: what
 * kind of distribution is this? Pure functions, thread-safe. */
#ifndef MPG_FIT_H
#define MPG_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum mpg_family {      /* of x - location; parameters in order */
    MPG_EXPONENTIAL,   /* mean (the samples' unit) */
    MPG_GAMMA,         /* shape, scale (unit): mean shape scale */
    MPG_LOGNORMAL,     /* mu, sigma: mean and sd of ln((x - location) / unit) */
    MPG_WEIBULL,       /* shape, scale (unit): P(> x) = exp(-(x / scale)^shape) */
    MPG_PARETO,        /* tail only: exponent; P(> x | > threshold) = (x / threshold)^-exponent */
    MPG_FAMILIES
};

enum { MPG_FIT_PARAMETERS = 2, MPG_FIT_MIN_SAMPLES = 8, MPG_FIT_MIN_TAIL = 50 };

struct mpg_fit {
    size_t n;               /* samples it was fitted to; 0: could not be fitted */
    int parameters;         /* 1 or 2 of the following */
    double value[MPG_FIT_PARAMETERS];
    double low[MPG_FIT_PARAMETERS], high[MPG_FIT_PARAMETERS]; /* 95 % intervals */
    double threshold;       /* Pareto: smallest x - location of the tail; others 0 */
    double ks;              /* Kolmogorov-Smirnov distance, of the tail where that is fitted */
    double log_likelihood;  /* natural */
};

struct mpg_fits {
    size_t n;
    double location;
    struct mpg_fit fit[MPG_FAMILIES];
    enum mpg_family best; /* not MPG_PARETO, which describes only a part of the samples */
};

/* "exponential", "gamma", "lognormal", "weibull", "pareto tail". */
const char *mpg_family_name(enum mpg_family family);
/* "mean", "shape", "scale", "mu", "sigma", "exponent"; NULL beyond the last. */
const char *mpg_family_parameter(enum mpg_family family, int parameter);

/* The part of the distribution at or below DISTANCE = x - location, 0..1; for
 * MPG_PARETO of the tail. FIT must have been fitted. */
double mpg_fit_cdf(enum mpg_family family, const struct mpg_fit *fit, double distance);

/* Fits all families to N >= MPG_FIT_MIN_SAMPLES values (in any order, of one unit,
 * copied), none below LOCATION. Samples at LOCATION itself - the clock's
 * resolution, or LOCATION is the minimum - count as half the smallest distance from
 * it that occurs: the densities have no value at 0.
 *
 * Intervals hold for independent samples: exact ones where there are (exponential,
 * lognormal and Pareto: chi-square and t), else by the Fisher information on a
 * logarithmic scale (gamma: shape from psi'; Weibull: Johnson, Kotz, Balakrishnan,
 * Continuous Univariate Distributions I, 21.6). Gamma's shape is found by Newton's
 * method (Minka, Estimating a Gamma distribution, 2002), Weibull's by a bracketed one.
 *
 * The tail is Hill's estimator (Ann. Stat. 3 (1975) 1163) above the threshold with
 * the smallest Kolmogorov-Smirnov distance (Clauset, Shalizi, Newman, SIAM Rev. 51
 * (2009) 661, 3.3), among 64 from the upper half to the highest MPG_FIT_MIN_TAIL
 * samples; with fewer than twice that many samples there is none. Its interval
 * is widened for having chosen the threshold. It is that of a tail which is a power law from the
 * threshold on, and not of the exponent that a tail comes near to far out: of a generalised
 * Pareto distribution of shape 0.5 (exponent 2 in the limit) it holds 2 in a fifth of the cases.
 *
 * There is no probability to a distance, but to a tail's (below): parameters come from the same samples, so
 * Kolmogorov's distribution would be far too kind (Lilliefors, JASA 62 (1967) 399).
 * The best family is the one with the smallest distance; among all whose distance is
 * within 0.5 / sqrt(n) of that (sampling error of a distance), the one with the least
 * Bayesian information criterion, parameters ln n - 2 log_likelihood (Schwarz, Ann.
 * Stat. 6 (1978) 461: AIC would take a gamma for every sixth exponential).
 *
 * A family that does not fit at all has n = 0: gamma for samples all but equal,
 * Pareto without a tail. Time: that of a sort and some 20 passes. Errors: too few
 * samples; one that is not finite, below LOCATION or beyond 1e150; all equal, or all
 * but equal: to a relative 1e-6; out of memory. */
int mpg_fit_all(const double *samples, size_t n, double location, struct mpg_fits *fits,
                struct mpg_error *err);

/* The goodness of fit of FIT, the tail that mpg_fit_all() fitted to the same SAMPLES above
 * LOCATION: the *PROBABILITY that a distance is as large where the tail is a power law. By
 * drawing such samples again, fitting them, threshold and all, and counting (semi-parametric
 * bootstrap: Clauset, Shalizi and Newman, section 4.1), at most 100 times, and no more than is
 * needed to know that it is 0.1 or more. Deterministic. A tail of less than
 * MPG_FIT_TAIL_PROBABILITY does not hold. Errors: as mpg_fit_all(). */
#define MPG_FIT_TAIL_PROBABILITY 0.1
int mpg_fit_tail_probability(const double *samples, size_t n, double location,
                             const struct mpg_fit *fit, double *probability,
                             struct mpg_error *err);

#endif
