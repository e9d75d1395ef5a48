/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table in which each has one place. */
#include "graph/matching/routes.h"

static void give_back(struct matching *matching, struct route *route)
{
    if (!route->channel)
        return;
    route->channel->routes--;
    graph_drop_channel_if_empty(&matching->channels, route->channel, &route->name);
    route->channel = NULL;
}

int graph_reroute(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                  int32_t tag, struct route *route, struct mpg_error *err)
{
    give_back(matching, route);
    const int32_t rank = graph_peer(matching->members, call, comm, peer, err);
    if (rank < 0)
        return rank == MPG_FOREIGN ? 0 : -1;
    *route = (struct route){.peer = peer,
                            .name = {SPACE_USER, comm, sends ? call->rank : rank, sends ? rank : call->rank, tag}};
    route->channel = graph_find_channel(&matching->channels, &route->name, err);
    if (!route->channel)
        return -1;
    route->channel->routes++;
    return 0;
}

void graph_clear_routes(struct matching *matching, struct routes *routes)
{
    for (int i = 0; i < GRAPH_ROUTES; i++)
        give_back(matching, &routes->route[i]);
}
