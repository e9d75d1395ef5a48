/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics for the summaries that benchmarks print. */
#ifndef MPG_STATISTICS_H
#define MPG_STATISTICS_H

#include <stddef.h>

/* Sorts N values ascending, in place. */
void mpg_sort(double *value, size_t n);
/* The P quantile (0..1) of N >= 1 ascending values: the smallest value that at
 * least P*N of them do not exceed. */
double mpg_sorted_quantile(const double *value, size_t n, double p);

#endif
