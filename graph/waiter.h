/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call that waits for events. Matching and collectives hold pointers to waiters and wake these, without knowledge of the
 * waiters' calls. */
#ifndef MPG_GRAPH_WAITER_H
#define MPG_GRAPH_WAITER_H

#include <stddef.h>
#include <stdint.h>

struct waiter {
    uint32_t unmet;              /* number of events that the call still waits for */
    struct waiter *next;         /* next waiter in a list of waiters for one event: probes that wait for one message */
    void (*go)(struct waiter *); /* called when the last event has happened */
};

/* Makes WAITER wait for one more event; *PLACE, NULL before, then points to WAITER. graph_wake(PLACE) announces the event. */
static inline void graph_await(struct waiter *waiter, struct waiter **place)
{
    *place = waiter;
    waiter->unmet++;
}

/* Tells WAITER that an event for which it waits has happened. */
static inline void graph_satisfy(struct waiter *waiter)
{
    if (--waiter->unmet == 0)
        waiter->go(waiter);
}

/* Tells the waiter at *PLACE, if any, that the event has happened. */
static inline void graph_wake(struct waiter **place)
{
    struct waiter *waiter = *place;
    *place = NULL;
    if (waiter)
        graph_satisfy(waiter);
}

/* Removes WAITER from *PLACE before the event has happened. Returns 1, or 0 if WAITER was not there. */
static inline uint32_t graph_abandon(struct waiter **place, const struct waiter *waiter)
{
    if (*place != waiter)
        return 0;
    *place = NULL;
    return 1;
}

#endif
