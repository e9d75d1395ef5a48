/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks whose trace ends before MPI_Finalize: known reasons. */
#ifndef MPG_GRAPH_INCOMPLETE_H
#define MPG_GRAPH_INCOMPLETE_H

#include "graph/schedule/state.h"

/* Fills ERR with the reason why LAST, the latest stream of its rank, has no MPI_Finalize. Returns -1. */
int mpg_graph_explain_end(const struct mpg_graph *g, const struct stream *last, struct mpg_error *err);
/* Returns whether a rank died, and fills ERR: operations that other ranks wait for can be lost. */
bool mpg_graph_explain_dead(const struct mpg_graph *g, struct mpg_error *err);

#endif
