/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weak progress of sends: a send completes only when the receiver's library makes progress, inside an MPI call
 * (docs/PROGRESS.md, Weak progress of sends). The progress call is the receiver's first call that progresses messages and ends
 * after the earliest start of the message. Needs comparable clocks. */
#ifndef MPG_GRAPH_WEAK_PROGRESS_H
#define MPG_GRAPH_WEAK_PROGRESS_H

#include "common/pool.h"
#include "graph/progress_evidence.h"
#include "graph/matching/message.h"
#include "graph/steps.h"

/* A call in which, from the enter on, the rank's library progresses messages. */
struct progress_call {
    double enter_ns, leave_ns; /* aligned times */
    uint64_t number;           /* call number */
    /* position among the calls of the rank: twice the call number; of an inserted call, twice the number of the preceding
     * traced call, plus 1 */
    uint64_t position;
    uint32_t slot;             /* slot of the value at the enter */
    uint32_t users;            /* number of messages that refer to the call, plus 1 while the call is in the rank's list */
};

enum { PROGRESS_CALLS_KEPT = 64 };

/* A waiter that waits until all calls that a rank begins before until_ns are known. */
struct progress_waiter {
    struct progress_waiter *next;
    double until_ns; /* aligned time */
    struct waiter *waiter;
};

/* The latest calls of a rank, a ring buffer: the i-th call is at index i mod PROGRESS_CALLS_KEPT. */
struct recent_calls {
    struct progress_call *progress_call[PROGRESS_CALLS_KEPT];
    uint64_t n;
};

/* One rank: the latest progress calls, and the messages that wait for later calls. */
struct progress_calls {
    struct recent_calls all;
    struct recent_calls windows; /* progress calls for one-sided transfers only */
    struct message *first; /* first of the weak sends to this rank whose progress call is not known yet */
    /* first of the messages of MPI_Win_posts by this rank for which a Win_start waits (graph/matching/win_start.h) */
    struct message *posts;
    struct progress_waiter *progress_waiter;
    uint64_t position;    /* position of the latest call of any kind */
    double latest_ns; /* aligned time before which no further call of the rank begins; -INFINITY: unknown */
    bool is_over;         /* the rank makes no further calls */
};

struct progress {
    bool is_on, observes;
    bool serves; /* one-sided transfers are examined: kinds of transfers are observed, or some kinds wait for the target's
                  * calls */
    struct mpg_weak_progress limits;   /* sends larger than these limits are weak; if OBSERVES, all sends are examined */
    int32_t ranks;
    struct progress_calls *rank;
    struct mpg_pool pool, waiter_pool; /* pool of progress calls; pool of progress_waiters */
    struct steps *steps;
    /* evidence collected from blocking sends; from sends completed by a request; from sends in trees of collectives
     * (progress_evidence.h); from MPI_Win_starts */
    struct progress_evidence blocking, requested, posted, starts;
    struct rma_evidence *rma_evidence; /* graph/matching/rma_progress.h; NULL: none yet */
    /* of the call being left, aligned: latest enter among the progress calls of its sends; latest send among the messages
     * received by the call; -INFINITY: none */
    double latest_ns, received_ns;
    int64_t latest_bytes;
    bool latest_requested;
};

/* Initialises PROGRESS. If LIMITS is NULL and OBSERVES is false, weak progress is off, and the functions below have no effect.
 * Returns 0, or -1: out of memory. */
int mpg_graph_progress_init(struct progress *progress, const struct mpg_weak_progress *limits, bool observes, int32_t ranks,
                            struct steps *steps, struct mpg_error *err);
void mpg_graph_progress_clear(struct progress *progress);
/* Notes that CALL is entered; LEAVE_NS, aligned, is its leave. IS_ALONE: the rank has one thread; sets CALL's
 * progressed_ns. Returns 0, or -1: out of memory. */
int mpg_graph_note_progress_call(struct progress *progress, struct call *call, double leave_ns, bool is_alone,
                                 struct mpg_error *err);
/* Notes that no later action of RANK happens before LEAVE_NS, aligned. */
void mpg_graph_advance_progress(struct progress *progress, int32_t rank, double leave_ns);
/* Makes WAITER wait until all calls of RANK that begin before UNTIL_NS, aligned, are known. RANK has one thread.
 * Returns 0, or -1: out of memory. */
int mpg_graph_await_progress(struct progress *progress, int32_t rank, double until_ns, struct waiter *waiter,
                             struct mpg_error *err);
/* Returns the first call of RANK after call number AFTER that progresses messages and ends at or after FROM_NS, aligned.
 * Returns NULL if no matching call is known so far; *IS_KNOWN is false if the list may no longer hold the call. */
const struct progress_call *mpg_graph_progress_call_after(const struct progress *progress, int32_t rank, uint64_t after,
                                                          double from_ns,
                                                          bool *is_known);
/* As mpg_graph_progress_call_after() for calls that progress one-sided transfers, with any call number. */
const struct progress_call *mpg_graph_rma_progress_call_after(const struct progress *progress, int32_t rank, double from_ns,
                                                              bool *is_known);
/* Notes that RANK makes no further calls. */
void mpg_graph_end_progress(struct progress *progress, int32_t rank);
/* mpg_graph_is_weak_send() returns whether M, which is sent, is a weak send; mpg_graph_mark_weak_send() sets M's is_weak to
 * the result. */
bool mpg_graph_is_weak_send(const struct progress *progress, const struct message *m);
void mpg_graph_mark_weak_send(const struct progress *progress, struct message *m);
/* With hypotheses: counts M in COUNTS, as kept_waiting or kept_leaving, if M is resized and the trace does not show whether
 * sends of the new size wait, or complete at once, like sends of the traced size. */
void mpg_graph_count_resized(const struct progress *c, const struct message *m, struct mpg_graph_counts *counts);
/* To be called when M, a weak send, is sent: looks for the progress call, if M's earliest start is known. */
void mpg_graph_weak_send_started(struct progress *progress, struct message *m);
/* To be called when the receive of M, a weak send that cannot start earlier, is posted: looks for the progress call. */
void mpg_graph_weak_send_posted(struct progress *progress, struct message *m);
/* Makes WAITER, of a call that completes the send of M and is left at LEAVE_NS (aligned), wait until the progress call is
 * known. A call of the receiver that began before M was sent and ended before LEAVE_NS cannot have progressed M: the
 * receiver's next call counts, if begun by LEAVE_NS. */
void mpg_graph_await_weak_send(struct progress *progress, struct message *m, double leave_ns, struct waiter *waiter);
/* Adds to CALL, which completes the send of M, the edge from the progress call, if any. Returns 0, or -1: out of memory. */
int mpg_graph_weak_send_edge(struct progress *progress, const struct call *call, struct message *m, struct mpg_error *err);
/* Makes WAITER, of a Win_start that is left at LEAVE_NS, wait until M, the message of a Win_post, is sent, or is known to be
 * sent only after LEAVE_NS. When M is sent, mpg_graph_forget_post() must be called. */
void mpg_graph_await_post(struct progress *progress, struct message *m, double leave_ns, struct waiter *waiter);
void mpg_graph_forget_post(struct progress *progress, const struct message *m);
/* With OBSERVES: mpg_graph_weak_send_received() notes that the call being left receives M; mpg_graph_observe_weak_sends(),
 * called after this for all messages, counts whether the sends completed by CALL waited. */
void mpg_graph_weak_send_received(struct progress *progress, const struct message *m);
void mpg_graph_observe_weak_sends(struct progress *progress, const struct call *call);
/* To be called when the sender has completed M: forgets M's progress call. */
void mpg_graph_weak_send_done(struct progress *progress, struct message *m);
/* To be called when no rank can go on: wakes all calls that wait for a progress call or an MPI_Win_post. Returns whether any
 * call waited. */
bool mpg_graph_abandon_progress(struct progress *progress);
/* Returns the limits implied by the observed sends and Win_starts. */
struct mpg_weak_progress mpg_graph_progress_found(const struct progress *progress);

#endif
