/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace print: writes a trace in the text form. */
#include <stdio.h>

#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"
#include "trace/stat/events.h"
#include "trace/text/text.h"

static int fail(const char *name, const struct mpg_error *err)
{
    mpg_error_print(name, err);
    return MPG_EXIT_FAILURE;
}

int mpg_print_main(int argc, char **argv)
{
    enum { MAX_FRAMES = 64 };
    const char *output = "-", *debug_path = NULL;
    bool csv = false;
    int64_t frames = 1;
    struct mpg_excerpt excerpt = {.from = NULL};
    static const struct mpg_option_rule rules[] = {{"frames", MPG_OPTION_NEEDS, "csv", NULL},
                                                   {"debug-path", MPG_OPTION_NEEDS, "csv", NULL},
                                                   {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "csv", .kind = MPG_OPTION_FLAG, .value = &csv,
         .help = "a line for each event as CSV, with callsites and regions by name"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &frames, .argument = "N", .minimum = 1,
         .maximum = MAX_FRAMES, .help = "callsites with up to N functions each, callees before callers\n(default 1)"},
        {.name = "debug-path", .kind = MPG_OPTION_STRING, .value = &debug_path, .argument = "DIR",
         .help = "look for the program, its libraries and their debugging information\nin DIR, too"},
        MPG_ROWS_OF_EXCERPT(&excerpt),
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace print", .arguments = "TRACE",
        .summary = "Print TRACE (a folder, a file, or - for standard input) as mpgtext.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct mpg_output *out = NULL;
    const bool writes_elsewhere = mpg_output_differs_from_input("output", output, argv[first], &err) == 0;
    struct mpg_trace *t = writes_elsewhere ? mpg_excerpt_open(argv[first], &excerpt, &err) : NULL;
    if (!t || !(out = mpg_output_open(output, &err)) ||
        (csv ? mpg_events_print_csv(t, (int)frames, debug_path, mpg_output_stream(out), &err)
             : mpg_text_print(t, mpg_output_stream(out), &err)) < 0) {
        mpg_output_discard(out);
        mpg_trace_close(t);
        return fail(program.name, &err);
    }
    mpg_excerpt_print(t, program.name, stderr);
    if (mpg_trace_cut(t)) {
        fprintf(stderr, "%s: warning: ", program.name);
        mpg_printable_put(stderr, mpg_trace_cut(t));
        putc('\n', stderr);
    }
    int status = mpg_output_commit(out, &err);
    mpg_trace_close(t);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}
