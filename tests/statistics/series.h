/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series with dependent samples, like those of real machines, and known quantiles. */
#ifndef MPG_TEST_SERIES_H
#define MPG_TEST_SERIES_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stddef.h>

enum series_kind {
    SERIES_INDEPENDENT,
    SERIES_AR_9,       /* first-order autoregressive, coefficient 0.9 */
    SERIES_AR_999,     /* coefficient 0.999 */
    SERIES_SHIFTS,     /* coefficient 0.999, with level shifts every 3000 samples on average */
    SERIES_TWO_WAYS,   /* two directions in turn, with means a third apart, each autoregressive with 0.99 */
    SERIES_OUTLIERS,   /* coefficient 0.9, and one sample in 300 longer, by a Pareto factor without a mean */
    SERIES_KINDS
};

static const char *const series_name[SERIES_KINDS] = {
    "independent", "AR(0.9)", "AR(0.999)", "AR(0.999) with shifts", "two ways by turns",
    "AR(0.9) with outliers"};

/* Maps a normal number to an exponentially distributed time. */
static double series_time(double z)
{
    return -237.1 * log(gsl_cdf_ugaussian_Q(z));
}

/* Stores N values of KIND in X. */
static void series_draw(gsl_rng *rng, enum series_kind kind, double *x, size_t n)
{
    static const double lag[SERIES_KINDS] = {0, 0.9, 0.999, 0.999, 0.99, 0.9};
    double r = lag[kind], z = gsl_ran_gaussian(rng, 1), level = gsl_ran_gaussian(rng, 1);
    for (size_t i = 0; i < n; i++) {
        bool two = kind == SERIES_TWO_WAYS, back = two && i % 2;
        if (!back)
            z = r * z + sqrt(1 - r * r) * gsl_ran_gaussian(rng, 1);
        if (kind == SERIES_SHIFTS && gsl_rng_uniform(rng) < 1 / 3000.0)
            level = gsl_ran_gaussian(rng, 1);
        if (two)
            x[i] = (back ? 310 : 230) + 30 * (0.6 * z + 0.8 * gsl_ran_gaussian(rng, 1));
        else
            x[i] = series_time(kind == SERIES_SHIFTS ? (z + level) / sqrt(2) : z);
        if (kind == SERIES_OUTLIERS && gsl_rng_uniform(rng) < 1 / 300.0)
            x[i] *= 1 + 1 / gsl_rng_uniform_pos(rng);
    }
}

/* Returns the cumulative distribution function of KIND at X. */
static double series_cdf(enum series_kind kind, double x)
{
    if (kind == SERIES_TWO_WAYS)
        return (gsl_cdf_ugaussian_P((x - 230) / 30) + gsl_cdf_ugaussian_P((x - 310) / 30)) / 2;
    double plain = -expm1(-x / 237.1);
    if (kind != SERIES_OUTLIERS)
        return plain;
    /* Values multiplied by 1 + 1 / U: the mean over U, by the midpoint rule with 10000 parts. */
    double longer = 0;
    for (int k = 0; k < 10000; k++)
        longer += -expm1(-x / (237.1 * (1 + 1 / ((k + 0.5) / 10000)))) / 10000;
    return plain * (1 - 1 / 300.0) + longer / 300;
}

/* Returns the exact quantile of KIND at P, by bisection. */
static double series_quantile(enum series_kind kind, double p)
{
    double low = 0, high = 1e5;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (series_cdf(kind, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

#endif
