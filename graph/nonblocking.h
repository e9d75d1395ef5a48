/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives by what the trace shows of such: how they go (docs/PROGRESS.md, Collectives moved in
 * calls). */
#ifndef MPG_GRAPH_MOVED_H
#define MPG_GRAPH_MOVED_H

#include "graph/graph.h"

/* Of the nonblocking twin of CALL, of SIZE, of which a member has SIZE.bytes: as SHOWN has it, or, where that says nothing
 * of such, by TABLE. */
struct mpg_nonblocking mpg_graph_nonblocking_rule(const struct mpg_weak_progress *shown, const struct mpg_collective_table *table,
                                                  enum mpg_call call, const struct mpg_collective_size *size);

#endif
