/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Efficiencies of parts of a run, as rows. */
#include "analyse/efficiency/report_private.h"
#include "common/units.h"

enum { MAX_COLUMNS = 16 };

struct columns {
    struct mpg_table_column list[MAX_COLUMNS];
    size_t n;
};

static void add(struct columns *x, const char *key, const char *heading, int width, mpg_table_formatter *formatter)
{
    x->list[x->n++] = (struct mpg_table_column){.key = key, .heading = heading, .width = width, .formatter = formatter};
}

static void describe(struct columns *x, enum mpg_efficiency_by by)
{
    if (by == MPG_EFFICIENCY_BY_REGION)
        x->list[x->n++] = (struct mpg_table_column){
            .key = "region", .heading = "region", .missing = "(none)", .width = 16, .fits = true, .left = true};
    else {
        add(x, "from_ns", "from", 10, mpg_units_format_time);
        add(x, "to_ns", "to", 10, mpg_units_format_time);
    }
    add(x, "run_ns", by == MPG_EFFICIENCY_BY_REGION ? "run" : NULL, 10, mpg_units_format_time);
    add(x, "ideal_ns", NULL, 0, NULL);
    add(x, "mean_compute_ns", NULL, 0, NULL);
    add(x, "max_compute_ns", NULL, 0, NULL);
    add(x, "lost_ns", by == MPG_EFFICIENCY_BY_REGION ? "lost" : NULL, 10, mpg_units_format_time);
    add(x, "parallel", "parallel", 9, mpg_table_format_percent);
    add(x, "load_balance", "load balance", 12, mpg_table_format_percent);
    add(x, "communication", NULL, 0, mpg_table_format_percent);
    add(x, "serialization", "serialization", 13, mpg_table_format_percent);
    add(x, "transfer", "transfer", 9, mpg_table_format_percent);
    add(x, "most_rank", "most on", 7, NULL);
    add(x, "least_rank", "least on", 8, NULL);
}

static void put_part(struct mpg_table *t, const struct mpg_efficiency_traced *traced, const struct mpg_efficiency_part *part)
{
    const struct mpg_efficiency *e = &part->times;
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(e);
    if (traced->run.parts.by == MPG_EFFICIENCY_BY_REGION)
        mpg_table_text(t, part->region < 0 ? NULL : mpg_trace_string(traced->trace, part->region));
    else
        mpg_table_numbers(t, (double[]){part->from_ns, part->to_ns}, 2);
    mpg_table_numbers(t, (double[]){e->run_ns, e->ideal_ns, e->mean_compute_ns, e->max_compute_ns}, 4);
    mpg_table_number(t, e->run_ns - e->mean_compute_ns);
    mpg_table_numbers(t, (double[]){x.parallel, x.load_balance, x.communication, x.serialization, x.transfer}, 5);
    mpg_table_integer(t, part->max);
    mpg_table_integer(t, part->min);
}

int mpg_efficiency_print_parts(const struct mpg_efficiency_traced *traced, enum mpg_table_format format, FILE *out,
                               struct mpg_error *err)
{
    const struct mpg_efficiency_parts *parts = &traced->run.parts;
    struct columns x = {.n = 0};
    describe(&x, parts->by);
    struct mpg_table t = {.column = x.list, .columns = x.n, .missing = "-"};
    mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < parts->n; i++)
        put_part(&t, traced, &parts->part[i]);
    return mpg_table_end(&t, err);
}

int mpg_efficiency_put_parts(const struct mpg_efficiency_traced *traced, struct mpg_json *j, struct mpg_error *err)
{
    const struct mpg_efficiency_parts *parts = &traced->run.parts;
    struct columns x = {.n = 0};
    describe(&x, parts->by);
    struct mpg_table t = {.column = x.list, .columns = x.n, .own_rows = true};
    mpg_json_string(j, "by", parts->by == MPG_EFFICIENCY_BY_REGION ? "region" : "time");
    if (parts->by == MPG_EFFICIENCY_BY_TIME)
        mpg_json_bool(j, "aligned", parts->aligned);
    mpg_json_array(j, "rows");
    mpg_table_begin_json(&t, j);
    for (size_t i = 0; i < parts->n; i++) {
        mpg_json_object(j, NULL);
        put_part(&t, traced, &parts->part[i]);
        mpg_json_numbers(j, "compute_ns", parts->part[i].compute_ns, (size_t)traced->run.times.ranks);
        mpg_json_close(j);
    }
    const int status = mpg_table_end(&t, err);
    mpg_json_close(j);
    return status;
}
