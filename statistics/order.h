/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics: sorted values, which of them is a quantile, and between which of them
 * the true one lies. Pure functions, thread-safe; libm is all that they need. */
#ifndef MPG_ORDER_H
#define MPG_ORDER_H

#include <stddef.h>

/* Sorts N values, none of them NAN, ascending, in place. */
void mpg_sort(double *value, size_t n);
/* The P quantile (0..1) of N >= 1 ascending values: the smallest value that at
 * least P*N of them do not exceed (Hyndman and Fan, Am. Stat. 50 (1996) 361,
 * definition 1). */
double mpg_sorted_quantile(const double *value, size_t n, double p);

/* The ranks, from 1, of the order statistics of N independent values around their P
 * quantile (0 < P < 1): *LOW the largest and *HIGH the smallest for which each side is
 * left out with a probability of at most (1 - CONFIDENCE) / 2, by the binomial
 * distribution (Conover, Practical Nonparametric Statistics, 3.2; David and Nagaraja,
 * Order Statistics, 3rd ed., 7.1). 0 and N + 1 stand for the ends that N values do not
 * bound. 0 < CONFIDENCE < 1. */
void mpg_order_interval(size_t n, double p, double confidence, size_t *low, size_t *high);

#endif
