/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For each thread a direct-mapped cache of the channels used last. */
#include "graph/matching/channel_cache.h"

static void give_back(struct matching *matching, struct cached_channel *cached_channel)
{
    if (!cached_channel->channel)
        return;
    cached_channel->channel->channel_cache--;
    mpg_graph_drop_channel_if_empty(&matching->channels, cached_channel->channel);
    cached_channel->channel = NULL;
}

/* Keeps the channel of a name from the second use on. Many names are used only once, or for one message at a time, and need no
 * channel. */
static int keep_channel(struct matching *matching, struct cached_channel *cached_channel, struct mpg_error *err)
{
    cached_channel->channel = mpg_graph_find_channel(&matching->channels, &cached_channel->name, err);
    if (!cached_channel->channel)
        return -1;
    cached_channel->channel->channel_cache++;
    return 0;
}

int mpg_graph_fill_cached_channel(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                                  int32_t tag,
                                  struct cached_channel *cached_channel, struct mpg_error *err)
{
    if (cached_channel->is_known && cached_channel->peer == peer && cached_channel->name.where == comm &&
        cached_channel->name.tag == tag)
        return cached_channel->is_foreign ? 0 : keep_channel(matching, cached_channel, err);
    give_back(matching, cached_channel);
    *cached_channel = (struct cached_channel){.peer = peer};
    const int32_t rank = mpg_graph_peer(matching->members, call, comm, peer, err);
    cached_channel->is_foreign = rank == MPG_FOREIGN;
    if (rank < 0)
        return cached_channel->is_foreign ? 0 : -1;
    cached_channel->is_known = true;
    cached_channel->name = (struct channel_name){SPACE_USER, comm, sends ? call->rank : rank, sends ? rank : call->rank, tag};
    return 0;
}

void mpg_graph_clear_channel_cache(struct matching *matching, struct channel_cache *channel_cache)
{
    for (int i = 0; i < CHANNELS_CACHED; i++)
        give_back(matching, &channel_cache->cached_channel[i]);
    mpg_graph_sequences_clear(&channel_cache->sequences);
}
