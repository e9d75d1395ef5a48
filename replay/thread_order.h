/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order that a rank's threads must keep as in the trace: collectives of each communicator, and the first call of
 * each thread. */
#ifndef MPG_REPLAY_THREAD_ORDER_H
#define MPG_REPLAY_THREAD_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* Zero-initialised is empty. */
struct mpg_thread_order {
    int64_t *made; /* number of collectives so far, by communicator */
    uint32_t comms;
    bool *begun; /* thread has made a call; index 0 is the thread of MPI_Init */
    int begins;
    int64_t turn; /* `turn` of the last event, as in struct mpg_action */
    int thread_start;
};

/* Initialises *ORDER for THREADS threads. Returns 0, or -1 if memory runs out. */
int mpg_thread_order_begin(struct mpg_thread_order *order, int threads);
/* Notes EVENT of thread BY; the caller passes the rank's events in order. BEGAN: MPI_Init is over. MAKES: the event is
 * replayed. Sets *TURN and *THREAD_START as in struct mpg_action. Returns 0, or -1 if memory runs out. */
int mpg_thread_order_note(struct mpg_thread_order *order, const struct mpg_event *event, int by, bool began, bool makes);
void mpg_thread_order_clear(struct mpg_thread_order *order);

#endif
