/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/reports/cause_worths.h"

#include <math.h>
#include <stdlib.h>

#include "common/table/table.h"
#include "common/units.h"
#include "simulate/evaluate/driver/interval.h"
#include "simulate/reports/json_parts.h"

static struct mpg_summary summarise(const struct mpg_cause_worths *x, const double *values, double *scratch)
{
    struct mpg_summary s = mpg_summarise(values, x->replicas, scratch);
    mpg_interval_widen(&s, &x->resampling, values, scratch, x->replicas, x->first_replica);
    return s;
}

struct mpg_summary mpg_cause_worth_change(const struct mpg_cause_worths *x, const struct mpg_cause_worth *row, double *scratch)
{
    double *change = scratch + x->replicas;
    for (uint32_t k = 0; k < x->replicas; k++)
        change[k] = x->with_ns[k] > 0 ? 100 * (row->run_ns[k] / x->with_ns[k] - 1) : 0;
    return summarise(x, change, scratch);
}

static double *scratch_of(const struct mpg_cause_worths *x, struct mpg_error *err)
{
    double *scratch = malloc(2 * x->replicas * sizeof *scratch);
    if (!scratch)
        mpg_error_set(err, "out of memory");
    return scratch;
}

/* --- text --- */

static void put_name(struct mpg_table *t, const struct mpg_cause_worth *row, bool is_last)
{
    if (row->name)
        mpg_table_text(t, row->name);
    else if (is_last)
        mpg_table_text(t, "all causes");
    else
        mpg_table_printf(t, "%zu smaller causes", row->causes);
}

static void put_row(struct mpg_table *t, const struct mpg_cause_worths *x, const struct mpg_cause_worth *row, double *scratch)
{
    put_name(t, row, row == x->row + x->n - 1);
    mpg_table_numbers(t, (double[]){row->fraction, row->per_s, row->longest_ns}, 3);
    if (!row->run_ns) {
        mpg_table_missing(t);
        mpg_table_end_row(t, "not simulated: too many causes");
        return;
    }
    const struct mpg_summary change = mpg_cause_worth_change(x, row, scratch);
    const struct mpg_summary run = mpg_summarise(row->run_ns, x->replicas, scratch);
    char median[32];
    /* 0 - x: no negative zero */
    mpg_table_printf(t, "%.3g %%", 0 - change.median);
    if (x->replicas > 1)
        mpg_table_printf(t, "%.3g %% to %.3g %%", 0 - change.high, 0 - change.low);
    else
        mpg_table_missing(t);
    mpg_table_text(t, mpg_units_format_time(median, sizeof median, run.median));
}

int mpg_cause_worths_text(const struct mpg_cause_worths *x, FILE *out, struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {
        {.heading = "cause", .left = true, .fits = true},
        {.heading = "share", .format = "%.4f %%", .scale = 100, .fits = true},
        {.heading = "a second", .format = "%.4g", .fits = true},
        {.heading = "longest", .formatter = mpg_units_format_time, .fits = true},
        {.heading = "shorter by", .fits = true, .missing = "-"},
        {.heading = "95 % confidence", .fits = true, .missing = "-"},
        {.heading = "run time", .fits = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .indent = 2, .trims = true};
    char text[32];
    double *scratch = scratch_of(x, err);
    if (!scratch)
        return -1;
    fprintf(out, "\nNoise by cause: each row is the run without this cause (with all causes: %s), medians over replicas; share: "
                 "of a core\n", mpg_units_format_time(text, sizeof text, mpg_summarise(x->with_ns, x->replicas, scratch).median));
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    for (size_t i = 0; i < x->n; i++)
        put_row(&t, x, &x->row[i], scratch);
    free(scratch);
    if (mpg_table_end(&t, err) < 0)
        return -1;
    fprintf(out, "  Unseen by the kernel: %.3g %% of this noise", 100 * x->unseen);
    if (x->unknown_cores > 0)
        fprintf(out, "; causes are unknown on %zu of %zu cores, whose noise stays", x->unknown_cores, x->cores);
    fputc('\n', out);
    return 0;
}

/* --- CSV and JSON --- */

int mpg_cause_worths_csv(const struct mpg_cause_worths *x, FILE *out, struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {
        {.key = "cause", .quoted = true}, {.key = "causes"}, {.key = "fraction"}, {.key = "per_s"}, {.key = "longest_ns"},
        {.key = "run_time_ns"}, {.key = "change_percent"}, {.key = "change_percent_low,change_percent_high"}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    double *scratch = scratch_of(x, err);
    if (!scratch)
        return -1;
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_cause_worth *row = &x->row[i];
        struct mpg_summary change = {.median = NAN, .low = NAN, .high = NAN};
        double run_ns = NAN;
        if (row->run_ns) {
            change = mpg_cause_worth_change(x, row, scratch);
            run_ns = mpg_summarise(row->run_ns, x->replicas, scratch).median;
        }
        mpg_table_text(&t, row->name);
        mpg_table_count(&t, row->causes);
        mpg_table_numbers(&t, (double[]){row->fraction, row->per_s, row->longest_ns, run_ns, change.median}, 5);
        mpg_table_range(&t, change.low, change.high);
    }
    free(scratch);
    return mpg_table_end(&t, err);
}

static void put_runs(struct mpg_json *j, const struct mpg_cause_worths *x, const struct mpg_cause_worth *row, double *scratch)
{
    if (!row->run_ns) {
        mpg_json_null(j, "change_percent");
        mpg_json_null(j, "run_time_ns");
        return;
    }
    const struct mpg_summary change = mpg_cause_worth_change(x, row, scratch), run = summarise(x, row->run_ns, scratch);
    mpg_answer_summary(j, "change_percent", &change);
    mpg_answer_summary(j, "run_time_ns", &run);
}

int mpg_cause_worths_json(struct mpg_json *j, const char *key, const struct mpg_cause_worths *x, struct mpg_error *err)
{
    static const char *const names[] = {"fraction", "per_s", "longest_ns"};
    double *scratch = scratch_of(x, err);
    if (!scratch)
        return -1;
    const struct mpg_summary with = summarise(x, x->with_ns, scratch);
    mpg_json_object(j, key);
    mpg_answer_summary(j, "run_time_with_all_ns", &with);
    mpg_json_number(j, "unseen_fraction", x->unseen);
    mpg_json_count(j, "cores", x->cores);
    mpg_json_count(j, "cores_without_causes", x->unknown_cores);
    mpg_json_array(j, "causes");
    for (size_t i = 0; i < x->n; i++) {
        const struct mpg_cause_worth *row = &x->row[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "cause", row->name);
        mpg_json_count(j, "removed", row->causes);
        mpg_json_members(j, names, (double[]){row->fraction, row->per_s, row->longest_ns}, 3);
        put_runs(j, x, row, scratch);
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_json_close(j);
    free(scratch);
    return 0;
}

void mpg_cause_worths_clear(struct mpg_cause_worths *x)
{
    for (size_t i = 0; i < x->n; i++)
        free(x->row[i].run_ns);
    free(x->row);
    free(x->with_ns);
    *x = (struct mpg_cause_worths){0};
}
