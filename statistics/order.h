/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics: sorting, sample quantiles and distribution-free rank intervals of quantiles. Pure functions, thread-safe;
 * need libm only. */
#ifndef MPG_ORDER_H
#define MPG_ORDER_H

#include <stddef.h>

/* Sorts the N elements of VALUE in place, ascending. No element may be NAN. Of many elements -0 comes before 0. */
void mpg_sort(double *value, size_t n);
/* Returns the P quantile (P within 0..1) of N >= 1 ascending values: the smallest value that at least P*N values
 * do not exceed (Hyndman and Fan, Am. Stat. 50 (1996) 361, definition 1). */
double mpg_sorted_quantile(const double *value, size_t n, double p);
/* Returns the P quantile (P within 0..1) of N >= 1 ascending values, interpolated between the two nearest values (Hyndman and
 * Fan, definition 7). Equals GSL's gsl_stats_quantile_from_sorted_data() where GSL is compiled without fused multiplications,
 * and is the same number on every processor. */
double mpg_interpolated_quantile(const double *value, size_t n, double p);

/* Computes the distribution-free confidence interval of the P quantile from N independent values, as ranks counted
 * from 1. 0 < P < 1, 0 < CONFIDENCE < 1. *LOW is the largest and *HIGH the smallest rank for which each side
 * misses the quantile with probability at most (1 - CONFIDENCE) / 2, by the binomial distribution (Conover,
 * Practical Nonparametric Statistics, 3.2; David and Nagaraja, Order Statistics, 3rd ed., 7.1). *LOW = 0 or *HIGH
 * = N + 1 means: N values are too few to bound this side. */
void mpg_order_interval(size_t n, double p, double confidence, size_t *low, size_t *high);

#endif
