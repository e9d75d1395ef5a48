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

struct ahead;

/* Whether R's EVENT, laid aside or read after all that are, need not wait for its
 * thread or for an earlier one. */
bool graph_may_go(const struct rank_run *r, const struct mpg_event *event);
struct ahead *graph_ahead_first(const struct rank_run *r); /* that may go, or NULL */
/* Takes A out. The event, whose number is NUMBER, is valid until the next is taken or
 * graph_ahead_forget(). */
const struct mpg_event *graph_ahead_take(struct rank_run *r, struct ahead *a, uint64_t *number);
void graph_ahead_forget(struct rank_run *r);
/* Lays aside what R, of so many threads, is held up by: 1, or 0 if that cannot help. */
int graph_look_ahead(struct rank_run *r, uint32_t threads, struct mpg_error *err);
void graph_ahead_clear(struct rank_run *r);

#endif
