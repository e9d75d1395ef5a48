/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call that somebody makes, as matching, meetings and requests see it. */
#ifndef MPG_GRAPH_CALL_H
#define MPG_GRAPH_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"
#include "graph/call_ref.h"
#include "graph/waiter.h"
#include "trace/event.h"

/* Messages that a call sends; zero-initialised is none. */
struct sent {
    struct mpg_sent *message;
    uint32_t n, capacity;
    uint32_t which;          /* of several requests that it starts: this one, from 0 */
    uint32_t parts, dropped; /* with hypotheses: messages and collectives that it is about; those of them that
                                are dropped */
    uint32_t rooted; /* what it sends as root of a collective, or to one: so many, of */
    double rooted_bytes;
};

/* A call begins: SENT, of its thread, is empty. */
static inline void graph_begin_sent(struct sent *sent)
{
    sent->n = sent->which = sent->parts = sent->dropped = sent->rooted = 0;
    sent->rooted_bytes = 0;
}

struct channel_cache; /* graph/matching/channel_cache.h */

struct call {
    struct waiter waiter;   /* whoever makes it */
    int32_t rank;           /* world rank */
    uint32_t stream;        /* whose value the call's steps change */
    uint64_t number;        /* among its rank's calls */
    double enter_ns, leave_ns; /* aligned */
    double saw_ns;          /* the leave of its rank's last call before that saw to messages (graph/matching/weak_progress.h),
                               aligned; -INFINITY: not known */
    struct sent *sent;      /* its thread's, emptied when it begins */
    struct channel_cache *channel_cache;  /* its thread's */
    int32_t region;         /* with hypotheses: the innermost open one, a string of the trace's; -1: none */
    bool changed;           /* it completes a send whose protocol is another one on the target */
    struct mpg_looking looking; /* it is a probe: for this */
    struct mpg_asking asking;   /* it is a Parrived: of this */
    const struct mpg_event *event; /* its lists are valid until the rank's next event is read */
    bool round_trip;        /* it waits for one-sided transfers, of so many bytes, and as hypotheses say */
    int64_t round_trip_bytes, round_trip_target_bytes;
    uint8_t completed;      /* matters of the requests that it completes */
};

/* A set of kinds, and whether KIND is in one: asked of every call, so without a branch. */
#define GRAPH_KIND(name) ((uint64_t)1 << MPG_KIND_##name)
_Static_assert(MPG_KIND_OTHER < 64, "kinds do not fit in a set");
static inline bool graph_is_among(enum mpg_kind kind, uint64_t kinds)
{
    return kinds >> kind & 1;
}

/* Whether another call completes the messages that CALL starts. */
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
