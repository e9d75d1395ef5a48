/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that implement struct mpg_growth; private to statistics/growth*.c. */
#ifndef MPG_GROWTH_PRIVATE_H
#define MPG_GROWTH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "statistics/growth.h"

/* The design: the measured N and all shapes evaluated there. */
struct growth_design {
    size_t counts;      /* number of distinct N */
    double *n, *weight; /* COUNTS each: N ascending, and the number of values at N */
    double *term;       /* MPG_GROWTH_SHAPES rows of COUNTS, each divided by its largest element */
    double *scale;      /* MPG_GROWTH_SHAPES: the divisors of the rows */
    double values;      /* sum of the weights */
};

struct mpg_growth_fit {
    struct mpg_growth_model model; /* with the coefficient unscaled */
    double error;   /* cross-validation error: mean of 2 |f - y| / (f + y) */
    double squares; /* weighted sum of squared residuals of logarithms */
};

/* Makes the design of VALUES ascending ORDERED_N. Returns -1 if memory is out; free D by mpg_growth_design_free(). */
int mpg_growth_design_make(const double *ordered_n, size_t values, struct growth_design *d);
void mpg_growth_design_free(struct growth_design *d);

/* Fits SHAPE or MPG_GROWTH_CONSTANT to the mean logarithms LOG[counts]; WORK: 4 * counts doubles. Returns false
 * without a valid fit: the coefficient is not positive, the term nowhere exceeds 1 / 2000 of the model, f is not
 * positive at a measured N, or a leave-one-out fit is undetermined. */
bool mpg_growth_fit(const struct growth_design *d, int shape, const double *log, double *work, struct mpg_growth_fit *fit);

/* Chooses the shape of least cross-validation error among FIRST..LAST-1 into BEST (ties within 1e-10: the first),
 * and the least sum of squares of any shape into *SQUARES. Returns false if no shape fits. */
bool mpg_growth_choose(const struct growth_design *d, int first, int last, const double *log, double *work,
                       struct mpg_growth_fit *best, double *squares);

/* Returns the length in radians of the path through shapes FIRST..LAST-1 ordered by growth: the sum of angles
 * between neighbours. The path begins at the limit of slow growth: for rising shapes a step after the smallest N,
 * for falling shapes -ln N. */
double mpg_growth_path(const struct growth_design *d, int first, int last);

#endif
