/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics: quantiles of few values, and ranks from GSL's binomial distribution. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Returns P(at most K of N), for K from -1 on. */
static double at_most(double k, double p, size_t n)
{
    return k < 0 ? 0 : gsl_cdf_binomial_P((unsigned int)k, p, (unsigned int)n);
}

/* Returns whether LOW is the largest rank for which the P quantile of N values lies below with probability at most
 * BEYOND. Probabilities within rounding of BEYOND are accepted either way. */
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

int main(void)
{
    gsl_set_error_handler_off();
    test_quantiles();
    test_ranks();
    return done();
}
