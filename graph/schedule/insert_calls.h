/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls inserted by hypotheses where a thread begins a region: as if they followed the region mark in the trace. */
#ifndef MPG_GRAPH_INSERT_CALLS_H
#define MPG_GRAPH_INSERT_CALLS_H

#include "graph/schedule/state.h"

/* Returns the hypotheses, as bits, that insert a call into the thread of S at EVENT, which is not a call. */
uint64_t mpg_graph_inserts(const struct mpg_graph *g, const struct stream *s, const struct mpg_event *event);
/* Holds the calls of hypotheses SOME, in order, before all held calls of S's rank. The first takes the place of MARK
 * between S's calls: it gets the mark's CPU time and off-CPU time. Returns 0, or -1: out of memory. */
int mpg_graph_insert(const struct mpg_graph *g, struct stream *s, uint64_t some, const struct mpg_event *mark,
                     struct mpg_error *err);

#endif
