/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of callsites: the cost of calls by place in the source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/stat/stat.h"
#include "trace/stat/symbols.h"

static int compare_names(const void *a, const void *b)
{
    const struct stat_line *x = a, *y = b;
    return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
                              : strcmp(x->places, y->places);
}

static int compare_times(const void *a, const void *b)
{
    const struct stat_line *x = a, *y = b;
    if (x->sum.time_ns != y->sum.time_ns)
        return x->sum.time_ns < y->sum.time_ns ? 1 : -1;
    return compare_names(a, b);
}

/* Joins lines with equal call and equal name of the callsite. Returns the number of lines left. */
static size_t join_lines(struct stat_line *lines, size_t n)
{
    size_t kept = 0;
    qsort(lines, n, sizeof *lines, compare_names);
    for (size_t i = 0; i < n; i++)
        if (kept && compare_names(&lines[kept - 1], &lines[i]) == 0) {
            mpg_stat_join(&lines[kept - 1].sum, &lines[i].sum);
            free(lines[i].places);
        } else
            lines[kept++] = lines[i];
    return kept;
}

/* In JSON the callsite follows the call; in text it is the last column. */
static const struct mpg_table_column columns[] = {
    {.key = "call", .heading = "call", .width = 16, .fits = true, .left = true},
    {.key = "callsite"},
    {.key = "calls", .heading = "number", .width = 10},
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 10},
    {.key = "least_ns", .heading = "min", .formatter = mpg_units_format_time, .width = 10},
    {.key = "most_ns", .heading = "max", .formatter = mpg_units_format_time, .width = 10},
    {.key = "sent_bytes", .heading = "sent", .formatter = mpg_table_format_size_if_any, .width = 10},
    {.key = "received_bytes", .heading = "received", .formatter = mpg_table_format_size_if_any, .width = 10},
    {.heading = "callsite", .gap = 2, .left = true}};

static void put_line(struct mpg_table *t, const struct stat_line *l)
{
    mpg_stat_put_call(t, l->call);
    mpg_table_lines(t, l->places);
    mpg_stat_put_sum(t, &l->sum);
    mpg_table_lines(t, l->places);
}

int mpg_stat_print_lines(const struct stat_line *lines, size_t n, size_t top, struct mpg_error *err)
{
    const size_t shown = top > 0 && top < n ? top : n;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .gap = 1};
    putchar('\n');
    mpg_table_begin(&t, MPG_TABLE_TEXT, stdout);
    for (size_t i = 0; i < shown; i++)
        put_line(&t, &lines[i]);
    const int status = mpg_table_end(&t, err);
    mpg_stat_print_more(n, shown);
    return status;
}

int mpg_stat_put_lines(struct mpg_json *j, const struct stat_line *lines, size_t n, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns)};
    mpg_table_begin_json(&t, j);
    for (size_t i = 0; i < n; i++)
        put_line(&t, &lines[i]);
    return mpg_table_end(&t, err);
}

int64_t mpg_stat_make_lines(const struct stat_row *rows, size_t n, const struct stat_callsites *callsites,
                            struct mpg_symbols *symbols, int frames, struct stat_line **made,
                            struct mpg_error *err)
{
    struct stat_line *lines = calloc(n + 1, sizeof *lines);
    size_t count = 0;
    *made = NULL;
    if (!lines)
        return mpg_error_set(err, "out of memory");
    for (; count < n; count++) {
        char *name = mpg_stat_name_site(callsites, rows[count].site, symbols, frames, err);
        if (!name) {
            mpg_stat_free_lines(lines, count);
            return -1;
        }
        lines[count] = (struct stat_line){rows[count].call, name, rows[count].sum};
    }
    count = join_lines(lines, count);
    qsort(lines, count, sizeof *lines, compare_times);
    *made = lines;
    return (int64_t)count;
}

void mpg_stat_free_lines(struct stat_line *lines, size_t n)
{
    for (size_t i = 0; lines && i < n; i++)
        free(lines[i].places);
    free(lines);
}
