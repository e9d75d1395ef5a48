/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals and tests: closed forms, then coverage on synthetic data. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "statistics/inference.h"
#include "statistics/kolmogorov.h"
#include "tests/tap.h"

static gsl_rng *rng;

static bool near(double got, double expected, double tolerance)
{
    bool same = fabs(got - expected) <= tolerance * fmax(fabs(expected), 1e-3);
    if (!same)
        printf("# got %.12g, expected %.12g\n", got, expected);
    return same;
}

static struct mpg_distribution *make(const double *samples, size_t n, size_t knots)
{
    struct mpg_error err;
    struct mpg_distribution *d = mpg_distribution_from_samples(samples, n, knots, &err);
    if (!d) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return d;
}

/* Draws a first-order autoregressive series with exponentially distributed values. */
static void draw(double *x, size_t n, double r, double scale)
{
    double z = gsl_ran_gaussian(rng, 1);
    for (size_t i = 0; i < n; i++) {
        z = r * z + sqrt(1 - r * r) * gsl_ran_gaussian(rng, 1);
        x[i] = scale * gsl_cdf_exponential_Qinv(gsl_cdf_ugaussian_Q(z), 1);
    }
}

/* Returns the interval for N ascending samples that are worth EFFECTIVE independent ones. */
static struct mpg_confidence interval_of(const double *x, size_t n, double effective, double p)
{
    struct mpg_error err;
    struct mpg_confidence i = {0};
    struct mpg_distribution *d = make(x, n, MPG_DISTRIBUTION_KNOTS);
    d->lag1 = ((double)n - effective) / ((double)n + effective);
    if (mpg_distribution_interval(d, p, 0.95, &i, &err) < 0)
        printf("# %s\n", err.text);
    mpg_distribution_free(d);
    return i;
}

static void test_closed_forms(void)
{
    struct mpg_error err;
    struct mpg_confidence i;
    double x[100], score[7];
    bool outlier[7];
    for (int k = 0; k < 100; k++)
        x[k] = 2.385 * (k + 1);
    ok(mpg_effective_samples(1000, 0) == 1000 &&
           near(mpg_effective_samples(1000, 0.6), 250, 1e-12) &&
           mpg_effective_samples(1000, -0.5) == 1000 && mpg_effective_samples(1000, 1) == 1 &&
           mpg_effective_samples(0, 0) == 0,
       "effective samples");
    i = interval_of(x, 10, 10, 0.5);
    ok(near(i.low, 2 * 2.385, 1e-12) && near(i.high, 9 * 2.385, 1e-12) &&
           near(i.coverage, 1 - 2 * 11 / 1024.0, 1e-12) &&
           near(i.value, 5.5 * 2.385, 1e-12),
       "median of ten: second to ninth, 97.85 %%");
    i = interval_of(x, 5, 5, 0.5);
    ok(near(i.low, 2.385, 1e-12) &&
           near(i.high, 5 * 2.385, 1e-12) && near(i.coverage, 1 - 2 / 32.0, 1e-12),
       "median of five: the extremes, 93.75 %%");
    i = interval_of(x, 100, 100, 0.99);
    ok(near(i.low, 97 * 2.385, 1e-12) && near(i.high, 100 * 2.385, 1e-12) &&
           near(i.coverage, gsl_cdf_binomial_Q(96, 0.99, 100) - pow(0.99, 100), 1e-9),
       "p99 of a hundred: nothing above, %.3f left", i.coverage);
    i = interval_of(x, 100, 10, 0.5);
    ok(near(i.low, 12 * 2.385, 1e-12) && near(i.high, 89 * 2.385, 1e-12),
       "a hundred samples that tell as much as ten");
    i = interval_of(x, 1, 1, 0.5);
    ok(i.low == 2.385 &&
           i.high == 2.385 && i.coverage == 0,
       "one sample: nothing is covered");
    const double medians[] = {250.1, 251.3, 249.7, 250.6, 402.7, 250.9, 249.2};
    ok(mpg_outliers(medians, 7, 0, score, outlier, &err) == 1 && outlier[4] && !outlier[0] &&
           near(score[4], 0.6745 * (402.7 - 250.6) / 0.7, 1e-9),
       "an outlier's modified z");
    ok(mpg_outliers(medians, 7, 0.2, score, outlier, &err) == 0, "a floor makes it none");
    const double three[] = {1000, 1000, 1000.001};
    ok(mpg_outliers(three, 3, 0, score, outlier, &err) == 1 && score[2] == 1e9 && score[0] == 0 &&
           mpg_outliers(three, 3, 0.001, score, outlier, &err) == 0,
       "two equal ones and another: the floor decides");
    ok(mpg_outliers(medians + 3, 2, 0, score, outlier, &err) == 0 && !outlier[0] && !outlier[1],
       "two have no outlier");
    const double logs[] = {0.02, -0.01, 0, 0.01, 0.3, -0.02};
    ok(mpg_outliers_of_ratios(logs, 6, 0, score, outlier, &err) == 1 && outlier[4] &&
           near(score[4], 0.6745 * 0.3 / 0.01, 1e-9) && score[2] == 0 &&
           near(score[1], -0.6745, 1e-9),
       "an outlier among logarithms, whose median is about 0");
    ok(mpg_outliers_of_ratios(logs, 6, 0.05, score, outlier, &err) == 1 && outlier[4] &&
           near(score[4], 0.6745 * 0.3 / 0.05, 1e-9) &&
           mpg_outliers_of_ratios(logs, 6, 0.06, score, outlier, &err) == 0,
       "a least spread in their own unit");
    const double half[] = {0.7, 0, 0, 0.7, 0.7, 0};
    ok(mpg_outliers_of_ratios(half, 6, 0.05, score, outlier, &err) == 3 && outlier[0] &&
           outlier[3] && outlier[4] && score[1] == 0,
       "where half are larger, the larger ones are outliers");
}

static void test_coverage(void)
{
    enum { TIMES = 600, N = 1600 };
    static const double p[] = {0.5, 0.9, 0.99}, r[] = {0, 0.5};
    static const size_t knots[] = {N, 257};
    static double x[N];
    struct mpg_error err;
    gsl_rng_set(rng, 7);
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 3; k++) {
            int inside[2] = {0};
            double truth = -237.1 * log1p(-p[k]);
            for (int t = 0; t < TIMES; t++) {
                draw(x, N, r[c], 237.1);
                for (int j = 0; j < 2; j++) {
                    struct mpg_confidence i;
                    struct mpg_distribution *d = make(x, N, knots[j]);
                    inside[j] += mpg_distribution_interval(d, p[k], 0.95, &i, &err) == 0 &&
                                 i.low <= truth && truth <= i.high && i.coverage >= 0.95;
                    mpg_distribution_free(d);
                }
            }
            /* Far quantiles of correlated samples are less correlated than their lag-1 coefficient suggests. */
            ok(inside[0] >= 0.93 * TIMES && inside[1] >= 0.925 * TIMES &&
                   (c > 0 || inside[0] <= 0.98 * TIMES),
               "p%g, lag-1 %g: truth in %.1f %% of the intervals, %.1f %% from few knots",
               100 * p[k], r[c], 100.0 * inside[0] / TIMES, 100.0 * inside[1] / TIMES);
        }
}

/* Returns the Kolmogorov-Smirnov distance by definition, from all samples. */
static double distance_of(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < 2 * n; i++) {
        double at = i < n ? a[i] : b[i - n], fa = 0, fb = 0;
        for (int k = 0; k < n; k++) {
            fa += a[k] <= at;
            fb += b[k] <= at;
        }
        largest = fmax(largest, fabs(fa - fb) / n);
    }
    return largest;
}

static void test_distance(void)
{
    enum { N = 500, TIMES = 600 };
    double a[N], b[N], probability;
    gsl_rng_set(rng, 11);
    const double left[] = {1, 2, 3}, right[] = {10, 11, 12};
    struct mpg_distribution *d = make(left, 3, 3), *e = make(right, 3, 3);
    ok(mpg_kolmogorov_two_sample(d, e, &probability) == 1 && probability < 0.2, "apart: 1");
    ok(mpg_kolmogorov_two_sample(d, d, &probability) == 0 && probability == 1, "the same: 0");
    mpg_distribution_free(d);
    mpg_distribution_free(e);
    int significant = 0, hundredth = 0, found = 0, correlated = 0;
    bool close = true;
    for (int t = 0; t < TIMES; t++) {
        draw(a, N, 0, 1);
        draw(b, N, 0, 1);
        d = make(a, N, 257), e = make(b, N, 257);
        double distance = mpg_kolmogorov_two_sample(d, e, &probability);
        significant += probability < 0.05;
        hundredth += probability < 0.01;
        close = close && (t >= 20 || fabs(distance - distance_of(a, b, N)) < 0.008);
        mpg_distribution_free(e);
        draw(b, N, 0, 1.3);
        e = make(b, N, 257);
        mpg_kolmogorov_two_sample(d, e, &probability);
        found += probability < 0.05;
        mpg_distribution_free(d);
        mpg_distribution_free(e);
        draw(a, N, 0.7, 1);
        draw(b, N, 0.7, 1);
        d = make(a, N, 257), e = make(b, N, 257);
        mpg_kolmogorov_two_sample(d, e, &probability);
        correlated += probability < 0.05;
        mpg_distribution_free(d);
        mpg_distribution_free(e);
    }
    ok(close, "distance as by definition");
    ok(significant >= 8 && significant <= 45 && hundredth <= 14,
       "two samples of one distribution: below 5 %% in %d, below 1 %% in %d of %d", significant,
       hundredth, TIMES);
    ok(found > 500, "1.3 times as large: %d of %d found", found, TIMES);
    ok(correlated <= 50, "autocorrelated samples of one: %d of %d", correlated, TIMES);
}

static void fill_with_detours(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = 250 + gsl_ran_gamma(rng, 3, 5);
        if (gsl_rng_uniform(rng) < 1e-3)
            x[i] += gsl_ran_pareto(rng, 1, 1000);
    }
}

/* 200000 samples show more detail than 257 knots can hold, which must not count as a significant difference. */
static void test_many(void)
{
    enum { N = 200000 };
    double *x = malloc(N * sizeof *x), probability;
    int significant = 0;
    gsl_rng_set(rng, 13);
    for (int t = 0; x && t < 10; t++) {
        fill_with_detours(x, N);
        struct mpg_distribution *d = make(x, N, 257);
        fill_with_detours(x, N);
        struct mpg_distribution *e = make(x, N, 257);
        mpg_kolmogorov_two_sample(d, e, &probability);
        significant += probability < 0.01;
        mpg_distribution_free(d);
        mpg_distribution_free(e);
    }
    ok(significant == 0, "many samples with a tail beyond the last knot: %d of 10 differ",
       significant);
    free(x);
}

static void test_comparison(void)
{
    enum { N = 1000, TIMES = 600 };
    double a[N], b[N];
    struct mpg_error err;
    struct mpg_comparison c;
    gsl_rng_set(rng, 17);
    for (int k = 0; k < 2; k++) {
        double p = k ? 0.99 : 0.5, quantile = -log1p(-p);
        int difference = 0, ratio = 0;
        for (int t = 0; t < TIMES; t++) {
            draw(a, N, 0, 237.1);
            draw(b, N, 0, 260);
            struct mpg_distribution *d = make(a, N, 257), *e = make(b, N, 257);
            if (mpg_compare_quantile(d, e, p, 0.95, &c, &err) < 0)
                return;
            difference += c.difference.low <= (260 - 237.1) * quantile &&
                          c.difference.high >= (260 - 237.1) * quantile;
            ratio += c.ratio.low <= 260 / 237.1 && c.ratio.high >= 260 / 237.1;
            mpg_distribution_free(d);
            mpg_distribution_free(e);
        }
        ok(difference >= 0.925 * TIMES && difference < TIMES && ratio >= 0.925 * TIMES &&
               ratio < TIMES,
           "p%g: true difference in %.1f %%, true ratio in %.1f %% of the intervals", 100 * p,
           100.0 * difference / TIMES, 100.0 * ratio / TIMES);
    }
    ok(near(c.difference.value, c.b.value - c.a.value, 1e-12) &&
           near(c.ratio.value, c.b.value / c.a.value, 1e-12) && c.ratio.low < c.ratio.value &&
           c.difference.high > c.difference.value,
       "difference is b - a, ratio b / a");
    const double zero[] = {0, 0, 0, 1}, one[] = {1, 2, 3, 4};
    struct mpg_distribution *d = make(zero, 4, 5), *e = make(one, 4, 5);
    ok(mpg_compare_quantile(d, e, 0.5, 0.95, &c, &err) == 0 && isnan(c.ratio.value) &&
           near(c.difference.value, 2.5, 1e-12),
       "no ratio to 0");
    mpg_distribution_free(d);
    mpg_distribution_free(e);
}

static void test_stationarity(void)
{
    enum { N = 2000, TIMES = 300 };
    double x[N];
    struct mpg_error err;
    struct mpg_stationarity s;
    int wrong = 0, found = 0, tail = 0;
    gsl_rng_set(rng, 19);
    for (int t = 0; t < TIMES; t++) {
        draw(x, N, 0.4, 1);
        wrong += mpg_stationarity_test(x, N, &s, &err) == 0 && !s.stationary;
        for (int i = N / 2; i < N; i++)
            x[i] += 0.3;
        found += mpg_stationarity_test(x, N, &s, &err) == 0 && !s.stationary &&
                 s.median.difference.value > 0;
        draw(x, N, 0, 1);
        for (int i = N / 2; i < N; i += 8)
            x[i] += 20;
        tail += mpg_stationarity_test(x, N, &s, &err) == 0 && !s.stationary &&
                s.p99.difference.low > 5;
    }
    ok(wrong <= 8, "stationary series found otherwise: %d of %d", wrong, TIMES);
    ok(found > 0.95 * TIMES && tail == TIMES, "a shift found in %d, a longer tail in %d of %d",
       found, tail, TIMES);
    for (int i = 0; i < N; i++)
        x[i] = 2.385;
    ok(mpg_stationarity_test(x, N, &s, &err) == 0 && s.stationary && s.distance == 0,
       "equal values are stationary");
}

static void test_errors(void)
{
    struct mpg_error err;
    struct mpg_confidence i;
    struct mpg_stationarity s;
    double x[40] = {0, 1, 2}, score[3];
    bool outlier[3];
    ok(mpg_stationarity_test(x, 39, &s, &err) < 0, "few: %s", err.text);
    x[7] = (double)NAN;
    ok(mpg_stationarity_test(x, 40, &s, &err) < 0, "not a number: %s", err.text);
    ok(mpg_outliers(x, 0, 0, score, outlier, &err) < 0, "none: %s", err.text);
    ok(mpg_outliers(x, 3, -1, score, outlier, &err) < 0, "floor: %s", err.text);
    ok(mpg_outliers_of_ratios(x, 3, -1, score, outlier, &err) < 0, "least: %s", err.text);
    ok(mpg_outliers_of_ratios(x + 6, 3, 0, score, outlier, &err) < 0, "not a number: %s", err.text);
    ok(mpg_outliers(x + 6, 3, 0, score, outlier, &err) < 0, "not a number: %s", err.text);
    struct mpg_distribution *d = make(x, 3, 3);
    d->n = 2000000;
    ok(mpg_distribution_interval(d, 0.5, 0.95, &i, &err) == 0 && i.low <= i.value &&
           i.value <= i.high && i.coverage >= 0.95,
       "two million samples: %g within %g and %g, coverage %g", i.value, i.low, i.high, i.coverage);
    ok(mpg_distribution_interval(d, 0, 0.9, &i, &err) < 0, "p: %s", err.text);
    ok(mpg_distribution_interval(d, 1, 0.9, &i, &err) < 0, "p: %s", err.text);
    ok(mpg_distribution_interval(d, 0.5, 1, &i, &err) < 0, "confidence: %s", err.text);
    struct mpg_comparison c;
    ok(mpg_compare_quantile(d, d, 0.5, 0, &c, &err) < 0, "confidence: %s", err.text);
    mpg_distribution_free(d);
}

/* The probability below the quantile, by GSL's distribution function, which is reliable. */
static void test_chi_square(void)
{
    static const double p[] = {0.01, 0.025, 0.25, 0.5, 0.975};
    double worst = 0, worst_freedom = 0;
    for (double freedom = 2; freedom < 2e5; freedom *= 1.003)
        for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
            double x = mpg_chi_square_quantile(p[i], freedom);
            double off = fabs(gsl_cdf_chisq_P(x, freedom) - p[i]);
            if (!(off <= worst)) {
                worst = off;
                worst_freedom = freedom;
            }
        }
    ok(worst < 1e-4, "chi-square: quantiles are off by %g at most, at %g degrees of freedom",
       worst, worst_freedom);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_chi_square();
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return 1;
    test_closed_forms();
    test_coverage();
    test_distance();
    test_many();
    test_comparison();
    test_stationarity();
    test_errors();
    gsl_rng_free(rng);
    return done();
}
