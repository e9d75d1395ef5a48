/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks whose trace ends before MPI_Finalize: what is known of why. */
#ifndef MPG_GRAPH_ENDED_H
#define MPG_GRAPH_ENDED_H

#include "graph/schedule/state.h"

/* Says why LAST, the latest of its rank, is no MPI_Finalize. Returns -1. */
int mpg_graph_explain_end(const struct mpg_graph *g, const struct stream *last, struct mpg_error *err);
/* Whether a rank died, which ERR then says: what others wait for may be lost with it. */
bool mpg_graph_explain_dead(const struct mpg_graph *g, struct mpg_error *err);

#endif
