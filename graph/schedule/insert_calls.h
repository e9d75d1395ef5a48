/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that hypotheses insert, where a thread begins a region: as if they followed the mark in the trace. */
#ifndef MPG_GRAPH_INSERTING_H
#define MPG_GRAPH_INSERTING_H

#include "graph/schedule/state.h"

/* Which hypotheses, bits, have the thread of S make a call at EVENT, which is no call. */
uint64_t mpg_graph_inserts(const struct mpg_graph *g, const struct stream *s, const struct mpg_event *event);
/* Lays aside the calls of SOME hypotheses, in their order, before whatever S's rank has laid aside. The first has the mark's
 * place between S's calls: what MARK says of CPU time, and of time off the CPU, before it. Error: out of memory. */
int mpg_graph_insert(const struct mpg_graph *g, struct stream *s, uint64_t some, const struct mpg_event *mark,
                     struct mpg_error *err);

#endif
