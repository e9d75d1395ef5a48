/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace print and mpgtrace import. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/kind.h"
#include "common/input.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
#include "trace/commands.h"
#include "trace/output.h"
#include "trace/text/text.h"

static int fail(const char *name, const struct mpg_error *err)
{
    mpg_error_print(name, err);
    return MPG_EXIT_FAILURE;
}

int mpg_print_main(int argc, char **argv)
{
    const char *output = "-";
    const struct mpg_option options[] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace print", .arguments = "TRACE",
        .summary = "Print TRACE (a folder, a file, or - for standard input) as mpgtext.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct mpg_output *out = NULL;
    struct mpg_trace *t =
        mpg_output_spares("output", output, argv[first], &err) == 0 ? mpg_trace_open(argv[first], &err) : NULL;
    if (!t || !(out = mpg_output_open(output, &err)) ||
        mpg_text_print(t, mpg_output_stream(out), &err) < 0) {
        mpg_output_discard(out);
        mpg_trace_close(t);
        return fail(program.name, &err);
    }
    if (mpg_trace_cut(t)) {
        fprintf(stderr, "%s: warning: ", program.name);
        mpg_printable_put(stderr, mpg_trace_cut(t));
        putc('\n', stderr);
    }
    int status = mpg_output_commit(out, &err);
    mpg_trace_close(t);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}

/* Imports into a folder beside OUTPUT, then puts it in OUTPUT's place. */
static int import_aside(FILE *text, const char *name, const char *output, bool force,
                        struct mpg_error *err)
{
    struct mpg_trace_output out;
    if (mpg_trace_output_open(&out, output, force, "--force replaces it, -o names another folder",
                              err) < 0)
        return -1;
    if (mpg_text_import(text, name, out.aside, -1, err) < 0) {
        mpg_trace_output_discard(&out);
        return -1;
    }
    return mpg_trace_output_commit(&out, err);
}

int mpg_import_main(int argc, char **argv)
{
    const char *output = "app.trace", *text_path = NULL;
    bool force = false;
    const struct mpg_option options[] = {
        {.name = "text", .kind = MPG_OPTION_STRING, .value = &text_path, .argument = "FILE",
         .help = "the mpgtext file to read, - for standard input"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {.name = "force", .kind = MPG_OPTION_FLAG, .value = &force,
         .help = "replace the trace that the folder holds"},
        {0}};
    const struct mpg_program program = {.name = "mpgtrace import",
                                        .summary = "Make a trace from text.",
                                        .options = options};
    mpg_option_parse(&program, argc, argv);
    if (!text_path)
        mpg_option_usage_error(&program, "--text=FILE is missing");

    struct mpg_error err;
    bool is_stdin = strcmp(text_path, "-") == 0;
    const char *name = is_stdin ? "standard input" : text_path;
    FILE *text = is_stdin ? stdin : mpg_input_open(text_path);
    if (!text) {
        mpg_error_errno(&err, errno, "%s", text_path);
        return fail(program.name, &err);
    }
    int status = import_aside(text, name, output, force, &err);
    if (status < 0 && !is_stdin)
        mpg_kind_explain(text_path, MPG_FILE_TRACE_TEXT, &err);
    if (!is_stdin)
        (void)fclose(text);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}
