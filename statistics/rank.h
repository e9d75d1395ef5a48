/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank correlation, and what goes with it: nothing is assumed of how values are distributed. Pure functions,
 * thread-safe, deterministic. */
#ifndef MPG_RANK_H
#define MPG_RANK_H

#include <stddef.h>

#include "common/error.h"

/* The ranks, from 1, of N values, none of them NAN, ascending; equal ones get the mean of those that they would have
 * had. Error: out of memory. */
int mpg_midranks(const double *value, size_t n, double *rank, struct mpg_error *err);

/* Spearman's coefficient, Pearson's of the midranks (Vetter and McCracken 2001, 3.3; Conover, Practical
 * Nonparametric Statistics, 5.4); NAN where one side is constant. N >= 2. Error: out of memory. */
int mpg_spearman(const double *x, const double *y, size_t n, double *r, struct mpg_error *err);

enum { MPG_RANK_EXACT = 9 }; /* up to so many pairs all permutations are counted */

/* The probability that ranks Y, put beside ranks X in any order, all equally likely, correlate by as much as they do or
 * more, whichever the sign: of N <= MPG_RANK_EXACT midranks each, by counting all N! orders. N >= 2. */
double mpg_rank_permutations(const double *x, const double *y, size_t n);
/* The same for N >= 3 pairs by Student's distribution of t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of
 * freedom. |R| <= 1. */
double mpg_rank_student(double r, size_t n);

/* What the N probabilities P become when as many tests were made: the least rate of false discoveries at which each is
 * one (Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995) 289): of the i-th smallest min over j >= i of p(j) n / j.
 * Error: out of memory. */
int mpg_false_discovery(const double *p, size_t n, double *q, struct mpg_error *err);

/* The middle of N >= 1 values, or the mean of the two in the middle. Error: out of memory. */
int mpg_median(const double *value, size_t n, double *median, struct mpg_error *err);

struct mpg_slope {
    double slope, intercept; /* NAN: all x are equal */
    double low, high;        /* of the slope, with 95 % */
    size_t pairs;            /* that have slopes: of different x */
};

/* The line through N points whose slope is the median of those of all pairs with different x (Theil 1950; Sen, J. Am.
 * Stat. Assoc. 63 (1968) 1379), its intercept that which takes the median of x to that of y. The interval: of the M
 * slopes in ascending order, counted from 0, numbers (M - 1.959964 s) / 2, rounded (halves to even), less 1, and
 * (M + 1.959964 s) / 2, rounded, but none outside 0 .. M - 1, with 18 s^2 = n (n - 1) (2 n + 5) less the sum of
 * t (t - 1) (2 t + 5) over the t equal ones of each x, and of each y. Error: out of memory. */
int mpg_theil_sen(const double *x, const double *y, size_t n, struct mpg_slope *slope, struct mpg_error *err);

#endif
