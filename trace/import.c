/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace import: imports a trace of another format, with one option per format that names the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/input.h"
#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/format.h"
#include "trace/output.h"

enum { MOST_FORMATS = 16, OTHER_OPTIONS = 2 };

struct request {
    const char *file[MOST_FORMATS]; /* by index of the format; NULL: option not given */
    const char *output;
    bool force;
};

static void fill_options(struct request *request, struct mpg_option options[MOST_FORMATS + OTHER_OPTIONS + 1])
{
    const struct mpg_option others[OTHER_OPTIONS] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &request->output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {.name = "force", .kind = MPG_OPTION_FLAG, .value = &request->force,
         .help = "replace the trace that the folder holds"}};
    size_t n = 0;
    for (; mpg_trace_formats[n].name && n < MOST_FORMATS; n++)
        options[n] = (struct mpg_option){.name = mpg_trace_formats[n].name, .kind = MPG_OPTION_STRING,
                                         .value = &request->file[n], .argument = "FILE", .help = mpg_trace_formats[n].help};
    memcpy(options + n, others, sizeof others);
    options[n + OTHER_OPTIONS] = (struct mpg_option){.name = NULL};
}

/* Checks that exactly one file is given. */
static int check_files(void *request, char **arguments, size_t n, struct mpg_error *err)
{
    const char *const *file = ((const struct request *)request)->file;
    char names[200] = "";
    size_t given = 0, used = 0;
    (void)arguments;
    (void)n;
    for (size_t i = 0; mpg_trace_formats[i].name && used < sizeof names; i++) {
        given += file[i] != NULL;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s=FILE", i > 0 ? " or " : "",
                                 mpg_trace_formats[i].name);
    }
    return given == 1 ? 0 : mpg_error_set(err, given == 0 ? "%s is missing" : "%s: only one can be", names);
}

/* Imports IN, called FILE, of FORMAT into a folder beside OUTPUT, then renames the folder to OUTPUT. */
static int import_to_temporary(const struct mpg_trace_format *format, FILE *in, const char *file, const struct request *request,
                               struct mpg_error *err)
{
    struct mpg_trace_output out;
    if (mpg_trace_output_open(&out, request->output, request->force, "--force replaces it, -o names another folder", err) < 0)
        return -1;
    if (format->import(in, file, out.temporary, -1, err) < 0) {
        mpg_trace_output_discard(&out);
        return -1;
    }
    return mpg_trace_output_commit(&out, err);
}

static int import_file(const struct mpg_trace_format *format, const char *path, const struct request *request,
                       struct mpg_error *err)
{
    if (strcmp(path, "-") == 0)
        return import_to_temporary(format, stdin, "standard input", request, err);
    FILE *in = mpg_input_open(path);
    if (!in)
        return mpg_error_errno(err, errno, "%s", path);
    const int status = import_to_temporary(format, in, path, request, err);
    if (status < 0 && format->kind != MPG_FILE_UNKNOWN)
        mpg_kind_explain(path, format->kind, err);
    (void)fclose(in);
    return status;
}

int mpg_import_main(int argc, char **argv)
{
    struct request request = {.output = "app.trace"};
    struct mpg_option options[MOST_FORMATS + OTHER_OPTIONS + 1];
    fill_options(&request, options);
    const struct mpg_program program = {.name = "mpgtrace import",
                                        .summary = "Make a trace from text.",
                                        .options = options,
                                        .resolve = check_files,
                                        .context = &request};
    mpg_option_parse(&program, argc, argv);
    size_t i = 0;
    while (!request.file[i])
        i++;
    struct mpg_error err;
    if (import_file(&mpg_trace_formats[i], request.file[i], &request, &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
