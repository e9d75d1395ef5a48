/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends that are done once their receiver's library has seen to them, which it does in calls only (docs/PROGRESS.md,
 * Carried sends): the first call of the receiver that is over after the message can have started, and that
 * can see to it. Needs clocks that are comparable. */
#ifndef MPG_GRAPH_CARRIED_H
#define MPG_GRAPH_CARRIED_H

#include "common/pool.h"
#include "graph/progress_evidence.h"
#include "graph/matching/message.h"
#include "graph/steps.h"

/* A call that can see to messages, from its enter on. */
struct progress_call {
    double enter_ns, leave_ns; /* aligned */
    uint64_t number;           /* of the call; */
    uint64_t turn; /* its place among its rank's: twice its number, of one that is inserted one more than twice that of
                                  the call before */
    uint32_t slot;             /* its enter's value */
    uint32_t users;            /* messages, and the list of its rank */
};

enum { PROGRESS_CALLS_KEPT = 64 };

/* Somebody who waits until all that a rank does up to a time is known. */
struct progress_waiter {
    struct progress_waiter *next;
    double until_ns; /* aligned */
    struct waiter *waiter;
};

/* The latest of all, the i-th at i mod PROGRESS_CALLS_KEPT. */
struct recent_calls {
    struct progress_call *progress_call[PROGRESS_CALLS_KEPT];
    uint64_t n;
};

/* Of one rank: its latest passages, and messages for those that are to come. */
struct progress_calls {
    struct recent_calls all;
    struct recent_calls windows; /* calls on windows, which see to one-sided transfers alone */
    struct message *first;
    struct message *posts; /* of Win_posts of it that a Win_start waits for (graph/matching/win_start.h) */
    struct progress_waiter *progress_waiter;
    uint64_t turn;    /* of its latest call, whatever it sees to */
    double latest_ns; /* the leave of its latest call, which has posted what it posts, aligned; -INFINITY: none */
    bool is_over;
};

struct progress {
    bool is_on, observes, serves;
    struct mpg_weak_progress limits;   /* of more bytes sends are carried; while it OBSERVES, all are looked at */
    int32_t ranks;
    struct progress_calls *rank;
    struct mpg_pool pool, waiter_pool; /* of all passages; of those who wait */
    struct steps *steps;
    struct progress_evidence blocking, requested, posted, starts;
    struct rma_evidence *rma_evidence; /* graph/matching/rma_progress.h; NULL: nothing so far */
    double latest_ns, received_ns; /* of the call that is being left: the latest that carries what it sent, and the
                                      latest send of what it received; -INFINITY: none */
    int64_t latest_bytes;
    bool latest_requested;
};

/* LIMITS NULL: nothing is carried, and nothing else here needs anything. Error: out of memory. */
int mpg_graph_progress_init(struct progress *progress, const struct mpg_weak_progress *limits, bool observes, int32_t ranks,
                            struct steps *steps, struct mpg_error *err);
void mpg_graph_progress_clear(struct progress *progress);
/* CALL is entered, and will be left at LEAVE_NS, aligned; that of a rank of one thread, IS_ALONE, gets saw_ns. Error: out of
 * memory. */
int mpg_graph_note_progress_call(struct progress *progress, struct call *call, double leave_ns, bool is_alone,
                                 struct mpg_error *err);
/* Nothing that RANK does later is before LEAVE_NS. */
void mpg_graph_advance_progress(struct progress *progress, int32_t rank, double leave_ns);
/* WAITER waits until no call of RANK, of one thread, that begins up to UNTIL_NS (aligned) is still to come. Error: out of
 * memory. */
int mpg_graph_await_progress(struct progress *progress, int32_t rank, double until_ns, struct waiter *waiter,
                             struct mpg_error *err);
/* The first call of RANK after its call AFTER that sees to messages and is over at or after FROM_NS (aligned). NULL: there is
 * none so far, or, *IS_KNOWN false, it may be one that is not remembered. */
const struct progress_call *mpg_graph_progress_call_after(const struct progress *progress, int32_t rank, uint64_t after,
                                                          double from_ns,
                                                          bool *is_known);
/* The same of calls that see to one-sided transfers, whatever was before. */
const struct progress_call *mpg_graph_rma_progress_call_after(const struct progress *progress, int32_t rank, double from_ns,
                                                              bool *is_known);
/* RANK makes no calls any more. */
void mpg_graph_end_progress(struct progress *progress, int32_t rank);
/* Whether M, which is sent, is to be carried, and that this is said of it. */
bool mpg_graph_is_weak_send(const struct progress *progress, const struct message *m);
void mpg_graph_mark_weak_send(const struct progress *progress, struct message *m);
/* Counts M in COUNTS if hypotheses give it a size of which nothing shows that sends of it wait, or leave, as M did. */
void mpg_graph_count_resized(const struct progress *c, const struct message *m, struct mpg_graph_counts *counts);
/* M, which wants to be, is sent: looks for who carries it, once it is known when it can start. */
void mpg_graph_weak_send_started(struct progress *progress, struct message *m);
/* M, which is sent, has its receive posted: the same, where it goes no earlier. */
void mpg_graph_weak_send_posted(struct progress *progress, struct message *m);
/* WAITER, a call that is left at LEAVE_NS (aligned), and completes the send of M, waits until it is known who
 * does: by LEAVE_NS it may turn out that a call in which the receiver was already did not. */
void mpg_graph_await_weak_send(struct progress *progress, struct message *m, double leave_ns, struct waiter *waiter);
/* CALL completes the send of M: its edge, if it has one. Error: out of memory. */
int mpg_graph_weak_send_edge(struct progress *progress, const struct call *call, struct message *m, struct mpg_error *err);
/* M, of a Win_post, is awaited by WAITER, of a Win_start that is left at LEAVE_NS: until it is sent, which is told with
 * mpg_graph_forget_post(), or can only be sent later than that. */
void mpg_graph_await_post(struct progress *progress, struct message *m, double leave_ns, struct waiter *waiter);
void mpg_graph_forget_post(struct progress *progress, const struct message *m);
/* While it observes: M is received by the call that is being left, and that is CALL, all of whose messages are known. */
void mpg_graph_weak_send_received(struct progress *progress, const struct message *m);
void mpg_graph_observe_weak_sends(struct progress *progress, const struct call *call);
/* M is over. */
void mpg_graph_weak_send_done(struct progress *progress, struct message *m);
/* No rank can go on: all messages go without. Whether there was any. */
bool mpg_graph_give_up_progress(struct progress *progress);
/* What was observed of sends and Win_starts. */
struct mpg_weak_progress mpg_graph_progress_found(const struct progress *progress);

#endif
