/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where delays, or times, come from, for people: all figures of a table have one unit; a row is rounded so that it adds
 * up, and so is each column. */
#include "simulate/reports/where.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/units.h"
#include "simulate/reports/where_path.h"
#include "simulate/reports/where_terms.h"
#include "simulate/rounding.h"

/* ---- what is printed ---- */

static double large_delay(const double *term)
{
    return fabs(mpg_where_put_in(term)) + fabs(term[MPG_WHERE_TAKEN]);
}

static double large_time(const double *term)
{
    return mpg_where_run(term);
}

int mpg_where_report_make(struct mpg_where_report *r, const struct mpg_where *where, const struct mpg_trace *trace,
                          bool predicted, const enum mpg_where_by *by, size_t n, struct mpg_error *err)
{
    *r = (struct mpg_where_report){.predicted = predicted,
                                    .ranks = mpg_trace_ranks(trace)};
    r->total = mpg_where_total(where, r->ranks);
    for (; r->n < n; r->n++)
        if (mpg_where_table_make(&r->table[r->n], where, trace, by[r->n], predicted ? large_time : large_delay, err) < 0) {
            mpg_where_table_clear(&r->table[r->n]);
            return mpg_error_prefix(err, "--where");
        }
    return 0;
}

void mpg_where_report_clear(struct mpg_where_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        mpg_where_table_clear(&r->table[i]);
    r->n = 0;
}

/* ---- columns ---- */

enum { MOST_COLUMNS = 6 };

struct column {
    const char *name;
    double (*of)(const double *term);
    char sign; /* before it; ' ': the first */
};

static double taken_of(const double *term)
{
    return term[MPG_WHERE_TAKEN];
}

#define TIME(NAME, TERM)                       \
    static double NAME##_of(const double *term) \
    {                                          \
        return term[TERM];                     \
    }
TIME(computation, 0)
TIME(noise, 1)
TIME(calls, 2)
TIME(messages, 3)
TIME(collectives, 4)
TIME(threads, 5)
#undef TIME

static const struct column delays[] = {{"put in", mpg_where_put_in, ' '}, {"taken over", taken_of, '+'},
                                       {"absorbed", mpg_where_absorbed, '-'}};
static const struct column times[] = {{"computation", computation_of, ' '}, {"noise", noise_of, '+'},
                                      {"calls", calls_of, '+'}, {"messages", messages_of, '+'},
                                      {"collectives", collectives_of, '+'}, {"threads", threads_of, '+'}};

/* ---- rounding ---- */

struct mpg_where_figures mpg_where_choose_unit(double largest_ns)
{
    const char *unit;
    const double unit_ns = mpg_units_of_time(largest_ns, &unit), whole = largest_ns / unit_ns;
    const int decimals = largest_ns < MPG_ROUNDING_NS ? 0 : whole >= 1000 ? 1 : whole >= 100 ? 2 : 3;
    return (struct mpg_where_figures){unit_ns * pow(10, -decimals), unit_ns, unit, decimals};
}

static const struct column *columns_of(const struct mpg_where_report *r, size_t *n)
{
    *n = r->predicted ? sizeof times / sizeof *times : sizeof delays / sizeof *delays;
    return r->predicted ? times : delays;
}

static struct mpg_where_figures figures_of(const struct mpg_where_report *r, const struct mpg_where_table *t)
{
    size_t n;
    const struct column *column = columns_of(r, &n);
    double largest_ns = 0;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < n; k++)
            largest_ns = fmax(largest_ns, fabs(column[k].of(t->row[i].term)));
    return mpg_where_choose_unit(largest_ns);
}

/* ---- rows ---- */

void mpg_where_print_name(const struct mpg_where_table *t, const struct mpg_where_row *row, FILE *out)
{
    switch (t->by) {
    case MPG_WHERE_BY_RANK:
        fprintf(out, "%" PRId32, row->rank);
        return;
    case MPG_WHERE_BY_PAIR:
        if (row->from < 0)
            fputs("(no message)", out);
        else
            fprintf(out, "%" PRId32 " to %" PRId32, row->from, row->to);
        return;
    case MPG_WHERE_BY_REGION:
        mpg_printable_put(out, row->name ? row->name : "(none)");
        return;
    default:
        fprintf(out, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
    }
    if (t->by == MPG_WHERE_BY_CALLSITE) {
        fputs("  ", out);
        mpg_printable_put(out, row->name);
    }
}

void mpg_where_print_figure(const struct mpg_where_figures *f, double quanta, char sign, FILE *out)
{
    const double value = quanta * f->quantum_ns / f->unit_ns;
    fprintf(out, " %c %11.*f", sign, f->decimals, value == 0 ? 0 : value);
}

/* ROW's figures, of which the last is what the others add up to; adds them to SUM. */
static void print_figures(const struct mpg_where_report *r, const struct mpg_where_figures *f, const double *quanta, FILE *out)
{
    size_t n;
    const struct column *column = columns_of(r, &n);
    double left = 0;
    for (size_t k = 0; k < n; k++) {
        mpg_where_print_figure(f, quanta[k], column[k].sign, out);
        left += column[k].sign == '-' ? -quanta[k] : quanta[k];
    }
    mpg_where_print_figure(f, left, '=', out);
}

static void print_head(const struct mpg_where_report *r, const struct mpg_where_table *t, const struct mpg_where_figures *f,
                       FILE *out)
{
    const bool own = t->by == MPG_WHERE_BY_RANK || t->by == MPG_WHERE_BY_PAIR;
    size_t n;
    const struct column *column = columns_of(r, &n);
    fprintf(out, "\nWhere %s, by %s, %s; mean of %sreplicas\n", r->predicted ? "time goes" : "delays come from",
            mpg_where_by_word(t->by), f->unit, own ? "" : "ranks and ");
    for (size_t k = 0; k < n; k++)
        fprintf(out, "   %11s", column[k].name);
    fprintf(out, "   %11s%s%s  %s\n", r->predicted ? "time" : "passed on", r->predicted ? "" : "  class    ",
            t->by == MPG_WHERE_BY_PAIR ? "" : "       calls", mpg_where_by_word(t->by));
}

static void print_row(const struct mpg_where_report *r, const struct mpg_where_table *t, const struct mpg_where_figures *f,
                      const struct mpg_where_row *row, double *sum, FILE *out)
{
    size_t n;
    const struct column *column = columns_of(r, &n);
    const char *class = mpg_where_class(row->term);
    double quanta[MOST_COLUMNS];
    for (size_t k = 0; k < n; k++)
        sum[k] += quanta[k] = round(column[k].of(row->term) / f->quantum_ns);
    print_figures(r, f, quanta, out);
    if (!r->predicted)
        fprintf(out, "  %-9s", class ? class : "-");
    if (t->by != MPG_WHERE_BY_PAIR)
        fprintf(out, " %11" PRIu64, row->calls);
    fputs("  ", out);
    mpg_where_print_name(t, row, out);
    putc('\n', out);
}

/* Times are of no pair but on the critical path. */
static bool has_account(const struct mpg_where_report *r, const struct mpg_where_table *t)
{
    return !r->predicted || t->by != MPG_WHERE_BY_PAIR;
}

void mpg_where_print_text(const struct mpg_where_report *r, FILE *out)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct mpg_where_table *t = &r->table[i];
        if (!has_account(r, t))
            continue;
        const struct mpg_where_figures f = figures_of(r, t);
        double sum[MOST_COLUMNS] = {0};
        print_head(r, t, &f, out);
        for (size_t k = 0; k < t->n; k++)
            print_row(r, t, &f, &t->row[k], sum, out);
        print_figures(r, &f, sum, out);
        fputs("  all\n", out);
    }
    for (size_t i = 0; i < r->n; i++)
        mpg_where_path_print_text(r, &r->table[i], out);
}

/* ---- CSV ---- */

void mpg_where_print_csv(const struct mpg_where_report *r, FILE *out)
{
    const struct mpg_where_table *t = &r->table[0];
    size_t n;
    const struct mpg_where_key *key = mpg_where_keys(r->predicted, &n);
    fputs(t->by == MPG_WHERE_BY_PAIR ? "from,to" : t->by == MPG_WHERE_BY_CALLSITE ? "call,callsite" : mpg_where_by_word(t->by), out);
    fputs(",calls", out);
    for (size_t k = 0; k < n; k++)
        fprintf(out, ",%s", key[k].name);
    if (!r->predicted)
        fputs(",class", out);
    mpg_where_path_print_head_csv(r, out);
    putc('\n', out);
    for (size_t i = 0; i < t->n; i++) {
        const struct mpg_where_row *row = &t->row[i];
        const char *class = mpg_where_class(row->term);
        if (t->by == MPG_WHERE_BY_CALL || t->by == MPG_WHERE_BY_CALLSITE)
            fprintf(out, "%s%s", mpg_call_prefix(row->call), mpg_call_name(row->call));
        if (t->by == MPG_WHERE_BY_CALLSITE)
            putc(',', out);
        if (t->by == MPG_WHERE_BY_CALLSITE || (t->by == MPG_WHERE_BY_REGION && row->name))
            mpg_csv_write_string(out, row->name);
        if (t->by == MPG_WHERE_BY_RANK)
            fprintf(out, "%" PRId32, row->rank);
        if (t->by == MPG_WHERE_BY_PAIR && row->from >= 0)
            fprintf(out, "%" PRId32 ",%" PRId32, row->from, row->to);
        else if (t->by == MPG_WHERE_BY_PAIR)
            putc(',', out);
        if (t->by == MPG_WHERE_BY_PAIR)
            putc(',', out);
        else
            fprintf(out, ",%" PRIu64, row->calls);
        for (size_t k = 0; k < n; k++)
            fprintf(out, ",%.17g", key[k].of(row->term));
        if (!r->predicted)
            fprintf(out, ",%s", class ? class : "");
        mpg_where_path_print_csv(r, t, row, out);
        putc('\n', out);
    }
}
