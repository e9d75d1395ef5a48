/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the plots of mpgscale: chooses rows and makes curves of runs and sites. */
#define _GNU_SOURCE
#include "scale/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale/model/model.h"
#include "scale/plot/figure.h"
#include "statistics/rank.h"

enum { ENDS = 3, LARGEST = 4, CALLS = 6, CHOSEN = 2 * ENDS, LONGEST_NAME = 24 };

struct what {
    const struct scale_analysis *a;
    const struct mpg_option_list *select;
    size_t chosen_number, chosen[FIGURE_CURVES]; /* indices of the drawn rows */
    char second[FIGURE_TITLE];                   /* second line of titles: the program */
    char modelled[FIGURE_TITLE];                 /* second line of titles for a plot with models */
};

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* ---- selection of rows ---- */

static int choose_named(struct what *w, struct mpg_error *err)
{
    for (size_t i = 0; i < w->select->n; i++) {
        bool any = false;
        for (size_t r = 0; r < w->a->row_number; r++) {
            bool taken = false;
            if (!strstr(w->a->set->sites[w->a->rows[r].site].name, w->select->item[i]))
                continue;
            any = true;
            for (size_t k = 0; k < w->chosen_number; k++)
                taken |= w->chosen[k] == r;
            if (!taken && w->chosen_number == FIGURE_CURVES)
                return mpg_error_set(err, "--select: more than %d rows", FIGURE_CURVES);
            if (!taken)
                w->chosen[w->chosen_number++] = r;
        }
        if (!any)
            return mpg_error_set(err, "--select: no row has '%s' in its name", w->select->item[i]);
    }
    return 0;
}

/* Chooses the first ENDS and the last ENDS of the rows with a coefficient. Rows are sorted by coefficient; rows without
 * coefficient come last. */
static void choose_ends(struct what *w)
{
    size_t defined = 0;
    while (defined < w->a->row_number && isfinite(w->a->rows[defined].all.r))
        defined++;
    const size_t n = defined > 0 ? defined : w->a->row_number;
    for (size_t r = 0; r < n; r++)
        if (r < ENDS || r + ENDS >= n)
            if (w->chosen_number < CHOSEN)
                w->chosen[w->chosen_number++] = r;
}

/* Adds the LARGEST rows with the largest shares of communication at the largest N. */
static void choose_largest(struct what *w)
{
    const struct scale_row *rows = w->a->rows;
    for (size_t r = 0; r < w->a->row_number; r++) {
        size_t larger = 0;
        bool taken = false;
        for (size_t k = 0; k < w->a->row_number; k++)
            larger += rows[k].share_last > rows[r].share_last || (rows[k].share_last == rows[r].share_last && k < r);
        for (size_t k = 0; k < w->chosen_number; k++)
            taken |= w->chosen[k] == r;
        if (larger < LARGEST && !taken)
            w->chosen[w->chosen_number++] = r;
    }
}

/* ---- plots ---- */

/* Adds a curve with a point for each run, of value Y(run). */
static int add_runs(struct figure *f, const struct what *w, const char *title,
                    double (*y)(const struct scale_run *run), struct mpg_error *err)
{
    const struct scale_set *set = w->a->set;
    struct figure_curve *c = mpg_figure_add(f, set->run_number, title);
    if (!c)
        return out_of_memory(err);
    for (size_t i = 0; i < set->run_number; i++, c->n++) {
        c->x[i] = set->runs[i].ranks;
        c->y[i] = y(&set->runs[i]);
    }
    return 0;
}

static double computation(const struct scale_run *run)
{
    return run->app_ns - run->comm_ns;
}

static double communication(const struct scale_run *run)
{
    return run->comm_ns;
}

static int finish(struct plot_session *session, struct figure *f, int status, struct mpg_error *err)
{
    bool any = false;
    for (size_t i = 0; i < f->curves; i++)
        for (size_t k = 0; k < f->curve[i].n; k++)
            any |= isfinite(f->curve[i].y[k]) && (f->linear || f->curve[i].y[k] > 0);
    if (status == 0 && any)
        return mpg_figure_draw(session, f, err);
    mpg_figure_clear(f);
    return status < 0 ? -1 : mpg_plot_missing(session, err, "%s: all times are 0", f->name);
}

static int draw_time(struct plot_session *session, const struct what *w, struct mpg_error *err)
{
    struct figure f = {.name = "1-time", .title = "Computation and communication", .second = w->second,
                       .ylabel = "time, all ranks together"};
    int status = add_runs(&f, w, "computation", computation, err);
    if (status == 0)
        status = add_runs(&f, w, "communication (MPI)", communication, err);
    return finish(session, &f, status, err);
}

/* Time in each call, summed over all sites. */
struct sums {
    double *time_ns;               /* [call * number of runs + run]; the last row, MPG_CALL_COUNT, is the sum of the calls
                                      without curve */
    double total_ns[MPG_CALL_COUNT];
};

static int add_calls(struct figure *f, const struct what *w, struct sums *s, struct mpg_error *err)
{
    const struct scale_set *set = w->a->set;
    double *rest = s->time_ns + (size_t)MPG_CALL_COUNT * set->run_number;
    bool left = false;
    for (size_t shown = 0;; shown++) {
        size_t max = 0;
        for (size_t call = 1; call < MPG_CALL_COUNT; call++)
            max = s->total_ns[call] > s->total_ns[max] ? call : max;
        if (!(s->total_ns[max] > 0))
            break;
        s->total_ns[max] = 0;
        left = shown >= CALLS;
        struct figure_curve *c = left ? NULL : mpg_figure_add(f, set->run_number, mpg_call_name((enum mpg_call)max));
        if (!c && !left)
            return out_of_memory(err);
        for (size_t run = 0; run < set->run_number; run++) {
            const double time_ns = s->time_ns[max * set->run_number + run];
            rest[run] += left ? time_ns : 0;
            if (c) {
                c->x[run] = set->runs[run].ranks;
                c->y[run] = time_ns;
                c->n++;
            }
        }
    }
    struct figure_curve *c = left ? mpg_figure_add(f, set->run_number, "all other calls") : NULL;
    if (left && !c)
        return out_of_memory(err);
    for (size_t run = 0; c && run < set->run_number; run++, c->n++) {
        c->x[run] = set->runs[run].ranks;
        c->y[run] = rest[run];
    }
    return 0;
}

static int draw_calls(struct plot_session *session, const struct what *w, struct mpg_error *err)
{
    struct figure f = {.name = "2-calls", .title = "Communication by call", .second = w->second,
                       .ylabel = "time, all ranks together"};
    const struct scale_set *set = w->a->set;
    struct sums s = {.time_ns = calloc((MPG_CALL_COUNT + 1) * (set->run_number + 1), sizeof *s.time_ns)};
    if (!s.time_ns)
        return out_of_memory(err);
    for (size_t site = 0; site < set->site_number; site++) {
        const enum mpg_call call = set->sites[site].call;
        if (call >= MPG_CALL_COUNT)
            continue; /* a region contains several calls */
        for (size_t run = 0; run < set->run_number; run++) {
            const double time_ns = scale_cell_of(set, site, run)->time_ns;
            s.time_ns[call * set->run_number + run] += time_ns;
            s.total_ns[call] += time_ns;
        }
    }
    const int status = add_calls(&f, w, &s, err);
    free(s.time_ns);
    return finish(session, &f, status, err);
}

static int draw_callsites(struct plot_session *session, const struct what *w, struct mpg_error *err)
{
    struct figure f = {.name = "3-callsites", .title = "Communication by callsite", .second = w->modelled,
                       .ylabel = "time, all ranks together"};
    const struct scale_set *set = w->a->set;
    int status = 0;
    for (size_t i = 0; status == 0 && i < w->chosen_number; i++) {
        const struct scale_row *row = &w->a->rows[w->chosen[i]];
        struct figure_curve *c = mpg_figure_add(&f, set->run_number, set->sites[row->site].name);
        if (!c) {
            status = out_of_memory(err);
            break;
        }
        for (size_t run = 0; run < set->run_number; run++, c->n++) {
            const struct scale_cell *cell = scale_cell_of(set, row->site, run);
            c->x[run] = set->runs[run].ranks;
            c->y[run] = cell->count > 0 ? cell->time_ns : NAN;
        }
        const struct scale_model *m = row->model;
        if (m && !m->why && m->is_time && w->a->options->metric != SCALE_MEAN &&
            (m->growth.verdict == MPG_GROWTH_RISES || m->growth.verdict == MPG_GROWTH_FALLS))
            c->model = &m->growth;
    }
    return finish(session, &f, status, err);
}

static int draw_ranks(struct plot_session *session, const struct what *w, struct mpg_error *err)
{
    struct figure f = {.name = "5-ranks", .title = "Ranks of the metric over ranks of the process counts",
                       .second = w->second, .ylabel = "rank of the metric", .linear = true};
    int status = 0;
    for (size_t i = 0; status == 0 && i < w->chosen_number; i++) {
        const struct scale_row *row = &w->a->rows[w->chosen[i]];
        char title[FIGURE_TITLE];
        if (row->series.n == 0)
            continue;
        snprintf(title, sizeof title, "%5.2f  %s", row->all.r, w->a->set->sites[row->site].name);
        struct figure_curve *c = mpg_figure_add(&f, row->series.n, title);
        if (!c)
            status = out_of_memory(err);
        else if ((status = mpg_midranks(row->series.x, row->series.n, c->x, err)) == 0 &&
                 (status = mpg_midranks(row->series.y, row->series.n, c->y, err)) == 0)
            c->n = row->series.n;
    }
    return finish(session, &f, status, err);
}

/* Adds a curve of perfect scaling, from the median at C's smallest N on: constant if the problem is scaled, else proportional
 * to 1/N. */
static int add_perfect(struct figure *f, const struct figure_curve *c, bool scaled, const char *title,
                       struct mpg_error *err)
{
    size_t first = 0;
    double begin;
    while (first < c->n && c->x[first] == c->x[0])
        first++;
    if (first == 0)
        return 0;
    if (mpg_median(c->y, first, &begin, err) < 0)
        return -1;
    struct figure_curve *p = mpg_figure_add(f, c->n, title);
    if (!p)
        return f->curves == FIGURE_CURVES ? 0 : out_of_memory(err);
    p->thin = true;
    for (size_t i = 0; i < c->n; i++, p->n++) {
        p->x[i] = c->x[i];
        p->y[i] = scaled ? begin : begin * c->x[0] / c->x[i];
    }
    return 0;
}

/* The plot of run times over N: a curve for each program and "size" label. */
struct lines {
    struct figure figure;
    const struct scale_run *first[FIGURE_CURVES]; /* for each curve the first run */
    size_t missing;                               /* number of curves for which the figure has no room */
};

static bool is_one_line(const struct scale_run *a, const struct scale_run *b)
{
    const char *size = mpg_scale_label_of(a, "size"), *other = mpg_scale_label_of(b, "size");
    return mpg_scale_is_same_program(a, b) && (size && other ? strcmp(size, other) == 0 : !size && !other);
}

/* Writes the title of FIRST's curve: the "size" label, and if SEVERAL the program. */
static void name_line(const struct scale_run *first, bool several, char title[FIGURE_TITLE])
{
    const char *size = mpg_scale_label_of(first, "size");
    size_t length;
    const char *program = mpg_scale_program_of(first, &length);
    if (several)
        snprintf(title, FIGURE_TITLE, "%.*s%s%s", length > 0 ? (int)length : 6, length > 0 ? program : "others",
                 size ? ", " : "", size ? size : "");
    else
        snprintf(title, FIGURE_TITLE, "%s", size ? size : "run time, longest rank");
}

/* Adds the curves of N RUNS, which are sorted by process count. SEVERAL: the runs are of several programs. */
static int add_lines(struct lines *l, const struct scale_run *runs, size_t n, bool several, struct mpg_error *err)
{
    struct figure *f = &l->figure;
    for (size_t i = 0; i < n; i++) {
        char title[FIGURE_TITLE];
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = is_one_line(&runs[i], &runs[k]);
        if (seen)
            continue;
        if (f->curves == FIGURE_CURVES) {
            l->missing++;
            continue;
        }
        name_line(&runs[i], several, title);
        l->first[f->curves] = &runs[i];
        struct figure_curve *c = mpg_figure_add(f, n - i, title);
        if (!c)
            return out_of_memory(err);
        for (size_t k = i; k < n; k++)
            if (is_one_line(&runs[i], &runs[k])) {
                c->x[c->n] = runs[k].ranks;
                c->y[c->n++] = runs[k].longest_ns;
            }
    }
    return 0;
}

/* Adds a curve of perfect scaling for each curve, as far as the figure has room. Only the first constant and the first 1/N
 * curve are in the legend. */
static int add_all_perfect(struct lines *l, struct mpg_error *err)
{
    static const char *const titles[] = {"perfect: 1 / N", "perfect: the same"};
    const size_t curves = l->figure.curves;
    bool named[2] = {false, false};
    int status = 0;
    for (size_t i = 0; status == 0 && i < curves; i++) {
        const char *scaling = mpg_scale_label_of(l->first[i], "scaling");
        const bool scaled = scaling && strcmp(scaling, "scaled") == 0;
        status = add_perfect(&l->figure, &l->figure.curve[i], scaled, named[scaled] ? "" : titles[scaled], err);
        named[scaled] = true;
    }
    return status;
}

static int draw_runs(struct plot_session *session, const struct what *w, struct mpg_error *err)
{
    const struct scale_set *set = w->a->set;
    const bool several = set->other_number > 0;
    char second[FIGURE_TITLE];
    struct lines l = {.figure = {.name = "6-runs", .title = "Run time", .second = several ? second : w->second,
                                 .ylabel = "time of the longest rank"}};
    snprintf(second, sizeof second, "%zu runs of several programs; points: runs, lines: medians",
             set->run_number + set->other_number);
    int status = add_lines(&l, set->runs, set->run_number, several, err);
    if (status == 0)
        status = add_lines(&l, set->others, set->other_number, several, err);
    if (status == 0)
        status = add_all_perfect(&l, err);
    if (status == 0 && l.missing > 0)
        status = mpg_plot_missing(session, err, "6-runs: %zu more lines: there is room for %d", l.missing, FIGURE_CURVES);
    return finish(session, &l.figure, status, err);
}

static int draw(struct plot_session *session, const void *what, struct mpg_error *err)
{
    const struct what *w = what;
    if (draw_time(session, w, err) < 0 || draw_calls(session, w, err) < 0)
        return -1;
    if (w->chosen_number > 0 && (draw_callsites(session, w, err) < 0 || draw_ranks(session, w, err) < 0))
        return -1;
    return draw_runs(session, w, err);
}

int mpg_scale_plot(const struct scale_analysis *a, const struct mpg_option_list *select,
                   const struct mpg_plot_options *options, struct mpg_plot_outcome *outcome, struct mpg_error *err)
{
    struct what w = {.a = a, .select = select};
    if (choose_named(&w, err) < 0)
        return -1;
    if (select->n == 0) {
        choose_ends(&w);
        choose_largest(&w);
    }
    size_t length = 0;
    const char *program = a->set->run_number > 0 ? mpg_scale_program_of(&a->set->runs[0], &length) : NULL;
    length = length > LONGEST_NAME ? LONGEST_NAME : length;
    bool crowded = false;
    for (size_t i = 0; i < a->set->run_number; i++)
        crowded |= a->set->runs[i].crowded > 0;
    snprintf(w.second, sizeof w.second, "%zu runs%s%.*s%s; points: runs, lines: medians", a->set->run_number,
             length > 0 ? " of " : "", (int)length, program ? program : "", crowded ? ", more ranks than cores" : "");
    snprintf(w.modelled, sizeof w.modelled, "%.130s; dashed: models", w.second);
    return mpg_plot_all(options, draw, &w, outcome, err);
}
