/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace import: imports a trace of another format. The format follows from --from, from the option of a format, or
 * from the file's content. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/foreign/unpack.h"
#include "trace/format.h"
#include "trace/output.h"
#include "trace/store/spool.h"

enum { MAX_FORMATS = 16, OTHER_OPTIONS = 7 };

struct request {
    const char *file[MAX_FORMATS]; /* by format: the file given with the format's option; NULL: option not given */
    const char *words[MAX_FORMATS + 2]; /* words of --from: the formats' names, then "prv", the suffix of Paraver's files */
    const char *output, *rate;
    int from; /* index of the format named by --from */
    enum mpg_import_regions regions;
    double overhead_ns, flops;
    bool force, lenient, overhead_given, from_given;
};

static void fill_options(struct request *request, struct mpg_option options[MAX_FORMATS + OTHER_OPTIONS + 1])
{
    static const char *const regions[] = {"user", "all", "none", NULL};
    const struct mpg_option others[OTHER_OPTIONS] = {
        {.name = "from", .kind = MPG_OPTION_WORD, .value = &request->from, .words = request->words,
         .given = &request->from_given, .help = "the format of FILE (default: by its content)"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &request->output,
         .argument = "TRACE",
         .help = "the trace folder to make (default app.trace);\n-: a trace in one file, to standard output"},
        {.name = "force", .kind = MPG_OPTION_FLAG, .value = &request->force,
         .help = "replace the trace that the folder holds"},
        {.name = "lenient", .kind = MPG_OPTION_FLAG, .value = &request->lenient,
         .help = "other tools' traces: import messages that are sent and not received, too"},
        {.name = "overhead-call", .kind = MPG_OPTION_TIME, .value = &request->overhead_ns, .argument = "TIME",
         .given = &request->overhead_given, .minimum = 0, .maximum = 1e9,
         .help = "other tools' traces: the recorder took TIME for each call"},
        {.name = "flops", .kind = MPG_OPTION_STRING, .value = &request->rate, .argument = "RATE",
         .help = "SimGrid's actions: operations a second, as 2e9 or\n2G (default 1G)"},
        {.name = "regions", .kind = MPG_OPTION_WORD, .value = &request->regions, .words = regions,
         .help = "OTF2: the regions to import: those that the\n"
                 "program named (default), all functions, none"}};
    size_t n = 0;
    for (; mpg_trace_formats[n].name && n < MAX_FORMATS; n++) {
        request->words[n] = mpg_trace_formats[n].name;
        options[n] = (struct mpg_option){.name = mpg_trace_formats[n].name, .kind = MPG_OPTION_STRING,
                                         .value = &request->file[n], .argument = "FILE", .help = mpg_trace_formats[n].help};
    }
    request->words[n] = "prv";
    memcpy(options + n, others, sizeof others);
    options[n + OTHER_OPTIONS] = (struct mpg_option){.name = NULL};
}

/* Parses TEXT, a number with an optional suffix k, M, G, T or P, as *RATE, operations per second, 1 to 1e18. */
static int parse_rate(const char *text, double *rate, struct mpg_error *err)
{
    static const char prefixes[] = "kMGTP";
    char *end;
    double value = strtod(text, &end);
    const char *prefix = *end ? strchr(prefixes, *end) : NULL;
    if (prefix)
        value *= pow(1000, (double)(prefix - prefixes + 1));
    if (end == text || (*end && (!prefix || end[1])) || !(value >= 1 && value <= 1e18))
        return mpg_error_set(err, "--flops: '%.40s' is no rate from 1 to 1e18, like 2e9 or 2G", text);
    *rate = value;
    return 0;
}

/* Checks that exactly one file is given, by an option or as an argument, and parses --flops. */
static int check_files(void *context, char **arguments, size_t n, struct mpg_error *err)
{
    struct request *request = context;
    const char *const *file = request->file;
    char names[200] = "FILE";
    size_t given = n, used = strlen(names);
    (void)arguments;
    if (request->rate && parse_rate(request->rate, &request->flops, err) < 0)
        return -1;
    for (size_t i = 0; mpg_trace_formats[i].name && used < sizeof names; i++) {
        given += file[i] != NULL;
        used += (size_t)snprintf(names + used, sizeof names - used, " or --%s=FILE", mpg_trace_formats[i].name);
    }
    if (given == 1 && n == 0 && request->from_given)
        return mpg_error_set(err, "--from gives the format of FILE, and FILE is missing");
    return given == 1 ? 0 : mpg_error_set(err, given == 0 ? "%s is missing" : "%s: only one of them can be given", names);
}

static struct mpg_import_config config_of(const struct request *request, FILE *report)
{
    return (struct mpg_import_config){.lenient = request->lenient, .report = report, .flops = request->flops,
                                      .regions = request->regions,
                                      .overhead_call_ns = request->overhead_given ? (int64_t)request->overhead_ns : -1};
}

/* Copies the whole file FD, called NAME in errors, to standard output. */
static int copy_out(int fd, const char *name, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open("-", err);
    char bytes[1 << 16];
    size_t got = 0;
    int64_t at = 0;
    int status = out ? 0 : -1;
    while (status == 0 && (status = mpg_spool_read(fd, bytes, sizeof bytes, at, name, &got, err)) == 0 && got > 0) {
        (void)fwrite(bytes, 1, got, mpg_output_stream(out)); /* write errors appear in mpg_output_commit() */
        at += (int64_t)got;
    }
    if (status == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

/* Imports the trace at PATH, of FORMAT, into a temporary file; if that succeeds, copies it to standard output. */
static int import_to_stdout(const struct mpg_trace_format *format, const char *path, const struct request *request,
                            struct mpg_error *err)
{
    const struct mpg_import_config config = config_of(request, stderr);
    char name[MPG_SPOOL_NAME_BYTES];
    const int fd = mpg_spool_file(err);
    if (fd < 0)
        return -1;
    mpg_spool_name(name);
    int status = mpg_trace_import(format, path, name, fd, &config, err);
    if (status == 0)
        status = copy_out(fd, name, err);
    (void)close(fd);
    return status;
}

/* Imports the trace at PATH, of FORMAT, into a folder beside the output, then renames the folder. */
static int import_to_temporary(const struct mpg_trace_format *format, const char *path, const struct request *request,
                               struct mpg_error *err)
{
    struct mpg_trace_output out;
    const struct mpg_import_config config = config_of(request, stdout);
    if (mpg_trace_output_open(&out, request->output, request->force, "--force replaces it, -o names another folder", err) < 0)
        return -1;
    if (mpg_trace_import(format, path, out.temporary, -1, &config, err) < 0) {
        mpg_trace_output_discard(&out);
        return mpg_trace_output_failed(&out, err);
    }
    return mpg_trace_output_commit(&out, err);
}

static int import_file(const struct mpg_trace_format *format, const char *path, const struct request *request,
                       struct mpg_error *err)
{
    if (strcmp(path, "-") == 0 && !format->import)
        return mpg_error_set(err, "a trace of this format cannot come from standard input: give its path");
    const int status = strcmp(request->output, "-") == 0 ? import_to_stdout(format, path, request, err)
                                                         : import_to_temporary(format, path, request, err);
    const enum mpg_file_kind kind = status < 0 ? mpg_unpack_kind(path) : format->kind;
    const bool is_overruled = request->from_given && (kind == MPG_FILE_UNKNOWN || kind == MPG_FILE_TEXT);
    if (status < 0 && format->kind != MPG_FILE_UNKNOWN && strcmp(path, "-") != 0 && kind != format->kind && !is_overruled)
        mpg_kind_explain(path, format->kind, err);
    return status;
}

/* Imports the file or folder PATH, of the format named by --from; without --from, the content determines the format. */
static int import_any(const char *path, const struct request *request, struct mpg_error *err)
{
    const enum mpg_file_kind kind = mpg_unpack_kind(path);
    const struct mpg_trace_format *format = !request->from_given ? mpg_trace_format_of_kind(kind)
                                            : mpg_trace_formats[request->from].name ? &mpg_trace_formats[request->from]
                                                                                    : mpg_trace_format_of_kind(MPG_FILE_PARAVER);
    if (format)
        return import_file(format, path, request, err);
    if (strcmp(path, "-") == 0)
        return import_file(&mpg_trace_formats[0], path, request, err);
    if (kind == MPG_FILE_ABSENT)
        return mpg_error_errno(err, ENOENT, "%s", path);
    if (kind == MPG_FILE_TRACE || kind == MPG_FILE_TRACE_FOLDER)
        return mpg_error_set(err, "%s: a trace already", path);
    return mpg_kind_error(path, kind, MPG_FILE_TRACE, err);
}

int mpg_import_main(int argc, char **argv)
{
    struct request request = {.output = "app.trace"};
    struct mpg_option options[MAX_FORMATS + OTHER_OPTIONS + 1];
    fill_options(&request, options);
    const struct mpg_program program = {.name = "mpgtrace import",
                                        .arguments = "[FILE]",
                                        .summary = "Make a trace from text or from another tool's trace.",
                                        .options = options,
                                        .max_arguments = 1,
                                        .resolve = check_files,
                                        .context = &request};
    const int first = mpg_option_parse(&program, argc, argv);
    size_t i = 0;
    while (mpg_trace_formats[i].name && !request.file[i])
        i++;
    struct mpg_error err;
    if ((mpg_trace_formats[i].name ? import_file(&mpg_trace_formats[i], request.file[i], &request, &err)
                                   : import_any(argv[first], &request, &err)) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
