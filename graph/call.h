/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a thread's current call, shared by the matching, collectives and requests code, which make the call's steps. */
#ifndef MPG_GRAPH_CALL_H
#define MPG_GRAPH_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "graph/call_ref.h"
#include "graph/waiter.h"
#include "trace/event.h"

/* Messages sent by a call. Zero-initialised: no messages. */
struct sent {
    struct mpg_sent *message;
    uint32_t n, capacity;
    uint32_t which;          /* if the call starts several requests: index, from 0, of the request being started */
    /* with hypotheses: number of messages and collectives in which the call takes part; number of these dropped by hypotheses */
    uint32_t parts, dropped;
    uint32_t rooted; /* number of messages sent by the call in a rooted collective, from or to the root */
    double rooted_bytes; /* bytes of the largest of these messages */
};

/* Empties SENT, the list of a thread, at the begin of a call. */
static inline void graph_begin_sent(struct sent *sent)
{
    sent->n = sent->which = sent->parts = sent->dropped = sent->rooted = 0;
    sent->rooted_bytes = 0;
}

struct channel_cache; /* graph/matching/channel_cache.h */

struct call {
    struct waiter waiter;   /* woken when the call can end */
    int32_t rank;           /* world rank */
    uint32_t stream;        /* the stream (thread of a rank) whose value the call's steps change */
    uint64_t number;        /* call number in the rank */
    double enter_ns, leave_ns; /* aligned times */
    /* aligned leave of the rank's previous call with progress (graph/matching/weak_progress.h); -INFINITY: unknown */
    double progressed_ns;
    struct sent *sent;      /* list of the thread's messages, emptied at the begin of each call */
    struct channel_cache *channel_cache;  /* the thread's cache */
    int32_t region;         /* with hypotheses: innermost open region, as a string number of the trace; -1: none */
    bool changed;           /* the call completes a send whose protocol differs between traced and target machine */
    struct mpg_probe probe; /* filled if the call is a probe */
    struct mpg_parrived parrived;   /* filled if the call is MPI_Parrived */
    const struct mpg_event *event; /* the call's event; the event's lists are valid until the rank's next event is read */
    /* the call waits for the round trip of one-sided transfers: of round_trip_bytes as traced, round_trip_target_bytes as
     * changed by hypotheses; the last was started by round_trip_call */
    bool round_trip;
    enum mpg_call round_trip_call;
    int64_t round_trip_bytes, round_trip_target_bytes;
    uint8_t completed;      /* categories (1 << MPG_CATEGORY_...) of the requests completed by the call */
};

/* A set of call kinds, and a membership test without a branch, since the graph tests every call. */
#define GRAPH_KIND(name) ((uint64_t)1 << MPG_KIND_##name)
_Static_assert(MPG_KIND_OTHER < 64, "kinds do not fit in a set");
static inline bool graph_is_among(enum mpg_kind kind, uint64_t kinds)
{
    return kinds >> kind & 1;
}

/* Returns whether CALL is nonblocking point-to-point communication: starts messages, and leaves completion to another call. */
static inline bool graph_leaves_request(enum mpg_call call)
{
    return graph_is_among(mpg_call_kind(call),
                          GRAPH_KIND(ISEND) | GRAPH_KIND(IRECV) | GRAPH_KIND(ISENDRECV) | GRAPH_KIND(IMRECV) |
                              GRAPH_KIND(START) | GRAPH_KIND(PREADY) | GRAPH_KIND(INEIGHBOR));
}

static inline struct call_ref graph_call_ref(const struct call *call)
{
    return (struct call_ref){call->rank, call->event->thread, call->event->call, call->number};
}

#endif
