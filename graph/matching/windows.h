/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication (MPI-3.1 chapter 11): what a rank has started on its windows,
 * and the calls that wait for it. Post, start, complete and wait are messages between the
 * members; fences are meetings (graph/meetings/collectives.h), told from here what was
 * moved; a passive target has no part in it. Needs calls and matching. */
#ifndef MPG_GRAPH_WINDOWS_H
#define MPG_GRAPH_WINDOWS_H

#include "graph/matching/groups.h"
#include "trace/reader.h"

/* A rank's windows: number of the object -> struct window *. Zero-initialised is none. */
struct windows {
    struct mpg_map by_object;
};

/* CALL is of a kind from MPG_KIND_WIN_GROUP to MPG_KIND_RMA but no request. *GROUP: the
 * messages that it waits for, the caller's, also on failure, or NULL. */
int graph_begin_window_call(struct matching *matching, struct windows *windows,
                            const struct mpg_trace *trace, struct call *call,
                            struct group **group, struct mpg_error *err);
/* Ends the epoch of window OBJECT, as a fence does: the bytes that the rank moved in it. */
int64_t graph_end_epoch(struct windows *windows, int32_t object);
void graph_forget_window(struct windows *windows, int32_t object);
void graph_windows_clear(struct windows *windows);

#endif
