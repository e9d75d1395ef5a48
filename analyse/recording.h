/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quality of a recording: the fractions of time that ranks were off their CPUs (docs/MODEL.md, section 3). */
#ifndef MPG_RECORDING_H
#define MPG_RECORDING_H

#include <stdio.h>

#include "common/table/json.h"
#include "graph/graph.h"

struct mpg_recording {
    bool known;           /* the trace has off-CPU times */
    bool removed;         /* the answer removes off-CPU times */
    double between_share; /* off-CPU time in compute intervals as a part of all ranks' run time, from 0 to 1 */
    double calls_share;   /* off-CPU time in calls, likewise */
    double interval_share; /* off-CPU time in compute intervals as a part of these intervals, from 0 to 1 */
    double tracer_share;  /* the tracer's time as a part of all ranks' run time, from 0 to 1 */
    bool reliable;        /* the parts are small enough for an answer about the program */
};

/* The times of the trace that an answer uses. */
enum mpg_recording_use {
    MPG_RECORDING_INTERVALS, /* compute intervals alone */
    MPG_RECORDING_ALL        /* the times of calls, too */
};

/* Judges a recording with the off-CPU times of COUNTS, whose ranks ran for RUN_NS together. KNOWN, REMOVED: as above. */
struct mpg_recording mpg_recording_of(const struct mpg_graph_counts *counts, double run_ns, enum mpg_recording_use use,
                                      bool known, bool removed);
/* Judges the recording of TRACE for an answer that uses the times of calls, too. COUNTS: the counts of its graph; RUN_NS: the run
 * times of its ranks together; REMOVED: the answer removes off-CPU times. */
struct mpg_recording mpg_recording_of_trace(const struct mpg_trace *trace, const struct mpg_graph_counts *counts, double run_ns,
                                            bool removed);
/* Returns whether all ranks of TRACE recorded when they were off their CPUs. */
bool mpg_recording_knows_off_cpu(const struct mpg_trace *trace);
/* Returns whether RECORDING would be reliable for an answer that takes intervals alone. */
bool mpg_recording_has_good_intervals(const struct mpg_recording *recording);
/* Returns whether anything is known about the quality of RECORDING. */
bool mpg_recording_has_findings(const struct mpg_recording *recording);
/* Writes RECORDING in words, without a line end, to TEXT of SIZE bytes, and returns TEXT. ADVICE follows where it is not
 * reliable. */
const char *mpg_recording_describe(const struct mpg_recording *recording, const char *advice, char *text, size_t size);
/* Writes the line "Recording", with its text COLUMNS from the left, to OUT if RECORDING is not reliable: it stands above answers
 * that are then not reliable either. */
void mpg_recording_print_unreliable(const struct mpg_recording *recording, int columns, FILE *out);
/* Writes RECORDING as the member KEY. */
void mpg_recording_json(struct mpg_json *json, const char *key, const struct mpg_recording *recording);

#endif
