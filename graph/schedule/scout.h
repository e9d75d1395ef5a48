/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a rank's calls ahead of where it is, once more, for what a call has to know of later
 * ones (docs/MODEL.md, section 6). What it keeps is as long as it is ahead. */
#ifndef MPG_GRAPH_SCOUT_H
#define MPG_GRAPH_SCOUT_H

#include "common/error.h"
#include "trace/reader.h"

struct scout;

/* What follows a call on its rank, up to the next that completes or tests requests, is a collective, or
 * ends the rank. */
struct stretch {
    uint64_t number;     /* of the call, */
    uint64_t calls;      /* of those that follow; */
    int64_t work_ns;     /* the intervals before these, and after the last of them, in all; each 0 or more */
    int64_t longest_ns;  /* the longest of them, */
    uint64_t longest;    /* before which there are so many calls */
    int64_t *interval_ns; /* each; until the next one is asked for; NULL: they are too many */
};

/* At the first call of RANK; TRACE outlives it. COMPLETIONS: what is completed will be asked for. NULL
 * with ERR. */
struct scout *graph_scout_open(struct mpg_trace *trace, int32_t rank, bool completions,
                               struct mpg_error *err);
/* When the call leaves, call NUMBER or a later one, that completes REQUEST, into *LEAVE_NS, on the
 * rank's clock: 1; 0: none of the next 65536 does; -1: the trace is damaged. */
int graph_scout_completion(struct scout *scout, uint64_t number, int64_t request,
                           int64_t *leave_ns, struct mpg_error *err);
/* Call NUMBER is over: what it completed will not be asked for. */
void graph_scout_forget(struct scout *scout, uint64_t number);
/* Most intervals of a stretch that it knows one by one. */
enum { GRAPH_SCOUT_INTERVALS = 65537 };
/* What follows call NUMBER, a Waitsome or Testsome that completed at least two requests. Asked in
 * ascending order of NUMBER. Error: the trace is damaged. */
int graph_scout_stretch(struct scout *scout, uint64_t number, struct stretch *stretch,
                        struct mpg_error *err);
void graph_scout_close(struct scout *scout); /* NULL is allowed */

#endif
