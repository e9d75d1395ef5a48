/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank has started on a window. Private to graph/matching/. */
#ifndef MPG_GRAPH_WINDOW_H
#define MPG_GRAPH_WINDOW_H

#include "graph/matching/epochs.h"
#include "graph/matching/rma_progress.h"
#include "graph/matching/groups.h"
#include "trace/reader.h"

/* Members of a window that one epoch of this rank is about. */
struct epoch {
    uint32_t count;
    int32_t *ranks;     /* of its communicator */
    struct call_ref call_ref; /* the call that said so */
    double enter_ns, leave_ns; /* of that, aligned */
};

/* Transfers that have been started and not been waited for: so many, DROPPED of them by hypotheses; their bytes as
 * traced, and as hypotheses say. */
struct moved {
    uint64_t n, dropped;
    int64_t bytes, target_bytes;
    struct rma_under_way rma_under_way; /* of one target: what may wait for it */
};

/* With hypotheses: a target that is locked (-1: all are), and who said so. */
struct lock {
    int32_t target;
    struct call_ref call_ref;
    struct noting noting;
};

/* What a rank has started on a window and not yet waited for. */
struct window {
    struct moved all;       /* to and from all targets */
    struct mpg_map targets; /* rank of its communicator -> number from 1 of */
    struct moved *target;
    uint32_t target_count, target_capacity;
    struct epoch access, exposure;
    struct group *late;     /* a Start that waits is over: what came too late for it; else NULL */
    struct noting noting;   /* of an epoch of active targets */
    struct rma_waits waits; /* of the call that the rank is in, about this window: for its targets' calls */
    struct lock *lock;
    uint32_t lock_count, lock_capacity;
};

/* The two kinds of a window's messages. */
enum { TAG_POST, TAG_COMPLETE };

/* That of OBJECT among a rank's, made where there is none yet; NULL with ERR. */
struct window *mpg_graph_find_window(struct mpg_map *by_object, int32_t object, struct mpg_error *err);
void mpg_graph_free_window(struct window *w);
/* The communicator of the window that CALL is about. */
static inline int32_t graph_window_comm(const struct mpg_trace *trace, const struct call *call)
{
    return mpg_trace_object(trace, call->event->object)->comm;
}
/* Of what CALL, about a window, gets from rank FROM of the world, which posts. */
static inline struct channel_name graph_post_name(const struct call *call, int32_t from)
{
    return (struct channel_name){SPACE_WINDOW, call->event->object, from, call->rank, TAG_POST};
}
/* Takes what is under way to TARGET; all of it. */
struct moved mpg_graph_take_transfers(struct window *w, int32_t target);
struct moved mpg_graph_take_all(struct window *w);
/* CALL, a put, get or accumulate, starts a transfer; is about passive targets: locks, flushes, unlocks. */
int mpg_graph_begin_transfer(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                             struct mpg_error *err);
/* CALL completes what is under way to TARGET, a rank of the window's communicator; -1: to all. */
int mpg_graph_end_transfers(struct matching *matching, struct window *w, struct call *call, int32_t target,
                            struct mpg_error *err);
int mpg_graph_begin_passive(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                            struct mpg_error *err);

#endif
