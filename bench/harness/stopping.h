/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a series of measurements has been measured often enough: distribution-free
 * confidence intervals of its quantiles (statistics/series.h), for as many independent samples
 * as it counts for. Stopping at a given width keeps the confidence when many samples are
 * needed (Chow and Robbins, Ann. Math. Statist. 36, 1965). */
#ifndef MPG_STOPPING_H
#define MPG_STOPPING_H

#include <stdbool.h>
#include <stddef.h>

/* What is asked of each series. */
struct mpg_goal {
    double confidence;   /* 0..1, exclusive */
    double median_error; /* half width of the median's interval, as a part of it; 0: not asked */
    double tail_error;   /* the same of the 99th percentile */
};

/* An interval between order statistics of a series. */
struct mpg_series_interval {
    double quantile, low, high; /* low -HUGE_VAL or high HUGE_VAL: too few samples */
    double independent;         /* how many independent samples the series counts for */
};

/* The interval of the P quantile (0 < P < 1) at CONFIDENCE of the N >= 1 values of SERIES, in
 * the order measured; SORTED holds the same, ascending. It is that of mpg_series_worth() and
 * mpg_worth_bounds(): whatever changes within the series is in it, from one value to the next or
 * from one of its blocks, measured at different times, to another. What changes more slowly than
 * it lasts cannot be. In O(N) time. */
struct mpg_series_interval mpg_quantile_interval(const double *series, const double *sorted,
                                                 size_t n, double p, double confidence);

/* What a series still lacks of a goal. */
struct mpg_lack {
    bool median, tail;
};
struct mpg_lack mpg_goal_lacks(const struct mpg_goal *goal, const double *series,
                               const double *sorted, size_t n);

#endif
