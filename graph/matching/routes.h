/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The channels that a thread has used last, by what its calls name: found without a look-up among
 * all. Needs matching. */
#ifndef MPG_GRAPH_ROUTES_H
#define MPG_GRAPH_ROUTES_H

#include "graph/matching/messages.h"

/* From a thread to PEER of COMM, or to the thread from there, with TAG. */
struct route {
    struct channel *channel; /* which keeps it; NULL: there is none */
    int32_t comm, peer, tag;
    bool sends;
    int32_t world_rank; /* PEER's */
    uint32_t sequence;  /* of messages sent there (messages.h); 0: not known yet */
};

/* As many as a thread has of neighbours in most programs. Zero-initialised is none. */
enum { GRAPH_ROUTES = 16 };
struct routes {
    struct route route[GRAPH_ROUTES];
};

/* CALL sends (SENDS) to, or receives from, PEER of COMM with TAG: *ROUTE, of the routes of its
 * thread, valid until the next is asked for; NULL if the peer is of another world. */
int graph_find_route(struct matching *matching, const struct call *call, bool sends, int32_t comm,
                     int32_t peer, int32_t tag, struct route **route, struct mpg_error *err);
/* The channel's name; RANK is the thread's. */
struct channel_name graph_route_name(const struct route *route, int32_t rank);
/* Gives back the channels of ROUTES, which are a thread's of RANK. */
void graph_clear_routes(struct matching *matching, struct routes *routes, int32_t rank);

#endif
