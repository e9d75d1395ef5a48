/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends that are done once their receiver's library has seen to them, which it does in calls only (docs/PROGRESS.md,
 * Carried sends): the first call of the receiver that is over after the message can have started, and that
 * can see to it. Needs clocks that are comparable. */
#ifndef MPG_GRAPH_CARRIED_H
#define MPG_GRAPH_CARRIED_H

#include "common/pool.h"
#include "graph/carried.h"
#include "graph/matching/message.h"
#include "graph/steps.h"

/* A call that can see to messages, from its enter on. */
struct passage {
    double enter_ns, leave_ns; /* aligned */
    uint64_t number;           /* of the call; */
    uint64_t turn; /* its place among its rank's: twice its number, of one that is inserted one more than twice that of
                                  the call before */
    uint32_t slot;             /* its enter's value */
    uint32_t users;            /* messages, and the list of its rank */
};

enum { MOST_PASSAGES = 64 };

/* Somebody who waits until all that a rank does up to a time is known. */
struct passing {
    struct passing *next;
    double until_ns; /* aligned */
    struct waiter *waiter;
};

/* The latest of all, the i-th at i mod MOST_PASSAGES. */
struct latest {
    struct passage *passage[MOST_PASSAGES];
    uint64_t n;
};

/* Of one rank: its latest passages, and messages for those that are to come. */
struct passages {
    struct latest all;
    struct latest windows; /* calls on windows, which see to one-sided transfers alone */
    struct message *first;
    struct message *posts; /* of Win_posts of it that a Win_start waits for (graph/matching/starts.h) */
    struct passing *passing;
    uint64_t turn;    /* of its latest call, whatever it sees to */
    double latest_ns; /* the leave of its latest call, which has posted what it posts, aligned; -INFINITY: none */
    bool is_over;
};

struct carrying {
    bool is_on, observes, serves;
    struct mpg_carried limits;   /* of more bytes sends are carried; while it OBSERVES, all are looked at */
    int32_t ranks;
    struct passages *rank;
    struct mpg_pool pool, passing_pool; /* of all passages; of those who wait */
    struct steps *steps;
    struct carried_evidence blocking, requested, posted, starts;
    struct served_evidence *served; /* graph/matching/serving.h; NULL: nothing so far */
    double latest_ns, received_ns; /* of the call that is being left: the latest that carries what it sent, and the
                                      latest send of what it received; -INFINITY: none */
    int64_t latest_bytes;
    bool latest_requested;
};

/* LIMITS NULL: nothing is carried, and nothing else here needs anything. Error: out of memory. */
int mpg_graph_carrying_init(struct carrying *carrying, const struct mpg_carried *limits, bool observes, int32_t ranks,
                            struct steps *steps, struct mpg_error *err);
void mpg_graph_carrying_clear(struct carrying *carrying);
/* CALL is entered, and will be left at LEAVE_NS, aligned; that of a rank of one thread, IS_ALONE, gets saw_ns. Error: out of
 * memory. */
int mpg_graph_carry(struct carrying *carrying, struct call *call, double leave_ns, bool is_alone, struct mpg_error *err);
/* Nothing that RANK does later is before LEAVE_NS. */
void mpg_graph_carry_on(struct carrying *carrying, int32_t rank, double leave_ns);
/* WAITER waits until no call of RANK, of one thread, that begins up to UNTIL_NS (aligned) is still to come. Error: out of
 * memory. */
int mpg_graph_await_passing(struct carrying *carrying, int32_t rank, double until_ns, struct waiter *waiter,
                            struct mpg_error *err);
/* The first call of RANK after its call AFTER that sees to messages and is over at or after FROM_NS (aligned). NULL: there is
 * none so far, or, *IS_KNOWN false, it may be one that is not remembered. */
const struct passage *mpg_graph_passage_after(const struct carrying *carrying, int32_t rank, uint64_t after, double from_ns,
                                              bool *is_known);
/* The same of calls that see to one-sided transfers, whatever was before. */
const struct passage *mpg_graph_serving_after(const struct carrying *carrying, int32_t rank, double from_ns, bool *is_known);
/* RANK makes no calls any more. */
void mpg_graph_carry_over(struct carrying *carrying, int32_t rank);
/* Whether M, which is sent, is to be carried, and that this is said of it. */
bool mpg_graph_is_to_be_carried(const struct carrying *carrying, const struct message *m);
void mpg_graph_carry_wants(const struct carrying *carrying, struct message *m);
/* Counts M in COUNTS if hypotheses give it a size of which nothing shows that sends of it wait, or leave, as M did. */
void mpg_graph_carry_resized(const struct carrying *c, const struct message *m, struct mpg_graph_counts *counts);
/* M, which wants to be, is sent: looks for who carries it, once it is known when it can start. */
void mpg_graph_carry_message(struct carrying *carrying, struct message *m);
/* M, which is sent, has its receive posted: the same, where it goes no earlier. */
void mpg_graph_carry_posted(struct carrying *carrying, struct message *m);
/* WAITER, a call that is left at LEAVE_NS (aligned), and completes the send of M, waits until it is known who
 * does: by LEAVE_NS it may turn out that a call in which the receiver was already did not. */
void mpg_graph_await_carrier(struct carrying *carrying, struct message *m, double leave_ns, struct waiter *waiter);
/* CALL completes the send of M: its edge, if it has one. Error: out of memory. */
int mpg_graph_carried_edge(struct carrying *carrying, const struct call *call, struct message *m, struct mpg_error *err);
/* M, of a Win_post, is awaited by WAITER, of a Win_start that is left at LEAVE_NS: until it is sent, which is told with
 * mpg_graph_forget_post(), or can only be sent later than that. */
void mpg_graph_await_post(struct carrying *carrying, struct message *m, double leave_ns, struct waiter *waiter);
void mpg_graph_forget_post(struct carrying *carrying, const struct message *m);
/* While it observes: M is received by the call that is being left, and that is CALL, all of whose messages are known. */
void mpg_graph_carried_received(struct carrying *carrying, const struct message *m);
void mpg_graph_carried_note(struct carrying *carrying, const struct call *call);
/* M is over. */
void mpg_graph_carried_done(struct carrying *carrying, struct message *m);
/* No rank can go on: all messages go without. Whether there was any. */
bool mpg_graph_carry_gives_up(struct carrying *carrying);
/* What was observed of sends and Win_starts. */
struct mpg_carried mpg_graph_carried_found(const struct carrying *carrying);

#endif
