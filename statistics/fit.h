/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parametric families fitted to samples by maximum likelihood, to describe the kind of distribution to people.
 * Pure functions, thread-safe. */
#ifndef MPG_FIT_H
#define MPG_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum mpg_family {      /* distributions of x - location; parameters in order */
    MPG_EXPONENTIAL,   /* mean (the samples' unit) */
    MPG_GAMMA,         /* shape, scale (unit); the mean is shape * scale */
    MPG_LOGNORMAL,     /* mu, sigma: mean and sd of ln((x - location) / unit) */
    MPG_WEIBULL,       /* shape, scale (unit): P(> x) = exp(-(x / scale)^shape) */
    MPG_PARETO,        /* tail only: exponent; P(> x | > threshold) = (x / threshold)^-exponent */
    MPG_FAMILIES
};

enum { MPG_FIT_PARAMETERS = 2, MPG_FIT_MIN_SAMPLES = 8, MPG_FIT_MIN_TAIL = 50 };

struct mpg_fit {
    size_t n;               /* number of samples fitted; 0: no fit exists */
    int parameters;         /* number of elements used below: 1 or 2 */
    double value[MPG_FIT_PARAMETERS];
    double low[MPG_FIT_PARAMETERS], high[MPG_FIT_PARAMETERS]; /* 95 % confidence intervals */
    double threshold;       /* Pareto: smallest x - location of the tail; else 0 */
    double ks;              /* Kolmogorov-Smirnov distance; for a tail the distance within the tail */
    double log_likelihood;  /* natural logarithm */
};

struct mpg_fits {
    size_t n;
    double location;
    struct mpg_fit fit[MPG_FAMILIES];
    enum mpg_family best; /* never MPG_PARETO, which describes only part of the samples */
};

/* Returns "exponential", "gamma", "lognormal", "weibull" or "pareto tail"; a constant string. */
const char *mpg_family_name(enum mpg_family family);
/* Returns "mean", "shape", "scale", "mu", "sigma" or "exponent"; NULL beyond the last parameter. */
const char *mpg_family_parameter(enum mpg_family family, int parameter);

/* Returns the CDF of a fitted FAMILY at DISTANCE = x - location, within 0..1; for MPG_PARETO the CDF of the tail. */
double mpg_fit_cdf(enum mpg_family family, const struct mpg_fit *fit, double distance);

/* Fits all families to N >= MPG_FIT_MIN_SAMPLES values, in any order and unit (copied), none below LOCATION. A
 * sample equal to LOCATION (limited clock resolution, or LOCATION is the minimum) counts as half the smallest
 * positive distance: the densities have no value at 0.
 *
 * Intervals hold for independent samples. They are exact for exponential, lognormal and Pareto (chi-square and t);
 * for gamma and Weibull they use the Fisher information on a logarithmic scale (Johnson, Kotz, Balakrishnan,
 * Continuous Univariate Distributions I, 21.6). Gamma's shape is found by Newton's method (Minka, Estimating a
 * Gamma distribution, 2002), Weibull's by a bracketed Newton's method.
 *
 * The tail is Hill's estimator (Ann. Stat. 3 (1975) 1163) above the threshold of least Kolmogorov-Smirnov distance
 * (Clauset, Shalizi, Newman, SIAM Rev. 51 (2009) 661, 3.3), among 64 thresholds from the upper half to the highest
 * MPG_FIT_MIN_TAIL samples. Fewer than 2 MPG_FIT_MIN_TAIL samples have no tail. The interval is widened for the
 * choice of the threshold. It covers the exponent of a tail that follows a power law from the threshold on, not an
 * asymptotic exponent: for a generalised Pareto distribution of shape 0.5 (asymptotic exponent 2) the interval
 * contains 2 in a fifth of the cases.
 *
 * Distances have no p-value here, except for tails (below): parameters fitted to the samples make Kolmogorov's
 * distribution far too favourable (Lilliefors, JASA 62 (1967) 399). The best family: among all families within 0.5
 * / sqrt(n) of the least distance (the sampling error of a distance), the least Bayesian information criterion,
 * parameters ln n - 2 log_likelihood (Schwarz, Ann. Stat. 6 (1978) 461). AIC would take a gamma for every sixth
 * exponential.
 *
 * A family without a fit has n = 0: gamma for nearly equal samples, Pareto without a tail. Time: a sort and some
 * 20 passes. Errors: too few samples; a sample not finite, below LOCATION or beyond 1e150; all samples equal to a
 * relative 1e-6; out of memory. */
int mpg_fit_all(const double *samples, size_t n, double location, struct mpg_fits *fits,
                struct mpg_error *err);

/* Computes the goodness of fit of FIT, the tail that mpg_fit_all() fitted to SAMPLES above LOCATION. *PROBABILITY
 * becomes the chance of at least FIT's distance if the tail is a power law, by a semi-parametric bootstrap with a
 * new fit and threshold each (Clauset, Shalizi and Newman, section 4.1): at most 100 replicates, fewer once 0.1 is
 * certainly reached. Deterministic. Below MPG_FIT_TAIL_PROBABILITY the power law is rejected. Errors: as
 * mpg_fit_all(). */
#define MPG_FIT_TAIL_PROBABILITY 0.1
int mpg_fit_tail_probability(const double *samples, size_t n, double location,
                             const struct mpg_fit *fit, double *probability,
                             struct mpg_error *err);

#endif
