/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of quantiles: ranks compared with tables, coverage for known distributions, series with repeated
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/stopping.h"
#include "statistics/order.h"
#include "tests/tap.h"

enum { N = 300, BLOCK = 20, SERIES = 2000 };

/* The expected ranks come from the binomial distribution. */
static const struct {
    size_t n;
    double p, confidence;
    size_t low, high;
} ranks[] = {
    {5, 0.5, 0.95, 0, 6},    {6, 0.5, 0.95, 1, 6},     {20, 0.5, 0.95, 6, 15},
    {100, 0.5, 0.95, 40, 61}, {100, 0.5, 0.99, 37, 64}, {367, 0.99, 0.95, 359, 368},
    {368, 0.99, 0.95, 360, 368}, {10000, 0.5, 0.95, 4902, 5099},
};

static double uniform(void)
{
    return (random() + 0.5) / 2147483648.0;
}

static struct mpg_series_interval interval_of(const double *series, double p)
{
    static double sorted[N];
    memcpy(sorted, series, sizeof sorted);
    mpg_sort(sorted, N);
    return mpg_quantile_interval(series, sorted, N, p, 0.95);
}

/* Returns the share of the confidence intervals of the P quantile that contain its true value. Values are exponential,
 * each REPEATED times in a row. COUNT: the mean estimated number of independent samples. */
static double coverage(double p, int repeated, double *count)
{
    double series[N], truth = -2.385 * log(1 - p);
    int held = 0;
    *count = 0;
    for (int s = 0; s < SERIES; s++) {
        for (int i = 0; i < N; i++)
            series[i] = i % repeated ? series[i - 1] : -2.385 * log(uniform());
        struct mpg_series_interval interval = interval_of(series, p);
        held += interval.low <= truth && truth <= interval.high;
        *count += interval.independent / SERIES;
    }
    return (double)held / SERIES;
}

/* Returns the share of the confidence intervals of the median that contain its true value. Values are normal (sums of
 * twelve uniform numbers); all values of a block of BLOCK are shifted by one normal amount, with half of their standard
 * deviation. */
static double blocks_coverage(int block, double *count)
{
    double series[N], shift = 0;
    int held = 0;
    *count = 0;
    for (int s = 0; s < SERIES; s++) {
        for (int i = 0; i < N; i++) {
            double sum = -6;
            for (int k = 0; k < 12; k++)
                sum += uniform();
            if (i % block == 0) {
                shift = -6;
                for (int k = 0; k < 12; k++)
                    shift += uniform();
            }
            series[i] = 20 + sum + shift / 2;
        }
        struct mpg_series_interval interval = interval_of(series, 0.5);
        held += interval.low <= 20 && 20 <= interval.high;
        *count += interval.independent / SERIES;
    }
    return (double)held / SERIES;
}

int main(void)
{
    double count, part;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        size_t low, high;
        mpg_order_interval(ranks[i].n, ranks[i].p, ranks[i].confidence, &low, &high);
        if (!ok(low == ranks[i].low && high == ranks[i].high, "the %g quantile of %zu values at %g",
                ranks[i].p, ranks[i].n, ranks[i].confidence))
            printf("# got %zu and %zu, expected %zu and %zu\n", low, high, ranks[i].low,
                   ranks[i].high);
    }
    srandom(7);
    part = coverage(0.5, 1, &count);
    ok(part > 0.94 && part < 0.985, "the median of independent values is held: %g", part);
    ok(count > 0.7 * N, "they count for most: %g of %d", count, N);
    part = blocks_coverage(N / 5, &count);
    ok(part > 0.92, "so is that of five blocks that differ from each other: %g", part);
    part = blocks_coverage(BLOCK, &count);
    ok(part > 0.94, "and of fifteen: %g", part);
    ok(count < 0.4 * N, "which count for fewer: %g", count);
    part = coverage(0.95, 1, &count);
    ok(part > 0.94, "so is the 95th percentile: %g", part);
    part = coverage(0.5, 4, &count);
    ok(part > 0.93, "and the median of values that come four times: %g", part);
    ok(count > 0.1 * N && count < 0.3 * N, "which count for fewer: %g", count);

    double series[N], sorted[N];
    for (int i = 0; i < N; i++)
        sorted[i] = series[i] = 100 + i % 3;
    mpg_sort(sorted, N);
    struct mpg_stopping_goal goal = {0.95, 0.02, 0.1};
    struct mpg_unmet_goals unmet = mpg_goal_unmet(&goal, series, sorted, N);
    ok(!unmet.median && unmet.tail, "300 values bound a median, but no 99th percentile");
    goal.tail_error = 0;
    unmet = mpg_goal_unmet(&goal, series, sorted, N);
    ok(!unmet.median && !unmet.tail, "which need not be asked for");
    goal.median_error = 0.001;
    unmet = mpg_goal_unmet(&goal, series, sorted, 5);
    ok(unmet.median, "five values bound no median");
    return done();
}
