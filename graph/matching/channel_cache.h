/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The channels that a thread has used last, by what its calls name: found without a look-up among
 * all. Needs matching. */
#ifndef MPG_GRAPH_ROUTES_H
#define MPG_GRAPH_ROUTES_H

#include "graph/matching/messages.h"
#include "graph/matching/sequences.h"

/* From a thread to PEER of COMM, or to the thread from there, with TAG. */
struct cached_channel {
    struct channel *channel;  /* which keeps it; NULL: it has been used once only */
    struct channel_name name; /* the channel's */
    int32_t peer;
    bool is_known, is_foreign; /* the latter: PEER is of another world, and there is no channel */
    uint32_t sequence;        /* of messages sent there (sequences.h); 0: not known yet */
};

/* As many as a thread has of neighbours in most programs. Zero-initialised is none. */
enum { CHANNELS_CACHED = 16 };
struct channel_cache {
    struct cached_channel cached_channel[CHANNELS_CACHED];
    struct sequences sequences;
};

/* Has ROUTE, of CALL's thread, lead where it does not yet, or keep a channel where it does. */
int mpg_graph_fill_cached_channel(struct matching *matching, const struct call *call, bool sends, int32_t comm, int32_t peer,
                                  int32_t tag,
                                  struct cached_channel *cached_channel, struct mpg_error *err);
/* Where the routes of CALL's thread have the one to PEER (SENDS), or from there, with TAG, if they have it; and whether
 * ROUTE, of that place, is it, and knows its channel. */
static inline struct cached_channel *graph_cached_channel_slot(const struct call *call, bool sends, int32_t peer, int32_t tag)
{
    enum { PLACES = CHANNELS_CACHED / 2 }; /* of each direction; peers at any stride have different ones, mostly */
    const uint32_t name = (uint32_t)peer ^ (uint32_t)tag, hash = name * 0x9e3779b1u >> 16;
    return &call->channel_cache->cached_channel[2 * (hash % PLACES) + sends];
}
static inline bool graph_cached_channel_fits(const struct cached_channel *r, int32_t comm, int32_t peer, int32_t tag)
{
    return r->channel && r->peer == peer && r->name.where == comm && r->name.tag == tag; /* SENDS by its place */
}
/* CALL sends (SENDS) to, or receives from, PEER of COMM with TAG: *ROUTE, of the routes of its
 * thread, valid until the next is asked for. */
static inline int graph_find_cached_channel(struct matching *matching, const struct call *call, bool sends,
                                            int32_t comm, int32_t peer, int32_t tag, struct cached_channel **cached_channel,
                                            struct mpg_error *err)
{
    struct cached_channel *r = *cached_channel = graph_cached_channel_slot(call, sends, peer, tag);
    return graph_cached_channel_fits(r, comm, peer, tag) ? 0 : mpg_graph_fill_cached_channel(matching, call, sends, comm, peer,
                                                                                             tag, r, err);
}

/* gives back their channels */
void mpg_graph_clear_channel_cache(struct matching *matching, struct channel_cache *channel_cache);

#endif
