/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading ahead in a rank of several threads. Its calls are taken in the order of their
 * enter times, so that one whose thread still waits holds up the other threads' later
 * ones. That is no loss where all waiting is real; but MPI waits less than the graph
 * (a Gatherv's root not for a rank that sends it nothing), and then two ranks can hold
 * each other up. Only when no rank can go on, calls that are held are laid aside, and
 * later ones that have nothing to do with them go first. */
#ifndef MPG_GRAPH_AHEAD_H
#define MPG_GRAPH_AHEAD_H

#include "graph/schedule/state.h"

/* Whether R's EVENT, laid aside or read after all that are, need not wait for its
 * thread, for an earlier one, or for a probe to find what it receives. */
bool mpg_graph_may_go(const struct rank_run *r, const struct mpg_event *event);
/* Whether one of those laid aside may go. */
bool mpg_graph_held_call_can_go(const struct rank_run *r);
/* Takes the first that may go out of those laid aside, or NULL. The event, whose number is
 * NUMBER, is valid until this is called again. */
const struct mpg_event *mpg_graph_held_call_take(struct rank_run *r, uint64_t *number);
/* Of what was read before EVENT and is laid aside, the first event of a thread that has no stream; NULL: there is none. */
const struct mpg_event *mpg_graph_held_call_first(const struct rank_run *r, const struct mpg_event *event);
/* Lays EVENT aside, a call without lists, as NUMBER, before all that are; its values are copied. Error: out of memory. */
int mpg_graph_held_call_insert(struct rank_run *r, const struct mpg_event *event, uint64_t number, struct mpg_error *err);
/* Lays aside what R is held up by: 1, or 0 if that cannot help. */
int mpg_graph_look_ahead(struct rank_run *r, struct mpg_error *err);
void mpg_graph_held_calls_clear(struct rank_run *r);

#endif
