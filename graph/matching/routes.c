/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table in which each has one place. */
#include "graph/matching/routes.h"

struct channel_name graph_route_name(const struct route *route, int32_t rank)
{
    const int32_t peer = route->world_rank;
    return (struct channel_name){SPACE_USER, route->comm, route->sends ? rank : peer,
                                 route->sends ? peer : rank, route->tag};
}

static void give_back(struct matching *matching, struct route *route, int32_t rank)
{
    if (!route->channel)
        return;
    const struct channel_name name = graph_route_name(route, rank);
    route->channel->routes--;
    graph_drop_channel_if_empty(&matching->channels, route->channel, &name);
    route->channel = NULL;
}

static int make(struct matching *matching, const struct call *call, struct route *route,
                struct mpg_error *err)
{
    route->world_rank = graph_peer(matching->members, call, route->comm, route->peer, err);
    if (route->world_rank < 0)
        return route->world_rank == MPG_FOREIGN ? 0 : -1;
    const struct channel_name name = graph_route_name(route, call->rank);
    route->channel = graph_find_channel(&matching->channels, &name, err);
    if (!route->channel)
        return -1;
    route->channel->routes++;
    return 0;
}

int graph_find_route(struct matching *matching, const struct call *call, bool sends, int32_t comm,
                     int32_t peer, int32_t tag, struct route **route, struct mpg_error *err)
{
    const uint32_t place = (2 * ((uint32_t)peer ^ (uint32_t)tag) + sends) % GRAPH_ROUTES;
    struct route *r = &call->routes->route[place];
    *route = r;
    if (r->channel && r->peer == peer && r->comm == comm && r->tag == tag && r->sends == sends)
        return 0;
    give_back(matching, r, call->rank);
    *r = (struct route){.comm = comm, .peer = peer, .tag = tag, .sends = sends};
    if (make(matching, call, r, err) < 0)
        return -1;
    if (!r->channel)
        *route = NULL;
    return 0;
}

void graph_clear_routes(struct matching *matching, struct routes *routes, int32_t rank)
{
    for (int i = 0; i < GRAPH_ROUTES; i++)
        give_back(matching, &routes->route[i], rank);
}
