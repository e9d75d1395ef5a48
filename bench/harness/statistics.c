/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics. */
#include "bench/harness/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void mpg_sort(double *value, size_t n)
{
    if (n > 1)
        qsort(value, n, sizeof *value, compare);
}

double mpg_sorted_quantile(const double *value, size_t n, double p)
{
    double rank = ceil(p * (double)n);
    size_t i = rank < 1 ? 0 : (size_t)rank - 1;
    return value[i < n ? i : n - 1];
}
