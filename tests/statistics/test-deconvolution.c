/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deconvolution of sums of values with known distributions: mean, variance and tail. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/deconvolution.h"
#include "tests/tap.h"

enum { N = 20000, SHIPPED = MPG_DISTRIBUTION_KNOTS, SEEDS = 3 };
static gsl_rng *rng;

enum kind { EXPONENTIAL, GAMMA, LOGNORMAL, WIDE, DETOURS, NORMAL, KINDS };
static const char *const name[KINDS] = {
    "shifted exponential", "gamma",  "lognormal", "wide lognormal",
    "narrow body with 1.5 % detours", "normal",
};
static const double variance_tolerance[KINDS] = {0.05, 0.05, 0.05, 0.1, 0.1, 0.05};

static double draw(enum kind kind)
{
    switch (kind) {
    case EXPONENTIAL:
        return 237.1 + gsl_ran_exponential(rng, 41.3);
    case GAMMA:
        return 100 + gsl_ran_gamma(rng, 2.385, 30);
    case LOGNORMAL:
        return 237 + gsl_ran_lognormal(rng, 3, 0.5);
    case WIDE:
        return gsl_ran_lognormal(rng, 3, 1);
    case DETOURS:
        return gsl_rng_uniform(rng) < 0.015 ? gsl_ran_lognormal(rng, log(25e3), 0.2)
                                            : 237 + gsl_ran_gamma(rng, 4, 3);
    default:
        return 1000 + gsl_ran_gaussian(rng, 50);
    }
}

/* Returns the value that is exceeded with probability Q. */
static double tail(enum kind kind, double q)
{
    switch (kind) {
    case EXPONENTIAL:
        return 237.1 + gsl_cdf_exponential_Qinv(q, 41.3);
    case GAMMA:
        return 100 + gsl_cdf_gamma_Qinv(q, 2.385, 30);
    case LOGNORMAL:
        return 237 + gsl_cdf_lognormal_Qinv(q, 3, 0.5);
    case WIDE:
        return gsl_cdf_lognormal_Qinv(q, 3, 1);
    case DETOURS: /* the gamma part does not reach this far up, nor the detours this far down */
        return q < 0.015 ? gsl_cdf_lognormal_Qinv(q / 0.015, log(25e3), 0.2)
                         : 237 + gsl_cdf_gamma_Qinv((q - 0.015) / 0.985, 4, 3);
    default:
        return 1000 + gsl_cdf_gaussian_Qinv(q, 50);
    }
}

static void moments(enum kind kind, double *mean, double *variance)
{
    double log_mean = exp(3 + 0.5 * 0.25), wide = exp(3.5), detour = 25e3 * exp(0.02), body = 249;
    switch (kind) {
    case EXPONENTIAL:
        *mean = 237.1 + 41.3, *variance = 41.3 * 41.3;
        break;
    case GAMMA:
        *mean = 100 + 2.385 * 30, *variance = 2.385 * 30 * 30;
        break;
    case LOGNORMAL:
        *mean = 237 + log_mean, *variance = log_mean * log_mean * expm1(0.25);
        break;
    case WIDE:
        *mean = wide, *variance = wide * wide * expm1(1);
        break;
    case DETOURS:
        *mean = 0.015 * detour + 0.985 * body;
        *variance = 0.015 * detour * detour * exp(0.04) + 0.985 * (body * body + 36) -
                    *mean * *mean;
        break;
    default:
        *mean = 1000, *variance = 2500;
    }
}

/* A tail quantile becomes less certain with fewer samples beyond it: tolerates the error of two standard deviations of
 * their number. */
static double tail_error(enum kind kind, double q)
{
    double few = 2 * sqrt(q / (2 * N));
    return (tail(kind, q - few) - tail(kind, q + few)) / 2 / tail(kind, q);
}

/* Computes the moments of a piecewise linear quantile function. */
static void quantile_moments(const struct mpg_distribution *d, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i + 1 < d->knots; i++) {
        double a = d->quantiles[i], b = d->quantiles[i + 1];
        double part = d->probabilities[i + 1] - d->probabilities[i];
        sum += part * (a + b) / 2;
        squares += part * (a * a + a * b + b * b) / 3;
    }
    *mean = sum;
    *variance = squares - sum * sum;
}

static bool within(const char *what, double got, double expected, double tolerance)
{
    bool good = fabs(got / expected - 1) <= tolerance;
    if (!good)
        printf("# %s: %g, expected %g, off by %.3f\n", what, got, expected, got / expected - 1);
    return good;
}

static struct mpg_distribution *must(struct mpg_distribution *d, struct mpg_error *err)
{
    if (d && mpg_distribution_check(d, err) == 0)
        return d;
    printf("Bail out! %s\n", err->text);
    exit(1);
}

static bool as_true(const struct mpg_distribution *d, enum kind kind, double summands)
{
    double mean, variance, got_mean, got_variance;
    moments(kind, &mean, &variance);
    quantile_moments(d, &got_mean, &got_variance);
    double chance = 3 * sqrt(variance * summands / N) / mean;
    return within("mean", got_mean, mean, 0.01 + chance) &&
           within("own mean", d->mean, got_mean, 1e-3) &&
           within("variance", got_variance, variance,
                  variance_tolerance[kind] + (kind == DETOURS ? chance : 0)) &&
           within("own sd", d->sd * d->sd, got_variance, 0.01) &&
           within("median", mpg_distribution_quantile(d, 0.5), tail(kind, 0.5), 0.04) &&
           within("p99", mpg_distribution_quantile(d, 0.99), tail(kind, 0.01),
                  0.1 + tail_error(kind, 0.01)) &&
           within("p99.9", mpg_distribution_quantile(d, 0.999), tail(kind, 0.001),
                  0.1 + tail_error(kind, 0.001));
}

static void test_halves(void)
{
    static double sums[N];
    struct mpg_error err;
    for (int kind = 0; kind < KINDS; kind++) {
        int good = 0;
        bool exact = true;
        double misfit, worst = 0;
        for (unsigned long seed = 1; seed <= SEEDS; seed++) {
            gsl_rng_set(rng, seed);
            for (int i = 0; i < N; i++)
                sums[i] = draw((enum kind)kind) + draw((enum kind)kind);
            struct mpg_distribution *d =
                must(mpg_deconvolve_halves(sums, N, SHIPPED, &misfit, &err), &err);
            good += as_true(d, (enum kind)kind, 0.5);
            worst = fmax(worst, misfit);
            double min, max;
            gsl_stats_minmax(&min, &max, sums, 1, N);
            exact = exact &&
                    within("half the mean", d->mean, gsl_stats_mean(sums, 1, N) / 2, 1e-6) &&
                    within("half the variance", d->sd * d->sd, gsl_stats_variance(sums, 1, N) / 2,
                           1e-3) &&
                    d->quantiles[0] >= min / 2 && d->quantiles[d->knots - 1] <= max - min / 2 &&
                    d->n == N && d->knots <= SHIPPED;
            mpg_distribution_free(d);
        }
        ok(good == SEEDS && worst < 0.01, "half of a sum, %s: %d of %d right, misfit up to %.4f",
           name[kind], good, SEEDS, worst);
        ok(exact, "half of a sum, %s: half the mean, half the variance, within its bounds",
           name[kind]);
    }
}

static void test_known(void)
{
    static double sums[N], known[N];
    struct mpg_error err;
    for (int kind = 0; kind < KINDS; kind++) {
        int good = 0;
        double misfit, worst = 0;
        for (unsigned long seed = 1; seed <= SEEDS; seed++) {
            gsl_rng_set(rng, seed);
            for (int i = 0; i < N; i++) {
                sums[i] = draw((enum kind)kind) + 150 + gsl_ran_gamma(rng, 3, 8);
                known[i] = 150 + gsl_ran_gamma(rng, 3, 8);
            }
            struct mpg_distribution *d =
                must(mpg_deconvolve_known(sums, N, known, N, SHIPPED, &misfit, &err), &err);
            double min, max, min_known, max_known;
            gsl_stats_minmax(&min, &max, sums, 1, N);
            gsl_stats_minmax(&min_known, &max_known, known, 1, N);
            good += as_true(d, (enum kind)kind, 1) &&
                    d->quantiles[0] >= fmax(min - max_known, 0) &&
                    d->quantiles[d->knots - 1] <= max - min_known;
            worst = fmax(worst, misfit);
            mpg_distribution_free(d);
        }
        ok(good == SEEDS && worst < 0.01,
           "less a known summand, %s: %d of %d right, misfit up to %.4f", name[kind], good, SEEDS,
           worst);
    }
}

/* Sums that no distribution explains are reported. */
static void test_misfit(void)
{
    static double sums[N];
    struct mpg_error err;
    double misfit;
    gsl_rng_set(rng, 1);
    for (int i = 0; i < N; i++) /* no distribution gives these sums */
        sums[i] = (gsl_rng_uniform(rng) < 0.5 ? 200 : 300) + gsl_rng_uniform(rng);
    mpg_distribution_free(must(mpg_deconvolve_halves(sums, N, SHIPPED, &misfit, &err), &err));
    ok(misfit > 0.03, "two equal peaks are no sum of two alike: misfit %.3f", misfit);
}

/* A coarse clock, few samples, and values without variation. */
static void test_edges(void)
{
    static double sums[N];
    struct mpg_error err;
    double misfit;
    gsl_rng_set(rng, 2);
    for (int i = 0; i < N; i++)
        sums[i] = 25 * round((draw(GAMMA) + draw(GAMMA)) / 25);
    struct mpg_distribution *d = must(mpg_deconvolve_halves(sums, N, SHIPPED, &misfit, &err), &err);
    ok(within("median", mpg_distribution_quantile(d, 0.5), tail(GAMMA, 0.5), 0.1) &&
           within("p99", mpg_distribution_quantile(d, 0.99), tail(GAMMA, 0.01), 0.1),
       "sums counted in 25s");
    mpg_distribution_free(d);
    d = must(mpg_deconvolve_halves(sums, MPG_DECONVOLUTION_MIN_SAMPLES, 2, &misfit, &err), &err);
    ok(d->knots == 2 && d->n == MPG_DECONVOLUTION_MIN_SAMPLES, "few samples");
    mpg_distribution_free(d);
    for (int i = 0; i < N; i++)
        sums[i] = 2.385;
    d = must(mpg_deconvolve_halves(sums, N, SHIPPED, &misfit, &err), &err);
    ok(d->mean == 2.385 / 2 && d->sd == 0 && d->quantiles[0] == d->quantiles[d->knots - 1] && misfit == 0,
       "equal sums have equal halves");
    mpg_distribution_free(d);
    static double known[N];
    for (int i = 0; i < N; i++)
        known[i] = 1;
    d = must(mpg_deconvolve_known(sums, N, known, N, SHIPPED, &misfit, &err), &err);
    ok(d->mean == 2.385 - 1 && d->sd == 0, "equal sums less an equal known one");
    mpg_distribution_free(d);
    for (int i = 0; i < N; i++)
        sums[i] = draw(GAMMA) + 1;
    d = must(mpg_deconvolve_known(sums, N, known, 50, SHIPPED, &misfit, &err), &err);
    ok(within("median", mpg_distribution_quantile(d, 0.5), tail(GAMMA, 0.5), 0.02) &&
           within("p99", mpg_distribution_quantile(d, 0.99), tail(GAMMA, 0.01), 0.05),
       "less a constant");
    mpg_distribution_free(d);
    for (int i = 0; i < N; i++) {
        sums[i] = 1;
        known[i] = 2 + i % 7;
    }
    d = must(mpg_deconvolve_known(sums, N, known, N, SHIPPED, &misfit, &err), &err);
    ok(d->quantiles[0] == 0 && d->quantiles[d->knots - 1] == 0, "a known summand larger than the sum: 0");
    mpg_distribution_free(d);
    sums[0] = 0;
    for (int i = 1; i < 60; i++)
        sums[i] = i % 2 ? 0 : 1e150;
    d = must(mpg_deconvolve_halves(sums, 60, SHIPPED, &misfit, &err), &err);
    ok(d->quantiles[d->knots - 1] <= 1e150, "0 and the largest number");
    mpg_distribution_free(d);
}

static void test_errors(void)
{
    struct mpg_error err;
    double x[60], misfit;
    for (int i = 0; i < 60; i++)
        x[i] = i;
    ok(!mpg_deconvolve_halves(x, 49, SHIPPED, &misfit, &err), "few: %s", err.text);
    ok(!mpg_deconvolve_halves(x, 60, 1, &misfit, &err), "knots: %s", err.text);
    ok(!mpg_deconvolve_known(x, 60, x, 49, SHIPPED, &misfit, &err) && strstr(err.text, "known"),
       "few known: %s", err.text);
    x[5] = -1;
    ok(!mpg_deconvolve_halves(x, 60, SHIPPED, &misfit, &err), "negative: %s", err.text);
    x[5] = (double)NAN;
    ok(!mpg_deconvolve_halves(x, 60, SHIPPED, &misfit, &err), "not a number: %s", err.text);
}

int main(void)
{
    gsl_set_error_handler_off();
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return 1;
    test_halves();
    test_known();
    test_misfit();
    test_edges();
    test_errors();
    gsl_rng_free(rng);
    return done();
}
