/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints all measurements for other tools. */
#include <math.h>

#include "common/table/escape.h"
#include "common/printable.h"
#include "scale/report/report.h"

/* The metrics exported for each site and run. */
enum metric { TIME, TIME_OF_RANK, CALLS, BYTES, WAIT, METRICS };
static const char *const metrics[] = {[TIME] = "time", [TIME_OF_RANK] = "time_of_rank", [CALLS] = "calls",
                                      [BYTES] = "bytes", [WAIT] = "wait"};

static double metric_of(const struct scale_set *set, size_t site, size_t run, enum metric metric)
{
    const struct scale_cell *cell = scale_cell_of(set, site, run);
    switch (metric) {
    case TIME: return cell->time_ns / 1e9;
    case TIME_OF_RANK: return cell->time_ns / 1e9 / set->runs[run].ranks;
    case CALLS: return (double)cell->count;
    case BYTES: return cell->sent_bytes + cell->received_bytes;
    default: return cell->wait_ns / 1e9;
    }
}

static bool has(const struct scale_set *set, size_t site, size_t run, enum metric metric)
{
    return scale_cell_of(set, site, run)->count > 0 && !isnan(metric_of(set, site, run, metric));
}

/* ---- Extra-P text format ---- */

/* Returns the smallest process count at which no run has METRIC of SITE; 0: none. */
static int32_t missing(const struct scale_set *set, size_t site, enum metric metric)
{
    for (size_t run = 0; run < set->run_number; run = mpg_scale_next_count(set, run)) {
        bool any = false;
        for (size_t i = run; i < mpg_scale_next_count(set, run); i++)
            any |= has(set, site, i, metric);
        if (!any)
            return set->runs[run].ranks;
    }
    return 0;
}

static void put_region(const struct scale_set *set, size_t site, enum metric metric, FILE *out)
{
    const int32_t without = missing(set, site, metric);
    if (without > 0)
        fputs("# without: ", out);
    else
        fputs("REGION ", out);
    mpg_printable_put(out, set->sites[site].name);
    if (without > 0) {
        fprintf(out, " (not at %d)\n", without);
        return;
    }
    putc('\n', out);
    for (size_t run = 0; run < set->run_number; run = mpg_scale_next_count(set, run)) {
        fputs("DATA", out);
        for (size_t i = run; i < mpg_scale_next_count(set, run); i++)
            if (has(set, site, i, metric))
                fprintf(out, " %.17g", metric_of(set, site, i, metric));
        putc('\n', out);
    }
}

static bool any_has(const struct scale_set *set, enum metric metric)
{
    for (size_t site = 0; site < set->site_number; site++)
        if (missing(set, site, metric) == 0)
            return true;
    return false;
}

static void print_extrap(const struct scale_set *set, FILE *out)
{
    fputs("# from mpgscale: time and wait in s, sums over all ranks, but time_of_rank their mean\nPARAMETER p\nPOINTS", out);
    for (size_t run = 0; run < set->run_number; run = mpg_scale_next_count(set, run))
        fprintf(out, " ( %d )", set->runs[run].ranks);
    putc('\n', out);
    for (enum metric metric = TIME; metric < METRICS; metric++) {
        if (!any_has(set, metric))
            continue;
        fprintf(out, "\nMETRIC %s\n", metrics[metric]);
        for (size_t site = 0; site < set->site_number; site++)
            put_region(set, site, metric, out);
    }
}

/* ---- Extra-P JSON lines ---- */

static void print_jsonl(const struct scale_set *set, FILE *out)
{
    for (size_t site = 0; site < set->site_number; site++)
        for (enum metric metric = TIME; metric < METRICS; metric++)
            for (size_t run = 0; run < set->run_number; run++) {
                if (missing(set, site, metric) > 0 || !has(set, site, run, metric))
                    continue; /* Extra-P rejects the file if a site is missing at some process count */
                fprintf(out, "{\"params\":{\"p\":%d},\"callpath\":", set->runs[run].ranks);
                mpg_json_write_string(out, set->sites[site].name);
                fprintf(out, ",\"metric\":\"%s\",\"value\":", metrics[metric]);
                mpg_json_write_number(out, metric_of(set, site, run, metric));
                fputs("}\n", out);
            }
}

/* ---- CSV ---- */

static const struct mpg_table_column columns[] = {
    {.key = "path"}, {.key = "ranks"}, {.key = "t_app_ns"}, {.key = "t_comm_ns"}, {.key = "name"}, {.key = "call"},
    {.key = "function"}, {.key = "file"}, {.key = "line"}, {.key = "count"}, {.key = "time_ns"}, {.key = "min_ns"},
    {.key = "max_ns"}, {.key = "max_rank_ns"}, {.key = "ranks_with"}, {.key = "sent_bytes"}, {.key = "received_bytes"},
    {.key = "wait_ns"}};

static void put_cell(struct mpg_table *t, const struct scale_set *set, size_t site, size_t run)
{
    const struct scale_cell *cell = scale_cell_of(set, site, run);
    mpg_table_text(t, set->runs[run].path);
    mpg_table_integer(t, set->runs[run].ranks);
    mpg_table_number(t, set->runs[run].app_ns);
    mpg_table_number(t, set->runs[run].comm_ns);
    mpg_scale_put_site(t, &set->sites[site]);
    mpg_table_numbers(t, (double[]){(double)cell->count, cell->time_ns, cell->min_ns, cell->max_ns, cell->max_rank_ns,
                                    cell->ranks, cell->sent_bytes, cell->received_bytes, cell->wait_ns}, 9);
}

static int print_csv(const struct scale_set *set, FILE *out, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    for (size_t site = 0; site < set->site_number; site++)
        for (size_t run = 0; run < set->run_number; run++)
            if (scale_cell_of(set, site, run)->count > 0)
                put_cell(&t, set, site, run);
    return mpg_table_end(&t, err);
}

int mpg_scale_print_export(const struct scale_report *r, enum scale_export export, FILE *out, struct mpg_error *err)
{
    const struct scale_set *set = r->analysis->set;
    if (export == SCALE_EXPORT_CSV)
        return print_csv(set, out, err);
    if (export == SCALE_EXPORT_EXTRAP)
        print_extrap(set, out);
    else
        print_jsonl(set, out);
    return 0;
}
