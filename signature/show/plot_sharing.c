/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of sharing curves: a plot for each class and direction, the sum of the rates against the number of pairs. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "common/printable.h"
#include "signature/show/plot_private.h"

enum { MAX_CURVES = 16 };

static bool same_curve(const void *of, size_t a, size_t b)
{
    const struct mpg_sharing_point *p = of;
    return p[a].size_bytes == p[b].size_bytes;
}

/* Sets TO's value to the median in MB/s, with the confidence interval if both ends are known. */
static void point(const void *of, size_t row, struct plot_point *to)
{
    const struct mpg_sharing_point *p = (const struct mpg_sharing_point *)of + row;
    const struct mpg_distribution *d = p->value;
    to->x = p->pairs;
    to->y = to->low = to->high = mpg_distribution_quantile(d, 0.5) / 1e6;
    for (size_t i = 0; i < d->intervals; i++)
        if (d->interval[i].p == 0.5 && d->interval[i].low > 0 && isfinite(d->interval[i].high)) {
            to->low = d->interval[i].low / 1e6;
            to->high = d->interval[i].high / 1e6;
        }
}

static void name(const void *of, size_t row, char text[PLOT_LINE_NAME])
{
    const struct mpg_sharing_point *p = (const struct mpg_sharing_point *)of + row;
    char size[PLOT_TEXT];
    snprintf(text, PLOT_LINE_NAME, "%s", mpg_plot_size_name(size, p->size_bytes));
}

/* Writes the marks of the x axis: each number of pairs of the N points from P on. */
static void set_pairs(FILE *script, const struct mpg_sharing_point *p, size_t n)
{
    const char *before = "set logscale x 2\nset xtics (";
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = p[k].pairs == p[i].pairs;
        if (again)
            continue;
        fprintf(script, "%s%d", before, p[i].pairs);
        before = ", ";
    }
    fputs(")\n", script);
}

/* Draws the N points from P on, all of one class and direction. */
static int plot_curves(struct plot_session *session, const struct mpg_signature *sig, const struct mpg_sharing_point *p,
                      size_t n, struct mpg_error *err)
{
    const struct plot_lines lines = {.of = p, .same = same_curve, .point = point, .name = name, .rows = n,
                                     .max = MAX_CURVES, .table = "sharing curves", .bands = true};
    const char *host = mpg_fact_find(sig->fact, sig->facts, "host");
    const char *direction = p->both ? "both directions" : "one direction";
    char title[256], shown[121];
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < n; i++) {
        struct plot_point at;
        point(p, i, &at);
        low = fmin(low, at.low);
        high = fmax(high, at.high);
    }
    if (!((low = mpg_plot_floor(low, high)) > 0))
        return mpg_plot_missing(session, err, "sharing, %s, %s: the rates are beyond the limits of plots",
                                mpg_path_name(p->path), direction);
    if (mpg_plot_start(session, err, "sharing-%s-%s", mpg_path_name(p->path), direction) < 0)
        return -1;
    snprintf(title, sizeof title, "%s%s%s: several pairs of ranks at once, %s",
             mpg_printable(shown, sizeof shown, host ? host : ""), host ? ", " : "", mpg_path_name(p->path), direction);
    mpg_plot_title(session->script, title, "median of the sum of all pairs; bands: its 95 % interval");
    set_pairs(session->script, p, n);
    mpg_plot_set(session->script, "xlabel", "pairs at once");
    mpg_plot_set(session->script, "ylabel", "sum of the rates (1 GB/s = 10^9 bytes a second)");
    mpg_plot_log_rates(session->script, "y", low, high);
    fputs("set key outside right center vertical Left reverse maxrows 20 title 'size'\n", session->script);
    fputs("plot ", session->script);
    if (mpg_plot_put_lines(session, &lines, err) < 0)
        return -1;
    putc('\n', session->script);
    return mpg_plot_finish(session, err);
}

int plot_sharing(struct plot_session *session, const struct mpg_signature *sig, struct mpg_error *err)
{
    size_t n;
    for (size_t first = 0; first < sig->sharings; first += n) {
        const struct mpg_sharing_point *p = &sig->sharing[first];
        for (n = 1; first + n < sig->sharings && p[n].path == p->path && p[n].both == p->both;)
            n++;
        if (plot_curves(session, sig, p, n, err) < 0)
            return -1;
    }
    return 0;
}
