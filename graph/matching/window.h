/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a rank's open epochs and transfers on an MPI window. Private to graph/matching/. */
#ifndef MPG_GRAPH_WINDOW_H
#define MPG_GRAPH_WINDOW_H

#include "graph/matching/epochs.h"
#include "graph/matching/rma_progress.h"
#include "graph/matching/groups.h"
#include "trace/reader.h"

/* The partner ranks of one epoch of this rank on a window. */
struct epoch {
    uint32_t count;
    int32_t *ranks;     /* ranks of the window's communicator */
    struct call_ref call_ref; /* the call that began the epoch */
    double enter_ns, leave_ns; /* aligned enter and leave of this call */
};

/* Number and bytes of transfers started and not completed: bytes as traced, and as changed by hypotheses; `dropped`: number of
 * transfers that hypotheses drop. */
struct rma_pending {
    uint64_t n, dropped;
    int64_t bytes, target_bytes;
    enum mpg_call call; /* that started the last of them */
    struct rma_under_way rma_under_way; /* of one target: the transfer started last, which can wait for target-side progress */
};

/* With hypotheses: a locked target (-1: all), and the call that locked. */
struct lock {
    int32_t target;
    struct call_ref call_ref;
    struct epoch_parts epoch_parts;
};

/* State of a rank on one window. */
struct window {
    struct rma_pending all;       /* transfers under way, to all targets */
    struct mpg_map targets; /* rank of the window's communicator -> 1 + index in TARGET */
    struct rma_pending *target;
    uint32_t target_count, target_capacity;
    struct epoch access, exposure;
    /* if Win_start waits for Posts: the messages of Posts that came too late for the Win_start of the epoch; else NULL */
    struct group *late;
    struct epoch_parts epoch_parts;   /* parts of an active-target epoch */
    struct rma_waits waits; /* transfers of the rank's current call on this window that wait for target-side progress */
    struct lock *lock;
    uint32_t lock_count, lock_capacity;
};

/* Tags of the messages that synchronize the members of a window: from Post to Start or Complete; from Complete to Wait. */
enum { TAG_POST, TAG_COMPLETE };

/* Returns the state of window OBJECT, made on first use; NULL with ERR: out of memory. */
struct window *mpg_graph_find_window(struct mpg_map *by_object, int32_t object, struct mpg_error *err);
void mpg_graph_free_window(struct window *w);
/* Returns the communicator of the window used by CALL. */
static inline int32_t graph_window_comm(const struct mpg_trace *trace, const struct call *call)
{
    return mpg_trace_object(trace, call->event->object)->comm;
}
/* Returns the channel on which CALL, on a window, receives the message of MPI_Win_post by world rank FROM. */
static inline struct channel_name graph_post_name(const struct call *call, int32_t from)
{
    return (struct channel_name){SPACE_WINDOW, call->event->object, from, call->rank, TAG_POST};
}
/* mpg_graph_take_transfers() removes and returns the transfers under way to TARGET, a rank of the window's communicator;
 * mpg_graph_take_all() those to all targets. */
struct rma_pending mpg_graph_take_transfers(struct window *w, int32_t target);
struct rma_pending mpg_graph_take_all(struct window *w);
/* To be called when CALL starts a put, get or accumulate. Returns 0, or -1 with ERR. */
int mpg_graph_begin_transfer(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                             struct mpg_error *err);
/* mpg_graph_end_transfers() ends the transfers under way to TARGET, a rank of the window's communicator (-1: to all), which
 * CALL completes. mpg_graph_begin_passive() begins CALL, a lock, flush or unlock. Both return 0, or -1 with ERR. */
int mpg_graph_end_transfers(struct matching *matching, struct window *w, struct call *call, int32_t target,
                            struct mpg_error *err);
int mpg_graph_begin_passive(struct matching *matching, const struct mpg_trace *trace, struct window *w, struct call *call,
                            struct mpg_error *err);

#endif
