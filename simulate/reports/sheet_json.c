/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table as JSON; mpgsim-json(5) is the schema. */
#include <math.h>

#include "simulate/reports/json_parts.h"
#include "simulate/reports/sheet.h"

enum { SWEEP_VERSION = 1 };

static json_t *cell_json(const struct mpg_cell *cell)
{
    return cell->word ? json_string(cell->word) : json_real(cell->number);
}

static json_t *columns_json(const struct mpg_sheet *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows->columns; i++)
        json_array_append_new(list, json_pack("{s:s, s:s?}", "name", rows->column[i].name, "unit",
                                              rows->column[i].unit));
    return list;
}

static json_t *values_json(const struct mpg_sheet *rows, const struct mpg_row *row)
{
    json_t *o = json_object();
    for (size_t i = 0; i < rows->columns; i++)
        json_object_set_new(o, rows->column[i].name, cell_json(&row->cell[i]));
    return o;
}

/* Against the other signatures of its point. */
static json_t *faster_json(const struct mpg_sheet *rows, size_t i)
{
    json_t *list = json_array();
    for (size_t k = 0; k < rows->n; k++)
        if (k != i && rows->row[k].point == rows->row[i].point)
            json_array_append_new(list, json_pack("{s:i, s:f}", "row", (int)k + 1, "probability",
                                                  mpg_sheet_faster(rows, i, k)));
    return list;
}

static json_t *replicas_json(const struct mpg_sheet *rows, const struct mpg_row *row)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < rows->replicas; k++)
        json_array_append_new(list, json_real(row->run_ns[k]));
    return list;
}

static json_t *row_json(const struct mpg_sheet *rows, size_t i)
{
    const struct mpg_row *row = &rows->row[i];
    const double traced_ns = row->traced_ns;
    const struct mpg_summary *run = &row->run;
    json_t *o = json_pack("{s:i, s:o, s:f, s:f, s:o, s:I}", "row", (int)i + 1, "values",
                          values_json(rows, row), "recorded_run_time_ns", row->recorded_ns,
                          "traced_run_time_ns", traced_ns, "run_time_ns", mpg_answer_summary(run),
                          "synchronous_messages", (json_int_t)row->synchronous);
    if (!o)
        return NULL;
    const bool has = traced_ns > 0;
    json_object_set_new(o, "slowdown_median", has ? json_real(run->median / traced_ns) : json_null());
    json_object_set_new(o, "slowdown_confidence_95",
                        has ? json_pack("[f, f]", run->low / traced_ns, run->high / traced_ns)
                            : json_null());
    if (rows->compares)
        json_object_set_new(o, "faster_than", faster_json(rows, i));
    json_object_set_new(o, "replicas_run_time_ns", replicas_json(rows, row));
    json_object_set_new(o, "options", json_incref(row->options));
    json_object_set_new(o, "attention", mpg_answer_lines(&row->attention));
    json_object_set_new(o, "assumptions", mpg_answer_lines(&row->assumed));
    return o;
}

/* null: there is none. */
static json_t *tolerated_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *tolerance_json(const struct mpg_sheet *rows, size_t i)
{
    const struct mpg_tolerance *t = &rows->tolerance[i];
    return json_pack("{s:s?, s:o, s:s, s:s?, s:f, s:o, s:[o, o], s:s}", "signature", t->signature, "of_run_time_ns",
                     json_real(t->base_ns > 0 ? t->base_ns : rows->row->traced_ns), "name", rows->sought.name, "unit",
                     rows->sought.unit, "slowdown", t->slowdown, "value", tolerated_json(t->value),
                     "confidence_95", tolerated_json(t->low), tolerated_json(t->high), "which",
                     t->none ? "none" : isnan(t->value) ? "any" : "up to");
}

int mpg_sheet_json(const struct mpg_sheet *rows, FILE *out, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &rows->counts;
    json_t *list = json_array();
    for (size_t i = 0; i < rows->n; i++)
        json_array_append_new(list, row_json(rows, i));
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:{s:s, s:i, s:I, s:I, s:I}, s:o, s:o}", "format",
        "mpgsim-sweep", "version", SWEEP_VERSION, "mode", rows->predicted ? "predict" : "perturb", "seed",
        (json_int_t)rows->seed, "first_replica", (json_int_t)rows->first_replica, "replicas",
        (json_int_t)rows->replicas, "trace", "path", rows->trace, "ranks", (int)rows->ranks, "calls",
        (json_int_t)c->calls, "messages", (json_int_t)c->messages, "collectives",
        (json_int_t)c->collectives, "parameters", columns_json(rows), "rows", list);
    if (root && rows->tolerances > 0) {
        json_t *all = json_array();
        for (size_t i = 0; i < rows->tolerances; i++)
            json_array_append_new(all, tolerance_json(rows, i));
        json_object_set_new(root, "tolerance", tolerance_json(rows, 0));
        json_object_set_new(root, "tolerances", all);
    }
    return mpg_answer_write(root, out, err);
}
