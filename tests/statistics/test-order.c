/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics: quantiles of few values, and ranks from GSL's binomial distribution. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/order.h"
#include "tests/tap.h"

static void test_quantiles(void)
{
    double value[] = {7, -2.5, 4, 7, 0};
    mpg_sort(value, 5);
    ok(value[0] == -2.5 && value[1] == 0 && value[2] == 4 && value[3] == 7 && value[4] == 7,
       "sorted");
    ok(mpg_sorted_quantile(value, 5, 0) == -2.5 && mpg_sorted_quantile(value, 5, 0.2) == -2.5 &&
           mpg_sorted_quantile(value, 5, 0.21) == 0 && mpg_sorted_quantile(value, 5, 0.5) == 4 &&
           mpg_sorted_quantile(value, 4, 0.5) == 0 && mpg_sorted_quantile(value, 5, 1) == 7,
       "quantiles are values");
}

static void test_interpolation(void)
{
    const double value[] = {-2.5, 0, 4, 7, 7.3};
    ok(mpg_interpolated_quantile(value, 5, 0) == -2.5 && mpg_interpolated_quantile(value, 5, 0.5) == 4 &&
           mpg_interpolated_quantile(value, 5, 1) == 7.3 && mpg_interpolated_quantile(value, 1, 0.3) == -2.5,
       "at values");
    ok(mpg_interpolated_quantile(value, 5, 0.25 * 0.6) == (1 - 0.6) * -2.5 + 0.6 * 0 &&
           fabs(mpg_interpolated_quantile(value, 5, 0.9) - (0.4 * 7 + 0.6 * 7.3)) < 1e-14,
       "between values");
}

/* Returns P(at most K of N), for K from -1 on. */
static double at_most(double k, double p, size_t n)
{
    return k < 0 ? 0 : gsl_cdf_binomial_P((unsigned int)k, p, (unsigned int)n);
}

/* Returns whether LOW is the largest rank such that the P quantile lies below its value with probability at most
 * BEYOND. Probabilities within rounding of BEYOND count as either. */
static bool is_largest(size_t low, size_t n, double p, double beyond)
{
    return at_most((double)low - 1, p, n) <= beyond * (1 + 1e-7) &&
           at_most((double)low, p, n) >= beyond * (1 - 1e-7);
}

static void test_ranks(void)
{
    static const double p[] = {0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999};
    static const double confidence[] = {0.5, 0.9, 0.95, 0.99, 0.9999};
    int wrong = 0, tried = 0, inside = 0;
    for (size_t n = 1; n < 1200000; n += 1 + n / 7)
        for (size_t i = 0; i < sizeof p / sizeof *p; i++)
            for (size_t j = 0; j < sizeof confidence / sizeof *confidence; j++) {
                size_t low, high;
                double beyond = (1 - confidence[j]) / 2;
                mpg_order_interval(n, p[i], confidence[j], &low, &high);
                bool right = low < high && high <= n + 1 && is_largest(low, n, p[i], beyond) &&
                             is_largest(n + 1 - high, n, 1 - p[i], beyond);
                if (!right && wrong++ < 5)
                    printf("# %zu values, quantile %g at %g: %zu and %zu\n", n, p[i],
                           confidence[j], low, high);
                inside += low > 0 && high <= n;
                tried++;
            }
    ok(wrong == 0 && tried > 3000 && inside > tried / 2,
       "ranks as GSL's binomial distribution has them: %d of %d are not", wrong, tried);
    /* Where GSL fails: the normal approximation, correct within one or two ranks. */
    size_t low, high;
    mpg_order_interval(100000000, 0.5, 0.95, &low, &high);
    ok(fabs((double)low - (5e7 - 1.959964 * 5000)) <= 2 &&
           fabs((double)high - (5e7 + 1.959964 * 5000)) <= 2,
       "the median of a hundred million values: %zu and %zu", low, high);
}

/* Numbers of both signs and all magnitudes, with equal ones, as qsort() has them. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_sorting(void)
{
    static const size_t sizes[] = {0, 1, 2, 1000, 4095, 4096, 4097, 300001};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        double *value = malloc((n + 1) * sizeof *value), *other = malloc((n + 1) * sizeof *other);
        uint64_t x = 88172645463325252u + k;
        for (size_t i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            const int kind = (int)(x % 5);
            value[i] = other[i] = kind == 0 ? 0 : kind == 1 ? (double)(x % 97) : ldexp((double)(int64_t)x, (int)(x % 301) - 200);
        }
        mpg_sort(value, n);
        qsort(other, n, sizeof *other, ascending);
        ok(n == 0 || memcmp(value, other, n * sizeof *value) == 0, "%zu numbers are sorted", n);
        free(value);
        free(other);
    }
    double extreme[5000];
    for (size_t i = 0; i < 5000; i++)
        extreme[i] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? -INFINITY : -5e-324;
    mpg_sort(extreme, 5000);
    ok(extreme[0] == -INFINITY && extreme[1667] == -5e-324 && extreme[4999] == INFINITY && extreme[3332] == -5e-324,
       "with infinities");
}

int main(void)
{
    gsl_set_error_handler_off();
    test_sorting();
    test_quantiles();
    test_interpolation();
    test_ranks();
    return done();
}
