/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opposite messages of two ranks: a message waits until the bytes of opposite messages have ended (docs/MODEL.md, section 5,
 * Sharing, Requests that wait). Private to simulate/events/. Times are ns. */
#ifndef MPG_EVENTS_OPPOSITE_H
#define MPG_EVENTS_OPPOSITE_H

#include <stdint.h>

#include "common/error.h"
#include "common/map.h"

/* A message; the caller sets the members up to `what`. */
struct opposing {
    int32_t from, to;   /* ranks */
    double before_ns;   /* the message waits for opposite messages whose bytes began before this time */
    void *what;         /* the caller's object */
    double begin_ns;    /* when the bytes began */
    uint32_t missing;   /* number of messages for which the message waits */
    struct opposing *next, *before; /* in a list of messages with equal sender and receiver */
    struct opposing *then;          /* next message of the messages beginning together */
};

/* Zero-initialised: no messages. */
struct opposites {
    struct mpg_map under_way, waiting; /* by sender and receiver: the first message of a list, as a number */
};

/* Adds X at NOW_NS. Returns 1: X waits for messages under way; 0: X begins now; -1 with ERR: out of memory. X stays in place
 * until X ends. */
int mpg_opposites_add(struct opposites *o, struct opposing *x, double now_ns, struct mpg_error *err);
/* X, which has begun, ends at NOW_NS. Sets *BEGINS to the messages left waiting for X alone, which begin now, linked by `then`
 * (NULL: none). Error: out of memory. */
int mpg_opposites_end(struct opposites *o, struct opposing *x, double now_ns, struct opposing **begins, struct mpg_error *err);
void mpg_opposites_clear(struct opposites *o);

#endif
