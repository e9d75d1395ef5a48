/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of a collective algorithm: sender, receiver, bytes and order.
 *
 * A plan is a sequence of a few phases. A phase stores no list of messages, but computes on demand the message of member v in
 * a round: a plan takes constant memory for any p. Sources: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective
 * communication operations in MPICH. Int. J. High Performance Computing Applications 19 (2005), 49-66; E. Chan et al.:
 * Collective communication: theory, practice, and experience. Concurrency and Computation 19 (2007), 1749-1783 (chains and
 * rings); J. Chen et al.: Performance evaluation of allgather algorithms on Terascale Linux cluster with Fast Ethernet. HPC
 * Asia 2005 (neighbour exchange). docs/MODEL.md, section 4, has a table. */
#ifndef MPG_GRAPH_PLAN_H
#define MPG_GRAPH_PLAN_H

#include "graph/algorithms/phases.h"
#include "graph/algorithms/table.h"

/* Returns the plan of SIZE by TABLE. */
struct mpg_plan mpg_plan_make(const struct mpg_collective_table *table,
                              const struct mpg_collective_size *size);
/* Returns the plan of the nonblocking collective of SIZE with the algorithm of CHOICE. */
struct mpg_plan mpg_plan_by(const struct mpg_choice *choice, const struct mpg_collective_size *size);
/* Returns the bytes by which tables choose the algorithm of SIZE. */
double mpg_plan_bytes(const struct mpg_collective_size *size);
/* Returns whether PLAN is a single tree: a member can then leave before members enter on which the member does not depend. */
bool mpg_plan_is_tree(const struct mpg_plan *plan);
/* Tree phases: returns the message between v > 0 and the parent of v. */
struct mpg_message mpg_tree_message(const struct mpg_plan *plan, const struct mpg_phase *phase,
                                    int32_t v);

#endif
