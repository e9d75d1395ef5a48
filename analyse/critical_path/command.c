/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace critical-path: the critical path of a traced run, and the causes of waits. */
#include "analyse/critical_path/report.h"
#include "analyse/options.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/excerpt/excerpt.h"

enum { MAX_FRAMES = 64, MAX_PATH_SEGMENTS = 100000, TABLE_ROWS = 5 };

struct wanted {
    const char *debug_path, *output;
    bool json, csv, all;
    enum path_by by;
    int64_t frames, path_segments;
    struct mpg_excerpt excerpt;
    struct mpg_traced_options options;
};

static int write_report(const struct wanted *a, const struct path_report *r, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(a->output, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    const int status = a->json  ? mpg_path_print_json(r, stream, err)
                       : a->csv ? mpg_path_print_csv(r, stream, err)
                                : mpg_path_print_text(r, stream, err);
    if (status == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return -1;
}

static int report(const struct wanted *a, const struct critical_path *path, struct mpg_error *err)
{
    struct mpg_site_names names = {.n = 0};
    const struct path_report r = {.path = path, .names = &names, .by = a->by, .top = a->all ? 0 : TABLE_ROWS,
                                  .path_segments = a->path_segments > 0};
    int status = mpg_site_names_begin(&names, path->trace, (int)a->frames, a->debug_path, err);
    if (status == 0)
        status = write_report(a, &r, err);
    mpg_site_names_end(&names);
    return status;
}

static int path_of(const struct wanted *a, const char *name, struct mpg_error *err)
{
    struct critical_path path = {.n = 0};
    const bool writes_elsewhere = mpg_output_differs_from_input("output", a->output, name, err) == 0;
    struct mpg_trace *trace = writes_elsewhere ? mpg_excerpt_open(name, &a->excerpt, err) : NULL;
    int status = trace ? 0 : -1;
    if (trace && mpg_trace_cut(trace) && !a->options.lenient)
        status = mpg_error_set(err, "%s (--lenient reads the complete part)", mpg_trace_cut(trace));
    if (status == 0)
        status = mpg_trace_need_times(trace, "the critical path", err);
    if (status == 0)
        mpg_excerpt_print(trace, "mpgtrace critical-path", stderr);
    const int64_t path_segments = a->path_segments > 0 ? a->path_segments : a->by == PATH_BY_SEGMENT ? 2 * TABLE_ROWS : 0;
    if (status == 0)
        status = mpg_critical_path_find(&path, trace, &a->options, (size_t)path_segments, err);
    if (status == 0)
        status = report(a, &path, err);
    mpg_critical_path_clear(&path);
    mpg_trace_close(trace);
    return status;
}

int mpg_critical_path_main(int argc, char **argv)
{
    struct wanted a = {.output = "-", .frames = 1};
    static const char *const bys[] = {"callsite", "region", "rank", "segment", "delay", NULL};
    static const struct mpg_option_rule rules[] = {
        {"json", MPG_OPTION_EXCLUDES, "csv", NULL},
        {"json", MPG_OPTION_EXCLUDES, "by", "JSON has all tables"},
        {"json", MPG_OPTION_EXCLUDES, "all", "JSON has all rows"},
        {"csv", MPG_OPTION_EXCLUDES, "all", "CSV has all rows"},
        {NULL, MPG_OPTION_EXCLUDES, NULL, NULL}};
    const struct mpg_option options[] = {
        {.name = "by", .kind = MPG_OPTION_WORD, .value = &a.by, .words = bys,
         .help = "the table: callsites (default, with delay causes), regions, ranks,\nlongest segments or delay causes"},
        {.name = "segments", .kind = MPG_OPTION_INT, .value = &a.path_segments, .argument = "N", .minimum = 1,
         .maximum = MAX_PATH_SEGMENTS, .help = "also the N longest segments of the path"},
        {.name = "all", .letter = 'a', .kind = MPG_OPTION_FLAG, .value = &a.all, .help = "all rows, not only the first five"},
        {.name = "frames", .letter = 'f', .kind = MPG_OPTION_INT, .value = &a.frames, .argument = "N",
         .minimum = 1, .maximum = MAX_FRAMES,
         .help = "callsites with up to N functions each, callers after callees\n(default 1)"},
        MPG_ROW_OF_DEBUG_PATH(&a.debug_path),
        MPG_ROW_OF_TRACED_EAGER_LIMIT(&a.options.eager_limit_bytes, &a.options.limit_given),
        MPG_ROWS_OF_EXCERPT(&a.excerpt),
        MPG_ROW_OF_LENIENT(&a.options.lenient),
        MPG_ROWS_OF_FORMATS(&a.json, &a.csv, &a.output),
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace critical-path", .arguments = "TRACE",
        .summary = "The critical path of the recorded run: ranks, computation, MPI and messages on it;\n"
                   "and who made whom wait.",
        .options = options, .rules = rules, .min_arguments = 1, .max_arguments = 1};
    const int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    if (path_of(&a, argv[first], &err) == 0)
        return MPG_EXIT_OK;
    mpg_error_print(program.name, &err);
    return MPG_EXIT_FAILURE;
}
