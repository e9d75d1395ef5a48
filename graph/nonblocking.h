/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a nonblocking collective progresses, as observed in the trace (docs/PROGRESS.md, Weak progress of nonblocking
 * collectives). */
#ifndef MPG_GRAPH_NONBLOCKING_H
#define MPG_GRAPH_NONBLOCKING_H

#include "graph/graph.h"

/* Returns the progress rule of the nonblocking variant of CALL with SIZE; SIZE.bytes is a member's part. The rule is the
 * entry of OBSERVED for this kind; without entry, the algorithm of TABLE with the default progress of OBSERVED. */
struct mpg_nonblocking mpg_graph_nonblocking_rule(const struct mpg_weak_progress *observed,
                                                  const struct mpg_collective_table *table,
                                                  enum mpg_call call, const struct mpg_collective_size *size);

#endif
