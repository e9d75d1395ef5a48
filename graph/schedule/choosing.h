/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that wait for candidates: the call has all messages of the trace, and waits for other messages that
 * the call could complete instead (docs/MODEL.md, section 6). Meanwhile all other threads go on as far as possible. Once
 * no thread can go on, no candidate can arrive before a waiting call ends: a waiting call is then released. */
#ifndef MPG_GRAPH_CHOOSING_H
#define MPG_GRAPH_CHOOSING_H

#include "graph/schedule/state.h"

/* To be called when S has begun a call: adds S to LIST if the call waits for candidates. */
void mpg_graph_note_choosing(struct stream **list, struct stream *s);
/* Removes S from the list; to be called when S leaves a call, or ends. */
void mpg_graph_forget_choosing(struct stream *s);
/* Among the threads that wait for candidates only, releases the thread that left its call first in the trace (ties:
 * lowest rank, then thread). Returns false if there is none. */
bool mpg_graph_release_choosing(struct mpg_graph *graph);
/* Returns whether calls wait for candidates although more messages are in flight than the horizon allows. */
bool mpg_graph_is_beyond_horizon(const struct mpg_graph *graph);

#endif
