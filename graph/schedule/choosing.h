/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads in calls that have completed their own messages and wait for messages that they could complete instead
 * (docs/MODEL.md, section 6). Other threads go on as far as possible. A message that is not sent when nobody can go
 * on depends causally on one of the waiting calls. */
#ifndef MPG_GRAPH_CHOOSING_H
#define MPG_GRAPH_CHOOSING_H

#include "graph/schedule/state.h"

/* S has begun its call: joins LIST if the call waits for candidates. */
void mpg_graph_note_choosing(struct stream **list, struct stream *s);
/* Removes S from the list: S leaves its call, or ends. */
void mpg_graph_forget_choosing(struct stream *s);
/* Releases, of the threads that wait for candidates only, the one that left first in the trace (then lowest rank,
 * thread). Returns false: there is none. */
bool mpg_graph_release_choosing(struct mpg_graph *graph);
/* Returns whether the number of messages in flight exceeds the horizon, so that no call may wait for candidates. */
bool mpg_graph_is_beyond_horizon(const struct mpg_graph *graph);

#endif
