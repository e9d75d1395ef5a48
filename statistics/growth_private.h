/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that make a struct mpg_growth. */
#ifndef MPG_GROWTH_PRIVATE_H
#define MPG_GROWTH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "statistics/growth.h"

/* Where values were measured, and each shape there. */
struct growth_design {
    size_t counts;      /* distinct N, ascending */
    double *n, *weight; /* COUNTS: N, and how many values there are of it */
    double *term;       /* MPG_GROWTH_SHAPES rows of COUNTS, each scaled so that its largest is 1 */
    double *scale;      /* MPG_GROWTH_SHAPES: what the terms were divided by */
    double values;      /* sum of the weights */
};

struct mpg_growth_fit {
    struct mpg_growth_model model; /* with a shape's coefficient unscaled */
    double error;   /* mean of 2 |f - y| / (f + y) of counts that were left out */
    double squares; /* sum of weights times squared residuals of logarithms */
};

/* The counts of N and the shapes there, or -1 without memory. ORDER: the VALUES N, ascending. */
int mpg_growth_design_make(const double *ordered_n, size_t values, struct growth_design *d);
void mpg_growth_design_free(struct growth_design *d);

/* Fits SHAPE (or MPG_GROWTH_CONSTANT) to the mean logarithms LOG[counts]; WORK: 4 * counts
 * doubles. False where it does not fit: a coefficient that is not positive, a term that is
 * nowhere more than 1 / 2000 of the whole, f not positive where measured, or what is fitted to all
 * N but one is undetermined. */
bool mpg_growth_fit(const struct growth_design *d, int shape, const double *log, double *work, struct mpg_growth_fit *fit);

/* Of the shapes FIRST..LAST-1 the one that predicts best, in BEST, and the least squares of any in *SQUARES; false:
 * none fits. Of equally good ones (to 1e-10) the first. */
bool mpg_growth_choose(const struct growth_design *d, int first, int last, const double *log, double *work,
                       struct mpg_growth_fit *best, double *squares);

/* The length of the path from shape to shape, FIRST..LAST-1, in the order in which they grow, as
 * angles between them: in radians. It begins at what logarithms come near to: of rising ones at the step behind the
 * smallest N, of falling ones at -ln N. */
double mpg_growth_path(const struct growth_design *d, int first, int last);

#endif
