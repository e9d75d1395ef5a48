/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the gamma distribution for every shape and probability. */
#ifndef MPG_GAMMA_H
#define MPG_GAMMA_H

struct mpg_gamma {
    double shape;        /* > 0 */
    double log_gamma_1p; /* ln Gamma(1 + shape) */
};

/* Returns the gamma distribution of SHAPE > 0 and scale 1, with constants for mpg_gamma_quantile(). */
struct mpg_gamma mpg_gamma_make(double shape);

/* Returns the U quantile, 0 < U < 1: finite, >= 0, increasing with U; 0 if smaller than any double. Thread-safe.
 *
 * Newton's method for ln x on ln P, or on ln Q for the upper half. The density of ln x is log-concave, hence ln P
 * and ln Q are concave (An, Log-concave probability distributions, 1995), and the method converges from every
 * start. P and Q: Abramowitz and Stegun, 6.5.29 and 6.5.31; for shapes from 3000 on Temme's uniform expansion with
 * two terms (SIAM J. Math. Anal. 10 (1979) 757). Relative error below 1e-12 if U itself is known to as many
 * digits. */
double mpg_gamma_quantile(const struct mpg_gamma *g, double u);

#endif
