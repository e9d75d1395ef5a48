/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An excerpt of a trace: the events of a part of the run, as a separate trace. docs/MODEL.md, section 1, defines an excerpt.
 *
 * An excerpt is written once, in the native form, into an unlinked temporary file, and read like any other trace. */
#ifndef MPG_EXCERPT_H
#define MPG_EXCERPT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "common/option.h"
#include "trace/reader.h"

/* The arguments of --from and --until, as in mpgtrace(1); NULL: not given. */
struct mpg_excerpt {
    const char *from, *until;
};

/* Rows of an option table (common/option.h): --from and --until, stored in *EXCERPT. */
#define MPG_ROWS_OF_EXCERPT(EXCERPT) \
    {.name = "from", .kind = MPG_OPTION_STRING, .value = &(EXCERPT)->from, .argument = "EDGE", \
     .help = "the part of the run from EDGE on: a time after MPI_Init (60s), or\n" \
             "REGION:N, where each rank begins the N-th visit (default 1) of a region"}, \
    { \
        .name = "until", .kind = MPG_OPTION_STRING, .value = &(EXCERPT)->until, .argument = "EDGE", \
        .help = "the part of the run up to EDGE: a time, or the end of such a visit" \
    }

/* Opens PATH as mpg_trace_open() does; if EXCERPT has an argument, returns the excerpt of the trace instead. Returns NULL with
 * ERR: also for a time or region outside the run, and if a window is synchronised by groups. */
struct mpg_trace *mpg_excerpt_open(const char *path, const struct mpg_excerpt *excerpt, struct mpg_error *err);
/* Returns the recorded part of TRACE, which has pauses of recording (fact "pauses"), and closes TRACE; of several parts the part
 * with the most calls. Returns NULL with ERR. */
struct mpg_trace *mpg_excerpt_of_pauses(struct mpg_trace *trace, struct mpg_error *err);
/* Returns the last part of TRACE, of which only this is to be kept (fact "last"), and closes TRACE. Returns TRACE itself if the
 * run is not longer; NULL with ERR. */
struct mpg_trace *mpg_excerpt_of_last(struct mpg_trace *trace, struct mpg_error *err);
/* Returns whether TRACE is an excerpt. */
bool mpg_trace_is_excerpt(const struct mpg_trace *trace);
/* Returns the number of calls of TRACE marked as failed because the call's collective or request is not in the excerpt. */
uint64_t mpg_excerpt_edge_calls(const struct mpg_trace *trace);
/* Prints a line "PROGRAM: PATH: ..." that describes the operations left out at the edges of the excerpt TRACE; nothing for other
 * traces. */
void mpg_excerpt_print(const struct mpg_trace *trace, const char *program, FILE *out);

#endif
