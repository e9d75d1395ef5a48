/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unexpected-message queues: messages sent and not yet taken. Each lane (replica) takes messages in a separate order; the
 * trace is an additional lane with number n (docs/MODEL.md, section 6, Open receives). The cost of an operation does not
 * grow with the number of messages. Private to simulate/choice/. */
#ifndef MPG_UNEXPECTED_H
#define MPG_UNEXPECTED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/graph.h"

/* The lists of a message: all messages with the same source and communicator; messages that also have the same tag;
 * messages taken in the trace, but not yet in all lanes (overdue). */
enum mpg_pending_list { MPG_PENDING_ALL, MPG_PENDING_TAG, MPG_PENDING_OVERDUE, MPG_PENDING_LISTS };

/* A pending message: sent, and not taken by all lanes; always eager. Times are absolute, ns: the sum of a vector's value
 * and the base stored beside the vector. */
struct mpg_pending {
    struct mpg_pending *next[MPG_PENDING_LISTS], *before[MPG_PENDING_LISTS]; /* next and previous message in order of sending */
    struct mpg_queue *queue[2]; /* ALL, TAG */
    uint64_t id;
    uint32_t number;   /* number of the message, unique among pending messages */
    int32_t tag;
    double bytes;
    double base_ns;
    double raised_ns;  /* lower bound of arrival - base_ns, as the trace shows */
    bool passes;       /* the trace took this message, already arrived, before messages that had arrived earlier */
    double cause_ns;
    double *value;     /* by lane: arrival T(A) - base_ns */
    double *propagated; /* by lane: as `value`, without the delay injected into the message */
    double *cause;     /* by lane: time of the send - cause_ns */
    uint8_t *taken;    /* n + 1 flags: taken by each lane; the last flag: taken in the trace */
    bool *answered;    /* by lane: the receiver has sent to the message's source since the trace took the message */
    uint32_t left;     /* number of lanes that have not taken the message, plus 1 if the trace has not */
};

/* Messages from a source to a rank on a communicator, with all tags or a single tag, in order of sending. */
struct mpg_queue {
    struct mpg_queue *next, *before; /* neighbours in the list of the group's non-empty queues */
    struct mpg_queue *other; /* in the queue of all tags: the queue of the same source and receiver on another communicator */
    struct mpg_group *group;
    int32_t source, comm;
    struct mpg_pending *first, *last;
    struct mpg_pending *overdue;      /* in the queue of all tags: first message of the overdue list */
    uint32_t place;                  /* index of the queue's source among the group's earliest arrivals */
    struct mpg_pending *head[];       /* n + 1 elements: the first message not taken by each lane, and last by the trace */
};

/* The queues from all sources to a rank on a communicator, for all tags or a single tag. */
struct mpg_group {
    uint64_t key[2];
    struct mpg_queue *queues;
    uint32_t count; /* number of non-empty queues of the group */
    struct mpg_earliest *earliest; /* earliest arrivals in the current decision; NULL: not used in this decision */
};

struct mpg_unexpected {
    uint32_t n;
    struct mpg_map pending;   /* id -> message */
    struct mpg_map queues;    /* (receiver, communicator; source, tag or -1) -> queue */
    struct mpg_map groups;    /* (receiver, communicator; tag or -1) -> group */
    struct mpg_map pairs;     /* (receiver, source) -> the first of a list of queues, a queue for each communicator */
    struct mpg_pool pending_pool, queue_pool, group_pool;
    uint64_t looks;           /* number of messages examined; for tests of the cost */
    uint32_t *numbers;        /* the next number for a new message, shared with the caller; NULL: messages have no numbers */
    uint32_t *unused, unused_number, unused_capacity; /* numbers of freed messages, to be reused */
};

/* Adds the message of S, an EAGER step; the caller sets vectors and times. NULL: out of memory, with ERR. */
struct mpg_pending *mpg_unexpected_add(struct mpg_unexpected *unexpected, const struct mpg_step *s,
                                 struct mpg_error *err);
/* Returns the message with ID; NULL: a receive has completed with the message in every lane
 * and in the trace, or ID was never added. */
struct mpg_pending *mpg_unexpected_find(const struct mpg_unexpected *unexpected, uint64_t id);
/* Return the queues of the messages to RANK with the communicator of FITS and, unless FITS accepts any tag, its tag:
 * mpg_unexpected_group() from all sources, mpg_unexpected_queue() from the source of FITS. NULL: none. */
struct mpg_group *mpg_unexpected_group(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
struct mpg_queue *mpg_unexpected_queue(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
/* Returns the first message, from M (may be NULL) on in list WHICH, that lane W has neither taken nor hidden. */
struct mpg_pending *mpg_unexpected_next(struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which,
                                  uint32_t w);
/* Returns which lists of messages QUEUE heads: MPG_PENDING_ALL or MPG_PENDING_TAG. */
enum mpg_pending_list mpg_unexpected_which(const struct mpg_queue *queue);
/* Takes PENDING in lane W, which must not have taken PENDING before; frees PENDING if all lanes and the trace have taken
 * the message. */
void mpg_unexpected_take(struct mpg_unexpected *unexpected, struct mpg_pending *pending, uint32_t w);
/* Hides PENDING from lane W until mpg_unexpected_unmark(). Returns false if W has already taken or hidden PENDING. */
bool mpg_unexpected_mark(struct mpg_pending *pending, uint32_t w);
void mpg_unexpected_unmark(struct mpg_pending *pending, uint32_t w);
/* Returns the queue of all messages from SOURCE to RANK on the first communicator; `other` links the queues of the other
 * communicators. NULL: none. */
struct mpg_queue *mpg_unexpected_from(const struct mpg_unexpected *unexpected, int32_t rank, int32_t source);
/* Calls MARK with the number of each message and each lane W that has not taken this message. PROPAGATED is always true. */
void mpg_unexpected_notify_left(const struct mpg_unexpected *unexpected,
                                void (*mark)(void *context, uint32_t number, uint32_t w, bool propagated), void *context);
void mpg_unexpected_clear(struct mpg_unexpected *unexpected);
/* Returns the memory of a message for each lane, bytes. */
size_t mpg_unexpected_lane_bytes(void);

#endif
