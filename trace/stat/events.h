/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events as CSV. */
#ifndef MPG_STAT_EVENTS_H
#define MPG_STAT_EVENTS_H

#include <stdio.h>

#include "common/error.h"
#include "trace/reader.h"

/* Writes a heading line and one line for each event of TRACE to STREAM, rank after rank, each rank's events in order of begin.
 * FRAMES: maximum number of functions printed for a callsite; DEBUG_PATH: see mpg_symbols_new(). mpgtrace(1), EVENTS AS CSV,
 * describes the columns. Memory does not grow with the trace. The caller checks for write errors on closing STREAM. Returns 0, or
 * -1 with ERR: damage, no memory. */
int mpg_events_print_csv(struct mpg_trace *trace, int frames, const char *debug_path, FILE *stream, struct mpg_error *err);

#endif
