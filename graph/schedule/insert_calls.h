/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls inserted by hypotheses where a thread begins a region: handled like calls that follow the region mark in the trace. */
#ifndef MPG_GRAPH_INSERT_CALLS_H
#define MPG_GRAPH_INSERT_CALLS_H

#include "graph/schedule/state.h"

/* Returns the hypotheses, as bits, that insert a call into the thread of S at EVENT, a region mark. */
uint64_t mpg_graph_inserts(const struct mpg_graph *g, const struct stream *s, const struct mpg_event *event);
/* Puts the calls inserted by hypotheses SOME (bits), in order, before all held calls (lookahead.h) of S's rank. The first
 * inserted call replaces MARK and gets the mark's CPU time and off-CPU time. Returns 0, or -1: out of memory. */
int mpg_graph_insert(const struct mpg_graph *g, struct stream *s, uint64_t some, const struct mpg_event *mark,
                     struct mpg_error *err);

#endif
