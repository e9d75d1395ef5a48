/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of readable trace formats. CONTRIBUTING.md describes how to add a format. */
#include "trace/format.h"

#include <errno.h>
#include <string.h>

#include "common/input.h"
#include "trace/dumpi/dumpi.h"
#include "trace/goal/goal.h"
#include "trace/liballprof/liballprof.h"
#include "trace/otf2/otf2.h"
#include "trace/paraver/paraver.h"
#include "trace/text/text.h"
#include "trace/ti/ti.h"

const struct mpg_import_config mpg_import_defaults = {.overhead_call_ns = -1};

const struct mpg_trace_format mpg_trace_formats[] = {
    {.name = "text",
     .help = "the mpgtext file to read, - for standard input",
     .begins = "#mpgtext",
     .bytes = 8,
     .kind = MPG_FILE_TRACE_TEXT,
     .import = mpg_text_import},
    {.name = "otf2",
     .help = "the OTF2 archive to read: its anchor file, or the folder that holds it",
     .begins = "\x03" "BOTF2",
     .bytes = 6,
     .kind = MPG_FILE_OTF2,
     .import_path = mpg_otf2_import,
     .folder = MPG_FILE_OTF2_FOLDER},
    {.name = "liballprof",
     .help = "the trace of liballprof to read: a file, with those of the other ranks beside it, or the folder",
     .begins = "# collpr",
     .bytes = 8,
     .kind = MPG_FILE_LIBALLPROF,
     .import_path = mpg_liballprof_import,
     .folder = MPG_FILE_LIBALLPROF_FOLDER},
    {.name = "dumpi",
     .help = "the DUMPI trace to read: its .meta file, a file of a rank, or the folder",
     .begins = "\xff\xaa\xdd" "DUMPI",
     .bytes = 8,
     .kind = MPG_FILE_DUMPI,
     .import_path = mpg_dumpi_import,
     .folder = MPG_FILE_DUMPI_FOLDER,
     .list = MPG_FILE_DUMPI_META},
    {.name = "ti",
     .help = "time-independent actions of SimGrid: a file of all ranks, or a list of files",
     .kind = MPG_FILE_SIMGRID,
     .import_path = mpg_ti_import,
     .list = MPG_FILE_SIMGRID_LIST},
    {.name = "goal",
     .help = "the GOAL schedule to read, as text or LogGOPSim's binary form",
     .kind = MPG_FILE_GOAL,
     .import_path = mpg_goal_import},
    {.name = "paraver",
     .help = "the Paraver trace to read: its .prv file",
     .begins = "#Paraver",
     .bytes = 8,
     .kind = MPG_FILE_PARAVER,
     .import_path = mpg_paraver_import},
    {.name = NULL}};

const struct mpg_trace_format *mpg_trace_format_of(const void *first, size_t n)
{
    for (const struct mpg_trace_format *f = mpg_trace_formats; f->name; f++)
        if (f->begins && n >= f->bytes && memcmp(first, f->begins, f->bytes) == 0)
            return f;
    return NULL;
}

const struct mpg_trace_format *mpg_trace_format_of_kind(enum mpg_file_kind kind)
{
    for (const struct mpg_trace_format *f = mpg_trace_formats; kind != MPG_FILE_UNKNOWN && f->name; f++)
        if (f->kind == kind || f->folder == kind || f->list == kind)
            return f;
    return NULL;
}

int mpg_trace_import(const struct mpg_trace_format *format, const char *path, const char *target, int fd,
                     const struct mpg_import_config *config, struct mpg_error *err)
{
    if (format->import_path)
        return format->import_path(path, target, fd, config, err);
    FILE *in = strcmp(path, "-") == 0 ? stdin : mpg_input_open(path);
    if (!in)
        return mpg_error_errno(err, errno, "%s", path);
    const int status = format->import(in, in == stdin ? "standard input" : path, target, fd, err);
    if (in != stdin)
        (void)fclose(in);
    return status;
}
