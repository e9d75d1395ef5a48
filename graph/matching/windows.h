/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication (MPI-3.1 chapter 11): transfers on MPI windows, and the calls that wait for transfers.
 * Post, Start, Complete and Wait are messages between members; fences are collectives
 * (graph/collectives/collectives.h) with the transferred bytes; a passive target makes no calls. */
#ifndef MPG_GRAPH_WINDOWS_H
#define MPG_GRAPH_WINDOWS_H

#include "graph/matching/groups.h"
#include "trace/reader.h"

/* A rank's windows: object number -> struct window *. Zero-initialised: none. */
struct windows {
    struct mpg_map by_object;
};

/* Makes CALL wait for a transfer of LOAD, unless hypotheses drop the transfer. */
void mpg_graph_await_transfer(struct call *call, const struct load *load);
/* To be called when CALL starts a transfer with request: sets *LOAD to the transfer's bytes. Returns 0, or -1 with ERR. */
int mpg_graph_requested_transfer(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                 struct call *call, struct load *load, struct mpg_error *err);
/* To be called when CALL, of a kind from MPG_KIND_WIN_GROUP to MPG_KIND_RMA without request, begins. *GROUP is set to the
 * messages to wait for, or NULL; owned by the caller, also on failure. */
int mpg_graph_begin_window_call(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                                struct call *call, struct group **group, struct mpg_error *err);
/* To be called when CALL, on a window, is left: adds edges of transfers that wait for target-side progress. Returns 0, or -1:
 * out of memory. */
int mpg_graph_window_edges(struct matching *matching, struct windows *windows, const struct call *call, struct mpg_error *err);
/* To be called when CALL, a fence, ends an epoch. *RMA_PENDING is set to the bytes transferred by the rank in the epoch,
 * marked as dropped if hypotheses drop the epoch. Returns 0, or -1 with ERR. */
int mpg_graph_end_epoch(struct matching *matching, struct windows *windows, const struct mpg_trace *trace,
                        const struct call *call, struct load *rma_pending, struct mpg_error *err);
void mpg_graph_forget_window(struct windows *windows, int32_t object);
void mpg_graph_windows_clear(struct windows *windows);

/* Adds to STEP, the LEAVE of CALL, the transfer started by CALL, or the target whose transfers CALL completes. Returns 0, or
 * -1: out of memory. */
int mpg_graph_transfer_of(struct matching *matching, const struct mpg_trace *trace, const struct call *call,
                          struct mpg_step *step, struct mpg_error *err);

#endif
