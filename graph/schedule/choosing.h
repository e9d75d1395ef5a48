/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads in calls that have all they complete, and wait for messages that they might
 * complete in its place (docs/MODEL.md, section 6). Others go on as far as they can; what is
 * not sent when nobody can go on is causally later than one of these calls. */
#ifndef MPG_GRAPH_CHOOSING_H
#define MPG_GRAPH_CHOOSING_H

#include "graph/schedule/state.h"

/* S has begun its call: it joins LIST if it waits for candidates. */
void mpg_graph_note_choosing(struct stream **list, struct stream *s);
/* S leaves its call, or is gone. */
void mpg_graph_forget_choosing(struct stream *s);
/* Of those that lack candidates only, lets the one that left first in the trace (then the lowest
 * rank, thread) go on without; false: there is none. */
bool mpg_graph_release_choosing(struct mpg_graph *graph);
/* Whether so much is in flight that none must wait. */
bool mpg_graph_is_beyond_horizon(const struct mpg_graph *graph);

#endif
