/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of a collective's algorithm: who sends how much to whom, and after what.
 *
 * A plan is a few phases after each other. None of them is a list of messages: each says on
 * demand what member v sends in a round, so that a plan takes the same memory whatever p is.
 * Sources: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication
 * operations in MPICH. Int. J. High Performance Computing Applications 19 (2005), 49-66;
 * E. Chan et al.: Collective communication: theory, practice, and experience. Concurrency and
 * Computation 19 (2007), 1749-1783 (chains and rings); J. Chen et al.: Performance evaluation
 * of allgather algorithms on Terascale Linux cluster with Fast Ethernet. HPC Asia 2005
 * (neighbour exchange). docs/MODEL.md, section 4, has them in a table. */
#ifndef MPG_GRAPH_PLAN_H
#define MPG_GRAPH_PLAN_H

#include "graph/algorithms/phases.h"
#include "graph/algorithms/table.h"

/* How SIZE goes by TABLE. */
struct mpg_plan mpg_plan_make(const struct mpg_collective_table *table,
                              const struct mpg_collective_size *size);
/* How the nonblocking SIZE goes by CHOICE. */
struct mpg_plan mpg_plan_by(const struct mpg_choice *choice, const struct mpg_collective_size *size);
/* What tables go by, of SIZE. */
double mpg_plan_bytes(const struct mpg_collective_size *size);
/* Whether a member can leave before others, on which it does not depend, have come: PLAN is one
 * tree. */
bool mpg_plan_is_tree(const struct mpg_plan *plan);
/* Of a tree phase: the message between v > 0 and its parent. */
struct mpg_message mpg_tree_message(const struct mpg_plan *plan, const struct mpg_phase *phase,
                                    int32_t v);

#endif
