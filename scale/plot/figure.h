/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plot of curves over the number of processes. Private to scale/plot/. */
#ifndef MPG_SCALE_FIGURE_H
#define MPG_SCALE_FIGURE_H

#include "common/error.h"
#include "common/plots/plots.h"
#include "statistics/growth.h"

enum { FIGURE_CURVES = 12, FIGURE_TITLE = 160 };

struct figure_curve {
    char title[FIGURE_TITLE];       /* title in the legend; empty: not in the legend */
    size_t n;
    double *x, *y;                  /* `n` points, ascending in x; a y of NAN is not drawn */
    const struct mpg_growth *model; /* model of y / x, drawn as a further line; NULL: none */
    bool thin;                      /* only a thin line without points, for comparison */
};

struct figure {
    const char *name, *title, *second, *ylabel;
    bool linear;                    /* linear axes, for ranks of values; else both axes are logarithmic, and y is in ns */
    size_t curves;
    struct figure_curve curve[FIGURE_CURVES];
};

/* Adds an empty curve with room for N points to F. Returns NULL if memory is out or F is full. */
struct figure_curve *mpg_figure_add(struct figure *f, size_t n, const char *title);
/* Draws F: the points of each curve, and a line through the medians at each x. Frees the points in any case. */
int mpg_figure_draw(struct plot_session *session, struct figure *f, struct mpg_error *err);
void mpg_figure_clear(struct figure *f);

#endif
