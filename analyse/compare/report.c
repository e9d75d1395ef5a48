/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison as CSV and JSON, and the rows of both. */
#include <math.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "common/table/table.h"

static const struct mpg_table_column columns[] = {
    {.key = "kind"},
    {.key = "call"},
    {.key = "before_place", .joint = " < "},
    {.key = "after_place", .joint = " < "},
    {.key = "matched"},
    {.key = "unit"},
    {.key = "before"},
    {.key = "after"},
    {.key = "change"},
    {.key = "change_low"},
    {.key = "change_high"},
    {.key = "p"},
    {.key = "false_discovery_rate"},
    {.key = "verdict"},
    {.key = "before_calls"},
    {.key = "after_calls"},
};

static void put_change(struct mpg_table *t, const struct compare_change *x)
{
    mpg_table_numbers(t, (double[]){x->side[COMPARE_BEFORE], x->side[COMPARE_AFTER], x->change, x->low, x->high, x->p, x->q}, 7);
    mpg_table_text(t, mpg_compare_verdict_name(x->verdict));
}

static void put_quantities(struct mpg_table *t, const struct comparison *c)
{
    static const char *const keys[COMPARE_QUANTITIES] = {
        [COMPARE_RUN] = "run_time", [COMPARE_COMPUTATION] = "computation", [COMPARE_MPI] = "mpi",
        [COMPARE_OFF_CPU] = "off_cpu", [COMPARE_POLLING] = "polling", [COMPARE_LOAD_BALANCE] = "load_balance",
        [COMPARE_SERIALIZATION] = "serialization", [COMPARE_TRANSFER] = "transfer", [COMPARE_NOISE] = "noise",
        [COMPARE_EFFICIENCY] = "parallel_efficiency"};
    for (int q = 0; q < COMPARE_QUANTITIES; q++) {
        mpg_table_text(t, keys[q]);
        for (int i = 0; i < 4; i++)
            mpg_table_missing(t);
        mpg_table_text(t, mpg_compare_is_time((enum compare_quantity)q) ? "ns" : "1");
        put_change(t, &c->quantity[q]);
        mpg_table_missing(t);
        mpg_table_missing(t);
    }
}

static void put_rows(struct mpg_table *t, const struct comparison *c)
{
    static const char *const kinds[] = {"call", "computation_before", "region"};
    static const char *const matches[] = {"same", "line_moved", "other_file", "several_together", "appeared", "disappeared"};
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_row *row = &c->row[i];
        mpg_table_text(t, kinds[row->kind]);
        if (row->kind == COMPARE_REGION)
            mpg_table_missing(t);
        else
            mpg_table_printf(t, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
        mpg_table_lines(t, row->name[COMPARE_BEFORE]);
        mpg_table_lines(t, row->name[COMPARE_AFTER]);
        mpg_table_text(t, matches[row->match]);
        mpg_table_text(t, "ns");
        put_change(t, &row->time);
        mpg_table_numbers(t, row->number, 2);
    }
}

int mpg_compare_print_csv(const struct comparison *c, FILE *out, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    mpg_table_begin(&t, MPG_TABLE_CSV, out);
    put_quantities(&t, c);
    put_rows(&t, c);
    return mpg_table_end(&t, err);
}

static void put_runs(struct mpg_json *j, const char *key, const struct compare_runs *side)
{
    mpg_json_array(j, key);
    for (size_t i = 0; i < side->n; i++) {
        const struct compare_run *run = &side->run[i];
        mpg_json_object(j, NULL);
        mpg_json_string(j, "trace", run->path);
        mpg_json_integer(j, "ranks", run->ranks);
        mpg_json_number(j, "run_ns", run->quantity[COMPARE_RUN]);
        mpg_json_number(j, "load_balance", run->quantity[COMPARE_LOAD_BALANCE]);
        mpg_json_number(j, "serialization", run->quantity[COMPARE_SERIALIZATION]);
        mpg_json_number(j, "transfer", run->quantity[COMPARE_TRANSFER]);
        mpg_json_number(j, "noise", run->quantity[COMPARE_NOISE]);
        mpg_json_number(j, "parallel_efficiency", run->quantity[COMPARE_EFFICIENCY]);
        if (run->knows_recording)
            mpg_json_bool(j, "good", run->recording.is_good);
        else
            mpg_json_null(j, "good");
        mpg_json_close(j);
    }
    mpg_json_close(j);
}

int mpg_compare_print_json(const struct comparison *c, const struct compare_results *results, FILE *out, struct mpg_error *err)
{
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    struct mpg_table quantities = {MPG_TABLE_COLUMNS(columns)}, rows = {MPG_TABLE_COLUMNS(columns)};
    mpg_json_object(&j, NULL);
    mpg_json_string(&j, "format", "mpgtrace-compare");
    mpg_json_integer(&j, "version", 1);
    put_runs(&j, "before", &c->side[COMPARE_BEFORE]);
    put_runs(&j, "after", &c->side[COMPARE_AFTER]);
    mpg_json_bool(&j, "chance_known", mpg_compare_knows_chance(c));
    mpg_json_number(&j, "shared", mpg_compare_shared(c));
    if (results->n > 0)
        mpg_condition_put_json(&j, results->result, results->n);
    mpg_json_array(&j, "quantities");
    mpg_table_begin_json(&quantities, &j);
    put_quantities(&quantities, c);
    int status = mpg_table_end(&quantities, err);
    mpg_json_close(&j);
    mpg_json_array(&j, "rows");
    mpg_table_begin_json(&rows, &j);
    if (status == 0)
        put_rows(&rows, c);
    status = mpg_table_end(&rows, err) < 0 ? -1 : status;
    mpg_json_close(&j);
    mpg_json_close(&j);
    putc('\n', out);
    return status;
}
