/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Welch's test: Student's distribution against GSL's, an example by hand, and the coverage of the interval. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>

#include "statistics/welch.h"
#include "tests/tap.h"

static bool near(double x, double y, double relative)
{
    return fabs(x - y) <= relative * fabs(y);
}

static void test_student(void)
{
    static const double freedoms[] = {1, 1.37, 2, 3.9, 4, 17.25, 238.5, 2.4e4};
    static const double times[] = {0.003, 0.24, 1, 2.385, 9.7, 61};
    static const double ps[] = {0.9, 0.32, 0.05, 0.01, 1e-6};
    bool beyond = true, limits = true;
    for (size_t i = 0; i < sizeof freedoms / sizeof *freedoms; i++) {
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            const double wanted = 2 * gsl_cdf_tdist_Q(times[k], freedoms[i]);
            beyond = beyond && (wanted < 1e-200 || near(mpg_student_beyond(times[k], freedoms[i]), wanted, 1e-8));
        }
        for (size_t k = 0; k < sizeof ps / sizeof *ps; k++)
            limits = limits && near(mpg_student_limit(ps[k], freedoms[i]), gsl_cdf_tdist_Qinv(ps[k] / 2, freedoms[i]), 1e-8);
    }
    ok(beyond, "Student's distribution is GSL's");
    ok(limits, "its quantiles are GSL's");
    ok(near(mpg_student_beyond(1.959963984540054, INFINITY), 0.05, 1e-12), "infinite freedom is the normal distribution");
}

/* Means 920 and 820, variances 400 and 400 of three values each: standard error sqrt(800 / 3), 4 degrees of freedom,
 * for which P(|t| > x) = 1 - (1 + 2 / (4 + x^2)) x / sqrt(4 + x^2). */
static void test_example(void)
{
    static const double a[] = {900, 940, 920}, b[] = {840, 800, 820};
    const struct mpg_welch w = mpg_welch_test(a, 3, b, 3, 0.95);
    const double error = sqrt(800.0 / 3), t = 100 / error, root = sqrt(4 + t * t);
    ok(w.a == 920 && w.b == 820 && w.difference == -100, "means");
    ok(near(w.freedom, 4, 1e-12), "degrees of freedom");
    ok(near(w.p, 1 - (1 + 2 / (root * root)) * t / root, 1e-9), "p-value");
    ok(near(w.high - w.difference, 2.776445105197793 * error, 1e-9) && near(w.difference - w.low, w.high - w.difference, 1e-12),
       "interval");
    static const double c[] = {7, 7}, d[] = {9, 9, 9};
    const struct mpg_welch exact = mpg_welch_test(c, 2, d, 3, 0.95), same = mpg_welch_test(c, 2, c, 2, 0.95);
    ok(exact.low == 2 && exact.high == 2 && exact.p == 0 && isinf(exact.freedom), "no variance: the difference is exact");
    ok(same.low == 0 && same.high == 0 && same.p == 1, "no variance, no difference");
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static void test_coverage(void)
{
    enum { CASES = 4000, N = 3, M = 5 };
    uint64_t state = 2385;
    int held = 0;
    for (int i = 0; i < CASES; i++) {
        double a[N], b[M];
        for (int k = 0; k < N; k++)
            a[k] = gsl_cdf_ugaussian_Pinv(uniform(&state));
        for (int k = 0; k < M; k++)
            b[k] = 11 + 4 * gsl_cdf_ugaussian_Pinv(uniform(&state));
        const struct mpg_welch w = mpg_welch_test(a, N, b, M, 0.95);
        held += w.low <= 11 && 11 <= w.high;
    }
    ok(held > 0.935 * CASES && held < 0.965 * CASES, "95 %% intervals hold the difference in %.1f %%", 100.0 * held / CASES);
}

int main(void)
{
    test_student();
    test_example();
    test_coverage();
    return done();
}
