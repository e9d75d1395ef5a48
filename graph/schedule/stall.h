/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When no rank can go on: say why, or (lenient) let one go without. */
#ifndef MPG_GRAPH_STALL_H
#define MPG_GRAPH_STALL_H

#include "graph/schedule/state.h"

/* Fills ERR: who holds up whom. Returns -1. */
int mpg_graph_explain_stall(struct mpg_graph *g, struct mpg_error *err);
/* Lets the thread that holds up the first one go on without what it waits for. */
int mpg_graph_drop_needs(struct mpg_graph *g, struct mpg_error *err);

#endif
