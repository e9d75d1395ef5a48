/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's cache of the channels used last, by peer and tag, which avoids a look-up in the table of all channels. */
#ifndef MPG_GRAPH_CHANNEL_CACHE_H
#define MPG_GRAPH_CHANNEL_CACHE_H

#include "graph/matching/messages.h"
#include "graph/matching/sequences.h"

/* The channel from a thread to PEER of COMM, or from PEER to the thread, with TAG. */
struct cached_channel {
    struct channel *channel;  /* the channel, with a reference by this entry; NULL: the name has been used only once */
    struct channel_name name; /* name of the channel */
    int32_t peer;
    bool is_known, is_foreign; /* is_foreign: PEER belongs to another job, without channel */
    uint32_t sequence;        /* number of the sequence of messages from the thread to PEER (sequences.h); 0: not known yet */
};

/* Number of entries, enough for the neighbours of a thread in most programs. */
enum { CHANNELS_CACHED = 16 };
struct channel_cache {
    struct cached_channel cached_channel[CHANNELS_CACHED];
    struct sequences sequences;
};

/* Fills CACHED_CHANNEL for the next use: at first use with the name, at second use with the channel, made if missing. Returns
 * 0, or -1 with ERR. */
int mpg_graph_fill_cached_channel(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                                  int32_t tag,
                                  struct cached_channel *cached_channel, struct mpg_error *err);
/* graph_cached_channel_slot() returns the entry that can hold the channel with PEER and TAG; SENDS: PEER is the receiver.
 * graph_cached_channel_fits() returns whether entry R holds the channel with PEER of COMM and TAG. */
static inline struct cached_channel *graph_cached_channel_slot(const struct call *call, bool sends, int32_t peer, int32_t tag)
{
    enum { PLACES = CHANNELS_CACHED / 2 }; /* entries of each direction; peers at equal distances mostly have different entries */
    const uint32_t name = (uint32_t)peer ^ (uint32_t)tag, hash = name * 0x9e3779b1u >> 16;
    return &call->channel_cache->cached_channel[2 * (hash % PLACES) + sends];
}
static inline bool graph_cached_channel_fits(const struct cached_channel *r, int32_t comm, int32_t peer, int32_t tag)
{
    /* SENDS need not be compared, because SENDS determines the index of the entry */
    return r->channel && r->peer == peer && r->name.where == comm && r->name.tag == tag;
}
/* Sets *CACHED_CHANNEL to the cache entry for a message that CALL sends to (SENDS), or receives from, PEER of COMM with TAG.
 * The entry is valid until the next look-up. */
static inline int graph_find_cached_channel(struct matching *matching, const struct call *call, bool sends,
                                            int32_t comm, int32_t peer, int32_t tag, struct cached_channel **cached_channel,
                                            struct mpg_error *err)
{
    struct cached_channel *r = *cached_channel = graph_cached_channel_slot(call, sends, peer, tag);
    return graph_cached_channel_fits(r, comm, peer, tag) ? 0 : mpg_graph_fill_cached_channel(matching, call, sends, comm, peer,
                                                                                             tag, r, err);
}

/* Empties CHANNEL_CACHE, and frees channels that nothing else refers to. */
void mpg_graph_clear_channel_cache(struct matching *matching, struct channel_cache *channel_cache);

#endif
