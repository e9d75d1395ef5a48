/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace timeline: a trace for viewers of Chrome's trace events. */
#include "analyse/timeline/timeline.h"
#include "analyse/walk.h"
#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

struct wanted {
    const char *calls, *ranks, *output;
    struct mpg_timeline_part part;
    struct mpg_excerpt excerpt;
};

static int write_timeline(const struct wanted *a, struct mpg_trace *trace, struct mpg_clock_map *clocks,
                          struct mpg_error *err)
{
    const struct mpg_timeline_run run = {.trace = trace, .name = "traced", .clocks = clocks};
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    uint64_t hidden;
    if (mpg_timeline_write(&run, 1, &a->part, mpg_output_stream(out), &hidden, err) < 0) {
        mpg_output_discard(out);
        return mpg_error_add_trace_path(trace, err);
    }
    if (mpg_output_commit(out, err) < 0)
        return -1;
    mpg_timeline_print_hidden("mpgtrace timeline", hidden);
    return 0;
}

static int timeline_of(const struct wanted *a, const char *path, struct mpg_error *err)
{
    const bool writes_elsewhere = mpg_output_differs_from_input("output", a->output, path, err) == 0;
    struct mpg_trace *trace = writes_elsewhere ? mpg_excerpt_open(path, &a->excerpt, err) : NULL;
    struct mpg_clock_map *clocks = NULL;
    int status = -1;
    if (trace && mpg_trace_cut(trace) && !a->part.lenient)
        mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    else if (trace && (mpg_timeline_check(trace, &a->part, "--calls=A-B or --ranks=LIST", err) < 0 ||
                       mpg_walk_clocks(trace, a->part.lenient, &clocks, err) < 0))
        mpg_error_add_trace_path(trace, err);
    else if (trace)
        status = write_timeline(a, trace, clocks, err);
    if (status == 0)
        mpg_excerpt_print(trace, "mpgtrace timeline", stderr);
    if (status == 0 && mpg_trace_ranks(trace) > 1 && mpg_clock_map_source(clocks) == MPG_CLOCK_NONE)
        fprintf(stderr, "mpgtrace timeline: attention: offsets between the ranks' clocks are unknown: each rank's time "
                        "begins at its first event\n");
    mpg_clock_map_free(clocks);
    mpg_trace_close(trace);
    return status;
}

int mpg_timeline_main(int argc, char **argv)
{
    struct wanted a = {.output = "-"};
    const struct mpg_option options[] = {
        {.name = "calls", .kind = MPG_OPTION_STRING, .value = &a.calls, .argument = "A-B",
         .help = "calls A to B of each rank only, counted from 0, MPI_Init"},
        {.name = "ranks", .kind = MPG_OPTION_STRING, .value = &a.ranks, .argument = "LIST",
         .help = "these ranks only, like 0,4-7"},
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a.part.lenient,
         .help = "leave out messages without a partner, instead of failing"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a.output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace timeline", .arguments = "TRACE",
        .summary = "TRACE as a timeline, for ui.perfetto.dev or chrome://tracing.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    struct mpg_error err;
    const int first = mpg_option_parse(&program, argc, argv);
    if (mpg_timeline_part_parse(a.calls, NULL, &a.part, &err) < 0)
        mpg_option_usage_error(&program, "--calls: %s", err.text);
    if (a.ranks && mpg_rank_set_parse(a.ranks, &a.part.ranks, &err) < 0)
        mpg_option_usage_error(&program, "--ranks: %s", err.text);
    const int status = timeline_of(&a, argv[first], &err);
    mpg_rank_set_clear(&a.part.ranks);
    if (status == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
