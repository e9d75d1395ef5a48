/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace efficiency: POP's efficiencies of recorded runs. */
#include <stdlib.h>

#include "analyse/efficiency/report.h"
#include "analyse/options.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

struct wanted {
    const char *output;
    bool json, csv, by_given;
    int by; /* argument of --by, an index in `bys` */
    int64_t bins, iterations;
    enum mpg_efficiency_scaling scaling;
    struct mpg_efficiency_options options;
    struct mpg_excerpt excerpt;
};

/* Opens the trace PATH and finds its efficiencies. The caller closes *TRACE, also on failure. Returns 0, or -1 with ERR. */
static int find(const struct wanted *a, const char *path, struct mpg_trace **trace, struct mpg_efficiency_traced *traced,
                struct mpg_error *err)
{
    *trace = mpg_output_differs_from_input("output", a->output, path, err) == 0 ? mpg_excerpt_open(path, &a->excerpt, err) : NULL;
    traced->path = path;
    traced->trace = *trace;
    if (!*trace)
        return -1;
    if (mpg_trace_cut(*trace) && !a->options.lenient)
        return mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(*trace));
    if (mpg_trace_need_times(*trace, "efficiencies", err) < 0)
        return -1;
    if (mpg_efficiency_find(*trace, &a->options, &traced->run, err) < 0)
        return mpg_error_add_trace_path(*trace, err);
    mpg_excerpt_print(*trace, "mpgtrace efficiency", stderr);
    return 0;
}

/* Sorts traces by number of ranks. Insertion sort, because traces with equal numbers of ranks must keep the order of the command
 * line. */
static void sort(struct mpg_efficiency_traced *traced, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct mpg_efficiency_traced moved = traced[i];
        size_t k = i;
        for (; k > 0 && traced[k - 1].run.times.ranks > moved.run.times.ranks; k--)
            traced[k] = traced[k - 1];
        traced[k] = moved;
    }
}

static int write_report(const struct wanted *a, const struct mpg_efficiency_report *r, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    const enum mpg_table_format format = a->json ? MPG_TABLE_JSON : a->csv ? MPG_TABLE_CSV : MPG_TABLE_TEXT;
    if (mpg_efficiency_print(r, format, mpg_output_stream(out), err) == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

/* Refuses --by if there are several traces. */
static int resolve(void *wanted, char **path, size_t n, struct mpg_error *err)
{
    const struct wanted *a = wanted;
    (void)path;
    return n > 1 && a->by_given ? mpg_error_set(err, "--by: of one trace only") : 0;
}

static int efficiency_of(const struct wanted *a, char **path, size_t n, struct mpg_error *err)
{
    struct mpg_efficiency_traced *traced = calloc(n, sizeof *traced);
    int status = traced ? 0 : mpg_error_set(err, "out of memory");
    struct mpg_trace *trace = NULL; /* a single trace stays open until the report is written */
    for (size_t i = 0; i < n && status == 0; i++) {
        mpg_trace_close(trace);
        status = find(a, path[i], &trace, &traced[i], err);
    }
    if (status == 0) {
        const struct mpg_efficiency_report report = {
            .n = n, .traced = traced, .scaling = a->scaling, .eager_limit_bytes = a->options.eager_limit_bytes};
        sort(traced, n);
        status = write_report(a, &report, err);
    }
    for (size_t i = 0; i < n && traced; i++)
        mpg_efficiency_run_clear(&traced[i].run);
    mpg_trace_close(trace);
    free(traced);
    return status;
}

int mpg_efficiency_main(int argc, char **argv)
{
    enum { BINS = 20, MAX_BINS = 100000 };
    struct wanted a = {.output = "-", .bins = BINS, .options = {.eager_limit_bytes = INT64_MAX}};
    static const char *const bys[] = {"region", "time", "iteration", NULL};
    static const char *const scalings[] = {"fixed", "scaled", NULL};
    static const struct mpg_option_rule rules[] = {{"json", MPG_OPTION_EXCLUDES, "csv", NULL},
                                                   {"bins", MPG_OPTION_NEEDS, "by=time", NULL},
                                                   {"iterations", MPG_OPTION_NEEDS, "by=iteration", NULL},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "by", .kind = MPG_OPTION_WORD, .value = &a.by, .words = bys, .given = &a.by_given,
         .help = "of one trace: a row for each region, for equal bins of the run, or for\nphases and iterations of a loop"},
        {.name = "bins", .kind = MPG_OPTION_INT, .value = &a.bins, .argument = "N", .minimum = 1, .maximum = MAX_BINS,
         .help = "with --by=time: number of bins (default 20)"},
        {.name = "iterations", .kind = MPG_OPTION_INT, .value = &a.iterations, .argument = "N", .minimum = 4,
         .maximum = 9e15,
         .help = "with --by=iteration: of the loop with N iterations (default: a loop that\n"
                 "takes most of the run)"},
        {.name = "scaling", .kind = MPG_OPTION_WORD, .value = &a.scaling, .words = scalings,
         .help = "with traces at several counts of ranks: fixed (default): all solve the same\n"
                 "problem; scaled: the problem grows with the ranks"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &a.options.eager_limit_bytes,
         .argument = "BYTES", .minimum = -1, .maximum = 9e15,
         .help = "larger standard sends wait for their receiver in the ideal run; -1: all\n"
                 "(default: none)"},
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        MPG_ROW_OF_LENIENT(&a.options.lenient),
        MPG_ROWS_OF_FORMATS(&a.json, &a.csv, &a.output),
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace efficiency", .arguments = "TRACE...",
        .summary = "Parallel efficiency: load balance, serialization, transfer; scaling of computation.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = -1, .resolve = resolve, .context = &a};
    const int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    if (a.by_given)
        a.options.by = MPG_EFFICIENCY_BY_REGION + a.by;
    a.options.bins = (uint32_t)a.bins;
    a.options.iterations = (uint64_t)a.iterations;
    if (efficiency_of(&a, argv + first, (size_t)(argc - first), &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
