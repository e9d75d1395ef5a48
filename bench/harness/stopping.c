/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of a series' quantiles, held to what is asked. */
#include "config.h"

#include "bench/harness/stopping.h"

#include <math.h>

#include "statistics/inference.h"
#include "statistics/order.h"

#define TAIL_P 0.99
#define MOST_CORRELATION 0.999
enum { LEAST_BLOCKS = 5 };

/* As how many independent samples the shares of values above LIMIT vary between
 * blocks of BLOCK values; HUGE_VAL where too few tell. The variance of few blocks is
 * uncertain, and its inverse too large by (B-1)/(B-3) on average; without that
 * five blocks would hold the quantile in 92 % of cases instead of 95. */
static double block_samples(const double *series, size_t n, size_t block, double limit)
{
    size_t blocks = block > 0 ? n / block : 0;
    double sum = 0, squares = 0;
    if (blocks < LEAST_BLOCKS)
        return HUGE_VAL;
    for (size_t b = 0; b < blocks; b++) {
        double above = 0;
        for (size_t i = 0; i < block; i++)
            above += series[b * block + i] > limit;
        sum += above / (double)block;
        squares += above / (double)block * above / (double)block;
    }
    double mean = sum / (double)blocks;
    double variance = (squares / (double)blocks - mean * mean) / (double)(blocks - 1);
    double bias = (double)(blocks - 1) / (double)(blocks - 3);
    return variance > 0 ? mean * (1 - mean) / variance / bias : HUGE_VAL;
}

struct mpg_series_interval mpg_quantile_interval(const double *series, const double *sorted,
                                                 size_t n, size_t block, double p,
                                                 double confidence)
{
    double quantile = mpg_sorted_quantile(sorted, n, p);
    struct mpg_series_interval interval = {quantile, -HUGE_VAL, HUGE_VAL, 0};
    double r = fmin(mpg_exceedance_correlation(series, n, quantile), MOST_CORRELATION);
    double samples = fmin(mpg_effective_samples(n, r), block_samples(series, n, block, quantile));
    size_t low, high, m = (size_t)fmax(1, floor(samples));
    interval.independent = (double)m;
    mpg_order_interval(m, p, confidence, &low, &high);
    /* The same parts of all N values, outwards. */
    if (low >= 1)
        interval.low = sorted[(size_t)floor((double)(low - 1) * (double)n / (double)m)];
    if (high <= m)
        interval.high = sorted[(size_t)ceil((double)high * (double)n / (double)m) - 1];
    return interval;
}

/* Whether INTERVAL lies within ERROR, a part of the quantile, on both sides. */
static bool lies_within(const struct mpg_series_interval *interval, double error)
{
    double margin = error * fabs(interval->quantile);
    return interval->quantile - interval->low <= margin &&
           interval->high - interval->quantile <= margin;
}

struct mpg_lack mpg_goal_lacks(const struct mpg_goal *goal, const double *series,
                               const double *sorted, size_t n, size_t block)
{
    struct mpg_series_interval median =
        mpg_quantile_interval(series, sorted, n, block, 0.5, goal->confidence);
    struct mpg_series_interval tail =
        mpg_quantile_interval(series, sorted, n, block, TAIL_P, goal->confidence);
    return (struct mpg_lack){
        goal->median_error > 0 && !lies_within(&median, goal->median_error),
        goal->tail_error > 0 && !lies_within(&tail, goal->tail_error)};
}
