/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collective operation of an MPI call. */
#ifndef MPG_GRAPH_OPERATION_H
#define MPG_GRAPH_OPERATION_H

#include "graph/algorithms/algorithm.h"
#include "trace/event.h"

/* Returns the operation of CALL, a blocking collective without large counts (mpg_call_blocking()); MPG_COLLECTIVES: it has no
 * algorithms. */
enum mpg_collective mpg_collective_of(enum mpg_call call);

#endif
