/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Future events in the order of simulated time: a heap in which each node has four children. */
#ifndef MPG_EVENTS_HEAP_H
#define MPG_EVENTS_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Kinds of events. Events of equal time are handled in the order of these kinds, then by rank, then in the order of insertion
 * (docs/MACHINES.md). FLOW and SETTLE belong to the network and are not in the heap (mpg_events_network_next()). */
enum event_kind {
    EVENT_DELIVER, /* a message leaves the network */
    EVENT_FLOW,    /* the bytes of messages have crossed the shared ports or memory */
    EVENT_REPLY,   /* the reply to a transfer arrives */
    EVENT_REQUEST, /* a request arrives at the owner's processor */
    EVENT_SERVED,  /* a rank has served a request */
    EVENT_CHECK,   /* a computing rank polls for requests */
    EVENT_INJECT,  /* a message enters the network */
    EVENT_SETTLE,  /* messages begin and end to share ports and memory: new rates */
    EVENT_RELEASE, /* a waiting rank releases the processor */
    EVENT_GRANT,   /* a rank receives the processor */
    EVENT_STREAM   /* a stream continues */
};

struct event {
    double at_ns;
    uint32_t id;            /* rank; EVENT_STREAM: stream */
    enum event_kind kind;
    union {
        void *what;         /* object of a REPLY, REQUEST, INJECT or DELIVER event */
        uint64_t turn;      /* number of the stream's event (STREAM), the rank's work (CHECK) or wait (RELEASE); the event is void
                             * if the current number differs */
    };
    uint64_t order;         /* number of the insertion; set by the heap */
};

/* Zero-initialised is empty. */
struct heap {
    struct event *event;
    size_t n, capacity;
    uint64_t count; /* number of insertions until now */
};

/* Inserts EVENT. Error: out of memory. */
int mpg_events_push(struct heap *heap, struct event event, struct mpg_error *err);
/* Removes and returns the first event of HEAP, which is not empty. */
struct event mpg_events_pop(struct heap *heap);
void mpg_events_clear(struct heap *heap);

#endif
