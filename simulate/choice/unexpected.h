/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that were sent and not taken, in lanes that take them in orders of their own, and in the
 * trace, which is one more lane (docs/MODEL.md, section 6, Open receives). What is done with one takes as
 * long however many there are. Private to simulate/choice/. */
#ifndef MPG_INBOX_H
#define MPG_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/graph.h"

/* Lists in which a message is: of all from its source on its communicator, of those with its tag among
 * them, of those of all that the trace has taken, and not all lanes. */
enum mpg_pending_list { MPG_PENDING_ALL, MPG_PENDING_TAG, MPG_PENDING_OVERDUE, MPG_PENDING_LISTS };

/* An eager message. Times are absolute; a vector's value and what is beside it make one. */
struct mpg_pending {
    struct mpg_pending *next[MPG_PENDING_LISTS], *before[MPG_PENDING_LISTS]; /* sent later, and earlier */
    struct mpg_queue *queue[2]; /* ALL, TAG */
    uint64_t id;
    uint32_t number;   /* no other's, while it is there */
    int32_t tag;
    double bytes;
    double base_ns;
    double raised_ns;  /* it cannot have arrived so early as base_ns: by so much */
    bool passes;       /* the trace took it, which lay ready, before what lay ready longer */
    double cause_ns;
    double *value;     /* n: T(A) - base_ns; */
    double *bare;      /* n: the same without what was put into the message; */
    double *cause;     /* n: when it was sent, - cause_ns */
    uint8_t *taken;    /* n + 1, the last is the trace's */
    bool *answered;    /* n: something was sent to its sender since the trace took it */
    uint32_t left;     /* how many of these have not taken it */
};

/* What a source sent to a rank on a communicator, all of it or what has one tag, in the order in which it was
 * sent. */
struct mpg_queue {
    struct mpg_queue *next, *before; /* of its group, as long as there is any in it */
    struct mpg_queue *other;         /* ALL: of the same pair of ranks, on another communicator */
    struct mpg_group *group;
    int32_t source, comm;
    struct mpg_pending *first, *last;
    struct mpg_pending *overdue;      /* ALL: the first in that list */
    uint32_t place;                  /* among the group's firsts */
    struct mpg_pending *head[];       /* n + 1: none before it is there */
};

/* The queues of all sources to a rank on a communicator, all or with one tag. */
struct mpg_group {
    uint64_t key[2];
    struct mpg_queue *queues;
    uint32_t count;
    struct mpg_earliest *firsts; /* of the decision that is being made; NULL: nobody has asked for them */
};

struct mpg_unexpected {
    uint32_t n;
    struct mpg_map pending;   /* id -> one */
    struct mpg_map queues;    /* (receiver, communicator; source, tag or -1) -> one */
    struct mpg_map groups;    /* (receiver, communicator; tag or -1) -> one */
    struct mpg_map pairs;     /* (receiver, source) -> the first of a list, one a communicator */
    struct mpg_pool pending_pool, queue_pool, group_pool;
    uint64_t looks;           /* how often a message was looked at, for tests */
    uint32_t *numbers;        /* where pending messages' are counted; NULL: nobody wants them; */
    uint32_t *unused, unused_number, unused_capacity; /* and those given back */
};

/* A new one, of S, of kind EAGER, its vectors and times unset; NULL: out of memory. */
struct mpg_pending *mpg_unexpected_add(struct mpg_unexpected *unexpected, const struct mpg_step *s,
                                 struct mpg_error *err);
/* NULL: everybody has taken it. */
struct mpg_pending *mpg_unexpected_find(const struct mpg_unexpected *unexpected, uint64_t id);
/* Of what RANK's FITS takes: from all sources, or from that which it names; NULL: there is nothing. */
struct mpg_group *mpg_unexpected_group(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
struct mpg_queue *mpg_unexpected_queue(const struct mpg_unexpected *unexpected, int32_t rank,
                                       const struct mpg_message_pattern *fits);
/* The first from M on in its list WHICH that lane W has not taken, nor marked; M may be NULL. */
struct mpg_pending *mpg_unexpected_next(struct mpg_unexpected *unexpected, struct mpg_pending *m, enum mpg_pending_list which,
                                  uint32_t w);
/* Which of its pending messages' lists QUEUE is. */
enum mpg_pending_list mpg_unexpected_which(const struct mpg_queue *queue);
/* Lane W takes it; it may be gone after that. Nothing happens if W has it already. */
void mpg_unexpected_take(struct mpg_unexpected *unexpected, struct mpg_pending *pending, uint32_t w);
/* The same until it is unmarked; whether W has not taken, nor marked it before. */
bool mpg_unexpected_mark(struct mpg_pending *pending, uint32_t w);
void mpg_unexpected_unmark(struct mpg_pending *pending, uint32_t w);
/* What SOURCE sent to RANK on the first communicator, `other` leads on; NULL: nothing. */
struct mpg_queue *mpg_unexpected_from(const struct mpg_unexpected *unexpected, int32_t rank, int32_t source);
/* Tells MARK the numbers of pending messages that lane W has not taken. */
void mpg_unexpected_tell_left(const struct mpg_unexpected *unexpected, void (*mark)(void *context, uint32_t number, uint32_t w,
                                                                                    bool bare),
                         void *context);
void mpg_unexpected_clear(struct mpg_unexpected *unexpected);
/* What a message takes for each lane. */
size_t mpg_unexpected_lane_bytes(void);

#endif
