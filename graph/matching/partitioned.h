/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitioned communication (MPI-4.0, chapter 4): the n-th send that is made for a
 * communicator, source, destination and tag is for the n-th receive that is made for them,
 * whatever is started when. Each start of the two is a message on a channel of their own.
 * Needs calls and channels. */
#ifndef MPG_GRAPH_PARTITIONED_H
#define MPG_GRAPH_PARTITIONED_H

#include "graph/matching/messages.h"

/* CALL makes a partitioned send (SENDS) to, or receive from, PEER of COMM with TAG: the
 * channel NAME of all that it starts; *FOREIGN: the peer is of another world. */
int mpg_graph_pair_partitioned(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                               int32_t tag, struct channel_name *name, bool *foreign, struct mpg_error *err);

#endif
