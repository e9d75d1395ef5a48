/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided transfers that a call of their target sees to, as a library does that has the target's processor take part in
 * its own calls only (docs/PROGRESS.md, Served transfers). What the trace shows of that, and the edges: into the call
 * that starts one, or that completes it. Needs clocks that are comparable; ranks of one thread. */
#ifndef MPG_GRAPH_SERVING_H
#define MPG_GRAPH_SERVING_H

#include "graph/matching/weak_progress.h"

struct window;
struct matching;

/* Transfers to a target that are under way: the one that began last, of a kind. */
struct rma_under_way {
    int32_t target;    /* world rank; -1: none */
    double since_ns;   /* aligned */
    enum mpg_call call;
    int64_t bytes;
};

/* What a call waits for; zero-initialised is nothing. */
struct rma_waits {
    struct rma_under_way *item;
    uint32_t n, capacity;
    bool starts; /* it is the call that starts the one there is */
};

/* CALL starts a transfer of BYTES to world rank TARGET: notes it in LIST, and, as what is under way there, in *UNDER_WAY (NULL:
 * that is not kept); awaits what the target does meanwhile, where it may wait for that. Error: out of memory. */
int mpg_graph_rma_start(struct matching *matching, struct call *call, int32_t target, int64_t bytes,
                        struct rma_under_way *under_way,
                        struct rma_waits *list, struct mpg_error *err);
/* The same of a call that completes what is UNDER_WAY, which is nothing then. */
int mpg_graph_rma_end(struct matching *matching, struct call *call, struct rma_under_way *under_way, struct rma_waits *list,
                      struct mpg_error *err);
/* CALL is left: edges of what it waits for, of LIST, which is empty then; or, while it observes, what it shows. Error: out of
 * memory. */
int mpg_graph_rma_edges(struct matching *matching, const struct call *call, struct rma_waits *list, struct mpg_error *err);
/* What was observed, put into FOUND. */
void mpg_graph_rma_found(const struct progress *progress, struct mpg_weak_progress *found);

#endif
