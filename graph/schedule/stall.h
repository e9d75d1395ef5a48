/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When no rank can go on: explains why, or (lenient) lets one rank go on. */
#ifndef MPG_GRAPH_STALL_H
#define MPG_GRAPH_STALL_H

#include "graph/schedule/state.h"

/* Fills ERR with the chain of waiting ranks. Returns -1. */
int mpg_graph_explain_stall(struct mpg_graph *g, struct mpg_error *err);
/* Lets the thread that blocks the first blocked thread go on without the events it waits for. Returns 0, or -1 with ERR. */
int mpg_graph_drop_needs(struct mpg_graph *g, struct mpg_error *err);

#endif
