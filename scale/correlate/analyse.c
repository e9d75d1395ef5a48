/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how the cost of each callsite, call or region correlates with the number of processes N, and whether the cost
 * grows. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale/correlate/coefficient.h"
#include "scale/correlate/correlate.h"
#include "scale/correlate/power.h"
#include "statistics/rank.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Input of the computation of each row. */
struct making {
    struct scale_analysis *a;
    const struct scale_set *set;
    const struct scale_options *options;
    struct scale_draws draws;
};

/* ---- one row ---- */

enum side { WAIT, TRANSFER, IMBALANCE };

/* Returns a secondary metric of SITE in RUN: the waiting or transfer as a share of T_comm, or the imbalance; NAN: unknown. */
static double side_of(const struct scale_set *set, size_t site, size_t run, enum side side)
{
    const struct scale_cell *cell = scale_cell_of(set, site, run);
    const struct scale_run *r = &set->runs[run];
    if (side == IMBALANCE)
        return cell->time_ns > 0 ? cell->max_rank_ns * r->ranks / cell->time_ns : NAN;
    if (!(r->comm_ns > 0))
        return NAN;
    return (side == WAIT ? cell->wait_ns : cell->time_ns - cell->wait_ns) / r->comm_ns;
}

/* Correlates the secondary metric SIDE with N, over the runs of SERIES in which SIDE is known; R->runs is 0 if SIDE is known
 * in no run. */
static int correlate_side(const struct making *m, size_t site, const struct scale_series *series, enum side side,
                          struct scale_correlation *r, struct mpg_error *err)
{
    struct scale_series found = {0, malloc((series->n + 1) * sizeof(double)), malloc((series->n + 1) * sizeof(double)),
                                 NULL};
    int status = found.x && found.y ? 0 : out_of_memory(err);
    for (size_t i = 0; status == 0 && i < series->n; i++) {
        const double y = side_of(m->set, site, series->run[i], side);
        if (isnan(y))
            continue;
        found.x[found.n] = series->x[i];
        found.y[found.n++] = y;
    }
    if (status == 0)
        status = mpg_scale_correlate(&found, &m->draws, r, err);
    mpg_scale_series_clear(&found);
    return status;
}

/* Sets the medians of SITE's share at the smallest and at the largest N of SERIES. */
static int find_shares(const struct making *m, size_t site, const struct scale_series *series, struct scale_row *row,
                       struct mpg_error *err)
{
    struct scale_series shares = {series->n, series->x, malloc((series->n + 1) * sizeof(double)), NULL};
    if (!shares.y)
        return out_of_memory(err);
    const struct scale_options of_share = {.metric = SCALE_SHARE};
    for (size_t i = 0; i < series->n; i++)
        shares.y[i] = mpg_scale_value(m->set, &of_share, site, series->run[i]);
    const int status = mpg_scale_ends(&shares, &row->share_first, &row->share_last, err);
    free(shares.y);
    return status;
}

/* The verdict "grows" needs row->chance <= MAX_CHANCE. The chance is the number of rows of a table expected to correlate as
 * strongly by chance alone: 0.25 means one row in four tables. */
static const double MAX_CHANCE = 0.25;

/* Returns whether ROW grows: the metric correlates with N, is at least 25 % larger at the largest N than at the smallest, and
 * the share reaches the threshold at the largest N. */
static enum scale_verdict judge(const struct scale_options *options, const struct scale_row *row)
{
    if (!(row->all.r >= 0.7 && row->last >= 1.25 * row->first && row->share_last >= options->threshold))
        return SCALE_GROWS_NOT;
    return row->chance > MAX_CHANCE ? SCALE_GROWS_PERHAPS : SCALE_GROWS;
}

static int make_row(const struct making *m, size_t site, struct scale_row *row, struct mpg_error *err)
{
    *row = (struct scale_row){.site = site, .projected = NAN, .projected_interval = {NAN, NAN}};
    if (mpg_scale_series(m->set, m->options, site, &row->series, err) < 0)
        return -1;
    if (row->series.n > 0 && (mpg_scale_ends(&row->series, &row->first, &row->last, err) < 0 ||
                              find_shares(m, site, &row->series, row, err) < 0))
        return -1;
    row->factor = row->series.n > 0 ? row->last / row->first : NAN;
    if (mpg_scale_correlate(&row->series, &m->draws, &row->all, err) < 0 ||
        correlate_side(m, site, &row->series, WAIT, &row->wait, err) < 0 ||
        correlate_side(m, site, &row->series, TRANSFER, &row->transfer, err) < 0 ||
        correlate_side(m, site, &row->series, IMBALANCE, &row->imbalance, err) < 0 ||
        mpg_scale_power(m->set, site, &row->power, err) < 0)
        return -1;
    return 0;
}

/* ---- selection of sites ---- */

static bool reaches(const struct scale_set *set, size_t site, double threshold)
{
    bool reached = false;
    for (size_t run = 0; !reached && run < set->run_number; run++) {
        const struct scale_cell *cell = scale_cell_of(set, site, run);
        const double whole_ns = scale_whole_of(&set->runs[run]);
        reached = cell->count > 0 && whole_ns > 0 && cell->time_ns >= threshold * whole_ns;
    }
    return reached;
}

static int make_rows(struct making *m, struct mpg_error *err)
{
    struct scale_analysis *a = m->a;
    a->rows = calloc(m->set->site_number + 1, sizeof *a->rows);
    if (!a->rows)
        return out_of_memory(err);
    for (size_t site = 0; site < m->set->site_number; site++) {
        if (!m->options->all_rows && !reaches(m->set, site, m->options->threshold)) {
            a->below++;
            continue;
        }
        if (make_row(m, site, &a->rows[a->row_number++], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- all rows together ---- */

static struct scale_correlation *coefficient_of(struct scale_row *row, int which)
{
    struct scale_correlation *const of[] = {&row->all, &row->wait, &row->transfer, &row->imbalance};
    return of[which];
}

/* Corrects the p-values of coefficient WHICH (coefficient_of()) of all rows for multiple tests. */
static int correct(struct scale_analysis *a, int which, struct mpg_error *err)
{
    double *p = malloc((2 * a->row_number + 1) * sizeof *p);
    if (!p)
        return out_of_memory(err);
    double *q = p + a->row_number;
    size_t n = 0;
    for (size_t i = 0; i < a->row_number; i++)
        if (!coefficient_of(&a->rows[i], which)->undefined)
            p[n++] = coefficient_of(&a->rows[i], which)->p;
    const int status = mpg_false_discovery(p, n, q, err);
    for (size_t i = 0, k = 0; status == 0 && i < a->row_number; i++)
        if (!coefficient_of(&a->rows[i], which)->undefined)
            coefficient_of(&a->rows[i], which)->q = q[k++];
    free(p);
    return status;
}

static int compare_rows(const void *x, const void *y, void *set)
{
    const struct scale_row *a = x, *b = y;
    const struct scale_site *sites = ((const struct scale_set *)set)->sites;
    if (!a->all.undefined != !b->all.undefined)
        return a->all.undefined ? 1 : -1;
    if (!a->all.undefined && a->all.r != b->all.r)
        return a->all.r > b->all.r ? -1 : 1;
    if (a->share_last != b->share_last)
        return a->share_last > b->share_last ? -1 : 1;
    return strcmp(sites[a->site].name, sites[b->site].name);
}

static void describe_runs(struct scale_analysis *a)
{
    const struct scale_set *set = a->set;
    for (size_t i = 0, end; i < set->run_number; i = end) {
        for (end = i + 1; end < set->run_number && set->runs[end].ranks == set->runs[i].ranks; end++)
            ;
        a->counts++;
        a->single += end == i + 1;
    }
    for (size_t i = 0; i < set->run_number; i++) {
        const char *scaling = mpg_scale_label_of(&set->runs[i], "scaling");
        const enum scale_sizing sizing = !scaling                        ? SCALE_SIZING_UNKNOWN
                                         : strcmp(scaling, "fixed") == 0 ? SCALE_FIXED
                                                                         : SCALE_SCALED;
        if (i == 0)
            a->sizing = sizing;
        a->sizings_differ |= sizing != a->sizing;
        a->has_waits |= set->runs[i].has_waits;
    }
}

int mpg_scale_analyse(const struct scale_set *set, const struct scale_options *options, struct scale_analysis *a,
                      struct mpg_error *err)
{
    struct making m = {.a = a, .set = set, .options = options};
    *a = (struct scale_analysis){.set = set, .options = options};
    describe_runs(a);
    int status = mpg_scale_draws_make(&m.draws, set->run_number, options->seed, err);
    if (status == 0)
        status = make_rows(&m, err);
    for (int which = 0; status == 0 && which < 4; which++)
        status = correct(a, which, err);
    if (status == 0 && options->project > 0)
        status = mpg_scale_project(a, &m.draws, err);
    if (status == 0) {
        if (a->row_number > 0)
            qsort_r(a->rows, a->row_number, sizeof *a->rows, compare_rows, (void *)set);
        for (size_t i = 0; i < a->row_number; i++) {
            a->rows[i].chance = (double)a->row_number * a->rows[i].all.p / 2;
            a->rows[i].grows = judge(options, &a->rows[i]);
            a->growing += a->rows[i].grows == SCALE_GROWS;
            a->doubtful += a->rows[i].grows == SCALE_GROWS_PERHAPS;
        }
    }
    mpg_scale_draws_clear(&m.draws);
    return status;
}

void mpg_scale_analysis_clear(struct scale_analysis *a)
{
    for (size_t i = 0; i < a->row_number; i++)
        mpg_scale_series_clear(&a->rows[i].series);
    free(a->rows);
    *a = (struct scale_analysis){.row_number = 0};
}
