/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace in another format, like OTF2 or Paraver. */
#ifndef MPG_EXPORT_FORMATS_H
#define MPG_EXPORT_FORMATS_H

#include <stdbool.h>

#include "common/error.h"
#include "export/left_out.h"
#include "trace/reader.h"

enum mpg_export_format {
    MPG_EXPORT_CHROME,
    MPG_EXPORT_GOAL,
    MPG_EXPORT_OTF2,
    MPG_EXPORT_PRV,
    MPG_EXPORT_TI,
    MPG_EXPORT_TEXT,
    MPG_EXPORT_NATIVE,
    MPG_EXPORT_FORMATS
};

/* Names of the formats in the order of the enum, then NULL: the words of --format. */
extern const char *const mpg_export_names[];

/* Returns the format for the ending of OUTPUT, like MPG_EXPORT_OTF2 for "x.otf2"; MPG_EXPORT_FORMATS: unknown ending. */
enum mpg_export_format mpg_export_format_of(const char *output);
/* Returns whether a trace in FORMAT is a single file, which can be standard output. */
bool mpg_export_is_file(enum mpg_export_format format);

/* Checks, before a long run, that OUTPUT can be written in FORMAT (any but MPG_EXPORT_NATIVE). Returns 0, or -1 with ERR. */
int mpg_export_check(const char *output, enum mpg_export_format format, struct mpg_error *err);

struct mpg_export_config {
    enum mpg_export_format format;
    bool lenient; /* in formats that need partners of calls: leave out calls without a partner, instead of failing */
};

/* Writes TRACE to OUTPUT ("-": standard output, for formats of a single file). OUTPUT appears when complete. LEFT counts
 * the properties of TRACE that the format cannot hold. Returns 0, or -1 with ERR: OUTPUT exists already (folders and
 * archives) or cannot be written, the trace is damaged. */
int mpg_export(struct mpg_trace *trace, const char *output, const struct mpg_export_config *config, struct mpg_left_out *left,
               struct mpg_error *err);

#endif
