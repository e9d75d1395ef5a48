/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unexpected-message queues: messages that are sent and not taken yet. Each lane takes messages in its own order; the trace is
 * one more lane, number n (docs/MODEL.md, section 6, Open receives). The time of an operation does not grow with the number of
 * messages. Private to simulate/choice/. */
#ifndef MPG_UNEXPECTED_H
#define MPG_UNEXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/graph.h"

/* The lists that a message is in: all messages of its source on its communicator; those with its tag; those of all that the trace
 * has taken, and some lane has not. */
enum mpg_pending_list { MPG_PENDING_ALL, MPG_PENDING_TAG, MPG_PENDING_OVERDUE, MPG_PENDING_LISTS };

/* A pending message, eager. Times are absolute, ns: a vector's value plus the base beside it. */
struct mpg_pending {
    struct mpg_pending *next[MPG_PENDING_LISTS], *before[MPG_PENDING_LISTS]; /* the next one sent; the one sent before */
    struct mpg_queue *queue[2]; /* ALL, TAG */
    uint64_t id;
    uint32_t number;   /* unique among pending messages */
    int32_t tag;
    double bytes;
    double base_ns;
    double raised_ns;  /* the trace shows that it arrived at least this long after base_ns */
    bool passes;       /* the trace took it, already arrived, before messages that had arrived earlier */
    double cause_ns;
    double *value;     /* n: T(A) - base_ns */
    double *bare;      /* n: as value, without the delay injected into the message */
    double *cause;     /* n: time of the send - cause_ns */
    uint8_t *taken;    /* n + 1; the last one is the trace's */
    bool *answered;    /* n: its receiver has sent to its sender since the trace took it */
    uint32_t left;     /* how many lanes, the trace among them, have not taken it */
};

/* Messages of one source to one rank on one communicator, all of them or those with one tag, in the order of their sends. */
struct mpg_queue {
    struct mpg_queue *next, *before; /* of its group, while it holds a message */
    struct mpg_queue *other;         /* ALL: the queue of the same pair of ranks on another communicator */
    struct mpg_group *group;
    int32_t source, comm;
    struct mpg_pending *first, *last;
    struct mpg_pending *overdue;      /* ALL: the first of its list OVERDUE */
    uint32_t place;                  /* its index among the group's earliest arrivals */
    struct mpg_pending *head[];       /* n + 1: no earlier message is left in that lane */
};

/* The queues of all sources to one rank on one communicator, for all tags or for one. */
struct mpg_group {
    uint64_t key[2];
    struct mpg_queue *queues;
    uint32_t count;
    struct mpg_earliest *firsts; /* of the current decision; NULL: not listed */
};

struct mpg_unexpected {
    uint32_t n;
    struct mpg_map pending;   /* id -> message */
    struct mpg_map queues;    /* (receiver, communicator; source, tag or -1) -> queue */
    struct mpg_map groups;    /* (receiver, communicator; tag or -1) -> group */
    struct mpg_map pairs;     /* (receiver, source) -> the first of a list of queues, one a communicator */
    struct mpg_pool pending_pool, queue_pool, group_pool;
    uint64_t looks;           /* how often a message was looked at; for tests */
    uint32_t *numbers;        /* counts the numbers in use; NULL: messages have none */
    uint32_t *unused, unused_number, unused_capacity; /* numbers given back */
};

/* Adds the message of S, of kind EAGER; the caller sets its vectors and times. NULL: no memory, with ERR. */
struct mpg_pending *mpg_unexpected_add(struct mpg_unexpected *unexpected, const struct mpg_step *s,
                                 struct mpg_error *err);
/* Returns the message ID; NULL: all lanes and the trace have taken it. */
struct mpg_pending *mpg_unexpected_find(const struct mpg_unexpected *unexpected, uint64_t id);
/* Return the messages to RANK that match FITS: of all sources; of the source that FITS names. NULL: there are none. */
struct mpg_group *mpg_unexpected_group(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
struct mpg_queue *mpg_unexpected_queue(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
/* Returns the first message in list WHICH, from M (may be NULL) on, that lane W has neither taken nor marked. */
struct mpg_pending *mpg_unexpected_next(struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which,
                                  uint32_t w);
/* Returns the list of its messages that QUEUE is: ALL or TAG. */
enum mpg_pending_list mpg_unexpected_which(const struct mpg_queue *queue);
/* Lane W takes PENDING, once; the last lane to do so frees it. */
void mpg_unexpected_take(struct mpg_unexpected *unexpected, struct mpg_pending *pending, uint32_t w);
/* Lane W takes PENDING until it is unmarked. Returns false if W has taken or marked it before. */
bool mpg_unexpected_mark(struct mpg_pending *pending, uint32_t w);
void mpg_unexpected_unmark(struct mpg_pending *pending, uint32_t w);
/* Returns the queue of all messages from SOURCE to RANK on the first communicator; `other` leads to the next one. NULL: none. */
struct mpg_queue *mpg_unexpected_from(const struct mpg_unexpected *unexpected, int32_t rank, int32_t source);
/* Calls MARK for each message and each lane W that has not taken it, with the message's number. */
void mpg_unexpected_tell_left(const struct mpg_unexpected *unexpected,
                              void (*mark)(void *context, uint32_t number, uint32_t w, bool bare), void *context);
void mpg_unexpected_clear(struct mpg_unexpected *unexpected);
/* Returns the memory of a message for each lane, bytes. */
size_t mpg_unexpected_lane_bytes(void);

#endif
