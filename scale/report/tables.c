/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the tables without correlation: for each callsite the values of each rank (Vetter and McCracken, Table 1), sums at
 * each process count (Table 2), and the runs (Table 4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "scale/report/efficiency.h"
#include "statistics/rank.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

size_t mpg_scale_next_count(const struct scale_set *set, size_t run)
{
    size_t end = run + 1;
    while (end < set->run_number && set->runs[end].ranks == set->runs[run].ranks)
        end++;
    return end;
}

/* Begins table T in FORMAT; for JSON as array KEY of J. */
static void begin(struct mpg_table *t, enum mpg_table_format format, FILE *out, struct mpg_json *j, const char *key)
{
    t->fits = t->trims = true;
    t->missing = "-";
    t->row_indent = 2;
    if (format != MPG_TABLE_JSON) {
        mpg_table_begin(t, format, out);
        return;
    }
    mpg_json_in_line(j);
    mpg_json_array(j, key);
    mpg_table_begin_json(t, j);
}

static int end(struct mpg_table *t, struct mpg_json *j, struct mpg_error *err)
{
    if (t->format == MPG_TABLE_JSON)
        mpg_json_close(j);
    return mpg_table_end(t, err);
}

/* ---- callsites ---- */

static const struct mpg_table_column callsite_columns[] = {
    {.key = "op", .heading = "Op", .left = true}, {.key = "callsite", .heading = "Callsite", .left = true},
    {.key = "task", .heading = "Task"}, {.key = "count", .heading = "Count"},
    {.key = "max_ns", .heading = "Max us", .scale = 1e-3}, {.key = "mean_ns", .heading = "Mean us", .scale = 1e-3},
    {.key = "min_ns", .heading = "Min us", .scale = 1e-3}};

/* Returns SITE's name without the MPI call. */
static const char *place_of(const struct scale_site *site)
{
    const char *call = site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : "";
    const size_t n = strlen(call);
    return strncmp(site->name, call, n) == 0 && site->name[n] == ':' ? site->name + n + 1 : n > 0 ? "" : site->name;
}

static void put_line(struct mpg_table *t, const struct scale_site *site, double task, const struct scale_detail *d)
{
    mpg_table_text(t, site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : "");
    mpg_table_text(t, place_of(site));
    if (isnan(task))
        mpg_table_text(t, "All");
    else
        mpg_table_number(t, task);
    mpg_table_numbers(t, (double[]){(double)d->count, d->max_ns, d->time_ns / (double)d->count, d->min_ns}, 4);
}

/* A site's details of one run: `n` details from `first` on, one for each rank. */
struct group {
    const struct scale_detail *first;
    size_t n;
    double time_ns;
};

static int compare_groups(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void put_group(struct mpg_table *t, const struct scale_set *set, const struct group *group)
{
    const struct scale_site *site = &set->sites[group->first->site];
    const struct scale_cell *cell = scale_cell_of(set, group->first->site, group->first->run);
    const struct scale_detail all = {.count = cell->count,
                                     .time_ns = cell->time_ns,
                                     .min_ns = cell->min_ns,
                                     .max_ns = cell->max_ns};
    for (size_t i = 0; i < group->n; i++)
        put_line(t, site, group->first[i].rank, &group->first[i]);
    put_line(t, site, NAN, &all);
}

static int put_run(struct mpg_table *t, const struct scale_set *set, size_t from, size_t end, struct mpg_error *err)
{
    struct group *groups = malloc((end - from + 1) * sizeof *groups);
    size_t n = 0;
    if (!groups)
        return out_of_memory(err);
    for (size_t i = from; i < end; i++) {
        const struct scale_detail *d = &set->details[i];
        if (n == 0 || groups[n - 1].first->site != d->site)
            groups[n++] = (struct group){d, 0, scale_cell_of(set, d->site, d->run)->time_ns};
        groups[n - 1].n++;
    }
    qsort(groups, n, sizeof *groups, compare_groups);
    for (size_t i = 0; i < n; i++)
        put_group(t, set, &groups[i]);
    free(groups);
    return 0;
}

static int print_callsites(const struct scale_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_set *set = r->analysis->set;
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    int status = 0;
    if (format == MPG_TABLE_JSON) {
        mpg_json_in_line(&j);
        mpg_json_array(&j, NULL);
    }
    for (size_t from = 0, to; status == 0 && from < set->detail_number; from = to) {
        struct mpg_table t = {MPG_TABLE_COLUMNS(callsite_columns)};
        const struct scale_run *run = &set->runs[set->details[from].run];
        for (to = from; to < set->detail_number && set->details[to].run == set->details[from].run; to++)
            ;
        if (format == MPG_TABLE_TEXT) {
            fputs(from > 0 ? "\n" : "", out);
            mpg_printable_put(out, run->path);
            fprintf(out, ", %d ranks\n", run->ranks);
        } else if (format == MPG_TABLE_JSON) {
            mpg_json_new_line(&j, 1);
            mpg_json_object(&j, NULL);
            mpg_json_string(&j, "path", run->path);
            mpg_json_integer(&j, "ranks", run->ranks);
        }
        begin(&t, format, out, &j, "callsites");
        status = put_run(&t, set, from, to, err);
        if (end(&t, &j, err) < 0)
            status = -1;
        if (format == MPG_TABLE_JSON)
            mpg_json_close(&j);
    }
    if (format == MPG_TABLE_JSON) {
        mpg_json_close(&j);
        putc('\n', out);
    }
    return status;
}

/* ---- aggregate ---- */

enum { MAX_COUNTS = 256 };

/* Returns the index of the fastest of the runs FROM to END - 1, which have equal N. */
static size_t fastest_of(const struct scale_set *set, size_t from, size_t end)
{
    size_t best = from;
    for (size_t run = from; run < end; run++)
        if (set->runs[run].longest_ns < set->runs[best].longest_ns)
            best = run;
    return best;
}

/* Sets *VALUE to SITE's metric for the runs FROM to END - 1: the median, or with r->fastest the value of the fastest run. NAN:
 * no run has the site. */
static int represent(const struct scale_report *r, size_t site, size_t from, size_t end, double *value,
                     struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    double *values = malloc((end - from) * sizeof *values);
    size_t n = 0;
    if (!values)
        return out_of_memory(err);
    if (r->fastest) {
        from = fastest_of(a->set, from, end);
        end = from + 1;
    }
    for (size_t run = from; run < end; run++) {
        const double one = mpg_scale_value(a->set, a->options, site, run);
        if ((scale_cell_of(a->set, site, run)->count > 0 || a->options->zero) && !isnan(one))
            values[n++] = one;
    }
    *value = NAN;
    const int status = n > 0 ? mpg_median(values, n, value, err) : 0;
    free(values);
    return status;
}

static int print_aggregate(const struct scale_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    struct mpg_table_column column[MAX_COUNTS + 1] = {{.key = "callsite", .heading = "Callsite", .left = true}};
    char title[MAX_COUNTS][16];
    struct mpg_table t = {.column = column, .columns = 1};
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    const bool is_time = a->options->metric == SCALE_TIME || a->options->metric == SCALE_MEAN;
    int status = 0;
    if (a->counts > MAX_COUNTS)
        return mpg_error_set(err, "%zu process counts: a table has room for %d", a->counts, MAX_COUNTS);
    for (size_t run = 0; run < a->set->run_number; run = mpg_scale_next_count(a->set, run)) {
        snprintf(title[t.columns - 1], sizeof title[0], "%d", a->set->runs[run].ranks);
        column[t.columns] = (struct mpg_table_column){
            .key = title[t.columns - 1], .heading = title[t.columns - 1], .scale = is_time ? 1e-9 : 1};
        t.columns++;
    }
    if (format == MPG_TABLE_TEXT)
        fprintf(out, "%s%s, %s, by number of ranks\n", mpg_scale_metric_title(r), is_time ? ", s" : "",
                r->fastest ? "of the fastest run" : "medians of runs");
    begin(&t, format, out, &j, NULL);
    for (size_t i = 0; status == 0 && i < a->row_number; i++) {
        mpg_table_text(&t, a->set->sites[a->rows[i].site].name);
        for (size_t run = 0; status == 0 && run < a->set->run_number; run = mpg_scale_next_count(a->set, run)) {
            double value = NAN;
            status = represent(r, a->rows[i].site, run, mpg_scale_next_count(a->set, run), &value, err);
            mpg_table_number(&t, value);
        }
    }
    if (end(&t, &j, err) < 0)
        return -1;
    if (format == MPG_TABLE_JSON)
        putc('\n', out);
    return status;
}

/* ---- runs ---- */

static const struct mpg_table_column run_columns[] = {
    {.key = "ranks", .heading = "Ranks"}, {.key = "size", .heading = "Size", .left = true},
    {.key = "runs", .heading = "Runs"}, {.key = "t_ns", .heading = "T s", .scale = 1e-9},
    {.key = "t_comp_ns", .heading = "T_comp s", .scale = 1e-9}, {.key = "t_comm_ns", .heading = "T_comm s", .scale = 1e-9},
    {.key = "speedup", .heading = "Speedup"}, {.key = "efficiency", .heading = "Efficiency"}};

/* Sets TIMES to the longest rank's time, the computation and the communication for the runs FROM to END - 1: medians, or with
 * r->fastest the times of the fastest run. */
static int find_times(const struct scale_report *r, size_t from, size_t end, double *times, struct mpg_error *err)
{
    const struct scale_run *runs = r->analysis->set->runs;
    double *value = malloc((end - from) * sizeof *value);
    int status = value ? 0 : out_of_memory(err);
    for (int which = 0; status == 0 && which < 3; which++) {
        for (size_t i = from; i < end; i++)
            value[i - from] = which == 0   ? runs[i].longest_ns
                              : which == 1 ? runs[i].app_ns - runs[i].comm_ns
                                           : runs[i].comm_ns;
        status = mpg_median(value, end - from, &times[which], err);
    }
    free(value);
    if (status == 0 && r->fastest) {
        const struct scale_run *best = &runs[fastest_of(r->analysis->set, from, end)];
        times[0] = best->longest_ns;
        times[1] = best->app_ns - best->comm_ns;
        times[2] = best->comm_ns;
    }
    return status;
}

/* Adds a cell with the "size" labels of the runs FROM to END - 1. */
static void put_size(struct mpg_table *t, const struct scale_set *set, size_t from, size_t end)
{
    const char *first = mpg_scale_label_of(&set->runs[from], "size");
    bool same = true;
    for (size_t i = from; i < end; i++) {
        const char *size = mpg_scale_label_of(&set->runs[i], "size");
        same &= !size == !first && (!size || strcmp(size, first) == 0);
    }
    mpg_table_text(t, !same ? "(several)" : first ? first : "");
}

static void print_runs_head(const struct scale_report *r, FILE *out)
{
    const struct scale_set *set = r->analysis->set;
    const enum scale_sizing sizing = r->analysis->sizing;
    fputs("program  ", out);
    mpg_printable_put(out, set->runs[0].program ? set->runs[0].program : "not said");
    fprintf(out, "\nsizes    %s\nrange    %d to %d ranks\n",
            sizing == SCALE_FIXED    ? "fixed"
            : sizing == SCALE_SCALED ? "scaled: the work of N ranks is N times that of one"
                                     : "unknown (--label scaling=fixed,FILE... tells them): speedup as if fixed",
            set->runs[0].ranks, set->runs[set->run_number - 1].ranks);
    if (mpg_scale_print_core_facts(set, "cores    ", out))
        fputs(": speedup is as of these cores, not of one for each rank\n", out);
    putc('\n', out);
}

static int print_runs(const struct scale_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    const struct scale_set *set = a->set;
    struct mpg_table t = {MPG_TABLE_COLUMNS(run_columns)};
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    double first[3] = {0}, times[3] = {0};
    int status = 0;
    if (format == MPG_TABLE_TEXT)
        print_runs_head(r, out);
    begin(&t, format, out, &j, NULL);
    for (size_t from = 0, to; status == 0 && from < set->run_number; from = to) {
        to = mpg_scale_next_count(set, from);
        status = find_times(r, from, to, times, err);
        if (from == 0)
            memcpy(first, times, sizeof first);
        const double more = (double)set->runs[from].ranks / set->runs[0].ranks, ratio = first[0] / times[0];
        mpg_table_integer(&t, set->runs[from].ranks);
        put_size(&t, set, from, to);
        mpg_table_count(&t, to - from);
        mpg_table_numbers(&t, times, 3);
        mpg_table_number(&t, a->sizing == SCALE_SCALED ? ratio * more : ratio);
        mpg_table_number(&t, a->sizing == SCALE_SCALED ? ratio : ratio / more);
    }
    if (end(&t, &j, err) < 0)
        return -1;
    if (format == MPG_TABLE_JSON)
        putc('\n', out);
    return status;
}

int mpg_scale_print_table(const struct scale_report *r, enum scale_table table, enum mpg_table_format format, FILE *out,
                          struct mpg_error *err)
{
    switch (table) {
    case SCALE_TABLE_CALLSITES: return print_callsites(r, format, out, err);
    case SCALE_TABLE_AGGREGATE: return print_aggregate(r, format, out, err);
    case SCALE_TABLE_EFFICIENCY: return mpg_scale_print_efficiency(r, format, out, err);
    case SCALE_TABLE_RUNS: return print_runs(r, format, out, err);
    default: return mpg_scale_print_correlation(r, format, out, err);
    }
}
