/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target-side progress of one-sided transfers: in some libraries the target takes part in a transfer only inside the target's
 * MPI calls (docs/PROGRESS.md, Target-side progress). Counts observations in the trace, and adds edges into the calls that
 * start or complete transfers. Needs comparable clocks and ranks of one thread. */
#ifndef MPG_GRAPH_RMA_PROGRESS_H
#define MPG_GRAPH_RMA_PROGRESS_H

#include "graph/matching/weak_progress.h"

struct window;
struct matching;

/* Transfers under way to one target: kind and begin of the transfer started last. */
struct rma_under_way {
    int32_t target;    /* world rank; -1: none */
    double since_ns;   /* aligned begin of the transfer */
    enum mpg_call call;
    int64_t bytes;
};

/* The transfers for which a call waits. Zero-initialised: none. */
struct rma_waits {
    struct rma_under_way *item;
    uint32_t n, capacity;
    bool starts; /* the call starts the listed transfer; otherwise the call completes the listed transfers */
};

/* To be called when CALL starts a transfer of BYTES to world rank TARGET. Notes the transfer in LIST and in *UNDER_WAY (NULL:
 * not noted). If CALL can wait for a call of the target, CALL also waits until all calls that the target begins before CALL's
 * leave are known. Returns 0, or -1: out of memory. */
int mpg_graph_rma_start(struct matching *matching, struct call *call, int32_t target, int64_t bytes,
                        struct rma_under_way *under_way,
                        struct rma_waits *list, struct mpg_error *err);
/* As mpg_graph_rma_start(), to be called when CALL completes the transfer UNDER_WAY; clears UNDER_WAY. */
int mpg_graph_rma_end(struct matching *matching, struct call *call, struct rma_under_way *under_way, struct rma_waits *list,
                      struct mpg_error *err);
/* To be called when CALL is left: adds the edges of the transfers in LIST, or counts observations; empties LIST. Returns 0,
 * or -1: out of memory. */
int mpg_graph_rma_edges(struct matching *matching, const struct call *call, struct rma_waits *list, struct mpg_error *err);
/* Adds the observed kinds to FOUND. */
void mpg_graph_rma_found(const struct progress *progress, struct mpg_weak_progress *found);

#endif
