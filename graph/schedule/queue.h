/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queue of the ranks that can go on: first the rank with the least progress in its own run time; ties: the lowest rank. */
#ifndef MPG_GRAPH_QUEUE_H
#define MPG_GRAPH_QUEUE_H

#include "graph/schedule/state.h"

/* Adds RANK, which can go on and is not in the queue. */
void mpg_graph_queue_push(struct queue *queue, int32_t rank);
/* Removes and returns the next rank of a non-empty queue. */
int32_t mpg_graph_queue_pop(struct queue *queue);

#endif
