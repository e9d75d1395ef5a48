/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the efficiencies at each process count (docs/MODEL.md, section 9, Efficiencies). All efficiencies of a row come from
 * one run: the product is the parallel efficiency. */
#include <math.h>

#include "common/printable.h"
#include "common/units.h"
#include "scale/report/efficiency.h"

enum { COUNTER_COLUMNS = 3 };

static const struct mpg_table_column columns[] = {
    {.key = "ranks", .heading = "Ranks"},
    {.key = "runs", .heading = "Runs"},
    {.key = "run_ns", .heading = "T s", .scale = 1e-9},
    {.key = "ideal_ns", .heading = "T_ideal s", .scale = 1e-9},
    {.key = "mean_compute_ns", .heading = "Mean C s", .scale = 1e-9},
    {.key = "max_compute_ns", .heading = "Max C s", .scale = 1e-9},
    {.key = "global", .heading = "Global", .formatter = mpg_table_format_percent},
    {.key = "parallel", .heading = "Parallel", .formatter = mpg_table_format_percent},
    {.key = "load_balance", .heading = "Load balance", .formatter = mpg_table_format_percent},
    {.key = "communication", .heading = "Communication", .formatter = mpg_table_format_percent},
    {.key = "serialization", .heading = "Serialization", .formatter = mpg_table_format_percent},
    {.key = "transfer", .heading = "Transfer", .formatter = mpg_table_format_percent},
    {.key = "noise", .heading = "Noise", .formatter = mpg_table_format_percent},
    {.key = "computation_scaling", .heading = "Computation scaling", .formatter = mpg_table_format_percent},
    {.key = "instruction_scaling", .heading = "Instructions", .formatter = mpg_table_format_percent},
    {.key = "ipc_scaling", .heading = "IPC", .formatter = mpg_table_format_percent},
    {.key = "frequency_scaling", .heading = "Frequency", .formatter = mpg_table_format_percent}};

static bool has_counters(const struct scale_run *run)
{
    return !isnan(run->counters.instructions) || !isnan(run->counters.cycles);
}

/* Returns, of the runs FROM to END - 1, the run with the median time (of two middle times the shorter), or if r->fastest the
 * fastest run. */
static const struct scale_run *representative(const struct scale_report *r, size_t from, size_t end)
{
    const struct scale_run *runs = r->analysis->set->runs;
    const size_t wanted = r->fastest ? 0 : (end - from - 1) / 2;
    for (size_t i = from; i < end; i++) {
        size_t before = 0;
        for (size_t k = from; k < end; k++)
            before += runs[k].longest_ns < runs[i].longest_ns || (runs[k].longest_ns == runs[i].longest_ns && k < i);
        if (before == wanted)
            return &runs[i];
    }
    return &runs[from];
}

static void put_row(struct mpg_table *t, const struct scale_run *first, const struct scale_run *run, size_t runs,
                    enum mpg_efficiency_scaling sizing)
{
    const struct mpg_efficiency *e = &run->times;
    const struct mpg_efficiency_ratios x = mpg_efficiency_ratios(e);
    const struct mpg_efficiency_counted reference = {&first->times, &first->counters}, counted = {e, &run->counters};
    const double scaling = mpg_efficiency_computation_scaling(&first->times, e, sizing);
    const struct mpg_efficiency_counter_scaling c = mpg_efficiency_counter_scaling(&reference, &counted, sizing);
    mpg_table_integer(t, run->ranks);
    mpg_table_count(t, runs);
    mpg_table_numbers(t, (double[]){e->run_ns, e->ideal_ns, e->mean_compute_ns, e->max_compute_ns}, 4);
    mpg_table_numbers(t, (double[]){x.parallel * scaling, x.parallel, x.load_balance, x.communication}, 4);
    mpg_table_numbers(t, (double[]){x.serialization, x.transfer, x.noise, scaling}, 4);
    if (t->columns == sizeof columns / sizeof *columns)
        mpg_table_numbers(t, (double[]){c.instructions, c.ipc, c.frequency}, COUNTER_COLUMNS);
}

/* Prints the lines above the table: program, choice of the run of each row, scaling, cores. */
static void print_head(const struct scale_report *r, FILE *out)
{
    const struct scale_set *set = r->analysis->set;
    const enum scale_sizing sizing = r->analysis->sizing;
    fputs("program  ", out);
    mpg_printable_put(out, set->runs[0].program ? set->runs[0].program : "not said");
    fprintf(out, "\nrows     the %s run of each count\nscaling  against %d %s; sizes are %s\n", r->fastest ? "fastest" : "median",
            set->runs[0].ranks, mpg_units_word((uint64_t)set->runs[0].ranks, "rank", "ranks"),
            sizing == SCALE_FIXED    ? "fixed"
            : sizing == SCALE_SCALED ? "scaled: the work of N ranks is N times that of one"
                                     : "unknown (--label scaling=fixed,FILE... tells them): computed as if fixed");
    if (mpg_scale_print_core_facts(set, "cores    ", out))
        fputc('\n', out);
    fputc('\n', out);
}

static void print_missing(bool all_traces, bool counters, FILE *out)
{
    if (!all_traces)
        fputs("\nProfiles do not tell the ideal run: serialization and transfer need traces (record without --profile)\n", out);
    if (!counters)
        fprintf(out, "%sCounters are not in all traces: record with --papi=PAPI_TOT_INS,PAPI_TOT_CYC for instructions, IPC "
                     "and frequency\n", all_traces ? "\n" : "");
}

int mpg_scale_print_efficiency(const struct scale_report *r, enum mpg_table_format format, FILE *out, struct mpg_error *err)
{
    const struct scale_set *set = r->analysis->set;
    const enum mpg_efficiency_scaling sizing = r->analysis->sizing == SCALE_SCALED ? MPG_EFFICIENCY_SCALED : MPG_EFFICIENCY_FIXED;
    const struct scale_run *first = representative(r, 0, mpg_scale_next_count(set, 0));
    bool all_traces = true, counters = true;
    for (size_t i = 0; i < set->run_number; i++) {
        all_traces = all_traces && set->runs[i].is_trace;
        counters = counters && has_counters(&set->runs[i]);
    }
    const bool all = format != MPG_TABLE_TEXT || counters;
    const size_t n = sizeof columns / sizeof *columns;
    struct mpg_table t = {.column = columns, .columns = all ? n : n - COUNTER_COLUMNS, .fits = true, .trims = true,
                          .missing = "-", .row_indent = 2};
    struct mpg_json j = mpg_json_to(out, MPG_JSON_ROWS);
    if (format == MPG_TABLE_JSON) {
        mpg_json_in_line(&j);
        mpg_json_array(&j, NULL);
        mpg_table_begin_json(&t, &j);
    } else {
        if (format == MPG_TABLE_TEXT)
            print_head(r, out);
        mpg_table_begin(&t, format, out);
    }
    for (size_t from = 0, end; from < set->run_number; from = end) {
        end = mpg_scale_next_count(set, from);
        put_row(&t, first, representative(r, from, end), end - from, sizing);
    }
    if (format == MPG_TABLE_JSON)
        mpg_json_close(&j);
    if (mpg_table_end(&t, err) < 0)
        return -1;
    if (format == MPG_TABLE_JSON)
        fputc('\n', out);
    if (format == MPG_TABLE_TEXT)
        print_missing(all_traces, counters, out);
    return 0;
}
