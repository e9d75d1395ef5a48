/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace graph: a trace's graph in the DOT language. */
#include "analyse/draw/drawing.h"
#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

enum { MAX_NODES = 2000 };

struct wanted {
    const char *calls, *ranks, *output;
    bool weights;
    struct mpg_drawing_options options;
    struct mpg_excerpt excerpt;
};

static int write_drawing(const struct wanted *a, struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_drawing drawing;
    int status = -1;
    if (mpg_drawing_make(trace, &a->options, &drawing, err) < 0) {
        mpg_error_add_trace_path(trace, err);
        goto out;
    }
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        goto out;
    mpg_drawing_write(&drawing, trace, a->weights, mpg_output_stream(out));
    status = mpg_output_commit(out, err);
out:
    mpg_drawing_clear(&drawing);
    return status;
}

static int graph_of(const struct wanted *a, const char *path, struct mpg_error *err)
{
    const bool writes_elsewhere = mpg_output_differs_from_input("output", a->output, path, err) == 0;
    struct mpg_trace *trace = writes_elsewhere ? mpg_excerpt_open(path, &a->excerpt, err) : NULL;
    int status = -1;
    if (trace && mpg_trace_cut(trace) && !a->options.lenient)
        mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    else if (trace)
        status = write_drawing(a, trace, err);
    if (status == 0)
        mpg_excerpt_print(trace, "mpgtrace graph", stderr);
    mpg_trace_close(trace);
    return status;
}

int mpg_graph_main(int argc, char **argv)
{
    struct wanted a = {.output = "-", .options = {.eager_limit_bytes = -1}};
    const struct mpg_option options[] = {
        {.name = "calls", .kind = MPG_OPTION_STRING, .value = &a.calls, .argument = "A-B",
         .help = "calls A to B of each rank only, counted from 0, MPI_Init"},
        {.name = "ranks", .kind = MPG_OPTION_STRING, .value = &a.ranks, .argument = "LIST",
         .help = "these ranks only, like 0,4-7"},
        {.name = "weights", .kind = MPG_OPTION_FLAG, .value = &a.weights,
         .help = "label messages with their bytes and with the time from the begin of the send\n"
                 "to the end of the receive"},
        {.name = "eager-limit", .kind = MPG_OPTION_SIZE, .value = &a.options.eager_limit_bytes,
         .argument = "BYTES", .minimum = -1, .maximum = 9e15,
         .help = "larger standard sends wait for their receiver; -1 (default): all\n"
                 "do, as in the paper"},
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &a.options.lenient,
         .help = "leave out unmatched messages and calls instead of failing"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &a.output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace graph", .arguments = "TRACE",
        .summary = "The message-passing graph of TRACE in the DOT language: 'dot -Tsvg' draws it.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    struct mpg_error err;
    int first = mpg_option_parse(&program, argc, argv);
    a.options.part = a.calls;
    if (a.calls && mpg_units_parse_range(a.calls, "calls", &a.options.first, &a.options.last, &err) < 0)
        mpg_option_usage_error(&program, "--calls: %s", err.text);
    if (a.ranks && mpg_rank_set_parse(a.ranks, &a.options.ranks, &err) < 0)
        mpg_option_usage_error(&program, "--ranks: %s", err.text);
    a.options.max_nodes = a.calls ? 0 : MAX_NODES;
    const int status = graph_of(&a, argv[first], &err);
    mpg_rank_set_clear(&a.options.ranks);
    if (status == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
