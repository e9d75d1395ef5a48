/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states as text: facts of the trace, totals, the table. */
#include <inttypes.h>
#include <string.h>

#include "analyse/report.h"
#include "common/printable.h"
#include "common/units.h"

enum { NAME_COLUMNS = 12 };

static const struct {
    const char *name, *key;
} words[MPG_CATEGORIES] = {
    [MPG_CATEGORY_POINT] = {"Point-to-point", "point_to_point"},
    [MPG_CATEGORY_COLLECTIVE] = {"Collective", "collective"},
    [MPG_CATEGORY_SYNCHRONIZATION] = {"Synchronization", "synchronization"},
    [MPG_CATEGORY_ONE_SIDED] = {"One-sided", "one_sided"},
    [MPG_CATEGORY_OTHER] = {"Other MPI", "other"},
};

const char *mpg_category_key(enum mpg_category category)
{
    return words[category].key;
}

struct mpg_wait_sum mpg_waits_of_all(const struct mpg_waits *waits)
{
    struct mpg_wait_sum all = {.calls = 0};
    for (int m = 0; m < MPG_CATEGORIES; m++) {
        const struct mpg_wait_sum one = mpg_waits_of_category(waits, (enum mpg_category)m);
        mpg_wait_add(&all, &one);
    }
    return all;
}

double mpg_waits_total(const struct mpg_waits *waits, int32_t ranks)
{
    double total_ns = 0;
    for (int32_t r = 0; r < ranks; r++)
        total_ns += mpg_waits_run(waits, r);
    return total_ns;
}

static double total_of(const struct mpg_waits_report *r, size_t run)
{
    return mpg_waits_total(r->run[run], mpg_trace_ranks(r->trace));
}

/* ---- facts of the trace ---- */

static void print_limit(const struct mpg_waits_report *r, FILE *out)
{
    const bool found = r->limit == MPG_WAITS_LIMIT_FOUND;
    if (r->limit_bytes == INT64_MAX)
        fputs("eager limit unlimited", out);
    else if (r->limit_bytes < 0)
        fputs("eager limit none: every standard send waits for its receive", out);
    else
        fprintf(out, "eager limit %" PRId64 " %s", r->limit_bytes,
                mpg_units_word((uint64_t)r->limit_bytes, "byte", "bytes"));
    fprintf(out, found ? " (as the trace shows: no %sstandard send left before its receive was posted)\n"
                       : "%s (--eager-limit)\n",
            !found || r->limit_bytes < 0 ? "" : "larger ");
}

static void print_head(const struct mpg_waits_report *r, FILE *out)
{
    static const char *const clocks[] = {[MPG_CLOCK_NONE] = "one rank's",
                                         [MPG_CLOCK_SHARED] = "shared by all ranks",
                                         [MPG_CLOCK_MEASURED] = "offsets measured",
                                         [MPG_CLOCK_BOUNDED] = "offsets bounded by the messages"};
    const struct mpg_graph_counts *c = r->counts;
    char text[32];
    fputs("trace       ", out);
    mpg_printable_put(out, mpg_trace_path(r->trace));
    fprintf(out, "\nranks       %" PRId32 "\nclocks      %s\n", mpg_trace_ranks(r->trace),
            clocks[r->clocks]);
    print_limit(r, out);
    mpg_recording_print_unreliable(r->recording, NAME_COLUMNS, out);
    if (c->backward)
        fprintf(out, "attention   %" PRIu64 " %s left by these clocks, by up to %s: waits are uncertain by as much\n",
                c->backward,
                mpg_units_word(c->backward, "message arrives before it", "messages arrive before they"),
                mpg_units_format_time(text, sizeof text, c->backward_ns));
    if (c->threads)
        fprintf(out, "attention   several threads of a rank made calls: the sum of their times can exceed the "
                     "run time\n");
    if (c->unmatched || c->incomplete_ranks)
        fprintf(out, "attention   %" PRIu64 " %s without partner, %" PRIu64 " %s without "
                     "MPI_Finalize: their waits are not counted\n", c->unmatched,
                mpg_units_word(c->unmatched, "operation", "operations"), c->incomplete_ranks,
                mpg_units_word(c->incomplete_ranks, "rank", "ranks"));
    if (c->truncated)
        fprintf(out, "attention   %" PRIu64 " %s: the whole message is counted\n", c->truncated,
                mpg_units_word(c->truncated, "message is longer than its receive buffer",
                               "messages are longer than their receive buffers"));
    if (c->unknown)
        fprintf(out, "attention   the communication of %" PRIu64 " %s is not counted\n", c->unknown,
                mpg_units_word(c->unknown, "call that the tracer does not know", "calls that the tracer does not know"));
}

/* ---- totals ---- */

/* Adds the row NAME with the time NS[run] of each run, and the time's share of the run. */
static void put_total(struct mpg_table *t, const struct mpg_waits_report *r, const char *name, const double *ns)
{
    mpg_table_text(t, name);
    for (size_t w = 0; w < r->runs; w++) {
        const double total_ns = total_of(r, w);
        mpg_table_number(t, ns[w]);
        mpg_table_number(t, total_ns > 0 ? 100 * ns[w] / total_ns : 0);
    }
}

static void put_category(struct mpg_table *t, const struct mpg_waits_report *r, enum mpg_category category)
{
    struct mpg_wait_sum sum[MPG_WAITS_RUNS] = {{.calls = 0}};
    double ns[MPG_WAITS_RUNS] = {0};
    bool any = category <= MPG_CATEGORY_SYNCHRONIZATION;
    for (size_t w = 0; w < r->runs; w++) {
        sum[w] = mpg_waits_of_category(r->run[w], category);
        ns[w] = sum[w].time_ns;
        any = any || sum[w].calls > 0;
    }
    if (!any)
        return;
    put_total(t, r, words[category].name, ns);
    for (int k = 0; k < MPG_WAIT_KINDS; k++) {
        char name[32];
        any = false;
        for (size_t w = 0; w < r->runs; w++) {
            ns[w] = sum[w].wait_ns[k];
            any = any || ns[w] > 0;
        }
        snprintf(name, sizeof name, "  %s", mpg_wait_name((enum mpg_wait)k));
        if (any)
            put_total(t, r, name, ns);
    }
}

/* Adds the row of time off the CPU in MPI without waiting; no row if this time is 0 in all runs. */
static void put_off_cpu(struct mpg_table *t, const struct mpg_waits_report *r, const struct mpg_wait_sum *all)
{
    double ns[MPG_WAITS_RUNS] = {0};
    bool any = false;
    for (size_t w = 0; w < r->runs; w++) {
        ns[w] = all[w].off_cpu_ns;
        any = any || ns[w] > 0;
    }
    if (any)
        put_total(t, r, "  off the CPU", ns);
}

static int print_totals(const struct mpg_waits_report *r, FILE *out, struct mpg_error *err)
{
    double total_ns[MPG_WAITS_RUNS], mpi_ns[MPG_WAITS_RUNS];
    struct mpg_wait_sum all[MPG_WAITS_RUNS];
    struct mpg_table_column columns[1 + 2 * MPG_WAITS_RUNS] = {{.heading = "time, all ranks", .width = 24, .left = true}};
    struct mpg_table t = {.column = columns, .columns = 1 + 2 * r->runs, .gap = 1};
    for (size_t w = 0; w < r->runs; w++) {
        columns[1 + 2 * w] = (struct mpg_table_column){
            .heading = r->runs > 1 ? mpg_waits_run_name(w) : "", .formatter = mpg_units_format_time, .width = 12};
        columns[2 + 2 * w] = (struct mpg_table_column){.heading = "of total", .format = "%.2f %%", .width = 10};
        all[w] = mpg_waits_of_all(r->run[w]);
        total_ns[w] = total_of(r, w);
        mpi_ns[w] = all[w].time_ns;
    }
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    put_total(&t, r, "Total", total_ns);
    put_total(&t, r, "MPI", mpi_ns);
    put_off_cpu(&t, r, all);
    for (int m = 0; m < MPG_CATEGORIES; m++)
        put_category(&t, r, (enum mpg_category)m);
    return mpg_table_end(&t, err);
}

int mpg_waits_print_tables(const struct mpg_waits_report *r, FILE *out, struct mpg_error *err)
{
    if (print_totals(r, out, err) < 0)
        return -1;
    putc('\n', out);
    return mpg_waits_print_rows(r, MPG_TABLE_TEXT, out, err);
}

int mpg_waits_print_text(const struct mpg_waits_report *r, FILE *out, struct mpg_error *err)
{
    print_head(r, out);
    putc('\n', out);
    if (mpg_waits_print_tables(r, out, err) < 0)
        return -1;
    if (!r->threads || r->threads->n == 0)
        return 0;
    putc('\n', out);
    return mpg_threads_print(r->threads, out, err);
}
