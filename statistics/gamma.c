/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the gamma distribution. GSL's functions do not converge for shapes below 0.2 or above 1000, and
 * lose the upper tail. */
#include "statistics/gamma.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_log.h>
#include <gsl/gsl_sf_zeta.h>

enum { MAX_TERMS = 10000, MAX_STEPS = 200 };

static const double EULER = 0.57721566490153286061;
static const double LARGE_SHAPE = 3000;
/* For ln x below TINY_LOG_X, P equals x^a / Gamma(1 + a) to the last bit. */
static const double TINY_LOG_X = -40;

/* At a point x: ln of the CDF P, ln of Q = 1 - P, and ln of x times the density. */
struct point {
    double log_p, log_q, log_slope;
};

/* Returns ln(1 - e^x), for x < 0. */
static double log_1m_exp(double x)
{
    return x > -M_LN2 ? log(-expm1(x)) : log1p(-exp(x));
}

/* Returns ln Gamma(1 + a), with a small relative error even for small A: Abramowitz and Stegun, 6.1.33. */
static double log_gamma_1p(double a)
{
    if (a > 0.5)
        return lgamma(1 + a);
    double sum = a * (1 - EULER) - log1p(a), power = -a;
    for (int k = 2; k < 60 && fabs(power) > 1e-20 * a; k++) {
        power *= -a;
        sum += gsl_sf_zetam1_int(k) * power / k;
    }
    return sum;
}

struct mpg_gamma mpg_gamma_make(double shape)
{
    return (struct mpg_gamma){shape, log_gamma_1p(shape)};
}

/* Returns P from its power series, and Q. For shapes below 1 the series alternates, which keeps Q = 1 - P accurate. */
static struct point by_series(const struct mpg_gamma *g, double y)
{
    double a = g->shape, x = exp(y), sum, log_factor;
    if (a < 1) {
        double term = 1;
        sum = 0;
        for (int n = 1; n < MAX_TERMS && fabs(term) > 1e-18; n++) {
            term *= -x / n;
            sum += term / (a + n);
        }
        log_factor = log1p(a * sum);
    } else {
        double term = sum = 1;
        for (int n = 1; n < MAX_TERMS && term > 1e-17 * sum; n++)
            sum += term *= x / (a + n);
        log_factor = log(sum) - x;
    }
    double log_p = a * y - g->log_gamma_1p + log_factor;
    log_p = log_p < -0x1p-1022 ? log_p : -0x1p-1022;
    return (struct point){log_p, log_1m_exp(log_p), a * y - x - g->log_gamma_1p + log(a)};
}

/* Returns Q from its continued fraction, by Lentz's method, and P. */
static struct point by_fraction(const struct mpg_gamma *g, double y)
{
    double a = g->shape, x = exp(y), b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int n = 1; n < MAX_TERMS; n++) {
        double factor = -n * (n - a);
        b += 2;
        d = 1 / (factor * d + b);
        c = b + factor / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    double log_slope = a * y - x - g->log_gamma_1p + log(a), log_q = log_slope + log(h);
    log_q = log_q < -0x1p-1022 ? log_q : -0x1p-1022;
    return (struct point){log_1m_exp(log_q), log_q, log_slope};
}

/* Returns P and Q for large shapes: Temme 1979, (1.3) to (1.6), with the first two coefficients. */
static struct point by_expansion(const struct mpg_gamma *g, double y)
{
    double a = g->shape, mu = expm1(y - log(a)), c0, c1;
    double eta = copysign(sqrt(-2 * gsl_sf_log_1plusx_mx(mu)), mu);
    if (fabs(mu) < 0.02) {
        c0 = -1.0 / 3 + eta * (1.0 / 12 + eta * (-2.0 / 135 + eta / 864));
        c1 = -1.0 / 540 - eta / 288;
    } else {
        c0 = 1 / mu - 1 / eta;
        c1 = 1 / (eta * eta * eta) - 1 / (mu * mu * mu) - 1 / (mu * mu) - 1 / (12 * mu);
    }
    double rest = (c0 + c1 / a) / sqrt(2 * M_PI * a), exponent = -a * eta * eta / 2;
    double scaled = eta * sqrt(a / 2);
    double log_p = gsl_sf_log_erfc(-scaled) - M_LN2, log_q = gsl_sf_log_erfc(scaled) - M_LN2;
    return (struct point){log_p + log1p(-rest * exp(exponent - log_p)),
                          log_q + log1p(rest * exp(exponent - log_q)),
                          exponent + log(a / (2 * M_PI)) / 2 - log1p(1 / (12 * a))};
}

static struct point evaluate(const struct mpg_gamma *g, double y)
{
    if (g->shape >= LARGE_SHAPE)
        return by_expansion(g, y);
    double x = exp(y);
    return x < (g->shape < 1 ? 1.5 : g->shape + 1) ? by_series(g, y) : by_fraction(g, y);
}

/* Returns ln x from which Newton's method starts, for probability U. LOWER: ln x of the solution of x^a / Gamma(1 + a) =
 * u, which never exceeds the quantile. */
static double first_guess(const struct mpg_gamma *g, double u, double lower)
{
    double a = g->shape;
    if (a < 1) {
        double t = -(log1p(-u) + g->log_gamma_1p - log(a));
        return t > 2 ? log(t - (1 - a) * log(t)) : lower < 0 ? lower : 0;
    }
    /* Wilson and Hilferty 1931 */
    double root = 1 - 1 / (9 * a) + gsl_cdf_ugaussian_Pinv(u) / (3 * sqrt(a));
    return root > 0.3 ? log(a) + 3 * log(root) : lower;
}

double mpg_gamma_quantile(const struct mpg_gamma *g, double u)
{
    double lower = (log(u) + g->log_gamma_1p) / g->shape;
    if (lower < TINY_LOG_X)
        return exp(lower);
    bool upper = u > 0.5;
    double target = upper ? log1p(-u) : log(u), y = first_guess(g, u, lower);
    for (int i = 0; i < MAX_STEPS; i++) {
        struct point at = evaluate(g, y);
        double log_mass = upper ? at.log_q : at.log_p;
        double step = (log_mass - target) * exp(log_mass - at.log_slope);
        step = upper ? step : -step;
        if (!isfinite(step)) /* overflow: the last step went too far, so go back */
            step = upper ? -1 : 1;
        y += step;
        if (fabs(step) < 1e-15 * (1 + fabs(y)) || (i > 20 && fabs(step) < 1e-13))
            break;
    }
    return exp(y);
}
