/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stopping rule of a measurement: distribution-free confidence intervals of quantiles at the effective size of the
 * series (statistics/series.h). Stopping at a given width preserves the confidence for large numbers of samples
 * (Chow and Robbins, Ann. Math. Statist. 36, 1965). */
#ifndef MPG_STOPPING_H
#define MPG_STOPPING_H

#include <stdbool.h>
#include <stddef.h>

/* Precision goal of a series. */
struct mpg_stopping_goal {
    double confidence;   /* within (0, 1) */
    double median_error; /* half width of the median's interval, relative; 0: no goal */
    double tail_error;   /* half width of the 99th percentile's interval, relative; 0: no goal */
};

/* Confidence interval of a quantile of a series, between two of its sorted values. */
struct mpg_series_interval {
    double quantile, low, high; /* low -HUGE_VAL or high HUGE_VAL: too few samples for a bound */
    double independent;         /* effective size of the series: number of independent samples with the same precision */
};

/* Returns the interval of the P quantile (0 < P < 1) at CONFIDENCE of the N >= 1 values of SERIES in time order;
 * SORTED: the values ascending. Uses mpg_series_effective_size() and mpg_rank_bounds(): the interval covers
 * changes between neighbours and between blocks at different times, but no changes slower than the series. O(N)
 * time. */
struct mpg_series_interval mpg_quantile_interval(const double *series, const double *sorted,
                                                 size_t n, double p, double confidence);

/* The goals that a series does not meet. mpg_goal_unmet() takes SERIES and SORTED as mpg_quantile_interval(). */
struct mpg_unmet_goals {
    bool median, tail;
};
struct mpg_unmet_goals mpg_goal_unmet(const struct mpg_stopping_goal *goal, const double *series,
                               const double *sorted, size_t n);

#endif
