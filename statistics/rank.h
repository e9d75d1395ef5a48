/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank-based statistics without an assumption on the distribution of values: midranks, Spearman's correlation and
 * its significance, false discovery rate, medians, Theil-Sen lines. Pure functions, thread-safe, deterministic.
 * Each error is lack of memory. */
#ifndef MPG_RANK_H
#define MPG_RANK_H

#include <stddef.h>

#include "common/error.h"

/* Fills RANK (N elements) with the ascending ranks of VALUE, counted from 1; equal values share the mean of their
 * ranks. No value may be NAN. */
int mpg_midranks(const double *value, size_t n, double *rank, struct mpg_error *err);

/* Computes Spearman's coefficient *R of the N >= 2 pairs (X, Y): Pearson's coefficient of the midranks (Vetter and
 * McCracken 2001, 3.3; Conover, Practical Nonparametric Statistics, 5.4). *R is NAN if X or Y is constant. */
int mpg_spearman(const double *x, const double *y, size_t n, double *r, struct mpg_error *err);

enum { MPG_RANK_EXACT = 9 }; /* largest number of pairs for the exact test */

/* Returns the exact two-sided p-value of the rank correlation of X and Y: the share of all N! permutations of Y
 * with at least the observed |correlation|. X, Y: midranks. 2 <= N <= MPG_RANK_EXACT. */
double mpg_rank_permutations(const double *x, const double *y, size_t n);
/* Returns the two-sided p-value of the rank correlation R (|R| <= 1) of N >= 3 pairs by Student's distribution: t
 * = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom. */
double mpg_rank_student(double r, size_t n);

/* Adjusts the p-values P of N tests for multiple testing. Q[i] becomes the least false discovery rate at which
 * test i is a discovery (Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995) 289): min over j >= i of p(j) n / j
 * for the i-th smallest p-value. */
int mpg_false_discovery(const double *p, size_t n, double *q, struct mpg_error *err);

/* Computes the median of N >= 1 values in any order; for even N the mean of the two middle values. */
int mpg_median(const double *value, size_t n, double *median, struct mpg_error *err);

struct mpg_slope {
    double slope, intercept; /* NAN: all x are equal */
    double low, high;        /* 95 % confidence interval of the slope */
    size_t pairs;            /* number of pairs with different x */
};

/* Fits the Theil-Sen line through N points: the slope is the median of the slopes of all pairs with different x
 * (Theil 1950; Sen, J. Am. Stat. Assoc. 63 (1968) 1379). The line passes through (median of x, median of y).
 *
 * The interval takes two of the M pair slopes in ascending order, counted from 0: numbers (M - 1.959964 s) / 2 - 1
 * and (M + 1.959964 s) / 2, rounded half to even and clamped to 0 .. M - 1. 18 s^2 = n (n - 1) (2 n + 5) - sum of
 * t (t - 1) (2 t + 5) over the groups of t equal x and of t equal y. */
int mpg_theil_sen(const double *x, const double *y, size_t n, struct mpg_slope *slope, struct mpg_error *err);

#endif
