/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused calls: begin and leave are made together, which is faster, for calls that need not wait: blocking eager sends,
 * receives of messages already sent, and nonblocking sends and receives. Used in graphs without hypotheses, ratios, choices and
 * weak progress. Steps and order are as from mpg_graph_begin_call() and mpg_graph_leave_call(). */
#ifndef MPG_GRAPH_FUSED_H
#define MPG_GRAPH_FUSED_H

#include "graph/schedule/state.h"

/* Returns whether calls of G, which was opened with OPTIONS, may be fused. */
bool mpg_graph_fuses(const struct mpg_graph *g, const struct mpg_graph_options *options);
/* Fuses the current call of S, whose ENTER step has been made, and counts the call in the turn. Returns 1; 0: the call cannot
 * be fused, nothing is done; -1 with ERR. */
int mpg_graph_fuse(struct mpg_graph *g, struct stream *s, struct mpg_error *err);

#endif
