/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of a series' quantiles, compared with a goal. */
#include "config.h"

#include "bench/harness/stopping.h"

#include <math.h>

#include "statistics/order.h"
#include "statistics/series.h"

#define TAIL_P 0.99

struct mpg_series_interval mpg_quantile_interval(const double *series, const double *sorted,
                                                 size_t n, double p, double confidence)
{
    double quantile = mpg_sorted_quantile(sorted, n, p);
    struct mpg_effective_size size = mpg_series_effective_size(series, n, quantile);
    struct mpg_rank_bounds b = mpg_rank_bounds(&size, n, p, confidence);
    return (struct mpg_series_interval){
        quantile, b.low_open ? -HUGE_VAL : fmin(sorted[b.low], quantile),
        b.high_open ? HUGE_VAL : fmax(sorted[b.high], quantile), size.samples};
}

/* Returns whether INTERVAL is within ERROR, relative to the quantile, on both sides. */
static bool lies_within(const struct mpg_series_interval *interval, double error)
{
    double margin = error * fabs(interval->quantile);
    return interval->quantile - interval->low <= margin &&
           interval->high - interval->quantile <= margin;
}

struct mpg_unmet_goals mpg_goal_unmet(const struct mpg_stopping_goal *goal, const double *series,
                               const double *sorted, size_t n)
{
    struct mpg_series_interval median =
        mpg_quantile_interval(series, sorted, n, 0.5, goal->confidence);
    struct mpg_series_interval tail =
        mpg_quantile_interval(series, sorted, n, TAIL_P, goal->confidence);
    return (struct mpg_unmet_goals){
        goal->median_error > 0 && !lies_within(&median, goal->median_error),
        goal->tail_error > 0 && !lies_within(&tail, goal->tail_error)};
}
