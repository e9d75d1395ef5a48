/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/welch.h"

#include <float.h>
#include <math.h>

double mpg_mean(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return sum / (double)n;
}

/* Returns the continued fraction of the incomplete beta function at X < (A + 1) / (A + B + 2), by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
    enum { MAX_TERMS = 10000 };
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < MAX_TERMS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return fraction;
}

static double incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double mpg_student_beyond(double t, double freedom)
{
    return isinf(freedom) ? erfc(t / sqrt(2)) : incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double mpg_student_limit(double p, double freedom)
{
    double low = 0, high = 1;
    while (mpg_student_beyond(high, freedom) > p && high < DBL_MAX / 4)
        high *= 2;
    while (high - low > 4 * DBL_EPSILON * high) {
        const double middle = (low + high) / 2;
        *(mpg_student_beyond(middle, freedom) > p ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Returns the mean of N values and the variance of this mean in *VARIANCE. */
static double mean_of(const double *value, size_t n, double *variance)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    *variance = squares / (double)(n - 1) / (double)n;
    return mean;
}

struct mpg_welch mpg_welch_test(const double *a, size_t n, const double *b, size_t m, double confidence)
{
    double of_a, of_b;
    struct mpg_welch w = {.a = mean_of(a, n, &of_a), .b = mean_of(b, m, &of_b), .freedom = INFINITY};
    const double variance = of_a + of_b, error = sqrt(variance);
    w.difference = w.b - w.a;
    w.low = w.high = w.difference;
    w.p = w.difference == 0;
    if (error <= 2 * DBL_EPSILON * fmax(fabs(w.a), fabs(w.b)))
        return w;
    w.freedom = variance * variance / (of_a * of_a / (double)(n - 1) + of_b * of_b / (double)(m - 1));
    w.p = mpg_student_beyond(fabs(w.difference) / error, w.freedom);
    const double half = mpg_student_limit(1 - confidence, w.freedom) * error;
    w.low = w.difference - half;
    w.high = w.difference + half;
    return w;
}

/* Means of two samples, the variances of these means, and the numbers of values less 1. */
struct two_means {
    double a, b, of_a, of_b, freedom_a, freedom_b;
};

/* Returns the p-value of Welch's test that the mean of B is R times the mean of A. */
static double ratio_test(const struct two_means *t, double r)
{
    const double of_a = r * r * t->of_a, variance = of_a + t->of_b;
    if (!(variance > 0))
        return t->b == r * t->a;
    const double freedom = variance * variance / (of_a * of_a / t->freedom_a + t->of_b * t->of_b / t->freedom_b);
    return mpg_student_beyond(fabs(t->b - r * t->a) / sqrt(variance), freedom);
}

/* Returns the end of the interval on the side of SIGN, from RATIO in the interval. */
static double ratio_end(const struct two_means *t, double ratio, double sign, double p)
{
    double inside = 0, outside = fmax(fabs(ratio), 1) * 0x1p-20;
    while (ratio_test(t, ratio + sign * outside) > p && outside < 0x1p100)
        outside *= 2;
    while (outside - inside > 1e-12 * outside) {
        const double middle = (inside + outside) / 2;
        *(ratio_test(t, ratio + sign * middle) > p ? &inside : &outside) = middle;
    }
    return ratio + sign * outside;
}

struct mpg_welch_ratio mpg_welch_ratio(const double *a, size_t n, const double *b, size_t m, double confidence)
{
    struct two_means t = {.freedom_a = (double)(n - 1), .freedom_b = (double)(m - 1)};
    t.a = mean_of(a, n, &t.of_a);
    t.b = mean_of(b, m, &t.of_b);
    const double p = 1 - confidence, ratio = t.b / t.a, rounding = 2 * DBL_EPSILON;
    if (sqrt(t.of_a) <= rounding * t.a && sqrt(t.of_b) <= rounding * fabs(t.b))
        return (struct mpg_welch_ratio){ratio, ratio, ratio};
    if (t.of_a > 0 && mpg_student_beyond(t.a / sqrt(t.of_a), t.freedom_a) > p)
        return (struct mpg_welch_ratio){ratio, -INFINITY, INFINITY};
    return (struct mpg_welch_ratio){ratio, ratio_end(&t, ratio, -1, p), ratio_end(&t, ratio, 1, p)};
}

void mpg_welch_change(const double *a, size_t n, const double *b, size_t m, bool is_ratio, double confidence, double *low,
                      double *high)
{
    if (is_ratio) {
        const struct mpg_welch_ratio w = mpg_welch_ratio(a, n, b, m, confidence);
        *low = w.low - 1;
        *high = w.high - 1;
    } else {
        const struct mpg_welch w = mpg_welch_test(a, n, b, m, confidence);
        *low = w.low;
        *high = w.high;
    }
}
