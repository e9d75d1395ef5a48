/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of calls, regions and ranks of mpgtrace stat. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "trace/stat/stat.h"

void mpg_stat_print_more(size_t n, size_t shown)
{
    if (shown < n)
        printf("... and %zu more\n", n - shown);
}

void mpg_stat_put_sum(struct mpg_table *t, const struct stat_sum *sum)
{
    mpg_table_count(t, sum->number);
    mpg_table_numbers(t, (double[]){sum->time_ns, sum->min_ns, sum->max_ns, sum->sent_bytes, sum->received_bytes}, 5);
}

/* ---- calls ---- */

void mpg_stat_put_call(struct mpg_table *t, enum mpg_call call)
{
    mpg_table_printf(t, "%s%s", mpg_call_prefix(call), mpg_call_name(call));
}

static struct mpg_table begin_calls(const struct stat_summary *s, struct mpg_table_column columns[MPG_STAT_COLUMNS])
{
    static const struct mpg_table_column list[] = {
        {.key = "call", .heading = "call", .width = 24, .left = true},
        {.key = "calls", .heading = "number", .width = 12},
        {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 12},
        {.heading = "of run", .format = "%.2f %%", .width = 8},
        {.key = "least_ns"},
        {.key = "most_ns"},
        {.key = "sent_bytes", .heading = "sent", .formatter = mpg_table_format_size_if_any, .width = 12},
        {.key = "received_bytes", .heading = "received", .formatter = mpg_table_format_size_if_any, .width = 12}};
    memcpy(columns, list, sizeof list);
    for (int i = 0; i < MPG_CALL_COUNT; i++) {
        const int length = (int)strlen(mpg_call_name((enum mpg_call)i)) + 4;
        if (s->calls[i].number && length > columns->width)
            columns->width = length;
    }
    return (struct mpg_table){.column = columns, .columns = sizeof list / sizeof *list, .gap = 1};
}

static void put_call(struct mpg_table *t, const struct stat_summary *s, enum mpg_call call)
{
    const struct stat_sum *sum = &s->calls[call];
    const enum mpg_kind kind = mpg_call_kind(call);
    const bool in_run = kind != MPG_KIND_INIT && kind != MPG_KIND_FINALIZE && s->run_ns > 0;
    mpg_stat_put_call(t, call);
    mpg_table_count(t, sum->number);
    mpg_table_numbers(t, (double[]){sum->time_ns, in_run ? 100 * sum->time_ns / s->run_ns : NAN, sum->min_ns, sum->max_ns,
                                    sum->sent_bytes, sum->received_bytes}, 6);
}

int mpg_stat_print_calls(const struct stat_summary *s, size_t top, struct mpg_error *err)
{
    bool shown[MPG_CALL_COUNT] = {false};
    struct mpg_table_column columns[MPG_STAT_COLUMNS];
    struct mpg_table t = begin_calls(s, columns);
    size_t n = 0, rows = 0;
    putchar('\n');
    mpg_table_begin(&t, MPG_TABLE_TEXT, stdout);
    for (int i = 0; i < MPG_CALL_COUNT; i++)
        n += s->calls[i].number > 0;
    for (; top == 0 || rows < top; rows++) {
        int best = -1;
        for (int i = 0; i < MPG_CALL_COUNT; i++)
            if (s->calls[i].number && !shown[i] &&
                (best < 0 || s->calls[i].time_ns > s->calls[best].time_ns))
                best = i;
        if (best < 0)
            break;
        shown[best] = true;
        put_call(&t, s, (enum mpg_call)best);
    }
    mpg_stat_print_more(n, rows);
    return mpg_table_end(&t, err);
}

int mpg_stat_put_calls(struct mpg_json *j, const struct stat_summary *s, struct mpg_error *err)
{
    struct mpg_table_column columns[MPG_STAT_COLUMNS];
    struct mpg_table t = begin_calls(s, columns);
    mpg_table_begin_json(&t, j);
    for (int i = 0; i < MPG_CALL_COUNT; i++)
        if (s->calls[i].number > 0)
            put_call(&t, s, (enum mpg_call)i);
    return mpg_table_end(&t, err);
}

/* ---- regions ---- */

static const struct mpg_table_column region_columns[] = {
    {.key = "region", .heading = "region", .width = 24, .left = true},
    {.key = "visits", .heading = "number", .width = 12},
    {.key = "unended"},
    {.key = "time_ns", .heading = "time", .formatter = mpg_units_format_time, .width = 12},
    {.heading = "of run", .format = "%.2f %%", .width = 8},
    {.key = "in_mpi_ns", .heading = "in MPI", .formatter = mpg_units_format_time, .width = 12}};

static void put_region(struct mpg_table *t, const struct stat_summary *s, const struct stat_region *r)
{
    mpg_table_text(t, mpg_trace_string(s->trace, (int32_t)(r - s->regions)));
    mpg_table_count(t, r->number);
    mpg_table_count(t, r->unended);
    mpg_table_numbers(t, (double[]){r->time_ns, s->run_ns > 0 ? 100 * r->time_ns / s->run_ns : NAN, r->in_mpi_ns}, 3);
}

int mpg_stat_put_regions(struct mpg_json *j, const struct stat_summary *s, struct mpg_error *err)
{
    struct mpg_table t = {MPG_TABLE_COLUMNS(region_columns)};
    mpg_table_begin_json(&t, j);
    for (size_t i = 0; i < s->region_number; i++)
        if (s->regions[i].number > 0)
            put_region(&t, s, &s->regions[i]);
    return mpg_table_end(&t, err);
}

static int compare_regions(const void *a, const void *b)
{
    const struct stat_region *x = *(const struct stat_region *const *)a;
    const struct stat_region *y = *(const struct stat_region *const *)b;
    return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

/* Returns whether REGION, called NAME, is a level of MPI_Pcontrol without an ending call. Other tools use levels that do not mark
 * regions. */
static bool is_unended_level(const struct stat_region *region, const char *name)
{
    return region->number == region->unended && name[strspn(name, "0123456789")] == '\0';
}

/* Prints the regions begun but never ended. */
static void print_unended(const struct stat_summary *s)
{
    const char *before = "\n";
    for (size_t i = 0; i < s->region_number; i++) {
        char name[4 * MPG_TRACE_MAX_TEXT + 1];
        const struct stat_region *r = &s->regions[i];
        if (r->unended == 0)
            continue;
        const char *text = mpg_trace_string(s->trace, (int32_t)i);
        const bool is_level = is_unended_level(r, text);
        mpg_printable(name, sizeof name, text);
        fputs(before, stdout);
        before = "";
        if (is_level)
            printf("unended     MPI_Pcontrol(%s) %" PRIu64 " %s, never ended by (-%s): not a region\n", name, r->unended,
                   mpg_units_word(r->unended, "time", "times"), name);
        else
            printf("unended     region %s, %" PRIu64 " of %" PRIu64 " %s not ended: counted until the end of the rank\n", name,
                   r->unended, r->number, mpg_units_word(r->number, "time", "times"));
    }
}

int mpg_stat_print_regions(const struct stat_summary *s, size_t top, struct mpg_error *err)
{
    const struct stat_region **sorted = malloc((s->region_number + 1) * sizeof *sorted);
    size_t n = 0;
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < s->region_number; i++)
        if (s->regions[i].number && !is_unended_level(&s->regions[i], mpg_trace_string(s->trace, (int32_t)i)))
            sorted[n++] = &s->regions[i];
    qsort(sorted, n, sizeof *sorted, compare_regions);
    const size_t shown = top > 0 && top < n ? top : n;
    struct mpg_table t = {MPG_TABLE_COLUMNS(region_columns), .gap = 1};
    if (n) {
        putchar('\n');
        mpg_table_begin(&t, MPG_TABLE_TEXT, stdout);
    }
    for (size_t i = 0; i < shown; i++)
        put_region(&t, s, sorted[i]);
    mpg_stat_print_more(n, shown);
    print_unended(s);
    free(sorted);
    return mpg_table_end(&t, err);
}

/* ---- ranks ---- */

static int compare_shares(const void *a, const void *b)
{
    const struct stat_rank *x = *(const struct stat_rank *const *)a;
    const struct stat_rank *y = *(const struct stat_rank *const *)b;
    const double first = stat_share(x), second = stat_share(y);
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

/* Returns whether any rank recorded time off the CPU. */
static bool knows_off_cpu(const struct stat_summary *s)
{
    bool any = false;
    for (int32_t r = 0; r < mpg_trace_ranks(s->trace); r++)
        any = any || s->ranks[r].off_cpu_known;
    return any;
}

static struct mpg_table begin_ranks(const struct stat_summary *s, struct mpg_table_column columns[MPG_STAT_COLUMNS])
{
    const bool off = knows_off_cpu(s);
    const struct mpg_table_column list[] = {
        {.key = "rank", .heading = "rank", .width = 24, .left = true},
        {.key = "whole"},
        {.key = "threads"},
        {.heading = "calls", .width = 12},
        {.key = "run_ns", .heading = "run time", .formatter = mpg_units_format_time, .width = 12},
        {.heading = "in MPI", .formatter = mpg_units_format_time, .width = 12},
        {.key = "in_mpi_share", .heading = "of run", .formatter = mpg_table_format_percent, .width = 10},
        {.key = "off_cpu_ns", .optional = true, .heading = off ? "off the CPU"
         : NULL, .formatter = mpg_units_format_time, .width = 12},
        {.key = "off_cpu_in_mpi_ns", .optional = true, .heading = off ? "off in MPI" : NULL, .formatter = mpg_units_format_time,
         .width = 12},
        {.key = "calls"},
        {.key = "time_ns"},
        {.key = "least_ns"},
        {.key = "most_ns"},
        {.key = "sent_bytes", .heading = "sent", .formatter = mpg_table_format_size_if_any, .width = 12},
        {.key = "received_bytes", .heading = "received", .formatter = mpg_table_format_size_if_any, .width = 12}};
    memcpy(columns, list, sizeof list);
    return (struct mpg_table){.column = columns, .columns = sizeof list / sizeof *list, .gap = 1};
}

static void put_rank(struct mpg_table *t, const struct stat_summary *s, const struct stat_rank *r)
{
    const int32_t rank = (int32_t)(r - s->ranks);
    mpg_table_integer(t, rank);
    mpg_table_boolean(t, r->started && r->ended);
    mpg_table_count(t, mpg_trace_threads(s->trace, rank));
    mpg_table_count(t, r->sum.number);
    mpg_table_numbers(t, (double[]){stat_run_ns(r), r->sum.time_ns, stat_share(r), r->off_cpu_known ? r->off_between_ns : NAN,
                                    r->off_cpu_known ? r->off_in_ns : NAN}, 5);
    mpg_stat_put_sum(t, &r->sum);
}

int mpg_stat_print_ranks(const struct stat_summary *s, size_t top, struct mpg_error *err)
{
    const size_t n = (size_t)mpg_trace_ranks(s->trace), shown = top > 0 && top < n ? top : n;
    const struct stat_rank **sorted = malloc(n * sizeof *sorted);
    struct mpg_table_column columns[MPG_STAT_COLUMNS];
    struct mpg_table t = begin_ranks(s, columns);
    if (!sorted)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = &s->ranks[i];
    if (top > 0)
        qsort(sorted, n, sizeof *sorted, compare_shares);
    putchar('\n');
    mpg_table_begin(&t, MPG_TABLE_TEXT, stdout);
    for (size_t i = 0; i < shown; i++)
        put_rank(&t, s, sorted[i]);
    mpg_stat_print_more(n, shown);
    free(sorted);
    return mpg_table_end(&t, err);
}

int mpg_stat_put_ranks(struct mpg_json *j, const struct stat_summary *s, struct mpg_error *err)
{
    struct mpg_table_column columns[MPG_STAT_COLUMNS];
    struct mpg_table t = begin_ranks(s, columns);
    mpg_table_begin_json(&t, j);
    for (int32_t i = 0; i < mpg_trace_ranks(s->trace); i++)
        put_rank(&t, s, &s->ranks[i]);
    return mpg_table_end(&t, err);
}
