/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gamma distribution's quantiles, for every shape and probability. */
#ifndef MPG_GAMMA_H
#define MPG_GAMMA_H

struct mpg_gamma {
    double shape;        /* > 0 */
    double log_gamma_1p; /* ln Gamma(1 + shape) */
};

/* The gamma distribution of SHAPE > 0 and scale 1. */
struct mpg_gamma mpg_gamma_of(double shape);

/* The value below which it is with probability U of (0, 1): at least 0, finite, growing
 * with U; 0 where it is smaller than any double. Thread-safe.
 *
 * Newton's method for ln x on ln P, or on ln Q for the upper half. The density of ln x is
 * log-concave, and so are both (An, Log-concave probability distributions, 1995): the
 * method converges from every start. P and Q are those of Abramowitz and Stegun, 6.5.29 and
 * 6.5.31; for shapes from 3000 on Temme's uniform expansion with two terms (The asymptotic
 * expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10 (1979) 757). Relative
 * error below 1e-12 wherever U itself is known to so many digits. */
double mpg_gamma_quantile(const struct mpg_gamma *g, double u);

#endif
