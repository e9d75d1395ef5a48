/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace for Paraver, mpgparaver(5): three files with the records, the names of types and values, and the names
 * of ranks. */
#ifndef MPG_EXPORT_PARAVER_H
#define MPG_EXPORT_PARAVER_H

#include <stdio.h>

#include "common/error.h"
#include "export/left_out.h"
#include "graph/clocks.h"
#include "trace/reader.h"
#include "trace/sink.h"

struct mpg_prv_writer;

/* The three files, open for writing. */
struct mpg_prv_files {
    FILE *records, *names, *rows; /* .prv, .pcf and .row file */
};

/* Begins to write TRACE, whose times CLOCKS aligns, to FILES, which the caller closes; TRACE and CLOCKS must outlive the writer.
 * LEFT counts the properties that Paraver's format cannot hold. Events go to temporary files, because the records of all ranks
 * must be sorted by time: FILES are written at the end of the last rank. Memory: some 24 MiB, and some 100 bytes for each open
 * request of a rank; memory does not grow with events. Returns NULL with ERR. */
struct mpg_prv_writer *mpg_prv_writer_new(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                          const struct mpg_prv_files *files, struct mpg_left_out *left, struct mpg_error *err);
/* Returns a sink that takes all ranks of the trace, valid as long as W. */
struct mpg_sink mpg_prv_writer_sink(struct mpg_prv_writer *w);
void mpg_prv_writer_free(struct mpg_prv_writer *w); /* Frees the writer; NULL is allowed. */

#endif
