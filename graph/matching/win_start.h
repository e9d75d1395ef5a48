/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Win_start that waits for MPI_Win_post: MPI lets the library decide whether to wait (MPI-3.1 section 11.5.2;
 * docs/PROGRESS.md, MPI_Win_start that waits). In libraries whose Win_start waits, Win_start receives the messages of the
 * MPI_Win_posts; in all other libraries MPI_Win_complete receives these messages. A Win_start that ended before a Post began
 * does not wait for the Post. Needs comparable clocks and ranks of one thread. */
#ifndef MPG_GRAPH_WIN_START_H
#define MPG_GRAPH_WIN_START_H

#include "graph/matching/window.h"
#include "graph/matching/windows.h"

/* Returns whether CALL, a Win_start, receives the messages of its targets' Posts. */
bool mpg_graph_win_start_waits(const struct matching *matching, const struct call *call);
/* To be called when CALL, a Win_start that waits, begins. *GROUP is set to the messages to wait for; owned by the caller,
 * also on failure. Errors: out of memory, an invalid rank. */
int mpg_graph_begin_win_start(struct matching *matching, int32_t comm, struct window *w, struct call *call, struct group **group,
                              struct mpg_error *err);
/* To be called when CALL is left: adds the edges of the messages of GROUP sent before CALL's leave, and leaves the late
 * messages to MPI_Win_complete. Takes ownership of GROUP. Returns 0, or -1: out of memory. */
int mpg_graph_win_start_edges(struct matching *matching, struct windows *windows, const struct call *call, struct group *group,
                              struct mpg_error *err);
/* With OBSERVES, to be called when CALL, a Win_complete, is left. GROUP: the messages of the epoch's Posts. Counts whether the
 * Win_start of the epoch waited for these messages. */
void mpg_graph_note_win_start(struct progress *progress, struct windows *windows, const struct call *call,
                              const struct group *group);

#endif
