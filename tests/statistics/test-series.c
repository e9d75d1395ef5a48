/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often confidence intervals of quantiles contain the true value for dependent samples: series of the sizes that
 * benchmarks measure, and launches that differ. */
#include <gsl/gsl_errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/order.h"
#include "statistics/series.h"
#include "tests/statistics/series.h"
#include "tests/tap.h"

enum { MOST = 100000, LAUNCHES = 5 };

static gsl_rng *rng;
static double x[MOST];
static uint32_t launch[MOST], pair[MOST];
static const double p[] = {0.5, 0.99};

static void estimates_of(const struct mpg_samples *s, struct mpg_quantile_estimate estimate[2], double *lag)
{
    if (mpg_estimate_quantiles(s, p, 2, 0.95, estimate, lag) < 0) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
}

/* ---- by hand ---- */

static void test_closed_forms(void)
{
    struct mpg_quantile_estimate estimate[2];
    double lag, four[] = {3.7, 1.2, 9.1, 4.4};
    struct mpg_rank_bounds b = mpg_rank_bounds(&(struct mpg_effective_size){100, 1e9}, 1000, 0.5, 0.95);
    ok(b.low == 390 && b.high == 609 && !b.low_open && !b.high_open,
       "1000 samples that count for 100: ten times the ranks 40 and 61, outwards");
    b = mpg_rank_bounds(&(struct mpg_effective_size){100, 4}, 1000, 0.5, 0.95);
    /* 4 degrees of freedom: Student's quantile is 2.776 instead of the normal 1.960, so that 100 samples count for
     * 100 (1.960 / 2.776)^2 = 49. The median of 49 has the bounds of ranks 18 and 32. */
    ok(b.low == 17 * 1000 / 49 && b.high == 653, "where 4 degrees of freedom say so, for 49");
    b = mpg_rank_bounds(&(struct mpg_effective_size){100, 1e9}, 1000, 0.99, 0.95);
    ok(!b.low_open && b.high_open && b.high == 999, "a hundred bound no 99th percentile above");
    b = mpg_rank_bounds(&(struct mpg_effective_size){2400, 1e9}, 300, 0.99, 0.95);
    ok(b.high_open && !b.low_open, "nor do 300, however much they count for");
    estimates_of(&(struct mpg_samples){.n = 1, .value = four}, estimate, &lag);
    ok(estimate[0].value == 3.7 && isinf(estimate[0].low) && isinf(estimate[0].high) &&
           estimate[0].independent == 1 && estimate[0].launches == 1 && lag == 0,
       "one sample bounds nothing");
    for (int i = 0; i < 1000; i++)
        x[i] = 41.5;
    estimates_of(&(struct mpg_samples){.n = 1000, .value = x}, estimate, &lag);
    ok(estimate[0].low == 41.5 && estimate[1].high == 41.5 && estimate[1].low == 41.5 && lag == 0,
       "all alike: nothing else is possible");
    estimates_of(&(struct mpg_samples){.n = 4, .value = four}, estimate, &lag);
    /* ranks relative to their mean, doubled: -1, -3, 3, 1 */
    ok(fabs(lag - (3.0 - 9 + 3) / 20) < 1e-12, "rank autocorrelation by hand: %g", lag);
    for (int i = 0; i < 6; i++) {
        x[i] = i % 3 == 0 ? 100 : i % 3 == 1 ? 110 : 121; /* samples of three launches in turn */
        launch[i] = (uint32_t)(2 - i % 3);
    }
    for (int i = 6; i < 3000; i++) {
        x[i] = x[i - 3];
        launch[i] = launch[i - 3];
    }
    estimates_of(&(struct mpg_samples){.n = 3000, .value = x, .launch = launch}, estimate, NULL);
    /* Logarithms ln 1.1 apart, three values: t(2) = 4.3027, standard error ln 1.1 / sqrt 3. */
    double factor = exp(4.302652730 * log(1.1) / sqrt(3));
    ok(fabs(estimate[0].high / (110 * factor) - 1) < 1e-9 && estimate[0].launches == 3 &&
           fabs(estimate[0].low / (110 / factor) - 1) < 1e-9 && estimate[0].freedom == 2,
       "three launches ten percent apart: Student's interval of their logarithms");
}

static void test_worth(void)
{
    double state = 0, share[2] = {0};
    enum { N = 20000, TIMES = 100 };
    gsl_rng_set(rng, 3);
    for (int t = 0; t < TIMES; t++) {
        /* A value is repeated with probability 0.6, which is then the correlation of any function of it: the effective
         * number of samples is (1 - 0.6) / (1 + 0.6) of their number. */
        for (int i = 0; i < N; i++)
            x[i] = state = i > 0 && gsl_rng_uniform(rng) < 0.6 ? state : gsl_rng_uniform(rng);
        for (int q = 0; q < 2; q++)
            share[q] += (double)N / mpg_series_effective_size(x, N, p[q]).samples / TIMES;
    }
    /* The cautious rule omits valid terms (cosines) if the lower ones happen to be larger. */
    ok(share[0] > 4 && share[0] < 5.6 && share[1] > 4 && share[1] < 5.6,
       "values that stay with probability 0.6 count for a quarter or little less: 1 / %.2f, in the tail 1 / %.2f",
       share[0], share[1]);
}

/* ---- coverage ---- */

struct held {
    int median, p99, bounded;
};

static struct held hold(const struct mpg_samples *s, const double truth[2], struct held held)
{
    struct mpg_quantile_estimate estimate[2];
    estimates_of(s, estimate, NULL);
    held.median += estimate[0].low <= truth[0] && truth[0] <= estimate[0].high;
    held.p99 += estimate[1].low <= truth[1] && truth[1] <= estimate[1].high;
    held.bounded += !isinf(estimate[0].low) && !isinf(estimate[0].high);
    return held;
}

static void test_series(void)
{
    /* MIN: least coverage in percent. A series must be long enough to contain its rarest events about ten times;
     * otherwise no method reaches the nominal coverage. */
    static const struct {
        enum series_kind kind;
        size_t n;
        int times;
        double min;
    } c[] = {
        {SERIES_INDEPENDENT, 250, 1200, 92}, {SERIES_INDEPENDENT, 10000, 300, 92},
        {SERIES_AR_9, 1000, 1200, 92},       {SERIES_AR_9, 10000, 300, 92},
        {SERIES_AR_999, 1000, 600, 87},      {SERIES_AR_999, 10000, 300, 92},
        {SERIES_AR_999, 100000, 60, 90},     {SERIES_SHIFTS, 10000, 300, 90},
        {SERIES_SHIFTS, 100000, 60, 90},     {SERIES_TWO_WAYS, 3000, 600, 90},
        {SERIES_TWO_WAYS, 10000, 300, 92},   {SERIES_OUTLIERS, 1000, 600, 92},
        {SERIES_OUTLIERS, 10000, 300, 92}};
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        double truth[2] = {series_quantile(c[k].kind, 0.5), series_quantile(c[k].kind, 0.99)};
        struct held held = {0};
        gsl_rng_set(rng, 1 + k);
        for (int t = 0; t < c[k].times; t++) {
            series_draw(rng, c[k].kind, x, c[k].n);
            held = hold(&(struct mpg_samples){.n = c[k].n, .value = x}, truth, held);
        }
        double part = 100.0 / c[k].times;
        ok(held.median * part >= c[k].min && held.p99 * part >= c[k].min - 3,
           "%s, %zu samples: the median is held in %.1f %%, the 99th percentile in %.1f %%; "
           "%.0f %% of the median's intervals have two ends",
           series_name[c[k].kind], c[k].n, held.median * part, held.p99 * part,
           held.bounded * part);
    }
}

/* Launches of 400 dependent samples, each for two pairs of ranks, whose levels differ by the relative amount SD. */
static void test_launches(size_t launches, double sd)
{
    enum { N = 400, TIMES = 1500 };
    double truth[2] = {0, 0};
    struct held held = {0};
    gsl_rng_set(rng, 11);
    for (int t = 0; t < TIMES; t++) {
        for (size_t l = 0; l < launches; l++) {
            double level = 500 * exp(sd * gsl_ran_gaussian(rng, 1));
            for (size_t i = 0; i < N; i++) {
                size_t at = l * N + i;
                double z = at % (N / 2) ? 0.9 * (x[at - 1] - 1) : 0;
                x[at] = 1 + z + sqrt(0.19) * gsl_ran_gaussian(rng, 1);
                launch[at] = (uint32_t)l;
                pair[at] = i >= N / 2;
            }
            (void)level;
            for (size_t i = N; i-- > 0;)
                x[l * N + i] = level * exp(0.02 * (x[l * N + i] - 1));
        }
        struct mpg_samples s = {launches * N, x, launch, pair};
        truth[0] = 500;
        truth[1] = 500 * exp(hypot(0.02, sd) * gsl_cdf_ugaussian_Pinv(0.99));
        held = hold(&s, truth, held);
    }
    ok(held.median >= 0.92 * TIMES && held.median <= 0.985 * TIMES,
       "%zu launches that differ by %g %%: the median of all that could be is held in %.1f %%",
       launches, 100 * sd, 100.0 * held.median / TIMES);
}

/* ---- dependence without autocorrelation ---- */

static void test_blindness(void)
{
    struct mpg_quantile_estimate estimate[2];
    double lag, mean = 0, squares = 0, products = 0;
    enum { N = 10000 };
    gsl_rng_set(rng, 5);
    series_draw(rng, SERIES_TWO_WAYS, x, N);
    for (int i = 0; i < N; i += 200)
        x[i] *= 1 + 9 * gsl_rng_uniform(rng);
    for (int i = 0; i < N; i++)
        mean += x[i] / N;
    for (int i = 0; i < N; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        products += i > 0 ? (x[i - 1] - mean) * (x[i] - mean) : 0;
    }
    estimates_of(&(struct mpg_samples){.n = N, .value = x}, estimate, &lag);
    ok(lag < -0.4 && fabs(products / squares) < 0.2,
       "ways by turns with outliers: lag-1 %.3f by moments, %.3f by ranks", products / squares,
       lag);
    ok(estimate[0].independent > 200 && estimate[0].independent < 8 * N,
       "%d count for %.0f as far as the median goes", N, estimate[0].independent);
}

/* The order of the files does not matter. */
static void test_order(void)
{
    enum { N = 3000 };
    static double mixed[N];
    static uint32_t mixed_launch[N], mixed_pair[N];
    struct mpg_quantile_estimate a[2], b[2];
    size_t at = 0;
    gsl_rng_set(rng, 23);
    series_draw(rng, SERIES_AR_9, x, N);
    for (uint32_t i = 0; i < N; i++) {
        launch[i] = i / 1000;
        pair[i] = i % 1000 / 500;
    }
    for (uint32_t k = 0; k < 500; k++) /* stretches of samples in turn, each in its own order */
        for (uint32_t s = 6; s-- > 0; at++) {
            mixed[at] = x[s * 500 + k];
            mixed_launch[at] = launch[s * 500 + k];
            mixed_pair[at] = pair[s * 500 + k];
        }
    estimates_of(&(struct mpg_samples){N, x, launch, pair}, a, NULL);
    estimates_of(&(struct mpg_samples){N, mixed, mixed_launch, mixed_pair}, b, NULL);
    ok(a[0].low == b[0].low && a[0].high == b[0].high && a[1].low == b[1].low &&
           a[0].independent == b[0].independent && a[0].launches == 3,
       "launches and pairs by turns are told apart");
}

int main(void)
{
    gsl_set_error_handler_off();
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    test_closed_forms();
    test_worth();
    test_series();
    test_launches(2, 0.05);
    test_launches(3, 0);
    test_launches(3, 0.01);
    test_launches(3, 0.1);
    test_launches(LAUNCHES, 0.05);
    test_blindness();
    test_order();
    gsl_rng_free(rng);
    return done();
}
