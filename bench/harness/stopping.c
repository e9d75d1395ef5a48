/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics' confidence intervals. */
#include "config.h"

#include "bench/harness/stopping.h"

#include <math.h>

#include "bench/harness/statistics.h"

#define TAIL_P 0.99
enum { LEAST_BLOCKS = 5 };

/* The probability of K successes among N. */
static double binomial(double n, double p, double k)
{
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* The least count whose cumulative binomial probability exceeds SIDE. */
static size_t binomial_quantile(size_t n, double p, double side)
{
    double mean = (double)n * p, reach = 9 * (1 + sqrt(mean * (1 - p))); /* 1e-15 lies beyond */
    double k = floor(fmax(0, mean - reach)), part = binomial((double)n, p, k), below = part;
    while (below <= side && k < (double)n) {
        part *= ((double)n - k) / (k + 1) * p / (1 - p);
        below += part;
        k++;
    }
    return (size_t)k;
}

void mpg_order_interval(size_t n, double p, double confidence, size_t *low, size_t *high)
{
    double side = (1 - confidence) / 2;
    /* The true quantile is below value LOW when fewer than LOW values lie below it,
     * and mirrored above. */
    *low = binomial_quantile(n, p, side);
    *high = n + 1 - binomial_quantile(n, 1 - p, side);
}

/* Lag-1 autocorrelation of whether values exceed LIMIT. */
static double exceedance_correlation(const double *series, size_t n, double limit)
{
    double above = 0, both = 0;
    for (size_t i = 0; i < n; i++) {
        above += series[i] > limit;
        both += i > 0 && series[i] > limit && series[i - 1] > limit;
    }
    double part = above / (double)n;
    if (n < 3 || part <= 0 || part >= 1)
        return 0;
    return (both / (double)(n - 1) - part * part) / (part * (1 - part));
}

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

struct mpg_interval mpg_quantile_interval(const double *series, const double *sorted, size_t n,
                                          size_t block, double p, double confidence)
{
    struct mpg_interval interval = {mpg_sorted_quantile(sorted, n, p), -HUGE_VAL, HUGE_VAL, 0};
    double r = fmin(fmax(exceedance_correlation(series, n, interval.quantile), 0), 0.999);
    double samples = fmin((double)n * (1 - r) / (1 + r),
                          block_samples(series, n, block, interval.quantile));
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
static bool lies_within(const struct mpg_interval *interval, double error)
{
    double margin = error * fabs(interval->quantile);
    return interval->quantile - interval->low <= margin &&
           interval->high - interval->quantile <= margin;
}

struct mpg_lack mpg_goal_lacks(const struct mpg_goal *goal, const double *series,
                               const double *sorted, size_t n, size_t block)
{
    struct mpg_interval median =
        mpg_quantile_interval(series, sorted, n, block, 0.5, goal->confidence);
    struct mpg_interval tail =
        mpg_quantile_interval(series, sorted, n, block, TAIL_P, goal->confidence);
    return (struct mpg_lack){
        goal->median_error > 0 && !lies_within(&median, goal->median_error),
        goal->tail_error > 0 && !lies_within(&tail, goal->tail_error)};
}
