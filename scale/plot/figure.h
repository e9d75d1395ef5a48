/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plot: curves over the number of processes. Private to scale/plot/. */
#ifndef MPG_SCALE_FIGURE_H
#define MPG_SCALE_FIGURE_H

#include "common/error.h"
#include "common/plots/plots.h"
#include "statistics/growth.h"

enum { FIGURE_CURVES = 12, FIGURE_TITLE = 160 };

struct figure_curve {
    char title[FIGURE_TITLE];       /* empty: not in the legend */
    size_t n;
    double *x, *y;                  /* ascending x; y of any sign, NAN: not drawn */
    const struct mpg_growth *model; /* model of y / x; NULL: no model curve */
    bool thin;                      /* a line for comparison, without points */
};

struct figure {
    const char *name, *title, *second, *ylabel;
    bool linear;                    /* both axes linear (for ranks); otherwise both logarithmic with y in ns */
    size_t curves;
    struct figure_curve curve[FIGURE_CURVES];
};

/* Adds a curve of at most N points. Returns NULL if out of memory or if the figure is full. */
struct figure_curve *mpg_figure_add(struct figure *f, size_t n, const char *title);
/* Draws the points and a line through the medians at each x. Always frees the curves' points. */
int mpg_figure_draw(struct plot_session *session, struct figure *f, struct mpg_error *err);
void mpg_figure_clear(struct figure *f);

#endif
