/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a rank's calls ahead of where it is, once more, for what a call has to know of later
 * ones (docs/MODEL.md, section 6). What it keeps is as long as it is ahead. */
#ifndef MPG_GRAPH_SCOUT_H
#define MPG_GRAPH_SCOUT_H

#include "common/error.h"
#include "trace/reader.h"

/* Whether E, a call, involves nobody else: it is part of a compute interval (a program that asks for its
 * rank twice has no second one). */
bool graph_is_computation(const struct mpg_event *e);

struct scout;

/* At the first call of RANK; TRACE outlives it. NULL with ERR. */
struct scout *graph_scout_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* How many calls of the rank come after call NUMBER, a Waitsome or Testsome that completed at least
 * two requests, and before the next that completes or tests requests, is a collective, or ends the
 * rank: into *CALLS. Asked in ascending order of NUMBER. Error: the trace is damaged. */
int graph_scout_stretch(struct scout *scout, uint64_t number, uint64_t *calls,
                        struct mpg_error *err);
void graph_scout_close(struct scout *scout); /* NULL is allowed */

#endif
