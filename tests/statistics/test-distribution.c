/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions compared with closed forms, at values for which a missing factor would show. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/distribution.h"
#include "tests/tap.h"

static bool near(double got, double expected)
{
    bool same = fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected));
    if (!same)
        printf("# got %.17g, expected %.17g\n", got, expected);
    return same;
}

static struct mpg_distribution *make(const double *samples, size_t n, size_t knots)
{
    struct mpg_error err;
    struct mpg_distribution *d = mpg_distribution_from_samples(samples, n, knots, &err);
    if (!d || mpg_distribution_check(d, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return d;
}

static void test_closed_forms(void)
{
    const double samples[] = {2.385, -7.13, 11.9, 0.0625, 3.7};
    struct mpg_distribution *d = make(samples, 5, MPG_DISTRIBUTION_KNOTS);
    double mean = (2.385 - 7.13 + 11.9 + 0.0625 + 3.7) / 5, squares = 0, products = 0;
    for (int i = 0; i < 5; i++) {
        squares += (samples[i] - mean) * (samples[i] - mean);
        if (i > 0)
            products += (samples[i - 1] - mean) * (samples[i] - mean);
    }
    ok(d->n == 5 && d->knots == 10, "five samples are five steps");
    ok(near(d->mean, mean), "mean");
    ok(near(d->sd, sqrt(squares / 4)), "standard deviation divides by n - 1");
    ok(near(d->lag1, products / squares), "lag-1 autocorrelation, in time order");
    ok(d->quantiles[0] == -7.13 && d->quantiles[9] == 11.9, "exact extremes");
    ok(mpg_distribution_quantile(d, 0.19) == -7.13 && mpg_distribution_quantile(d, 0.21) == 0.0625 &&
           mpg_distribution_quantile(d, 0.5) == 2.385 && mpg_distribution_quantile(d, 0.79) == 3.7 &&
           mpg_distribution_quantile(d, 0.81) == 11.9,
       "each sample has a fifth of the probability");
    ok(near(mpg_distribution_quantile(d, 0.2), -7.13 + 0.8 * (0.0625 + 7.13)) &&
           near(mpg_distribution_quantile(d, 0.8), 3.7 + 0.2 * (11.9 - 3.7)),
       "at a jump, linear between order statistics at (n - 1) p");
    ok(mpg_distribution_quantile(d, 0) == -7.13 && mpg_distribution_quantile(d, 1) == 11.9,
       "quantiles at 0 and 1");
    ok(mpg_distribution_quantile(d, -0.1) == -7.13 && mpg_distribution_quantile(d, 1.1) == 11.9 &&
           mpg_distribution_quantile(d, (double)NAN) == -7.13,
       "quantiles outside 0 to 1 are the nearer end");
    ok(mpg_distribution_quantile(d, nextafter(1, 0)) <= 11.9, "no quantile above the maximum");
    mpg_distribution_free(d);
}

static void test_small(void)
{
    const double one[] = {41.7}, same[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, two[] = {9, 4};
    struct mpg_distribution *d = make(one, 1, MPG_DISTRIBUTION_KNOTS);
    ok(d->mean == 41.7 && d->sd == 0 && d->lag1 == 0 && d->quantiles[0] == 41.7 &&
           d->quantiles[d->knots - 1] == 41.7 && mpg_distribution_quantile(d, 0.3) == 41.7,
       "one sample");
    mpg_distribution_free(d);
    d = make(same, 7, 2);
    ok(d->mean == 0.1 && d->sd == 0 && d->lag1 == 0, "equal samples have no variance at all");
    ok(mpg_distribution_quantile(d, 0.7) == 0.1, "equal samples, any quantile");
    mpg_distribution_free(d);
    d = make(two, 2, 2);
    ok(near(d->sd, sqrt(12.5)) && near(d->lag1, -0.5) && near(mpg_distribution_quantile(d, 0.3), 5.5),
       "two samples, two knots");
    mpg_distribution_free(d);
    d = make(two, 2, MPG_DISTRIBUTION_KNOTS);
    ok(mpg_distribution_quantile(d, 0.5) == 6.5 && mpg_distribution_quantile(d, 0.49) == 4,
       "the median of two samples is between them");
    mpg_distribution_free(d);
}

/* The quantile function of an exponential distribution at the probabilities assigned to its samples. */
static void test_exponential(void)
{
    enum { N = 1000000 };
    static const double exact[] = {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999};
    double *samples = malloc(N * sizeof *samples);
    if (!samples)
        return;
    uint64_t state = 88172645463325252u;
    double worst = 0, previous = 0;
    for (int i = 0; i < N; i++)
        samples[i] = -37.5 * log1p(-(i + 0.5) / N);
    for (int i = N - 1; i > 0; i--) { /* shuffled */
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        int j = (int)(state % (uint64_t)(i + 1));
        double held = samples[i];
        samples[i] = samples[j];
        samples[j] = held;
    }
    struct mpg_distribution *d = make(samples, N, 257);
    for (int i = 1; i < 10000; i++)
        worst = fmax(worst, fabs(mpg_distribution_quantile(d, i / 1e4) /
                                 (-37.5 * log1p(-i / 1e4)) - 1));
    ok(worst < 0.02, "exponential: quantiles within 2 %% (%.2g)", worst);
    worst = 0;
    for (int i = 0; i < 8; i++)
        worst = fmax(worst, fabs(mpg_distribution_quantile(d, exact[i]) /
                                 (-37.5 * log1p(-exact[i])) - 1));
    ok(worst < 0.001, "exponential: at the exact probabilities within 0.1 %% (%.2g)", worst);
    ok(fabs(d->mean - 37.5) < 0.01 && fabs(d->sd - 37.5) < 0.1, "exponential: mean and sd");
    ok(fabs(d->lag1) < 0.02, "shuffled: no autocorrelation");
    bool ascending = true;
    for (int i = 0; i <= 10007; i++) {
        double value = mpg_distribution_quantile(d, i / 10007.0);
        ascending = ascending && (i == 0 || value >= previous);
        previous = value;
    }
    ok(ascending, "quantile ascends");
    mpg_distribution_free(d);
    free(samples);
}

/* For every number of samples and of knots, interpolation keeps the order and the extremes. */
static void test_every_size(void)
{
    double samples[40];
    bool good = true;
    for (int i = 0; i < 40; i++)
        samples[i] = i % 3 == 0 ? 0.1 : 0.1 * i;
    for (size_t n = 1; n <= 40; n++) {
        for (size_t knots = 2; knots <= 60; knots++) {
            struct mpg_distribution *d = make(samples, n, knots);
            double max = samples[0];
            for (size_t i = 0; i < n; i++)
                max = fmax(max, samples[i]);
            good = good && d->knots <= knots && d->quantiles[d->knots - 1] == max &&
                   d->quantiles[0] == 0.1;
            mpg_distribution_free(d);
        }
    }
    ok(good, "every n to 40 with every number of knots to 60");
}

static void test_errors(void)
{
    struct mpg_error err;
    const double bad[] = {1, NAN, 2}, infinite[] = {1, -INFINITY}, large[] = {1e151}, good[] = {1, 2};
    ok(!mpg_distribution_from_samples(good, 0, 257, &err) && strstr(err.text, "at least one"),
       "no samples: %s", err.text);
    ok(!mpg_distribution_from_samples(bad, 3, 257, &err) && strstr(err.text, "sample 1"),
       "not a number: %s", err.text);
    ok(!mpg_distribution_from_samples(infinite, 2, 257, &err), "infinite: %s", err.text);
    ok(!mpg_distribution_from_samples(large, 1, 257, &err), "too large: %s", err.text);
    ok(!mpg_distribution_from_samples(good, 2, 1, &err), "one knot: %s", err.text);
    ok(!mpg_distribution_from_samples(good, 2, MPG_DISTRIBUTION_MAX_KNOTS + 1, &err),
       "too many knots: %s", err.text);
    ok(!mpg_distribution_from_samples(good, 2, 1, NULL), "no error struct");
    mpg_distribution_free(NULL);
}

static void test_check(void)
{
    struct mpg_error err;
    double q[] = {1, 2, 3}, p[] = {0, 0.5, 1};
    const struct mpg_distribution good = {
        .n = 3, .mean = 2, .sd = 1, .knots = 3, .probabilities = p, .quantiles = q};
    struct mpg_distribution d = good;
    ok(mpg_distribution_check(&d, &err) == 0, "check: good");
    d.n = 0;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    d = good, d.knots = 1;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    d = good, d.mean = 3.5;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    d = good, d.sd = -1;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    d = good, d.sd = (double)NAN;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    d = good, d.lag1 = 1.5;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[1] = 1.5;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[1] = (double)NAN;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[1] = 0;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[1] = 1;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[1] = 0.5, p[2] = 0.75;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[2] = 1, p[0] = 0.25;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    p[0] = 0;
    double five[] = {0, 0.5, 0.5, 0.5, 1}, values[] = {1, 2, 2, 3, 3};
    d = good, d.knots = 5, d.probabilities = five, d.quantiles = values;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    five[1] = 0.25, five[3] = 0.5;
    ok(mpg_distribution_check(&d, &err) == 0, "check: a jump %s", err.text);
    d = good, q[1] = 4;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
    q[1] = (double)NAN;
    ok(mpg_distribution_check(&d, &err) < 0, "check: %s", err.text);
}

int main(void)
{
    test_closed_forms();
    test_small();
    test_exponential();
    test_every_size();
    test_errors();
    test_check();
    return done();
}
