/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One plot: curves over the number of processes. Private to scale/plot/. */
#ifndef MPG_SCALE_FIGURE_H
#define MPG_SCALE_FIGURE_H

#include "common/error.h"
#include "common/plots/plots.h"
#include "statistics/growth.h"

enum { FIGURE_CURVES = 12, FIGURE_TITLE = 160 };

struct figure_curve {
    char title[FIGURE_TITLE];       /* empty: not among those that are explained */
    size_t n;
    double *x, *y;                  /* ascending in x; y of any sign, or NAN: not drawn */
    const struct mpg_growth *model; /* of y / x; NULL: none is drawn */
    bool thin;                      /* a line for comparison, without points */
};

struct figure {
    const char *name, *title, *second, *ylabel;
    bool linear;                    /* ranks: both axes; else both are logarithmic, y in ns */
    size_t curves;
    struct figure_curve curve[FIGURE_CURVES];
};

/* A further curve for N points at most; NULL without memory or room for it. */
struct figure_curve *mpg_figure_add(struct figure *f, size_t n, const char *title);
/* Draws points, and through the median at each x a line. Frees the curves' points in any case. */
int mpg_figure_draw(struct plot_session *session, struct figure *f, struct mpg_error *err);
void mpg_figure_clear(struct figure *f);

#endif
