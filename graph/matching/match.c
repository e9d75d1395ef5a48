/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels: queues of messages that wait for their other end. */
#include "graph/matching/match.h"

void graph_channels_init(struct channels *all)
{
    *all = (struct channels){.channel_pool.size = sizeof(struct channel),
                             .message_pool.size = sizeof(struct message),
                             .pair_pool.size = sizeof(struct channel_pairs)};
}

/* Numbers of communicators, windows and ranks have 31 bits. */
void graph_channel_keys(const struct channel_name *n, uint64_t key[2])
{
    key[0] = (uint64_t)n->space << 62 | (uint64_t)(uint32_t)n->where << 31 |
             (uint64_t)(uint32_t)n->destination;
    key[1] = (uint64_t)(uint32_t)n->source << 32 | (uint32_t)n->tag;
}

struct channel *graph_find_channel(struct channels *all, const struct channel_name *name,
                                   struct mpg_error *err)
{
    uint64_t key[2];
    graph_channel_keys(name, key);
    uint64_t *slot = mpg_map_add(&all->map, key[0], key[1]);
    if (slot && *slot)
        return (struct channel *)(uintptr_t)*slot;
    struct channel *c = slot ? mpg_pool_take(&all->channel_pool) : NULL;
    if (!c) {
        mpg_map_remove(&all->map, key[0], key[1]);
        graph_out_of_memory(err);
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)c;
    return c;
}

void graph_drop_channel_if_empty(struct channels *all, struct channel *c,
                                 const struct channel_name *name)
{
    uint64_t key[2];
    if (c->first || c->probers || c->routes)
        return;
    graph_channel_keys(name, key);
    mpg_map_remove(&all->map, key[0], key[1]);
    mpg_pool_give(&all->channel_pool, c);
}

struct message *graph_match(struct channels *all, struct channel *c,
                            const struct channel_name *name, bool sent, struct mpg_error *err)
{
    struct message *m = c->first;
    if (m && m->is_sent != sent) {
        c->first = m->next;
        m->next = NULL;
        return m;
    }
    if (!(m = mpg_pool_take(&all->message_pool))) {
        graph_out_of_memory(err);
        return NULL;
    }
    m->source = name->source;
    m->destination = name->destination;
    if (c->first)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
    return m;
}

void graph_wake_probers(struct channel *c)
{
    for (struct waiter *w = c->probe_waiters, *next; w; w = next) {
        next = w->next;
        graph_satisfy(w);
    }
    c->probe_waiters = NULL;
}

void graph_free_message(struct channels *all, struct message *m)
{
    mpg_pool_give(&all->message_pool, m);
}

static bool is_earlier(const struct message *a, const struct message *b)
{
    const struct place *p = a->is_sent ? &a->sent : &a->posted;
    const struct place *q = b->is_sent ? &b->sent : &b->posted;
    return p->rank != q->rank ? p->rank < q->rank : p->number < q->number;
}

const struct message *graph_first_unmatched(const struct channels *all, uint64_t *count)
{
    const struct message *first = NULL;
    *count = 0;
    for (size_t i = 0; i < all->map.capacity; i++) {
        if (!all->map.entries[i].used)
            continue;
        const struct channel *c = (struct channel *)(uintptr_t)all->map.entries[i].value;
        for (const struct message *m = c->first; m; m = m->next) {
            if (m->cancelling)
                continue;
            *count += !m->given_up;
            if (!first || is_earlier(m, first))
                first = m;
        }
    }
    return first;
}

void graph_channels_clear(struct channels *all)
{
    mpg_map_clear(&all->map);
    mpg_map_clear(&all->pairs);
    mpg_pool_clear(&all->pair_pool);
    mpg_pool_clear(&all->channel_pool);
    mpg_pool_clear(&all->message_pool);
}
