/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of threads whose call has completed the messages of the trace, and waits for other messages that the call could
 * complete instead (docs/MODEL.md, section 6). Meanwhile all other threads go on as far as possible. Once no thread can go
 * on, no further message can arrive before one of the waiting calls ends: one call is then released. */
#ifndef MPG_GRAPH_CHOOSING_H
#define MPG_GRAPH_CHOOSING_H

#include "graph/schedule/state.h"

/* To be called when S has begun its call: adds S to LIST if the call waits for candidates. */
void mpg_graph_note_choosing(struct stream **list, struct stream *s);
/* Removes S from its list, when S leaves its call, or ends. */
void mpg_graph_forget_choosing(struct stream *s);
/* Releases the thread that left its call first in the trace (ties: lowest rank, then thread), among the threads that wait for
 * candidates only. Returns false if there is no such thread. */
bool mpg_graph_release_choosing(struct mpg_graph *graph);
/* Returns whether the number of messages in flight exceeds the horizon, so that no call may wait for candidates. */
bool mpg_graph_is_beyond_horizon(const struct mpg_graph *graph);

#endif
