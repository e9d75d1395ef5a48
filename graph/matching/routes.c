/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table in which each has one place. */
#include "graph/matching/routes.h"

static void give_back(struct matching *matching, struct route *route)
{
    if (!route->channel)
        return;
    route->channel->routes--;
    mpg_graph_drop_channel_if_empty(&matching->channels, route->channel);
    route->channel = NULL;
}

/* A name that is used once may be one of very many, of which each has a message in flight: it gets no channel. */
static int keep_channel(struct matching *matching, struct route *route, struct mpg_error *err)
{
    route->channel = mpg_graph_find_channel(&matching->channels, &route->name, err);
    if (!route->channel)
        return -1;
    route->channel->routes++;
    return 0;
}

int mpg_graph_reroute(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer, int32_t tag,
                      struct route *route, struct mpg_error *err)
{
    if (route->is_known && route->peer == peer && route->name.where == comm && route->name.tag == tag)
        return route->is_foreign ? 0 : keep_channel(matching, route, err);
    give_back(matching, route);
    *route = (struct route){.peer = peer};
    const int32_t rank = mpg_graph_peer(matching->members, call, comm, peer, err);
    route->is_foreign = rank == MPG_FOREIGN;
    if (rank < 0)
        return route->is_foreign ? 0 : -1;
    route->is_known = true;
    route->name = (struct channel_name){SPACE_USER, comm, sends ? call->rank : rank, sends ? rank : call->rank, tag};
    return 0;
}

void mpg_graph_clear_routes(struct matching *matching, struct routes *routes)
{
    for (int i = 0; i < GRAPH_ROUTES; i++)
        give_back(matching, &routes->route[i]);
    mpg_graph_sequences_clear(&routes->sequences);
}
