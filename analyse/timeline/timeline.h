/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces as timelines, in Chrome's trace event format (JSON), for ui.perfetto.dev and chrome://tracing. A trace is a run, shown
 * as a process. A thread of a rank is a track of calls, and a track of regions if the thread has regions. An arrow leads from the
 * begin of the call that sends a message to the end of the call that completes the receive. Times are in us with three digits,
 * hence exact. Runs are aligned at the first return from MPI_Init on any rank. Memory does not grow with traces. */
#ifndef MPG_TIMELINE_H
#define MPG_TIMELINE_H

#include <stdio.h>

#include "common/error.h"
#include "common/units.h"
#include "graph/clocks.h"

/* The maximum number of calls of a timeline without a range: larger timelines make viewers slow. */
enum { MPG_TIMELINE_CALLS = 500000 };

struct mpg_timeline_part {
    bool given;              /* only calls FIRST to LAST of each rank, counted from 0 */
    uint64_t first, last;
    struct mpg_rank_set ranks; /* only these ranks */
    bool lenient;            /* leave out arrows of calls without a partner, instead of failing */
};

/* Parses CALLS, "A-B", and RANKS, "0,4-7" (NULL: all), into PART. The caller clears the ranks of PART. Returns 0, or -1 with
 * ERR, whose text does not name the option. */
int mpg_timeline_part_parse(const char *calls, const char *ranks, struct mpg_timeline_part *part,
                            struct mpg_error *err);
/* Checks that the ranks of PART exist in TRACE and, if PART selects all calls, that the selected ranks have at most
 * MPG_TIMELINE_CALLS calls. Returns 0, or -1 with ERR. OPTIONS: names of the options that select fewer calls, for the message. */
int mpg_timeline_check(const struct mpg_trace *trace, const struct mpg_timeline_part *part, const char *options,
                       struct mpg_error *err);

struct mpg_timeline_run {
    struct mpg_trace *trace;
    const char *name;                   /* name of the run, like "traced" */
    const struct mpg_clock_map *clocks; /* clocks of the timeline's ranks */
};

/* Writes RUNS to OUT, the first on top; check OUT's flag for write errors. *HIDDEN: number of regions left out, because nested
 * within 256 other regions. Returns 0, or -1 with ERR: an error of a trace or a graph. */
int mpg_timeline_write(const struct mpg_timeline_run *run, size_t runs, const struct mpg_timeline_part *part,
                       FILE *out, uint64_t *hidden, struct mpg_error *err);
/* Warns on standard error, as PROGRAM, that HIDDEN regions are left out; prints nothing for 0. */
void mpg_timeline_print_hidden(const char *program, uint64_t hidden);

#endif
