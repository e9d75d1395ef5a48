/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages inserted by hypotheses (docs/MODEL.md, section 10): sender, receiver, and the begins of regions at which the
 * messages are sent. */
#ifndef MPG_GRAPH_INSERTED_H
#define MPG_GRAPH_INSERTED_H

#include "graph/graph.h"
#include "graph/work/bound_hypotheses.h"

/* Returns the rank to which RANK, of RANKS ranks, sends the message inserted by H; NO_RANK: RANK sends no message. */
int32_t mpg_graph_inserted_receiver(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank);
/* Returns the first rank, from rank FROM on, that sends a message inserted by H to RANK; NO_RANK: no rank does. */
int32_t mpg_graph_inserted_sender(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank, int32_t from);
/* Returns the hypotheses of SOME, as bits, by which RANK sends or receives messages when RANK begins the region named by
 * STRING. */
uint64_t mpg_graph_inserted_at(const struct mpg_bound_hypotheses *bound, uint64_t some, int32_t string, int32_t rank);

#endif
