/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Efficiencies as text: the headline, the tree of factors of one run or the table of several runs, and the times behind the
 * factors. */
#include "analyse/efficiency/report_private.h"

#include <inttypes.h>
#include <math.h>

#include "common/printable.h"
#include "common/units.h"

enum { TIME_TEXT = 32, RECORDING_TEXT = 320, NAME_COLUMNS = 22 };

/* ---- values ---- */

double mpg_efficiency_report_scaling(const struct mpg_efficiency_report *r, size_t i)
{
    return mpg_efficiency_computation_scaling(&r->traced[0].run.times, &r->traced[i].run.times, r->scaling);
}

struct mpg_efficiency_counter_scaling mpg_efficiency_report_counter_scaling(const struct mpg_efficiency_report *r, size_t i)
{
    const struct mpg_efficiency_counted reference = {&r->traced[0].run.times, &r->traced[0].run.counters};
    const struct mpg_efficiency_counted run = {&r->traced[i].run.times, &r->traced[i].run.counters};
    return mpg_efficiency_counter_scaling(&reference, &run, r->scaling);
}

/* Returns the sum of all ranks' times, ns. */
static struct mpg_efficiency_rank add_ranks(const struct mpg_efficiency_run *run)
{
    struct mpg_efficiency_rank sum = {.compute_ns = 0};
    for (int32_t i = 0; i < run->times.ranks; i++) {
        const struct mpg_efficiency_rank *r = &run->rank[i];
        sum.compute_ns += r->compute_ns;
        sum.tracer_ns += r->tracer_ns;
        sum.off_ns += r->off_ns;
        sum.idle_ns += r->idle_ns;
        sum.polled_ns += r->polled_ns;
        sum.in_mpi_ns += r->in_mpi_ns;
        sum.run_ns += r->run_ns;
    }
    return sum;
}

static bool has_counters(const struct mpg_efficiency_report *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (isnan(r->traced[i].run.counters.instructions) && isnan(r->traced[i].run.counters.cycles))
            return false;
    return true;
}

/* ---- one run ---- */

/* Prints BEFORE and VALUE with two decimals; "-" if VALUE is undefined (NaN). */
static void print_value(FILE *out, const char *before, double value)
{
    if (isnan(value))
        fprintf(out, "%s-", before);
    else
        fprintf(out, "%s%.2f", before, value);
}

static void print_headline(const struct mpg_efficiency_ratios *x, FILE *out)
{
    print_value(out, "Parallel efficiency   ", x->parallel);
    print_value(out, " = load balance ", x->load_balance);
    print_value(out, " x serialization ", x->serialization);
    print_value(out, " x transfer ", x->transfer);
    if (!isnan(x->noise))
        print_value(out, " x noise ", x->noise);
    fputc('\n', out);
}

static void put_line(struct mpg_table *t, const char *name, double value, const char *definition)
{
    mpg_table_text(t, name);
    mpg_table_number(t, value);
    mpg_table_text(t, definition);
}

static int print_tree(const struct mpg_efficiency_ratios *x, FILE *out, struct mpg_error *err)
{
    static const struct mpg_table_column columns[] = {{.heading = "efficiency", .fits = true, .left = true},
                                                      {.heading = "value", .width = 9, .formatter = mpg_table_format_percent},
                                                      {.heading = "definition", .left = true}};
    struct mpg_table t = {MPG_TABLE_COLUMNS(columns), .indent = 2, .missing = "-", .trims = true};
    mpg_table_begin(&t, MPG_TABLE_TEXT, out);
    put_line(&t, "parallel efficiency", x->parallel, "mean computation / run");
    put_line(&t, "  load balance", x->load_balance, "mean computation / longest computation");
    put_line(&t, "  communication efficiency", x->communication, "longest computation / run");
    put_line(&t, "    serialization", x->serialization, "longest computation / ideal run");
    put_line(&t, "    transfer", x->transfer, isnan(x->noise) ? "ideal run / run" : "disturbed ideal run / run");
    if (!isnan(x->noise))
        put_line(&t, "    noise", x->noise, "ideal run / disturbed ideal run (with time off the CPU, and recording)");
    return mpg_table_end(&t, err);
}

/* Prints the efficiencies of the thread level, if the ranks have threads. */
static void print_threads(const struct mpg_efficiency_run *run, const struct mpg_efficiency_ratios *x, FILE *out)
{
    const struct mpg_threads *t = &run->threads;
    if (t->n == 0)
        return;
    print_value(out, "Hybrid efficiency     ", x->parallel * t->ratios.thread);
    print_value(out, " = parallel efficiency ", x->parallel);
    print_value(out, " x thread efficiency ", t->ratios.thread);
    print_value(out, "\nThread efficiency     ", t->ratios.thread);
    print_value(out, " = serial parts ", t->ratios.serial);
    print_value(out, " x load balance ", t->ratios.load_balance);
    print_value(out, " x begin and end ", t->ratios.begin_end);
    fprintf(out, " (up to %" PRIu32 " %s a rank)\n", t->threads, mpg_units_word(t->threads, "thread", "threads"));
}

static void print_extremes(const struct mpg_efficiency_run *run, FILE *out)
{
    char text[TIME_TEXT];
    int32_t max = 0, min = 0;
    for (int32_t i = 1; i < run->times.ranks; i++) {
        max = run->rank[i].compute_ns > run->rank[max].compute_ns ? i : max;
        min = run->rank[i].compute_ns < run->rank[min].compute_ns ? i : min;
    }
    fprintf(out, "Computation           %s", mpg_units_format_time(text, sizeof text, run->times.mean_compute_ns));
    if (run->times.ranks > 1 && run->rank[max].compute_ns == run->rank[min].compute_ns) {
        fputs(" on each rank", out);
    } else if (run->times.ranks > 1) {
        fprintf(out, " (mean of ranks): rank %" PRId32 " most, %s", max,
                mpg_units_format_time(text, sizeof text, run->rank[max].compute_ns));
        fprintf(out, "; rank %" PRId32 " least, %s", min,
                mpg_units_format_time(text, sizeof text, run->rank[min].compute_ns));
    }
    fputc('\n', out);
}

/* Appends "NAME x %", NS as share of TOTAL_NS, to the printed list, if the share is above 0. *FIRST: the list is still empty. */
static void print_share(FILE *out, const char *name, double ns, double total_ns, bool *first)
{
    if (!(ns > 0) || !(total_ns > 0))
        return;
    fprintf(out, "%s%s %.2g %%", *first ? "Lost outside of MPI   " : ", ", name, 100 * ns / total_ns);
    *first = false;
}

/* Prints the shares of the time between calls other than computation. */
static void print_other(const struct mpg_efficiency_run *run, FILE *out)
{
    const struct mpg_efficiency_rank sum = add_ranks(run);
    bool first = true;
    print_share(out, "recording", sum.tracer_ns, sum.run_ns, &first);
    print_share(out, "off the CPU", sum.off_ns, sum.run_ns, &first);
    print_share(out, "without CPU time", sum.idle_ns, sum.run_ns, &first);
    print_share(out, "polling", sum.polled_ns, sum.run_ns, &first);
    if (!first)
        fputs(" of the ranks' time\n", out);
}

static void print_attention(const struct mpg_graph_counts *c, FILE *out)
{
    if (c->threads)
        fputs("Attention             several threads of a rank made calls: only the thread that called MPI_Init is counted\n",
              out);
    if (c->unmatched || c->incomplete_ranks)
        fprintf(out, "Attention             %" PRIu64 " %s without partner, %" PRIu64 " %s without MPI_Finalize: the ideal run "
                     "does not wait for them\n", c->unmatched, mpg_units_word(c->unmatched, "operation", "operations"),
                c->incomplete_ranks, mpg_units_word(c->incomplete_ranks, "rank", "ranks"));
    const uint64_t elsewhere = c->file_calls + c->unknown + c->foreign;
    if (elsewhere)
        fprintf(out, "Attention             %" PRIu64 " %s files, other jobs or functions unknown to the tracer: the "
                     "ideal run contains their recorded time\n",
                elsewhere, mpg_units_word(elsewhere, "call concerns", "calls concern"));
}

static void print_recording(const struct mpg_recording *recording, FILE *out)
{
    char words[RECORDING_TEXT];
    fprintf(out, "Recording             %s\n", mpg_recording_describe(recording, "", words, sizeof words));
}

static void print_times(const struct mpg_efficiency_report *r, FILE *out)
{
    const struct mpg_efficiency_run *run = &r->traced[0].run;
    const struct mpg_recording recording = mpg_efficiency_recording(run);
    char text[TIME_TEXT];
    fprintf(out, "\nRun                   %s", mpg_units_format_time(text, sizeof text, run->times.run_ns));
    fprintf(out, " (%s of ", run->times.ranks > 1 ? "longest" : "run");
    mpg_printable_put(out, r->traced[0].path);
    fprintf(out, ", %" PRId32 " %s)\n", run->times.ranks, mpg_units_word((uint64_t)run->times.ranks, "rank", "ranks"));
    fprintf(out, "Ideal run             %s (no latency, infinite bandwidth",
            mpg_units_format_time(text, sizeof text, run->times.ideal_ns));
    if (r->eager_limit_bytes != INT64_MAX)
        fprintf(out, "; sends of more than %" PRId64 " bytes wait for their receiver", r->eager_limit_bytes);
    fputs(")\n", out);
    print_extremes(run, out);
    print_other(run, out);
    if (recording.reliable)
        print_recording(&recording, out);
    print_attention(&run->counts, out);
}

/* ---- several runs ---- */

static const struct mpg_table_column columns[] = {
    {.key = "trace", .heading = "trace", .fits = true, .left = true},
    {.key = "ranks", .heading = "ranks"},
    {.key = "run_ns", .heading = "run", .width = 10, .formatter = mpg_units_format_time},
    {.key = "ideal_ns"},
    {.key = "mean_compute_ns"},
    {.key = "max_compute_ns"},
    {.key = "global", .heading = "global", .width = 8, .formatter = mpg_table_format_percent},
    {.key = "parallel", .heading = "parallel", .width = 8, .formatter = mpg_table_format_percent},
    {.key = "load_balance", .heading = "load balance", .formatter = mpg_table_format_percent},
    {.key = "communication", .heading = "communication", .formatter = mpg_table_format_percent},
    {.key = "serialization", .heading = "serialization", .formatter = mpg_table_format_percent},
    {.key = "transfer", .heading = "transfer", .width = 8, .formatter = mpg_table_format_percent},
    {.key = "noise", .heading = "noise", .width = 8, .formatter = mpg_table_format_percent},
    {.key = "computation_scaling", .heading = "computation scaling", .formatter = mpg_table_format_percent},
    {.key = "instruction_scaling", .heading = "instructions", .formatter = mpg_table_format_percent},
    {.key = "ipc_scaling", .heading = "IPC", .width = 8, .formatter = mpg_table_format_percent},
    {.key = "frequency_scaling", .heading = "frequency", .formatter = mpg_table_format_percent}};
enum { COLUMNS = sizeof columns / sizeof *columns, COUNTER_COLUMNS = 3 };

static void put_run(struct mpg_table *t, const struct mpg_efficiency_report *r, size_t i)
{
    const struct mpg_efficiency_traced *traced = &r->traced[i];
    const struct mpg_efficiency *e = &traced->run.times;
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(e);
    const double scaling = mpg_efficiency_report_scaling(r, i);
    const struct mpg_efficiency_counter_scaling c = mpg_efficiency_report_counter_scaling(r, i);
    mpg_table_text(t, traced->path);
    mpg_table_integer(t, e->ranks);
    mpg_table_numbers(t, (double[]){e->run_ns, e->ideal_ns, e->mean_compute_ns, e->max_compute_ns}, 4);
    mpg_table_numbers(t, (double[]){x.parallel * scaling, x.parallel, x.load_balance, x.communication, x.serialization,
                                    x.transfer, x.noise, scaling}, 8);
    if (t->columns == COLUMNS)
        mpg_table_numbers(t, (double[]){c.instructions, c.ipc, c.frequency}, COUNTER_COLUMNS);
}

static int print_runs(const struct mpg_efficiency_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    const bool all = format != MPG_TABLE_TEXT || has_counters(r);
    struct mpg_table t = {
        .column = columns, .columns = all ? COLUMNS : COLUMNS - COUNTER_COLUMNS, .missing = "-", .indent = 2, .fits = true};
    mpg_table_begin(&t, format, out);
    for (size_t i = 0; i < r->n; i++)
        put_run(&t, r, i);
    return mpg_table_end(&t, err);
}

static void print_global(const struct mpg_efficiency_report *r, FILE *out)
{
    const struct mpg_efficiency *last = &r->traced[r->n - 1].run.times;
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(last);
    const double scaling = mpg_efficiency_report_scaling(r, r->n - 1);
    print_value(out, "Global efficiency     ", x.parallel * scaling);
    fprintf(out, " at %" PRId32 " ranks", last->ranks);
    print_value(out, " = parallel efficiency ", x.parallel);
    print_value(out, " x computation scaling ", scaling);
    fputs("\n\n", out);
}

static void print_basis(const struct mpg_efficiency_report *r, FILE *out)
{
    const bool is_scaled = r->scaling == MPG_EFFICIENCY_SCALED;
    const int32_t ranks = r->traced[0].run.times.ranks;
    fprintf(out, "\nComputation scaling   %s computation of %" PRId32 " %s over %s of each run; %s\n",
            is_scaled ? "mean" : "total", ranks, mpg_units_word((uint64_t)ranks, "rank", "ranks"),
            is_scaled ? "the mean" : "the total",
            is_scaled ? "the problem grows with the ranks" : "the problem is the same (else --scaling=scaled)");
    if (!has_counters(r))
        fputs("Counters              not in all traces: record with --papi=PAPI_TOT_INS,PAPI_TOT_CYC for instructions, "
              "IPC and frequency\n", out);
}

/* ---- all of it ---- */

/* Prints the parts of the single run (regions, bins of time, or iterations) selected by option --by. */
static int print_parts(const struct mpg_efficiency_traced *traced, FILE *out, struct mpg_error *err)
{
    const struct mpg_efficiency_parts *parts = &traced->run.parts;
    if (traced->run.iterations) {
        fputc('\n', out);
        return mpg_efficiency_print_iterations(traced, MPG_TABLE_TEXT, out, err);
    }
    if (parts->by == MPG_EFFICIENCY_BY_NOTHING)
        return 0;
    fputc('\n', out);
    if (mpg_efficiency_print_parts(traced, MPG_TABLE_TEXT, out, err) < 0)
        return -1;
    if (parts->by == MPG_EFFICIENCY_BY_TIME && !parts->aligned && traced->run.times.ranks > 1)
        fputs("The ranks' clocks are not comparable: times of each rank count from its MPI_Init\n", out);
    return 0;
}

static int print_one(const struct mpg_efficiency_report *r, FILE *out, struct mpg_error *err)
{
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(&r->traced[0].run.times);
    const struct mpg_recording recording = mpg_efficiency_recording(&r->traced[0].run);
    mpg_recording_print_unreliable(&recording, NAME_COLUMNS, out);
    print_headline(&x, out);
    print_threads(&r->traced[0].run, &x, out);
    if (print_parts(&r->traced[0], out, err) < 0)
        return -1;
    fputc('\n', out);
    if (print_tree(&x, out, err) < 0)
        return -1;
    print_times(r, out);
    return 0;
}

/* Prints a warning, above the results, for each recording that is not reliable. */
static void print_unreliable(const struct mpg_efficiency_report *r, FILE *out)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct mpg_recording recording = mpg_efficiency_recording(&r->traced[i].run);
        char words[RECORDING_TEXT];
        if (recording.reliable)
            continue;
        fprintf(out, "%-*s", NAME_COLUMNS, "Recording");
        mpg_printable_put(out, r->traced[i].path);
        fprintf(out, ": %s\n", mpg_recording_describe(&recording, "", words, sizeof words));
    }
}

static int print_several(const struct mpg_efficiency_report *r, FILE *out, struct mpg_error *err)
{
    print_unreliable(r, out);
    print_global(r, out);
    if (print_runs(r, MPG_TABLE_TEXT, out, err) < 0)
        return -1;
    print_basis(r, out);
    return 0;
}

int mpg_efficiency_print(const struct mpg_efficiency_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    if (format == MPG_TABLE_TEXT)
        return r->n == 1 ? print_one(r, out, err) : print_several(r, out, err);
    if (format == MPG_TABLE_JSON)
        return mpg_efficiency_put_json(r, out, err);
    if (r->traced[0].run.iterations)
        return mpg_efficiency_print_iterations(&r->traced[0], format, out, err);
    return r->traced[0].run.parts.by == MPG_EFFICIENCY_BY_NOTHING ? print_runs(r, format, out, err)
                                                                  : mpg_efficiency_print_parts(&r->traced[0], format, out, err);
}
