/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collective operation of an MPI call. */
#ifndef MPG_GRAPH_OPERATION_H
#define MPG_GRAPH_OPERATION_H

#include "graph/algorithms/algorithm.h"
#include "trace/event.h"

/* Returns the operation of CALL, a blocking collective without large counts (mpg_call_blocking()); MPG_COLLECTIVES: CALL
 * has no algorithms. */
enum mpg_collective mpg_collective_of(enum mpg_call call);

/* Returns whether the members' blocks in OPERATION differ in size, in which case a plan needs the size of each member's block. */
bool mpg_collective_has_blocks(enum mpg_collective operation);
/* Returns the bytes of member I in EVENT, member I's collective call: the vector or the block (struct mpg_collective_size);
 * for Alltoallv the bytes sent to all members except I. */
int64_t mpg_collective_member_bytes(const struct mpg_event *event, int32_t i);

#endif
