/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternatives of a call: requests or messages to complete or find in place of the traced result (docs/MODEL.md, section 6). */
#ifndef MPG_GRAPH_ALTERNATIVES_H
#define MPG_GRAPH_ALTERNATIVES_H

#include "graph/schedule/state.h"

/* Returns whether the result of call E depends on arrival times: Waitany, Waitsome, Test..., Iprobe, Improbe, Parrived. */
bool mpg_graph_is_choice(const struct mpg_event *e);
/* Sets done_ns of the candidates of CALL, which R's rank is leaving. Removes candidates without known completion. Then
 * removes all candidates if CALL completes them all, as there is nothing to choose, or if a Testall has lost a candidate.
 * Returns 0, or -1 with ERR: a trace error, or out of memory. */
int mpg_graph_date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_error *err);
/* Fills the alternatives of STEP, the leave of CALL, once candidates and receives are listed. Returns 0, or -1: out
 * of memory. */
int mpg_graph_find_alternatives(struct mpg_graph *g, const struct call *call, struct mpg_step *step, struct mpg_error *err);

#endif
