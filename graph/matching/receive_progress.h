/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receives posted by a rank and not progressed yet by the rank's MPI library. The library progresses receives inside MPI calls
 * only, from the rank's next call that makes progress on (docs/MODEL.md, section 5, Progress).
 *
 * The number of deferred receives of a rank is at most the number of receives posted between two calls that make progress. */
#ifndef MPG_GRAPH_RECEIVE_PROGRESS_H
#define MPG_GRAPH_RECEIVE_PROGRESS_H

#include "graph/call.h"
#include "graph/matching/message.h"

/* The deferred receives of one rank, posted and not yet progressed, in posting order. */
struct deferred {
    struct message **message;
    uint32_t n, capacity;
};

/* The deferred receives of all ranks. Zero-initialised: receives make progress as soon as they are posted. */
struct deferred_receives {
    struct deferred *rank; /* NULL: no receive is deferred */
    int32_t ranks;
};

/* Makes ALL defer the receives of RANKS ranks: each until the next call of the rank that makes progress. Returns 0, or -1: out
 * of memory. */
int mpg_graph_deferred_init(struct deferred_receives *all, int32_t ranks, struct mpg_error *err);
/* Returns mpg_graph_call_progresses() of CALL, and false if CALL failed. */
bool mpg_graph_makes_progress(const struct call *call);
/* Adds the receive of M, posted by CALL, to the deferred receives. Returns 0, or -1: out of memory. */
int mpg_graph_deferred_add(struct deferred_receives *all, const struct call *call, struct message *m, struct mpg_error *err);
/* Removes the deferred receive of M, which ends without progress. */
void mpg_graph_deferred_remove(struct deferred_receives *all, struct message *m);
void mpg_graph_deferred_clear(struct deferred_receives *all);

#endif
