/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that wait for nobody, begun and left at once: blocking eager sends, and receives of what has been sent, and those
 * that leave a send or receive to a request, where nobody asks for more than what messages are in most runs (no hypotheses,
 * choices, carrying, regions, posting parts). The steps are those that mpg_graph_begin_call() and mpg_graph_leave_call() make of
 * them, in their order. */
#ifndef MPG_GRAPH_FUSED_H
#define MPG_GRAPH_FUSED_H

#include "graph/schedule/state.h"

/* Whether a graph with OPTIONS, which G has by now, has such calls. */
bool mpg_graph_fuses(const struct mpg_graph *g, const struct mpg_graph_options *options);
/* Makes and leaves S's call, whose interval has been entered, and counts it in the turn: 1, or 0 if it is no such call, and
 * nothing has been done. */
int mpg_graph_fuse(struct mpg_graph *g, struct stream *s, struct mpg_error *err);

#endif
