/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call may complete or find in place of what it did in the trace (docs/MODEL.md, section 6). */
#ifndef MPG_GRAPH_ALTERNATIVES_H
#define MPG_GRAPH_ALTERNATIVES_H

#include "graph/schedule/state.h"

/* Whether E asks, or chooses, what has happened by then. */
bool mpg_graph_is_choice(const struct mpg_event *e);
/* Says when candidates of CALL, of R's rank, which is being left, are completed; those of which that is not known are none, and
 * if nothing is left that CALL does not complete, there are none. -1 with ERR: as reading the trace has, out of memory. */
int mpg_graph_date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_error *err);
/* STEP, which leaves CALL, says what it may do instead, once its candidates and receives are listed. Error: out of memory. */
int mpg_graph_find_alternatives(struct mpg_graph *g, const struct call *call, struct mpg_step *step, struct mpg_error *err);

#endif
