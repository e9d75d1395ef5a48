/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to happen, in the order of simulated time (a heap of four children). */
#ifndef MPG_EVENTS_HEAP_H
#define MPG_EVENTS_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* At one time events come in this order of kinds, then by rank, then as they were put in (docs/MACHINES.md). */
enum event_kind {
    EVENT_LAND,    /* a message is out of the network */
    EVENT_REPLY,   /* that of a transfer is there */
    EVENT_REQUEST, /* a request is at its owner's processor */
    EVENT_SERVED,  /* and has been served */
    EVENT_CHECK,   /* work looks for requests */
    EVENT_INJECT,  /* a message gets into the network */
    EVENT_RELEASE, /* a processor is left by who waits */
    EVENT_GRANT,   /* it is given to who is next */
    EVENT_STREAM   /* a stream goes on */
};

struct event {
    double at_ns;
    uint32_t id;            /* rank, or stream */
    enum event_kind kind;
    union {
        void *what;         /* of REPLY, REQUEST, INJECT, LAND */
        uint64_t turn;      /* of STREAM, CHECK, RELEASE: void, once it is not the stream's any more */
    };
    uint64_t order;         /* put in by the heap */
};

/* Zero-initialised is empty. */
struct heap {
    struct event *event;
    size_t n, capacity;
    uint64_t count; /* of all that were put in */
};

int mpg_events_push(struct heap *heap, struct event event, struct mpg_error *err);
/* The first; there is one. */
struct event mpg_events_pop(struct heap *heap);
void mpg_events_clear(struct heap *heap);

#endif
