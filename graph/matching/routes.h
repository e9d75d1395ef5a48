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

/* Has ROUTE, of CALL's thread, lead where it does not yet. */
int graph_reroute(struct matching *matching, const struct call *call, const struct route *to,
                  struct route *route, struct mpg_error *err);
/* CALL sends (SENDS) to, or receives from, PEER of COMM with TAG: *ROUTE, of the routes of its
 * thread, valid until the next is asked for; without a channel if the peer is of another world. */
static inline int graph_find_route(struct matching *matching, const struct call *call, bool sends,
                                   int32_t comm, int32_t peer, int32_t tag, struct route **route,
                                   struct mpg_error *err)
{
    const uint32_t place = (2 * ((uint32_t)peer ^ (uint32_t)tag) + sends) % GRAPH_ROUTES;
    struct route *r = *route = &call->routes->route[place];
    if (r->channel && r->peer == peer && r->comm == comm && r->tag == tag) /* SENDS by its place */
        return 0;
    const struct route to = {.comm = comm, .peer = peer, .tag = tag, .sends = sends};
    return graph_reroute(matching, call, &to, r, err);
}

/* The channel's name; RANK is the thread's. */
static inline struct channel_name graph_route_name(const struct route *route, int32_t rank)
{
    const int32_t peer = route->world_rank;
    return (struct channel_name){SPACE_USER, route->comm, route->sends ? rank : peer,
                                 route->sends ? peer : rank, route->tag};
}

/* Gives back the channels of ROUTES, which are a thread's of RANK. */
void graph_clear_routes(struct matching *matching, struct routes *routes, int32_t rank);

#endif
