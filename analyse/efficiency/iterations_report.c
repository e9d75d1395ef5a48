/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases and iterations of a run: lines of text, rows in all formats. */
#include <inttypes.h>
#include <math.h>

#include "analyse/efficiency/report_private.h"
#include "common/printable.h"
#include "common/units.h"
#include "trace/stat/names.h"

enum { TIME_TEXT = 32, PART_TEXT = 80, TEXT_ROWS = 10, OTHER_LOOPS = 3 };

/* ---- loops ---- */

/* Prints the call that begins an iteration of LOOP, and the callsite: "MPI_Send, halo (stencil.c:15)". */
static int print_loop(const struct mpg_loop *loop, struct mpg_site_names *names, FILE *out, struct mpg_error *err)
{
    fprintf(out, "%s%s", mpg_call_prefix(loop->call), mpg_call_name(loop->call));
    if (loop->site == MPG_NO_SITE)
        return 0;
    const char *name = mpg_site_name(names, (uint32_t)loop->site + 1, err);
    if (!name)
        return -1;
    fputs(", ", out);
    mpg_printable_put(out, name);
    return 0;
}

/* Writes SHARE as a percentage with a sign and at least two digits to TEXT (TIME_TEXT bytes), and returns TEXT. */
static const char *format_change(char *text, double share)
{
    const double percent = 100 * share;
    snprintf(text, TIME_TEXT, fabs(percent) >= 99.5 ? "%+.0f" : "%+.2g", percent);
    return text;
}

static void print_trend(const struct mpg_efficiency_iterations *x, FILE *out)
{
    char trend[TIME_TEXT], low[TIME_TEXT], high[TIME_TEXT];
    format_change(low, x->trend_low);
    format_change(high, x->trend_high);
    if (x->trend_low > 0 || x->trend_high < 0)
        fprintf(out, "Trend                 iterations get %s: from first to last by %s %% of the median iteration (95 %% CI "
                     "%s .. %s)\n", x->trend > 0 ? "slower" : "faster", format_change(trend, x->trend), low, high);
    else if (!isnan(x->trend))
        fprintf(out, "Trend                 none (95 %% CI %s .. %s %% from the first to the last)\n", low, high);
}

static int print_loops(const struct mpg_efficiency_iterations *x, double run_ns, struct mpg_site_names *names, FILE *out,
                       struct mpg_error *err)
{
    const struct mpg_iteration_row *all = &x->rows.phase[MPG_RUN_ITERATIONS], *median = &x->rows.median;
    char text[TIME_TEXT];
    fprintf(out, "Iterations            %" PRIu64 ", %.3g %% of the run, median %s; each begins before ", all->n,
            run_ns > 0 ? 100 * all->run_ns / run_ns : 0,
            mpg_units_format_time(text, sizeof text, median->n > 0 ? median->run_ns / (double)median->n : 0));
    if (print_loop(&x->loops.loop[0], names, out, err) < 0)
        return -1;
    fputc('\n', out);
    print_trend(x, out);
    for (size_t i = 1; i < x->loops.n && i <= OTHER_LOOPS; i++) {
        fprintf(out, "%s--iterations=%" PRIu64 ": before ", i == 1 ? "Other loops           " : "                      ",
                x->loops.loop[i].iterations);
        if (print_loop(&x->loops.loop[i], names, out, err) < 0)
            return -1;
        fputc('\n', out);
    }
    return 0;
}

/* ---- rows ---- */

static const struct mpg_table_column columns[] = {
    {.key = "part", .heading = "part", .width = 16, .left = true, .fits = true},
    {.key = "first"},
    {.key = "last"},
    {.key = "iterations", .heading = "iterations", .width = 10},
    {.key = "run_ns", .heading = "run", .width = 10, .formatter = mpg_units_format_time},
    {.key = "ideal_ns"},
    {.key = "mean_compute_ns"},
    {.key = "max_compute_ns"},
    {.key = "in_mpi_ns"},
    {.key = "wait_ns", .heading = "waiting", .width = 10, .formatter = mpg_units_format_time},
    {.key = "parallel", .heading = "parallel", .width = 9, .formatter = mpg_table_format_percent},
    {.key = "load_balance", .heading = "load balance", .width = 12, .formatter = mpg_table_format_percent},
    {.key = "communication"},
    {.key = "serialization", .heading = "serialization", .width = 13, .formatter = mpg_table_format_percent},
    {.key = "transfer", .heading = "transfer", .width = 9, .formatter = mpg_table_format_percent},
    {.key = "most_rank", .heading = "most loaded", .width = 11},
    {.key = "least_rank", .heading = "least loaded", .width = 12}};

/* Adds ROW to the table, named PART: the mean times of an iteration; if PHASE, the whole time of a phase of the run. */
static void put_row(struct mpg_table *t, const char *part, const struct mpg_iteration_row *row, bool phase, bool knows_waits)
{
    const double n = phase || row->n == 0 ? 1 : (double)row->n;
    const struct mpg_efficiency e = {.mean_compute_ns = row->mean_compute_ns / n, .max_compute_ns = row->max_compute_ns / n,
                                     .run_ns = row->run_ns / n, .ideal_ns = row->ideal_ns / n};
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(&e);
    mpg_table_text(t, part);
    mpg_table_number(t, row->first > 0 ? (double)row->first : NAN);
    mpg_table_number(t, row->first > 0 ? (double)(row->first + row->n - 1) : NAN);
    mpg_table_number(t, row->n > 0 ? (double)row->n : NAN);
    mpg_table_numbers(t, (double[]){e.run_ns, e.ideal_ns, e.mean_compute_ns, e.max_compute_ns, row->in_mpi_ns / n,
                                    knows_waits ? row->wait_ns / n : NAN}, 6);
    mpg_table_numbers(t, (double[]){x.parallel, x.load_balance, x.communication, x.serialization, x.transfer}, 5);
    mpg_table_number(t, row->max >= 0 ? row->max : NAN);
    mpg_table_number(t, row->min >= 0 ? row->min : NAN);
}

/* Returns ROW; without the number of the first iteration if ROW sums iterations that are not successive. */
static struct mpg_iteration_row unnumbered(const struct mpg_iteration_row *row)
{
    struct mpg_iteration_row r = *row;
    r.first = r.n > 1 ? 0 : r.first;
    return r;
}

struct writing {
    struct mpg_table *table;
    struct mpg_json *json; /* NULL: the output is text or CSV */
    bool knows_waits, text;
};

static void write_row(const struct writing *w, const char *part, const struct mpg_iteration_row *row, bool phase)
{
    char words[PART_TEXT];
    if (w->text && !phase && row->first > 0) {
        if (row->n == 1)
            snprintf(words, sizeof words, "%s%s%" PRIu64, part, *part ? " " : "", row->first);
        else
            snprintf(words, sizeof words, "%" PRIu64 " to %" PRIu64, row->first, row->first + row->n - 1);
        part = words;
    }
    if (w->json)
        mpg_json_object(w->json, NULL);
    put_row(w->table, part, row, phase, w->knows_waits);
    if (w->json)
        mpg_json_close(w->json);
}

/* Writes the rows of the run's iterations in order. In text, successive rows are joined to at most TEXT_ROWS. */
static void write_successive(const struct writing *w, const struct mpg_iteration_rows *r)
{
    const size_t joined = w->text ? (r->n + TEXT_ROWS - 1) / TEXT_ROWS : 1;
    for (size_t i = 0; i < r->n; i += joined) {
        struct mpg_iteration_row sum = r->row[i];
        for (size_t k = i + 1; k < r->n && k < i + joined; k++)
            mpg_iteration_row_add(&sum, &r->row[k]);
        write_row(w, w->text ? "" : "successive", &sum, false);
    }
}

static void write_rows(const struct writing *w, const struct mpg_iteration_rows *r)
{
    static const char *const phases[MPG_RUN_PHASES] = {"initialisation", "iterations", "end"};
    const struct mpg_iteration_row median = unnumbered(&r->median);
    for (int i = 0; i < MPG_RUN_PHASES; i++)
        write_row(w, phases[i], &r->phase[i], true);
    if (r->n == 0)
        return;
    write_row(w, "first", &r->first, false);
    write_row(w, "median", &median, false);
    write_row(w, "slowest", &r->slowest, false);
    write_row(w, "last", &r->last, false);
    write_successive(w, r);
}

/* ---- all of it ---- */

int mpg_efficiency_print_iterations(const struct mpg_efficiency_traced *traced, enum mpg_table_format format, FILE *out,
                                    struct mpg_error *err)
{
    const struct mpg_efficiency_iterations *x = traced->run.iterations;
    const bool text = format == MPG_TABLE_TEXT;
    struct mpg_site_names names = {.n = 0};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .missing = text ? "-" : NULL};
    const struct writing w = {.table = &t, .knows_waits = x->knows_waits, .text = text};
    int status = 0;
    if (text && x->loops.n == 0) {
        fputs("Iterations            none found: no callsite is called regularly, and equally often on all ranks\n", out);
        return 0;
    }
    if (text) {
        status = mpg_site_names_begin(&names, traced->trace, 1, NULL, err);
        status = status == 0 ? print_loops(x, traced->run.times.run_ns, &names, out, err) : -1;
        mpg_site_names_end(&names);
        fputc('\n', out);
    }
    if (status < 0)
        return -1;
    mpg_table_begin(&t, format, out);
    if (x->loops.n > 0)
        write_rows(&w, &x->rows);
    status = mpg_table_end(&t, err);
    if (text && x->loops.loop[0].site == MPG_NO_SITE)
        fputs("The trace has no callsites: calls before a loop may count as iterations\n", out);
    if (text && !x->knows_waits)
        fputs("Waits are not known: the ranks' clocks are not comparable\n", out);
    return status;
}

static int put_loops(struct mpg_json *j, const struct mpg_efficiency_traced *traced, struct mpg_error *err)
{
    const struct mpg_iterations *loops = &traced->run.iterations->loops;
    struct mpg_site_names names = {.n = 0};
    int status = mpg_site_names_begin(&names, traced->trace, 1, NULL, err);
    mpg_json_array(j, "loops");
    for (size_t i = 0; i < loops->n && status == 0; i++) {
        const struct mpg_loop *loop = &loops->loop[i];
        char call[PART_TEXT];
        const char *name = loop->site == MPG_NO_SITE ? NULL : mpg_site_name(&names, (uint32_t)loop->site + 1, err);
        status = loop->site != MPG_NO_SITE && !name ? -1 : 0;
        snprintf(call, sizeof call, "%s%s", mpg_call_prefix(loop->call), mpg_call_name(loop->call));
        mpg_json_object(j, NULL);
        mpg_json_count(j, "iterations", loop->iterations);
        mpg_json_number(j, "share", loop->share);
        mpg_json_string(j, "call", call);
        mpg_json_string(j, "callsite", name);
        mpg_json_close(j);
    }
    mpg_json_close(j);
    mpg_site_names_end(&names);
    return status;
}

int mpg_efficiency_put_iterations(const struct mpg_efficiency_traced *traced, struct mpg_json *j, struct mpg_error *err)
{
    const struct mpg_efficiency_iterations *x = traced->run.iterations;
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .own_rows = true};
    const struct writing w = {.table = &t, .json = j, .knows_waits = x->knows_waits};
    mpg_json_string(j, "by", "iteration");
    if (put_loops(j, traced, err) < 0)
        return -1;
    mpg_json_number(j, "trend", x->loops.n > 0 ? x->trend : NAN);
    mpg_json_number(j, "trend_low", x->loops.n > 0 ? x->trend_low : NAN);
    mpg_json_number(j, "trend_high", x->loops.n > 0 ? x->trend_high : NAN);
    mpg_json_array(j, "rows");
    mpg_table_begin_json(&t, j);
    if (x->loops.n > 0)
        write_rows(&w, &x->rows);
    const int status = mpg_table_end(&t, err);
    mpg_json_close(j);
    return status;
}
