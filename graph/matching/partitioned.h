/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitioned communication (MPI-4.0, chapter 4): the n-th send initialised for a communicator, source, destination and tag
 * matches the n-th receive initialised for the same four, in whatever order send and receive are started. Each start of a pair
 * is a message on the pair's own channel. */
#ifndef MPG_GRAPH_PARTITIONED_H
#define MPG_GRAPH_PARTITIONED_H

#include "graph/matching/messages.h"

/* Pairs the partitioned send to PEER (SENDS), or receive from PEER, of COMM with TAG that CALL initialises. *NAME: channel of
 * all starts of the request; *FOREIGN: PEER belongs to another job. Returns 0, or -1 with ERR. */
int mpg_graph_pair_partitioned(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                               int32_t tag, struct channel_name *name, bool *foreign, struct mpg_error *err);

#endif
