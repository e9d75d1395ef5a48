/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces as timelines, in Chrome's trace event format (JSON), which ui.perfetto.dev and chrome://tracing show.
 *
 * A trace is a world, a process there; a rank's thread a track of its calls, and beside it one of its regions, if it
 * has any. An arrow leads from the begin of the call that sends a message to the end of that which completes its
 * receive. Times are in us with three digits, so exact, from a begin that all worlds have in common: their first rank
 * leaves MPI_Init at the same time. Memory does not grow with traces. */
#ifndef MPG_TIMELINE_H
#define MPG_TIMELINE_H

#include <stdio.h>

#include "common/error.h"
#include "common/units.h"
#include "graph/clocks.h"

/* A timeline of more calls than that is refused if it has no range: viewers get slow. */
enum { MPG_TIMELINE_CALLS = 500000 };

struct mpg_timeline_part {
    bool given;              /* a range: of each rank's calls FIRST to LAST only, counted from 0, */
    uint64_t first, last;
    struct mpg_rank_set ranks; /* and of these ranks */
    bool lenient;            /* what has no partner is counted */
};

/* Reads "A-B" and "0,4-7" (either NULL: all) into PART, whose ranks are to be cleared. Errors name neither option. */
int mpg_timeline_part_parse(const char *calls, const char *ranks, struct mpg_timeline_part *part,
                            struct mpg_error *err);
/* An error, where PART of TRACE is refused: too many calls, of which OPTIONS take a part, ranks that it has not. */
int mpg_timeline_check(const struct mpg_trace *trace, const struct mpg_timeline_part *part, const char *options,
                       struct mpg_error *err);

struct mpg_timeline_world {
    struct mpg_trace *trace;
    const char *name;                   /* "traced" */
    const struct mpg_clock_map *clocks; /* its ranks' */
};

/* Writes WORLDS, the first one on top, whose write errors OUT's flag tells. *HIDDEN: how many regions are left out, since
 * 256 others of their thread are open when they begin. Errors: those of traces and graphs. */
int mpg_timeline_write(const struct mpg_timeline_world *world, size_t worlds, const struct mpg_timeline_part *part,
                       FILE *out, uint64_t *hidden, struct mpg_error *err);
/* Says for PROGRAM, on standard error, that HIDDEN regions are left out, if any are. */
void mpg_timeline_tell(const char *program, uint64_t hidden);

#endif
