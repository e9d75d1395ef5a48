/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the trace that a rank's threads must keep: of the collectives of each communicator, and of the threads' first
 * calls. */
#ifndef MPG_REPLAY_THREAD_ORDER_H
#define MPG_REPLAY_THREAD_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* Zero-initialised: empty. */
struct mpg_thread_order {
    int64_t *made; /* by communicator: number of collectives of all threads so far */
    uint32_t comms;
    bool *begun; /* by thread: the thread has made a call; thread 0 called MPI_Init */
    int begins;
    int64_t turn; /* `turn` of the last event, as in struct mpg_action */
    int thread_start;
};

/* Initialises *ORDER for THREADS threads. Returns 0, or -1 if memory runs out. */
int mpg_thread_order_begin(struct mpg_thread_order *order, int threads);
/* Notes EVENT of thread BY; the caller passes the rank's events in order. BEGAN: MPI_Init is over. MAKES: the event is
 * replayed. Sets turn and thread_start of ORDER as in struct mpg_action. Returns 0, or -1 if memory runs out. */
int mpg_thread_order_note(struct mpg_thread_order *order, const struct mpg_event *event, int by, bool began, bool makes);
void mpg_thread_order_clear(struct mpg_thread_order *order);

#endif
