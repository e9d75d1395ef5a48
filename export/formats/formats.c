/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of mpgtrace export. Most writers are sinks (trace/sink.h), which receive the trace rank after rank; the writers for
 * Chrome and text read the trace themselves. */
#include "export/formats/formats.h"

#include <stdio.h>
#include <string.h>

#include "analyse/timeline/timeline.h"
#include "analyse/walk.h"
#include "common/output.h"
#include "common/progress.h"
#include "export/formats/archive.h"
#include "export/goal/goal.h"
#include "export/otf2/otf2.h"
#include "export/paraver/paraver.h"
#include "export/program/program.h"
#include "export/ti/ti.h"
#include "trace/copy/copy.h"
#include "trace/output.h"
#include "trace/text/text.h"

const char *const mpg_export_names[] = {"chrome", "goal", "otf2", "prv", "ti", "text", "native", NULL};

/* Format by the ending of the output's name. */
static const struct {
    const char *text;
    enum mpg_export_format format;
} endings[] = {{".otf2", MPG_EXPORT_OTF2},
               {".prv", MPG_EXPORT_PRV},
               {".ti", MPG_EXPORT_TI},
               {".goal", MPG_EXPORT_GOAL},
               {".json", MPG_EXPORT_CHROME},
               {".txt", MPG_EXPORT_TEXT},
               {".mpgtext", MPG_EXPORT_TEXT},
               {".trace", MPG_EXPORT_NATIVE}};

enum mpg_export_format mpg_export_format_of(const char *output)
{
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/')
        length--;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t n = strlen(endings[i].text);
        if (length > n && strncmp(output + length - n, endings[i].text, n) == 0)
            return endings[i].format;
    }
    return MPG_EXPORT_FORMATS;
}

bool mpg_export_is_file(enum mpg_export_format format)
{
    return format != MPG_EXPORT_OTF2 && format != MPG_EXPORT_PRV && format != MPG_EXPORT_TI && format != MPG_EXPORT_NATIVE;
}

/* --- rank after rank --- */

static int write_facts(struct mpg_trace *trace, const struct mpg_sink *sink, int32_t rank, struct mpg_error *err)
{
    const char *key, *value;
    for (size_t i = 0; mpg_trace_fact(trace, rank, i, &key, &value); i++)
        if (strcmp(key, "died") != 0 && sink->fact(sink->context, key, value, err) < 0)
            return -1;
    return 0;
}

/* Writes the fact "died" for each thread that died: the thread and, if inside a call, the call and its begin. A process
 * killed in MPI_Finalize has an event instead. */
static int write_deaths(struct mpg_trace *trace, const struct mpg_sink *sink, int32_t rank, struct mpg_error *err)
{
    for (uint32_t i = 0; i < mpg_trace_threads(trace, rank); i++) {
        const uint32_t thread = mpg_trace_thread(trace, rank, i);
        enum mpg_call call;
        int64_t enter_ns;
        char value[96];
        if (!mpg_trace_died(trace, rank, thread, &call, &enter_ns))
            continue;
        if (call == MPG_CALL_COUNT)
            snprintf(value, sizeof value, "%u", thread);
        else
            snprintf(value, sizeof value, "%u %s %lld", thread, mpg_call_name(call), (long long)enter_ns);
        if (sink->fact(sink->context, "died", value, err) < 0)
            return -1;
    }
    return 0;
}

static int write_events(struct mpg_trace *trace, const struct mpg_sink *sink, int32_t rank, struct mpg_progress *progress,
                        double *done, struct mpg_error *err)
{
    struct mpg_cursor *c = mpg_cursor_open(trace, rank, err);
    const struct mpg_event *e;
    int more = -1, status = 0;
    while (c && status == 0 && (more = mpg_cursor_read(c, &e, err)) > 0) {
        status = sink->event(sink->context, e, err);
        if (((int64_t)++*done & 0xfff) == 0)
            mpg_progress_update(progress, *done);
    }
    mpg_cursor_close(c);
    return more < 0 ? mpg_error_add_trace_path(trace, err) : status;
}

static int write_ranks(struct mpg_trace *trace, const struct mpg_sink *sink, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    struct mpg_progress progress;
    double done = 0;
    int status = 0;
    mpg_progress_start(&progress, "writing", (double)mpg_trace_events(trace, -1));
    for (int32_t r = 0; r < ranks && status == 0; r++)
        if (sink->begin(sink->context, r, err) < 0 || write_facts(trace, sink, r, err) < 0 ||
            write_events(trace, sink, r, &progress, &done, err) < 0 || write_deaths(trace, sink, r, err) < 0 ||
            sink->end(sink->context, r == ranks - 1, err) < 0)
            status = -1;
    mpg_progress_end(&progress);
    return status;
}

/* --- formats of several files --- */

static int write_otf2(struct mpg_trace *trace, const char *path, struct mpg_left_out *left, struct mpg_error *err)
{
    struct mpg_archive_output output;
    if (mpg_archive_output_open(&output, path, ".otf2", err) < 0)
        return -1;
    struct mpg_otf2_writer *w = mpg_otf2_writer_new(trace, output.temporary, output.name, left, err);
    const struct mpg_sink sink = mpg_otf2_writer_sink(w);
    const int status = w ? write_ranks(trace, &sink, err) : -1;
    mpg_otf2_writer_free(w);
    if (status == 0)
        return mpg_archive_output_commit(&output, err);
    return mpg_archive_output_discard(&output, err);
}

/* Writes the actions of each rank to a file in the folder NAME/, and the list of the files to NAME.ti. */
static int write_ti(struct mpg_trace *trace, const char *path, const struct mpg_export_config *config, struct mpg_left_out *left,
                    struct mpg_error *err)
{
    struct mpg_archive_output output;
    char folder[4400], list[4416], shown[4400];
    if (mpg_archive_output_open(&output, path, ".ti", err) < 0)
        return -1;
    snprintf(folder, sizeof folder, "%s/%s", output.temporary, output.name);
    snprintf(list, sizeof list, "%s.ti", folder);
    struct mpg_ti *ti = NULL;
    struct mpg_message_program *program = NULL;
    struct mpg_program_writer writer;
    int status = -1;
    if (mpg_archive_output_folder(&output, shown, sizeof shown, err) == 0 && mpg_directory_make(folder, err) == 0 &&
        (ti = mpg_ti_new(folder, list, shown, mpg_trace_ranks(trace), left, err))) {
        writer = mpg_ti_writer(ti);
        if ((program = mpg_program_new(trace, &writer, config->lenient, left, err))) {
            const struct mpg_sink sink = mpg_program_sink(program);
            status = write_ranks(trace, &sink, err);
        }
    }
    mpg_program_free(program);
    mpg_ti_free(ti);
    if (status == 0)
        return mpg_archive_output_commit(&output, err);
    return mpg_archive_output_discard(&output, err);
}

/* Number of files of a Paraver trace: names, rows and records. */
enum { PRV_FILES = 3 };

static int name_prv_file(const char *path, int i, char *name, size_t size, struct mpg_error *err)
{
    static const char *const ends[PRV_FILES] = {".pcf", ".row", ".prv"}; /* .prv last: readers of .prv also need .pcf and .row */
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".prv") == 0)
        n -= 4;
    const int written = snprintf(name, size, "%.*s%s", (int)n, path, ends[i]);
    return written >= 0 && (size_t)written < size ? 0 : mpg_error_set(err, "%s: name too long", path);
}

static int write_prv_to(struct mpg_trace *trace, const struct mpg_prv_files *files, const struct mpg_export_config *config,
                        struct mpg_left_out *left, struct mpg_error *err)
{
    struct mpg_clock_map *clocks = NULL;
    struct mpg_prv_writer *w = NULL;
    int status = mpg_walk_clocks(trace, config->lenient, &clocks, err);
    if (status == 0 && !(w = mpg_prv_writer_new(trace, clocks, files, left, err)))
        status = -1;
    if (status == 0) {
        const struct mpg_sink sink = mpg_prv_writer_sink(w);
        status = write_ranks(trace, &sink, err);
    }
    mpg_prv_writer_free(w);
    mpg_clock_map_free(clocks);
    return status;
}

static int write_prv(struct mpg_trace *trace, const char *path, const struct mpg_export_config *config, struct mpg_left_out *left,
                     struct mpg_error *err)
{
    struct mpg_output *outputs[PRV_FILES] = {NULL};
    char name[4096];
    int status = 0;
    for (int i = 0; i < PRV_FILES && status == 0; i++)
        status = name_prv_file(path, i, name, sizeof name, err) < 0 || !(outputs[i] = mpg_output_open(name, err)) ? -1 : 0;
    if (status == 0) {
        const struct mpg_prv_files files = {.names = mpg_output_stream(outputs[0]), .rows = mpg_output_stream(outputs[1]),
                                            .records = mpg_output_stream(outputs[2])};
        status = write_prv_to(trace, &files, config, left, err);
        if (status < 0 && ferror(files.records)) /* NAME is the name of the last file, the records */
            mpg_error_prefix(err, "%s", name);
    }
    for (int i = 0; i < PRV_FILES; i++)
        if (status < 0)
            mpg_output_discard(outputs[i]);
        else
            status = mpg_output_commit(outputs[i], err);
    return status;
}

static int write_native(struct mpg_trace *trace, const char *path, struct mpg_error *err)
{
    struct mpg_trace_output output;
    if (mpg_trace_output_open(&output, path, false, "name another folder", err) < 0)
        return -1;
    struct mpg_copy *copy = mpg_copy_new(trace, output.temporary, err);
    const struct mpg_sink sink = mpg_copy_sink(copy);
    const int status = copy ? write_ranks(trace, &sink, err) : -1;
    mpg_copy_free(copy);
    if (status == 0)
        return mpg_trace_output_commit(&output, err);
    mpg_trace_output_discard(&output);
    return mpg_trace_output_failed(&output, err);
}

/* --- formats of a single file --- */

static int print_chrome(struct mpg_trace *trace, const struct mpg_export_config *config, FILE *out, struct mpg_left_out *left,
                        struct mpg_error *err)
{
    const struct mpg_timeline_part part = {.lenient = config->lenient};
    struct mpg_clock_map *clocks = NULL;
    uint64_t hidden = 0;
    int status = -1;
    if (mpg_timeline_check(trace, &part, "--calls=A-B or --ranks=LIST of 'mpgtrace timeline'", err) == 0 &&
        mpg_walk_clocks(trace, config->lenient, &clocks, err) == 0) {
        const struct mpg_timeline_run run = {.trace = trace, .name = "traced", .clocks = clocks};
        status = mpg_timeline_write(&run, 1, &part, out, &hidden, err);
        mpg_left_out_add(left, "regions nested deeper than 256: left out", hidden);
    }
    mpg_clock_map_free(clocks);
    return status;
}

static int print_goal(struct mpg_trace *trace, const struct mpg_export_config *config, FILE *out, struct mpg_left_out *left,
                      struct mpg_error *err)
{
    struct mpg_goal *goal = mpg_goal_new(out, mpg_trace_ranks(trace), err);
    if (!goal)
        return -1;
    const struct mpg_program_writer writer = mpg_goal_writer(goal);
    struct mpg_message_program *program = mpg_program_new(trace, &writer, config->lenient, left, err);
    const struct mpg_sink sink = mpg_program_sink(program);
    const int status = program ? write_ranks(trace, &sink, err) : -1;
    mpg_program_free(program);
    mpg_goal_free(goal);
    return status;
}

static int print(struct mpg_trace *trace, const char *path, const struct mpg_export_config *config, struct mpg_left_out *left,
                 struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    if (!out)
        return -1;
    FILE *stream = mpg_output_stream(out);
    if ((config->format == MPG_EXPORT_CHROME ? print_chrome(trace, config, stream, left, err)
         : config->format == MPG_EXPORT_GOAL ? print_goal(trace, config, stream, left, err)
                                             : mpg_text_print(trace, stream, err)) == 0)
        return mpg_output_commit(out, err);
    mpg_output_discard(out);
    return mpg_error_add_trace_path(trace, err);
}

int mpg_export(struct mpg_trace *trace, const char *output, const struct mpg_export_config *config, struct mpg_left_out *left,
               struct mpg_error *err)
{
    if (!mpg_export_is_file(config->format) && strcmp(output, "-") == 0)
        return mpg_error_set(err, "this format has several files, which standard output cannot hold: give --output");
    switch (config->format) {
    case MPG_EXPORT_OTF2:
        return write_otf2(trace, output, left, err);
    case MPG_EXPORT_PRV:
        return write_prv(trace, output, config, left, err);
    case MPG_EXPORT_TI:
        return write_ti(trace, output, config, left, err);
    case MPG_EXPORT_NATIVE:
        return write_native(trace, output, err);
    default:
        return print(trace, output, config, left, err);
    }
}

static int check_file(const char *path, struct mpg_error *err)
{
    struct mpg_output *out = mpg_output_open(path, err);
    mpg_output_discard(out);
    return out ? 0 : -1;
}

int mpg_export_check(const char *output, enum mpg_export_format format, struct mpg_error *err)
{
    struct mpg_archive_output archive;
    if (format == MPG_EXPORT_PRV) {
        char name[4096];
        return name_prv_file(output, PRV_FILES - 1, name, sizeof name, err) < 0 ? -1 : check_file(name, err);
    }
    if (!mpg_export_is_file(format)) {
        if (mpg_archive_output_open(&archive, output, format == MPG_EXPORT_OTF2 ? ".otf2" : ".ti", err) < 0)
            return -1;
        (void)mpg_archive_output_discard(&archive, NULL);
        return 0;
    }
    return check_file(output, err);
}
