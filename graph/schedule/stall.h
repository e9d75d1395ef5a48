/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stalls, in which no rank can go on: explains the cause, or (lenient) lets a rank go on. */
#ifndef MPG_GRAPH_STALL_H
#define MPG_GRAPH_STALL_H

#include "graph/schedule/state.h"

/* Fills ERR with the cause: a dead rank, or the call at the end of the first blocked thread's chain of waits. Returns -1. */
int mpg_graph_explain_stall(struct mpg_graph *g, struct mpg_error *err);
/* Ends a stall: the thread at the end of the first blocked thread's chain of waits goes on without the awaited events,
 * which count as unmatched. Returns 0, or -1 with ERR: no thread is blocked. */
int mpg_graph_drop_needs(struct mpg_graph *g, struct mpg_error *err);

#endif
