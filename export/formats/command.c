/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace export: converts a trace to OTF2, Paraver, GOAL and further formats. */
#include <stdio.h>
#include <string.h>

#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "export/formats/formats.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

struct request {
    struct mpg_export_config config;
    const char *output;
    bool format_given;
    struct mpg_excerpt excerpt;
};

/* Sets the format by the ending of the output's name, unless --format is given. Returns 0, or -1 with ERR: an unknown
 * ending, or standard output for a format of several files. */
static int find_format(void *context, char **arguments, size_t n, struct mpg_error *err)
{
    struct request *r = context;
    (void)arguments;
    (void)n;
    if (!r->format_given)
        r->config.format = mpg_export_format_of(r->output);
    if (r->config.format == MPG_EXPORT_FORMATS)
        return mpg_error_set(err, "the ending of the --output name is no known format: give --format");
    if (!mpg_export_is_file(r->config.format) && strcmp(r->output, "-") == 0)
        return mpg_error_set(err, "--format=%s writes several files, not to standard output: give --output",
                             mpg_export_names[r->config.format]);
    return 0;
}

static int export_trace(const struct request *r, const char *path, const char *program, struct mpg_error *err)
{
    struct mpg_left_out left = {.n = 0};
    struct mpg_trace *trace =
        mpg_output_differs_from_input("output", r->output, path, err) == 0 ? mpg_excerpt_open(path, &r->excerpt, err) : NULL;
    int status = -1;
    if (trace && mpg_trace_cut(trace) && !r->config.lenient)
        mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    else if (trace)
        status = mpg_export(trace, r->output, &r->config, &left, err);
    if (status == 0)
        mpg_excerpt_print(trace, program, stderr);
    if (status == 0)
        mpg_left_out_print(&left, program, stderr);
    mpg_trace_close(trace);
    return status;
}

int mpg_export_main(int argc, char **argv)
{
    struct request r = {.config = {.format = MPG_EXPORT_FORMATS}, .output = "-"};
    const struct mpg_option options[] = {
        {.name = "format", .kind = MPG_OPTION_WORD, .value = &r.config.format, .given = &r.format_given,
         .words = mpg_export_names, .help = "the format (default: by the ending of the output's name)"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &r.output, .argument = "OUT",
         .help = "write to OUT instead of standard output: a file, an archive\n"
                 "OUT.otf2, or a folder; an existing file is replaced, a folder is not"},
        MPG_ROWS_OF_EXCERPT(&r.excerpt),
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &r.config.lenient,
         .help = "leave out unmatched and truncated calls instead of failing"},
        {0}};
    const struct mpg_program program = {.name = "mpgtrace export",
                                        .arguments = "TRACE",
                                        .summary = "Write TRACE in a format of other tools.",
                                        .options = options,
                                        .min_arguments = 1,
                                        .max_arguments = 1,
                                        .resolve = find_format,
                                        .context = &r};
    struct mpg_error err;
    const int first = mpg_option_parse(&program, argc, argv);
    if (export_trace(&r, argv[first], program.name, &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
