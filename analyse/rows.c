/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of wait states: its columns and rows in all formats. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/report.h"
#include "common/units.h"

enum { KEY = 48, FIRST_COLUMNS = 3, RUN_COLUMNS = 11 + MPG_WAIT_KINDS,
       MAX_COLUMNS = FIRST_COLUMNS + MPG_WAITS_RUNS * RUN_COLUMNS + 1 };

static const char *const runs[MPG_WAITS_RUNS] = {"traced", "predicted"};

const char *mpg_waits_run_name(size_t run)
{
    return runs[run];
}

/* The columns of the table. KEY: storage for the CSV keys of columns that exist once for each run. */
struct columns {
    const struct mpg_waits_report *r;
    struct mpg_table_column list[MAX_COLUMNS];
    size_t n, keys;
    char key[MAX_COLUMNS][KEY];
};

/* Adds a column for run W. KEY: the column's name in CSV, and in JSON if JSON is NULL. */
static struct mpg_table_column *add(struct columns *x, size_t w, const char *key, const char *json, const char *heading,
                                    int width)
{
    struct mpg_table_column *column = &x->list[x->n++];
    *column =
        (struct mpg_table_column){.json = json ? json : key, .group = runs[w], .heading = heading, .gap = 1, .width = width};
    if (key) {
        snprintf(x->key[x->keys], KEY, "%s%s%s", x->r->runs > 1 ? runs[w] : "", x->r->runs > 1 ? "_" : "", key);
        column->key = x->key[x->keys++];
    }
    return column;
}

static bool has_kind(const struct mpg_waits_report *r, int kind)
{
    for (size_t i = 0; i < r->table->n; i++)
        for (size_t w = 0; w < r->runs; w++)
            if (r->table->row[i].sum[w].wait_ns[kind] > 0)
                return true;
    return false;
}

/* Returns whether any row has time off the CPU during calls. */
static bool has_off_cpu(const struct mpg_waits_report *r)
{
    for (size_t i = 0; i < r->table->n; i++)
        if (r->table->row[i].sum[0].off_cpu_ns > 0)
            return true;
    return false;
}

static void add_run(struct columns *x, size_t w)
{
    const bool alone = x->r->runs == 1;
    const int width = alone ? 10 : 11;
    add(x, w, "calls", NULL, w == 0 ? "number" : NULL, 10);
    add(x, w, "waited", NULL, alone ? "waited" : NULL, width);
    add(x, w, "time_ns", NULL, alone ? "time" : w == 0 ? "traced time" : "predicted", width)->formatter = mpg_units_format_time;
    add(x, w, NULL, "", alone ? "of total" : NULL, 8)->format = "%.2f %%";
    add(x, w, "wait_ns", NULL, "wait", width)->formatter = mpg_units_format_time;
    add(x, w, NULL, "off_cpu_ns", NULL, 0);
    add(x, w, NULL, "transfer_ns", NULL, 0);
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        const char *name = alone && has_kind(x->r, k) ? mpg_wait_name((enum mpg_wait)k) : NULL;
        add(x, w, mpg_wait_key((enum mpg_wait)k), NULL, name, 15)->formatter = mpg_table_format_time_if_any;
    }
    add(x, w, "waits_for_rank", NULL, NULL, 0);
    add(x, w, "waits_for_ns", NULL, NULL, 0);
    add(x, w, NULL, "", alone ? "most for rank" : NULL, 14);
    add(x, w, "off_cpu_ns", "", alone && has_off_cpu(x->r) ? "off the CPU" : NULL, 12)->formatter = mpg_table_format_time_if_any;
}

static void describe(struct columns *x)
{
    const enum mpg_waits_by by = x->r->table->by;
    const bool is_site = by == MPG_WAITS_BY_CALLSITE;
    const char *name = is_site ? "call" : mpg_waits_by_word(by);
    x->list[x->n++] = (struct mpg_table_column){.key = name, .heading = name, .missing = "(none)", .width = 16, .fits = true,
                                                .left = true};
    if (is_site)
        x->list[x->n++] = (struct mpg_table_column){.key = "callsite", .joint = " < "};
    for (size_t w = 0; w < x->r->runs; w++)
        add_run(x, w);
    if (is_site)
        x->list[x->n++] = (struct mpg_table_column){.heading = "callsite", .left = true};
}

/* Adds the cells of S in the order in which add_run() adds columns. TOTAL_NS: time of all ranks in the run. */
static void put_sum(struct mpg_table *t, const struct mpg_wait_sum *s, double total_ns)
{
    const double wait_ns = mpg_wait_all(s);
    mpg_table_count(t, s->calls);
    mpg_table_count(t, s->waited);
    mpg_table_numbers(t, (double[]){s->time_ns, total_ns > 0 ? 100 * s->time_ns / total_ns : 0, wait_ns, s->off_cpu_ns,
                                    s->time_ns - wait_ns - s->off_cpu_ns}, 5);
    mpg_table_numbers(t, s->wait_ns, MPG_WAIT_KINDS);
    if (s->for_ns > 0) {
        mpg_table_integer(t, s->for_rank);
        mpg_table_number(t, s->for_ns);
        mpg_table_printf(t, "%" PRId32 " (%.0f %%)", s->for_rank, 100 * s->for_ns / wait_ns);
    } else {
        mpg_table_missing(t);
        mpg_table_missing(t);
        mpg_table_missing(t);
    }
    mpg_table_number(t, s->off_cpu_ns);
}

static void put_row(struct mpg_table *t, const struct mpg_waits_report *r, const struct mpg_waits_row *row,
                    const double *total_ns)
{
    if (r->table->by == MPG_WAITS_BY_RANK)
        mpg_table_integer(t, row->rank);
    else if (r->table->by == MPG_WAITS_BY_REGION)
        mpg_table_text(t, row->name);
    else
        mpg_table_printf(t, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
    if (r->table->by == MPG_WAITS_BY_CALLSITE)
        mpg_table_lines(t, row->name);
    for (size_t w = 0; w < r->runs; w++)
        put_sum(t, &row->sum[w], total_ns[w]);
    if (r->table->by == MPG_WAITS_BY_CALLSITE)
        mpg_table_lines(t, row->name);
}

/* Writes the table in FORMAT to OUT; if J is not NULL, all rows as JSON. Returns 0, or -1 with ERR. */
static int put_rows(const struct mpg_waits_report *r, enum mpg_table_format format, FILE *out, struct mpg_json *j,
                    struct mpg_error *err)
{
    const size_t n = r->table->n, rows = r->top > 0 && r->top < n && !j ? r->top : n;
    struct columns *x = calloc(1, sizeof *x);
    double total_ns[MPG_WAITS_RUNS];
    if (!x)
        return mpg_error_set(err, "out of memory");
    x->r = r;
    describe(x);
    for (size_t w = 0; w < r->runs; w++)
        total_ns[w] = mpg_waits_total(r->run[w], mpg_trace_ranks(r->trace));
    struct mpg_table t = {.column = x->list, .columns = x->n};
    if (j)
        mpg_table_begin_json(&t, j);
    else
        mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < rows; i++)
        put_row(&t, r, &r->table->row[i], total_ns);
    const int status = mpg_table_end(&t, err);
    if (format == MPG_TABLE_TEXT && rows < n)
        fprintf(out, "... and %zu more\n", n - rows);
    free(x);
    return status;
}

int mpg_waits_print_rows(const struct mpg_waits_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    return put_rows(r, format, out, NULL, err);
}

int mpg_waits_put_rows(const struct mpg_waits_report *r, struct mpg_json *j, struct mpg_error *err)
{
    return put_rows(r, MPG_TABLE_JSON, j->out, j, err);
}
