/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call: what it starts, what it waits for, the edges into its leave. Gives each kind
 * of call to the part of the graph that it is about. */
#ifndef MPG_GRAPH_CALLS_H
#define MPG_GRAPH_CALLS_H

#include "graph/schedule/state.h"

/* Starts what S's call starts and counts, in its waiter, what it has to wait for. R is its
 * rank's. */
int graph_begin_call(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                     struct mpg_error *err);
/* The edges into its leave, and the leave. */
int graph_leave_call(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                     struct mpg_error *err);

#endif
