/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading ahead in a rank of several threads. Calls are taken in the order of enters, so a call whose thread still waits
 * delays later calls of all threads. Then two ranks can block each other, because the graph waits where MPI need not (a
 * Gatherv's root need not wait for a rank that contributes nothing). Only when no rank can go on, a delayed call is held,
 * that is kept aside, and later calls that do not depend on the held call go first. */
#ifndef MPG_GRAPH_LOOKAHEAD_H
#define MPG_GRAPH_LOOKAHEAD_H

#include "graph/schedule/state.h"

/* Returns whether EVENT of R, a held call or a call after all held calls, can begin: EVENT need not wait for its thread,
 * for an earlier call, or for a probe that looks for the same message. */
bool mpg_graph_may_begin(const struct rank_run *r, const struct mpg_event *event);
/* Returns whether a held call of R can begin. */
bool mpg_graph_held_call_can_begin(const struct rank_run *r);
/* Removes the first call of R that is held (read, but not begun) and can begin now, and returns the call's event, valid until
 * the next call of this function; NULL: no held call can begin. *NUMBER: the call's number on its rank. */
const struct mpg_event *mpg_graph_held_call_take(struct rank_run *r, uint64_t *number);
/* Returns the first held call that was read before EVENT and that begins a thread: no call of the thread has begun yet, and the
 * rank has other threads. NULL: there is none. */
const struct mpg_event *mpg_graph_held_call_first(const struct rank_run *r, const struct mpg_event *event);
/* Adds a copy of EVENT, a call without lists, as call NUMBER before all held calls. Returns 0, or -1: out of memory. */
int mpg_graph_held_call_insert(struct rank_run *r, const struct mpg_event *event, uint64_t number, struct mpg_error *err);
/* Holds the next call of R, which cannot begin. Returns 1; 0 if holding is impossible or cannot help; -1 with ERR. */
int mpg_graph_look_ahead(struct rank_run *r, struct mpg_error *err);
void mpg_graph_held_calls_clear(struct rank_run *r);

#endif
