/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Somebody who cannot go on before things have happened. Matching and meetings keep
 * pointers to those who wait for a message or for the others, and wake them; they do not
 * know who that is. */
#ifndef MPG_GRAPH_WAITER_H
#define MPG_GRAPH_WAITER_H

#include <stddef.h>
#include <stdint.h>

struct waiter {
    uint32_t unmet;              /* things that it still waits for */
    struct waiter *next;         /* in a list of those who wait for the same (probes) */
    void (*go)(struct waiter *); /* called when the last of them has happened */
};

/* WAITER waits for what is to be said at *PLACE. */
static inline void graph_await(struct waiter *waiter, struct waiter **place)
{
    *place = waiter;
    waiter->unmet++;
}

/* One of the things that WAITER waits for has happened. */
static inline void graph_satisfy(struct waiter *waiter)
{
    if (--waiter->unmet == 0)
        waiter->go(waiter);
}

/* What whoever is at *PLACE, if anybody, waits for has happened. */
static inline void graph_wake(struct waiter **place)
{
    struct waiter *waiter = *place;
    *place = NULL;
    if (waiter)
        graph_satisfy(waiter);
}

/* Takes WAITER off *PLACE, if it is there: 1, else 0. It does not count as satisfied. */
static inline uint32_t graph_give_up(struct waiter **place, const struct waiter *waiter)
{
    if (*place != waiter)
        return 0;
    *place = NULL;
    return 1;
}

#endif
