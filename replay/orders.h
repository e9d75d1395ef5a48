/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a rank's threads have to keep the order that the trace has: collectives of a communicator, and which thread
 * begins first. */
#ifndef MPG_REPLAY_ORDERS_H
#define MPG_REPLAY_ORDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* Zero-initialised is without any. */
struct mpg_orders {
    int64_t *made; /* of each communicator, so many collectives */
    uint32_t comms;
    bool *begun; /* of each thread, MPI_Init's the first */
    int begins;
    int64_t turn; /* of the event that has been noted, as struct mpg_act has them */
    int first;
};

/* 0, or -1: out of memory. */
int mpg_orders_begin(struct mpg_orders *orders, int threads);
/* EVENT of the rank's thread BY, in the rank's order. BEGAN: MPI_Init has been; MAKES: it is made again. */
int mpg_orders_note(struct mpg_orders *orders, const struct mpg_event *event, int by, bool began, bool makes);
void mpg_orders_clear(struct mpg_orders *orders);

#endif
