/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting, sample quantiles, binomial rank intervals. */
#include "statistics/order.h"

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

/* ln N!. lgamma() alone would store the sign in a variable shared by all threads. */
static double log_factorial(double n)
{
    int sign;
    return lgamma_r(n + 1, &sign);
}

/* The probability of K successes in N trials of probability P. */
static double binomial(double n, double p, double k)
{
    return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * log(p) +
               (n - k) * log1p(-p));
}

/* The least count whose cumulative binomial probability exceeds SIDE. */
static size_t binomial_quantile(size_t n, double p, double side)
{
    double mean = (double)n * p, reach = 9 * (1 + sqrt(mean * (1 - p))); /* a mass of 1e-15 lies beyond */
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
    /* Fewer than LOW values below the quantile put the quantile below value LOW; the upper side is the mirror
     * image. */
    *low = binomial_quantile(n, p, side);
    *high = n + 1 - binomial_quantile(n, 1 - p, side);
}
