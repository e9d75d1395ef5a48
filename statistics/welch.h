/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The difference of two means. Pure functions, thread-safe; need libm only. */
#ifndef MPG_WELCH_H
#define MPG_WELCH_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the mean of N >= 1 values. */
double mpg_mean(const double *value, size_t n);

/* Returns the probability that |t| of Student's distribution with FREEDOM > 0 degrees of freedom is at least T >= 0: the
 * incomplete beta function I(f / (f + t^2); f / 2, 1 / 2) by its continued fraction (DLMF 8.17.22), relative error below 1e-9. */
double mpg_student_beyond(double t, double freedom);
/* Returns t with mpg_student_beyond(t, FREEDOM) = P; 0 < P < 1. */
double mpg_student_limit(double p, double freedom);

struct mpg_welch {
    double a, b, difference;  /* means; b - a */
    double low, high;         /* confidence interval of the difference */
    double freedom, p;        /* degrees of freedom; two-sided p-value of equal means */
};

/* Compares the means of A (N >= 2 values) and B (M >= 2), independent and with different variances, by Welch's t test (Biometrika
 * 34 (1947) 28), with an interval of CONFIDENCE (within 0..1). Without any variance the interval is the difference, FREEDOM is
 * infinite, and P is 0, or 1 for equal means. */
struct mpg_welch mpg_welch_test(const double *a, size_t n, const double *b, size_t m, double confidence);

struct mpg_welch_ratio {
    double ratio, low, high; /* mean of B / mean of A, and its confidence interval; infinite: unlimited */
};

/* Returns the ratio of the means of B and A > 0, with the interval of CONFIDENCE: the ratios r that Welch's test of the means of
 * B and r A does not reject (Fieller, J. R. Stat. Soc. B 16 (1954) 175). The interval is unlimited if A's mean cannot be told
 * from 0. Same conditions as mpg_welch_test(). */
struct mpg_welch_ratio mpg_welch_ratio(const double *a, size_t n, const double *b, size_t m, double confidence);

/* Minimum number of values of each sample for a decision. With two values of one, Welch's degrees of freedom are too
 * uncertain: up to 6 % of simulated comparisons without a change find one (tests/analyse/test-compare-conditions.c, with
 * numbers 2 and 5). */
enum { MPG_WELCH_MIN = 3 };
/* Sets *LOW and *HIGH to the interval of the change from A to B: as mpg_welch_ratio() less 1 if IS_RATIO, otherwise as
 * mpg_welch_test(). */
void mpg_welch_change(const double *a, size_t n, const double *b, size_t m, bool is_ratio, double confidence, double *low,
                      double *high);

#endif
