/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posted-receive queues: a rank's posted, uncompleted receives in posting order. With MPI_ANY_SOURCE receives, arriving
 * messages take receives in this order (docs/MODEL.md, section 6). The queues hold receives of the program only, no matched
 * receives. */
#ifndef MPG_GRAPH_POSTED_QUEUE_H
#define MPG_GRAPH_POSTED_QUEUE_H

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/message.h"

struct posted_list;

struct posted {
    bool follows; /* false: no queue is kept */
    bool any_source; /* some receive had MPI_ANY_SOURCE */
    struct mpg_map receivers; /* rank -> queue */
    struct mpg_pool pool;
};

/* Adds the receive of M with MPG_ANY_ flags ANY. Returns 0, or -1: out of memory. */
int mpg_graph_posted_add(struct posted *all, struct message *m, uint32_t any, struct mpg_error *err);
/* Removes the completed receive of M; no effect if the receive is not in the queue. */
void mpg_graph_posted_remove(struct posted *all, struct message *m);
/* Returns the first receive of RECEIVER; posted_next of struct more_of_message links to the next. NULL: none. */
struct message *mpg_graph_posted_first(const struct posted *all, int32_t receiver);
void mpg_graph_posted_clear(struct posted *all);

#endif
