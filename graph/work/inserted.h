/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that hypotheses insert (docs/MODEL.md, section 10): who sends to whom, and at which begins of regions. */
#ifndef MPG_GRAPH_INSERTED_H
#define MPG_GRAPH_INSERTED_H

#include "graph/graph.h"
#include "graph/work/bound_hypotheses.h"

/* Whom RANK of RANKS sends to by H, which inserts messages; NO_RANK: it sends nothing. */
int32_t mpg_graph_inserted_receiver(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank);
/* The first rank from FROM on that sends to RANK; NO_RANK: none does. */
int32_t mpg_graph_inserted_sender(const struct mpg_hypothesis *h, int32_t ranks, int32_t rank, int32_t from);
/* Of SOME hypotheses, bits, those that have RANK of SUPPOSED exchange messages at a begin of the region that STRING names. */
uint64_t mpg_graph_inserted_at(const struct mpg_bound_hypotheses *supposed, uint64_t some, int32_t string, int32_t rank);

#endif
