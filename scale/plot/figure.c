/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes curves as data and script for gnuplot. */
#include "scale/plot/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/table/escape.h"
#include "statistics/rank.h"

enum { MODEL_POINTS = 60, MAX_TITLES = 6 /* with more titles the legend gets a small font */, MAX_TICS = 14 };

static const char *const colours[FIGURE_CURVES] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN, PLOT_PURPLE,
                                                   PLOT_YELLOW, PLOT_SKY_BLUE, PLOT_GREY, "#000000",
                                                   "#6A3D9A", "#B15928", "#B2DF8A", "#E7298A"};

struct figure_curve *mpg_figure_add(struct figure *f, size_t n, const char *title)
{
    if (f->curves == FIGURE_CURVES)
        return NULL;
    struct figure_curve *c = &f->curve[f->curves];
    *c = (struct figure_curve){.x = malloc((n + 1) * sizeof *c->x), .y = malloc((n + 1) * sizeof *c->y)};
    if (!c->x || !c->y) {
        free(c->x);
        free(c->y);
        return NULL;
    }
    mpg_printable(c->title, sizeof c->title, title);
    f->curves++;
    return c;
}

void mpg_figure_clear(struct figure *f)
{
    for (size_t i = 0; i < f->curves; i++) {
        free(f->curve[i].x);
        free(f->curve[i].y);
    }
    f->curves = 0;
}

struct range {
    double low, high;
};

static void stretch(struct range *r, double value)
{
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static bool is_drawn(const struct figure *f, double y)
{
    return isfinite(y) && (f->linear || y > 0);
}

/* Writes two data sets for C: the points, then the median at each x. Extends the ranges X and Y by the points. */
static int put_points(const struct figure *f, const struct figure_curve *c, FILE *data, struct range *x,
                      struct range *y, struct mpg_error *err)
{
    double *same = malloc((c->n + 1) * sizeof *same);
    if (!same)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < c->n; i++)
        if (is_drawn(f, c->y[i])) {
            fprintf(data, "%.10g %.10g\n", c->x[i], c->y[i]);
            stretch(x, c->x[i]);
            stretch(y, c->y[i]);
        }
    fputs("\n\n", data);
    int status = 0;
    for (size_t i = 0, end; status == 0 && i < c->n; i = end) {
        size_t m = 0;
        double median;
        for (end = i; end < c->n && c->x[end] == c->x[i]; end++)
            if (is_drawn(f, c->y[end]))
                same[m++] = c->y[end];
        if (m > 0 && (status = mpg_median(same, m, &median, err)) == 0)
            fprintf(data, "%.10g %.10g\n", c->x[i], median);
    }
    fputs("\n\n", data);
    free(same);
    return status;
}

static void put_model(const struct figure_curve *c, FILE *data)
{
    const struct mpg_growth *g = c->model;
    for (int i = 0; g && i <= MODEL_POINTS; i++) {
        const double n = g->min_n * pow(g->max_n / g->min_n, (double)i / MODEL_POINTS);
        fprintf(data, "%.10g %.10g\n", n, n * mpg_growth_predict(g, n).value);
    }
    fputs(g ? "\n\n" : "0 0\n\n\n", data);
}

/* Labels the axis at each process count of F, if at most MAX_TICS counts. */
static void put_tics(const struct figure *f, FILE *script)
{
    double tic[MAX_TICS + 1];
    size_t n = 0;
    for (size_t c = 0; c < f->curves; c++)
        for (size_t i = 0; i < f->curve[c].n && n <= MAX_TICS; i++) {
            size_t k = 0;
            while (k < n && tic[k] != f->curve[c].x[i])
                k++;
            if (k == n)
                tic[n++] = f->curve[c].x[i];
        }
    if (n == 0 || n > MAX_TICS)
        return;
    fputs("set xtics (", script);
    for (size_t i = 0; i < n; i++)
        fprintf(script, "%s%.10g", i ? ", " : "", tic[i]);
    fputs(")\n", script);
}

static void put_axes(const struct figure *f, const struct range *x, const struct range *y, FILE *script)
{
    mpg_plot_set(script, "ylabel", "%s", f->ylabel);
    if (f->linear) {
        mpg_plot_set(script, "xlabel", "rank of the number of processes");
        fprintf(script, "set xrange [%g:%g]\nset yrange [%g:%g]\n", x->low - 0.6, x->high + 0.6, y->low - 0.6,
                y->high + 0.6);
    } else {
        mpg_plot_set(script, "xlabel", "processes");
        fprintf(script, "set logscale x 2\nset xrange [%g:%g]\n", x->low / 1.15, x->high * 1.15);
        put_tics(f, script);
        mpg_plot_log_times(script, "y", mpg_plot_floor(y->low, y->high), y->high > 2 * y->low ? y->high : 2 * y->low);
    }
    size_t titles = 0;
    for (size_t i = 0; i < f->curves; i++)
        titles += *f->curve[i].title != '\0';
    fprintf(script, "set key outside below center horizontal Left reverse maxcols 2%s title ' '\n",
            titles > MAX_TITLES ? " font 'sans,10'" : "");
}

static void put_curve(const struct figure *f, size_t i, FILE *script)
{
    const struct figure_curve *c = &f->curve[i];
    const char *colour = c->thin ? PLOT_GREY : colours[i];
    fputs(i == 0 ? "plot " : ", ", script);
    if (!c->thin)
        fprintf(script, "data index %zu using 1:2 with points pt 7 ps 0.7 lc rgb '%s' notitle, ", 3 * i, colour);
    fprintf(script, "data index %zu using 1:2 with lines lw %s lc rgb '%s' %s", 3 * i + 1,
            c->thin ? "1 dt 3" : "2", colour, *c->title ? "title " : "notitle");
    if (*c->title)
        mpg_gnuplot_write_string(script, c->title);
    if (c->model)
        fprintf(script, ", data index %zu using 1:2 with lines lw 1 dt 2 lc rgb '%s' notitle", 3 * i + 2, colour);
}

int mpg_figure_draw(struct plot_session *session, struct figure *f, struct mpg_error *err)
{
    struct range x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
    int status = mpg_plot_start(session, err, "%s", f->name);
    for (size_t i = 0; status == 0 && i < f->curves; i++) {
        status = put_points(f, &f->curve[i], session->data, &x, &y, err);
        put_model(&f->curve[i], session->data);
    }
    if (status == 0) {
        mpg_plot_title(session->script, f->title, f->second);
        put_axes(f, &x, &y, session->script);
        for (size_t i = 0; i < f->curves; i++)
            put_curve(f, i, session->script);
        putc('\n', session->script);
        status = mpg_plot_finish(session, err);
    }
    mpg_figure_clear(f);
    return status;
}
