/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI_Win_start where the library has it wait for MPI_Win_post, which MPI leaves open (MPI-3.1 section 11.5.2; docs/PROGRESS.md,
 * Starts that wait): it receives what Post sends, in place of MPI_Win_complete. One that is over before the
 * Post begins does not. Needs clocks that are comparable; ranks of one thread. */
#ifndef MPG_GRAPH_STARTS_H
#define MPG_GRAPH_STARTS_H

#include "graph/matching/window.h"
#include "graph/matching/windows.h"

/* Whether CALL, a Win_start, receives what its targets' Posts send. */
bool mpg_graph_win_start_waits(const struct matching *matching, const struct call *call);
/* CALL, one that does, awaits what is to come before it leaves: *GROUP, the caller's, also on failure. Errors: out of
 * memory; a rank that is none. */
int mpg_graph_begin_win_start(struct matching *matching, int32_t comm, struct window *w, struct call *call, struct group **group,
                              struct mpg_error *err);
/* CALL is left: edges of those of GROUP that came; the others are its Win_complete's. GROUP is freed, or kept. Error: out
 * of memory. */
int mpg_graph_win_start_edges(struct matching *matching, struct windows *windows, const struct call *call, struct group *group,
                              struct mpg_error *err);
/* While it observes: CALL, a Win_complete, is left, and has GROUP, what the Posts of its Start sent. */
void mpg_graph_note_win_start(struct progress *progress, struct windows *windows, const struct call *call,
                              const struct group *group);

#endif
