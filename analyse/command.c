/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace waits: wait states of a traced run. */
#include "analyse/options.h"
#include "analyse/report.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

struct wanted {
    const char *debug_path, *output;
    bool json, csv;
    enum mpg_waits_by by;
    int64_t frames, top;
    struct mpg_excerpt excerpt;
    struct mpg_traced_options options;
};

static int write_report(const struct wanted *a, const struct mpg_waits_report *r, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    const int status = a->json  ? mpg_waits_print_json(r, stream, err)
                       : a->csv ? mpg_waits_print_rows(r, MPG_TABLE_CSV, stream, err)
                                : mpg_waits_print_text(r, stream, err);
    if (status == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

static int find(const struct wanted *a, struct mpg_trace *trace, struct mpg_traced_waits *found,
                struct mpg_waits_table *table, struct mpg_error *err)
{
    if (mpg_trace_cut(trace) && !a->options.lenient)
        return mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    if (mpg_trace_need_times(trace, "waits", err) < 0)
        return -1;
    if (mpg_waits_find(trace, &a->options, found, err) < 0)
        return mpg_error_add_trace_path(trace, err);
    const struct mpg_waits *const runs[] = {found->waits};
    return mpg_waits_table_make(table, runs, 1, trace, a->by, (int)a->frames, a->debug_path, err);
}

static int waits_of(const struct wanted *a, const char *path, struct mpg_error *err)
{
    struct mpg_traced_waits found = {.waits = NULL};
    struct mpg_waits_table table = {.n = 0};
    struct mpg_threads threads = {.n = 0};
    const bool writes_elsewhere = mpg_output_differs_from_input("output", a->output, path, err) == 0;
    struct mpg_trace *trace = writes_elsewhere ? mpg_excerpt_open(path, &a->excerpt, err) : NULL;
    int status = trace ? find(a, trace, &found, &table, err) : -1;
    if (status == 0)
        mpg_excerpt_print(trace, "mpgtrace waits", stderr);
    if (status == 0)
        status = mpg_threads_find(trace, NULL, &threads, err);
    if (status == 0) {
        const struct mpg_recording recording =
            mpg_recording_of_trace(trace, &found.counts, mpg_waits_total(found.waits, mpg_trace_ranks(trace)), false);
        const struct mpg_waits_report report = {.trace = trace,
                                                .run = {found.waits},
                                                .runs = 1,
                                                .table = &table,
                                                .top = (size_t)a->top,
                                                .clocks = mpg_clock_map_source(found.clocks),
                                                .limit = found.limit,
                                                .limit_bytes = found.eager_limit_bytes,
                                                .counts = &found.counts,
                                                .threads = &threads,
                                                .recording = &recording};
        status = write_report(a, &report, err);
    }
    mpg_threads_clear(&threads);
    mpg_waits_table_clear(&table);
    mpg_traced_waits_clear(&found);
    mpg_trace_close(trace);
    return status;
}

int mpg_waits_main(int argc, char **argv)
{
    enum { MAX_FRAMES = 64, MAX_ROWS = 1000000000 };
    struct wanted a = {.output = "-", .frames = 1};
    static const char *const bys[] = {"call", "callsite", "region", "rank", NULL};
    static const struct mpg_option_rule rules[] = {
        {"json", MPG_OPTION_EXCLUDES, "csv", NULL},
        {"json", MPG_OPTION_EXCLUDES, "top", "JSON has all rows"},
        {"frames", MPG_OPTION_NEEDS, "by=callsite", NULL},
        {"debug-path", MPG_OPTION_NEEDS, "by=callsite", NULL},
        {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "by", .kind = MPG_OPTION_WORD, .value = &a.by, .words = bys,
         .help = "a row for each call (default), callsite, region or rank"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &a.frames, .argument = "N",
         .minimum = 1, .maximum = MAX_FRAMES,
         .help = "callsites with up to N functions each, callers after callees\n"
                 "(default 1)"},
        MPG_ROW_OF_DEBUG_PATH(&a.debug_path),
        {.name = "top", .kind = MPG_OPTION_INT, .value = &a.top, .argument = "N", .minimum = 1,
         .maximum = MAX_ROWS, .help = "the first N rows only"},
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        MPG_ROW_OF_TRACED_EAGER_LIMIT(&a.options.eager_limit_bytes, &a.options.limit_given),
        MPG_ROW_OF_LENIENT(&a.options.lenient),
        MPG_ROWS_OF_FORMATS(&a.json, &a.csv, &a.output),
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace waits", .arguments = "TRACE",
        .summary = "List wait states: late senders and receivers, barriers, collectives.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = 1};
    const int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    if (waits_of(&a, argv[first], &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
