/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table in which each has one place. */
#include "graph/matching/routes.h"

static void give_back(struct matching *matching, struct route *route, int32_t rank)
{
    if (!route->channel)
        return;
    const struct channel_name name = graph_route_name(route, rank);
    route->channel->routes--;
    graph_drop_channel_if_empty(&matching->channels, route->channel, &name);
    route->channel = NULL;
}

int graph_reroute(struct matching *matching, const struct call *call, const struct route *to,
                  struct route *route, struct mpg_error *err)
{
    give_back(matching, route, call->rank);
    *route = *to;
    route->world_rank = graph_peer(matching->members, call, to->comm, to->peer, err);
    if (route->world_rank < 0)
        return route->world_rank == MPG_FOREIGN ? 0 : -1;
    const struct channel_name name = graph_route_name(route, call->rank);
    route->channel = graph_find_channel(&matching->channels, &name, err);
    if (!route->channel)
        return -1;
    route->channel->routes++;
    return 0;
}

void graph_clear_routes(struct matching *matching, struct routes *routes, int32_t rank)
{
    for (int i = 0; i < GRAPH_ROUTES; i++)
        give_back(matching, &routes->route[i], rank);
}
