/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rank goes next: the one least far in its own run, of several the lowest. */
#ifndef MPG_GRAPH_QUEUE_H
#define MPG_GRAPH_QUEUE_H

#include "graph/schedule/state.h"

/* RANK, which is not in the queue, can go on. */
void mpg_graph_queue_push(struct queue *queue, int32_t rank);
/* Takes the next out of a queue that is not empty. */
int32_t mpg_graph_queue_pop(struct queue *queue);

#endif
