/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of a recording: the fractions of time off the CPU (docs/MODEL.md, section 3). */
#ifndef MPG_RECORDING_H
#define MPG_RECORDING_H

#include <stdio.h>

#include "common/table/json.h"
#include "graph/graph.h"

struct mpg_recording {
    bool known;           /* the trace has off-CPU times */
    bool removed;         /* the answer excludes off-CPU times */
    double between_share; /* off-CPU time in compute intervals as a part of all ranks' run time, from 0 to 1 */
    double calls_share;   /* off-CPU time in calls as a part of all ranks' run time, from 0 to 1 */
    double interval_share; /* off-CPU time in compute intervals as a fraction of all compute intervals, from 0 to 1 */
    double tracer_share;  /* the tracer's time as a part of all ranks' run time, from 0 to 1 */
    bool reliable;        /* the shares above are small enough for a reliable answer about the program */
};

/* The times of the trace that an answer uses. */
enum mpg_recording_use {
    MPG_RECORDING_INTERVALS, /* compute intervals alone */
    MPG_RECORDING_ALL        /* the times of calls, too */
};

/* Judges a recording with the off-CPU times of COUNTS. RUN_NS: sum of the ranks' run times. KNOWN: the trace has off-CPU times;
 * REMOVED: the answer excludes them. */
struct mpg_recording mpg_recording_of(const struct mpg_graph_counts *counts, double run_ns, enum mpg_recording_use use,
                                      bool known, bool removed);
/* Judges the recording of TRACE for an answer that uses the times of compute intervals and of calls. COUNTS: the counts of
 * TRACE's graph; RUN_NS: sum of the ranks' run times; REMOVED: the answer removes off-CPU times. */
struct mpg_recording mpg_recording_of_trace(const struct mpg_trace *trace, const struct mpg_graph_counts *counts, double run_ns,
                                            bool removed);
/* Returns whether all ranks of TRACE recorded off-CPU time. */
bool mpg_recording_knows_off_cpu(const struct mpg_trace *trace);
/* Returns whether RECORDING is reliable for an answer that uses compute intervals alone, not the times of calls. */
bool mpg_recording_has_good_intervals(const struct mpg_recording *recording);
/* Returns whether anything is known about the quality of RECORDING. */
bool mpg_recording_has_findings(const struct mpg_recording *recording);
/* Describes RECORDING in words, without a line end, in TEXT of SIZE bytes, and returns TEXT. If RECORDING is not reliable,
 * ADVICE is appended. */
const char *mpg_recording_describe(const struct mpg_recording *recording, const char *advice, char *text, size_t size);
/* If RECORDING is not reliable, writes the line "Recording" to OUT, with text from column COLUMNS on. To be printed above the
 * unreliable answers. */
void mpg_recording_print_unreliable(const struct mpg_recording *recording, int columns, FILE *out);
/* Writes RECORDING as the member KEY. */
void mpg_recording_json(struct mpg_json *json, const char *key, const struct mpg_recording *recording);

#endif
