/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that a rank has been sent and no receive has taken, in queues by sender: what a
 * receive that leaves its source open might take in place of the message that it took
 * (docs/MODEL.md, section 6). Eager ones only: how they arrive does not depend on who takes
 * them. */
#ifndef MPG_GRAPH_UNEXPECTED_H
#define MPG_GRAPH_UNEXPECTED_H

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/message.h"

/* Those of one sender for one receiver, in the order in which they were sent. */
struct unexpected_queue {
    struct unexpected_queue *next, **link; /* of the receiver's */
    struct message *first, *last;
};

struct unexpected {
    bool follows;                    /* they are kept: somebody asks for them */
    struct mpg_map pairs, receivers; /* of ranks: queues, and the first of a receiver's */
    struct mpg_pool pool;
};

/* M, of communicator COMM with TAG, has been sent. */
int graph_unexpected_add(struct unexpected *all, struct message *m, struct mpg_error *err);
/* A receive takes it, if it is there. */
void graph_unexpected_remove(struct unexpected *all, struct message *m);
/* RECEIVER's queues; NULL: none. */
const struct unexpected_queue *graph_unexpected_of(const struct unexpected *all, int32_t receiver);
/* The first of QUEUE on COMM with TAG, or with any; NULL: none. */
struct message *graph_unexpected_find(const struct unexpected_queue *queue, int32_t comm,
                                      bool any_tag, int32_t tag);
void graph_unexpected_clear(struct unexpected *all);

#endif
