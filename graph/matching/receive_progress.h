/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receives that a rank has posted, before its library makes progress on them: it does so in calls alone, from the rank's next
 * call that sees to messages on (docs/MODEL.md, section 5, Progress).
 *
 * Of a rank there are no more of them than it posts between two such calls. */
#ifndef MPG_GRAPH_PROGRESS_H
#define MPG_GRAPH_PROGRESS_H

#include "graph/call.h"
#include "graph/matching/message.h"

/* The receives of one rank, in the order in which it posted them. */
struct deferred {
    struct message **message;
    uint32_t n, capacity;
};

/* Zero-initialised: receives are seen to as soon as they are posted. */
struct deferred_receives {
    struct deferred *rank; /* NULL: that is so */
    int32_t ranks;
};

/* Of RANKS ranks from now on only when the rank's next call sees to messages. Error: out of memory. */
int mpg_graph_deferred_init(struct deferred_receives *all, int32_t ranks, struct mpg_error *err);
/* Whether CALL, by its kind, lets its library make progress on what has been posted: not where it only starts, frees or cancels
 * something, is MPI-IO, or failed; nor where it sends: of those it does who wait for their receiver. */
bool mpg_graph_makes_progress(const struct call *call);
/* CALL has posted M's receive, which is not seen to yet. Error: out of memory. */
int mpg_graph_deferred_add(struct deferred_receives *all, const struct call *call, struct message *m, struct mpg_error *err);
/* M, which is unseen, ends without having been seen to. */
void mpg_graph_deferred_remove(struct deferred_receives *all, struct message *m);
void mpg_graph_deferred_clear(struct deferred_receives *all);

#endif
