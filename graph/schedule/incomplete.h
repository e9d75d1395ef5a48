/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains why the trace of a rank ends before MPI_Finalize, if the reason is known. */
#ifndef MPG_GRAPH_INCOMPLETE_H
#define MPG_GRAPH_INCOMPLETE_H

#include "graph/schedule/state.h"

/* Fills ERR with the reason why a rank has no MPI_Finalize. LAST: the rank's stream with the latest call. Returns -1. */
int mpg_graph_explain_end(const struct mpg_graph *g, const struct stream *last, struct mpg_error *err);
/* Returns true and fills ERR if a rank died, lost events, or still runs: operations that other ranks wait for can be
 * missing. */
bool mpg_graph_explain_dead(const struct mpg_graph *g, struct mpg_error *err);

#endif
