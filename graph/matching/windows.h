/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication (MPI-3.1 chapter 11): what a rank has started on its windows,
 * and the calls that wait for it. Post, start, complete and wait are messages between the
 * members; fences are meetings (graph/collectives/collectives.h), told from here what was
 * moved; a passive target has no part in it. Needs calls and matching. */
#ifndef MPG_GRAPH_WINDOWS_H
#define MPG_GRAPH_WINDOWS_H

#include "graph/matching/groups.h"
#include "trace/reader.h"

/* A rank's windows: number of the object -> struct window *. Zero-initialised is none. */
struct windows {
    struct mpg_map by_object;
};

/* CALL waits for a transfer of LOAD, if it is not dropped. */
void mpg_graph_await_transfer(struct call *call, const struct load *load);
/* CALL starts a transfer with a request: of LOAD. */
int mpg_graph_requested_transfer(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                 struct call *call, struct load *load, struct mpg_error *err);
/* CALL is of a kind from MPG_KIND_WIN_GROUP to MPG_KIND_RMA but no request. *GROUP: the
 * messages that it waits for, the caller's, also on failure, or NULL. */
int mpg_graph_begin_window_call(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                struct call *call, struct group **group, struct mpg_error *err);
/* CALL, about a window, is left: the edges of transfers that wait for their target. Error: out of memory. */
int mpg_graph_window_edges(struct matching *matching, struct windows *windows, const struct call *call, struct mpg_error *err);
/* CALL, a fence, ends its window's epoch: MOVED is what the rank moved in it, dropped if the epoch is. */
int mpg_graph_end_epoch(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                        const struct call *call, struct load *moved, struct mpg_error *err);
void mpg_graph_forget_window(struct windows *windows, int32_t object);
void mpg_graph_windows_clear(struct windows *windows);

/* Says in STEP, which leaves CALL, what it transfers, and whose transfers it waits for. Error: out of memory. */
int mpg_graph_transfer_of(struct matching *matching, const struct mpg_trace *trace, const struct call *call,
                          struct mpg_step *step, struct mpg_error *err);

#endif
