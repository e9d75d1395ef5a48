/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other requests or messages that a call can complete or find (docs/MODEL.md, section 6). */
#ifndef MPG_GRAPH_ALTERNATIVES_H
#define MPG_GRAPH_ALTERNATIVES_H

#include "graph/schedule/state.h"

/* Returns whether the result of call E depends on what has arrived: Waitany, Waitsome, Test..., Iprobe, Improbe, Parrived. */
bool mpg_graph_is_choice(const struct mpg_event *e);
/* Sets done_ns of the candidates of CALL, of R's rank, which is being left. Removes candidates without known completion; if
 * CALL completes all the others, removes these, too, as there is nothing to choose. Returns 0, or -1 with ERR: a trace error,
 * or out of memory. */
int mpg_graph_date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_error *err);
/* Fills the alternatives of STEP, the leave of CALL, once candidates and receives are listed. Returns 0, or -1: out
 * of memory. */
int mpg_graph_find_alternatives(struct mpg_graph *g, const struct call *call, struct mpg_step *step, struct mpg_error *err);

#endif
