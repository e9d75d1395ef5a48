/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records from other parts of a divided graph (graph/parts/parts.h). */
#ifndef MPG_GRAPH_IMPORT_H
#define MPG_GRAPH_IMPORT_H

#include "graph/schedule/state.h"

/* Before the first step of a sequence, when all earlier steps have been evaluated: hands the exported values to the other parts,
 * and imports their records. Returns 0, or -1 with ERR: a part gave up, or out of memory. */
int mpg_graph_exchange(struct mpg_graph *graph, struct mpg_error *err);
/* No own rank can go on, or all have finished, and all steps have been evaluated: waits for records, and imports them. Returns 1;
 * 0 if all ranks of all parts have finished; -1 as mpg_graph_exchange(). */
int mpg_graph_await_parts(struct mpg_graph *graph, struct mpg_error *err);
/* Returns 0 if the parts can share calls of KIND, else -1 with ERR. */
int mpg_graph_check_shared(struct mpg_graph *graph, enum mpg_kind kind, struct mpg_error *err);

#endif
