/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What there is before anything is correlated: what each rank did at each callsite (Vetter and McCracken's Table 1),
 * what all did for each process count (Table 2), and the runs (Table 4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_text.h"
#include "common/printable.h"
#include "scale/report/grid.h"
#include "scale/report/report.h"
#include "statistics/rank.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* The first run with more ranks than RUN has. */
static size_t next_count(const struct scale_set *set, size_t run)
{
    size_t end = run + 1;
    while (end < set->run_number && set->runs[end].ranks == set->runs[run].ranks)
        end++;
    return end;
}

static int print_grid(const struct scale_grid *g, enum scale_format format, FILE *out, struct mpg_error *err)
{
    if (g->failed)
        return out_of_memory(err);
    if (format == SCALE_TEXT)
        scale_grid_print_text(g, out);
    else if (format == SCALE_CSV)
        scale_grid_print_csv(g, out);
    else
        scale_grid_print_json(g, out);
    return 0;
}

/* ---- callsites ---- */

static const struct scale_column callsite_columns[] = {
    {.key = "op", .title = "Op", .is_text = true}, {.key = "callsite", .title = "Callsite", .is_text = true},
    {.key = "task", .title = "Task"}, {.key = "count", .title = "Count"},
    {.key = "max_ns", .title = "Max us", .scale = 1e-3}, {.key = "mean_ns", .title = "Mean us", .scale = 1e-3},
    {.key = "min_ns", .title = "Min us", .scale = 1e-3}};

/* NAME without its call. */
static const char *place_of(const struct scale_site *site)
{
    const char *call = site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : "";
    const size_t n = strlen(call);
    return strncmp(site->name, call, n) == 0 && site->name[n] == ':' ? site->name + n + 1 : n > 0 ? "" : site->name;
}

static void put_line(struct scale_grid *g, const struct scale_site *site, double task, const struct scale_detail *d)
{
    scale_grid_put_text(g, site->call < MPG_CALL_COUNT ? mpg_call_name(site->call) : "");
    scale_grid_put_text(g, place_of(site));
    if (isnan(task))
        scale_grid_put_text(g, "All");
    else
        scale_grid_put(g, task);
    scale_grid_put(g, (double)d->count);
    scale_grid_put(g, d->most_ns);
    scale_grid_put(g, d->time_ns / (double)d->count);
    scale_grid_put(g, d->least_ns);
}

/* Of one run: N details from FIRST, those of one site together. */
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

static void put_group(struct scale_grid *g, const struct scale_set *set, const struct group *group)
{
    const struct scale_site *site = &set->sites[group->first->site];
    const struct scale_cell *cell = scale_cell_of(set, group->first->site, group->first->run);
    const struct scale_detail all = {.count = cell->count,
                                     .time_ns = cell->time_ns,
                                     .least_ns = cell->least_ns,
                                     .most_ns = cell->most_ns};
    for (size_t i = 0; i < group->n; i++)
        put_line(g, site, group->first[i].rank, &group->first[i]);
    put_line(g, site, NAN, &all);
}

static int put_run(struct scale_grid *g, const struct scale_set *set, size_t from, size_t end, struct mpg_error *err)
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
        put_group(g, set, &groups[i]);
    free(groups);
    return 0;
}

static int print_callsites(const struct scale_report *r, enum scale_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_set *set = r->analysis->set;
    int status = 0;
    if (format == SCALE_JSON)
        fputs("[", out);
    for (size_t from = 0, end; status == 0 && from < set->detail_number; from = end) {
        struct scale_grid g = {.column = callsite_columns,
                               .columns = sizeof callsite_columns / sizeof *callsite_columns};
        const struct scale_run *run = &set->runs[set->details[from].run];
        for (end = from; end < set->detail_number && set->details[end].run == set->details[from].run; end++)
            ;
        if (format == SCALE_TEXT) {
            fputs(from > 0 ? "\n" : "", out);
            mpg_printable_put(out, run->path);
            fprintf(out, ", %d ranks\n", run->ranks);
        } else if (format == SCALE_JSON) {
            fputs(from > 0 ? ",\n {\"path\": " : "\n {\"path\": ", out);
            mpg_json_write_string(out, run->path);
            fprintf(out, ", \"ranks\": %d, \"callsites\": ", run->ranks);
        }
        status = put_run(&g, set, from, end, err);
        if (status == 0)
            status = print_grid(&g, format, out, err);
        if (format == SCALE_JSON)
            putc('}', out);
        scale_grid_clear(&g);
    }
    if (format == SCALE_JSON)
        fputs("]\n", out);
    return status;
}

/* ---- aggregate ---- */

enum { MOST_COUNTS = 256 };

/* The run from FROM to END, all of one N, that took the least time. */
static size_t fastest_of(const struct scale_set *set, size_t from, size_t end)
{
    size_t best = from;
    for (size_t run = from; run < end; run++)
        if (set->runs[run].longest_ns < set->runs[best].longest_ns)
            best = run;
    return best;
}

/* What stands for the runs FROM to END of SITE, into *VALUE; NAN: none has it. */
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

static int print_aggregate(const struct scale_report *r, enum scale_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    struct scale_column column[MOST_COUNTS + 1] = {{.key = "callsite", .title = "Callsite", .is_text = true}};
    char title[MOST_COUNTS][16];
    struct scale_grid g = {.column = column, .columns = 1};
    const bool is_time = a->options->metric == SCALE_TIME || a->options->metric == SCALE_MEAN;
    int status = 0;
    if (a->counts > MOST_COUNTS)
        return mpg_error_set(err, "%zu process counts: a table has room for %d", a->counts, MOST_COUNTS);
    for (size_t run = 0; run < a->set->run_number; run = next_count(a->set, run)) {
        snprintf(title[g.columns - 1], sizeof title[0], "%d", a->set->runs[run].ranks);
        column[g.columns] = (struct scale_column){
            .key = title[g.columns - 1], .title = title[g.columns - 1], .scale = is_time ? 1e-9 : 1};
        g.columns++;
    }
    for (size_t i = 0; status == 0 && i < a->row_number; i++) {
        scale_grid_put_text(&g, a->set->sites[a->rows[i].site].name);
        for (size_t run = 0; status == 0 && run < a->set->run_number; run = next_count(a->set, run)) {
            double value;
            status = represent(r, a->rows[i].site, run, next_count(a->set, run), &value, err);
            scale_grid_put(&g, value);
        }
    }
    if (status == 0 && format == SCALE_TEXT)
        fprintf(out, "%s%s, %s, by number of ranks\n", mpg_scale_metric_title(r), is_time ? ", s" : "",
                r->fastest ? "of the fastest run" : "medians of runs");
    if (status == 0)
        status = print_grid(&g, format, out, err);
    if (status == 0 && format == SCALE_JSON)
        putc('\n', out);
    scale_grid_clear(&g);
    return status;
}

/* ---- runs ---- */

static const struct scale_column run_columns[] = {
    {.key = "ranks", .title = "Ranks"}, {.key = "size", .title = "Size", .is_text = true},
    {.key = "runs", .title = "Runs"}, {.key = "t_ns", .title = "T s", .scale = 1e-9},
    {.key = "t_comp_ns", .title = "T_comp s", .scale = 1e-9}, {.key = "t_comm_ns", .title = "T_comm s", .scale = 1e-9},
    {.key = "speedup", .title = "Speedup"}, {.key = "efficiency", .title = "Efficiency"}};

/* Medians over runs FROM to END: of the longest rank, of computation, of communication. */
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

/* The sizes that runs FROM to END are said to have. */
static void put_size(struct scale_grid *g, const struct scale_set *set, size_t from, size_t end)
{
    const char *first = scale_label_of(&set->runs[from], "size");
    bool same = true;
    for (size_t i = from; i < end; i++) {
        const char *size = scale_label_of(&set->runs[i], "size");
        same &= !size == !first && (!size || strcmp(size, first) == 0);
    }
    scale_grid_put_text(g, !same ? "(several)" : first ? first : "");
}

static int print_runs(const struct scale_report *r, enum scale_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_analysis *a = r->analysis;
    const struct scale_set *set = a->set;
    struct scale_grid g = {.column = run_columns, .columns = sizeof run_columns / sizeof *run_columns};
    double first[3] = {0}, times[3];
    int status = 0;
    for (size_t from = 0, end; status == 0 && from < set->run_number; from = end) {
        end = next_count(set, from);
        status = find_times(r, from, end, times, err);
        if (from == 0)
            memcpy(first, times, sizeof first);
        const double more = (double)set->runs[from].ranks / set->runs[0].ranks, ratio = first[0] / times[0];
        scale_grid_put(&g, set->runs[from].ranks);
        put_size(&g, set, from, end);
        scale_grid_put(&g, (double)(end - from));
        for (int which = 0; which < 3; which++)
            scale_grid_put(&g, times[which]);
        scale_grid_put(&g, a->sizing == SCALE_SCALED ? ratio * more : ratio);
        scale_grid_put(&g, a->sizing == SCALE_SCALED ? ratio : ratio / more);
    }
    if (status == 0 && format == SCALE_TEXT) {
        fputs("program  ", out);
        mpg_printable_put(out, set->runs[0].program ? set->runs[0].program : "not said");
        fprintf(out, "\nsizes    %s\nrange    %d to %d ranks\n",
                a->sizing == SCALE_FIXED    ? "fixed"
                : a->sizing == SCALE_SCALED ? "scaled: the work of N ranks is N times that of one"
                                            : "not said to be fixed or scaled: speedup is as of fixed ones",
                set->runs[0].ranks, set->runs[set->run_number - 1].ranks);
        if (mpg_scale_print_crowd(set, "cores    ", out))
            fputs(": speedup is as of these cores, not of one for each rank\n", out);
        putc('\n', out);
    }
    if (status == 0)
        status = print_grid(&g, format, out, err);
    if (status == 0 && format == SCALE_JSON)
        putc('\n', out);
    scale_grid_clear(&g);
    return status;
}

int mpg_scale_print_table(const struct scale_report *r, enum scale_table table, enum scale_format format, FILE *out,
                          struct mpg_error *err)
{
    switch (table) {
    case SCALE_TABLE_CALLSITES: return print_callsites(r, format, out, err);
    case SCALE_TABLE_AGGREGATE: return print_aggregate(r, format, out, err);
    case SCALE_TABLE_RUNS: return print_runs(r, format, out, err);
    default: return mpg_scale_print_correlation(r, format, out, err);
    }
}
