/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels: queues of messages between two ranks, with one communicator and tag, whose send or receive is still missing. */
#include "graph/matching/match.h"

#include "common/large.h"

_Static_assert(sizeof(struct message) == 128 || sizeof(void *) != 8, "a message is not two cache lines");

void mpg_graph_channels_init(struct channels *all, bool has_more)
{
    *all = (struct channels){.channel_pool.size = sizeof(struct channel),
                             .message_pool.size = sizeof(struct message) +
                                                  (has_more ? sizeof(struct more_of_message) : 0),
                             .message_pool.large_alloc = mpg_large_alloc,
                             .pair_pool.size = sizeof(struct channel_pairs)};
}

bool mpg_graph_channels_have_more(const struct channels *all)
{
    return all->message_pool.size > sizeof(struct message);
}

/* Packs a channel's name into two words. Numbers of communicators, windows and ranks have 31 bits. */
void mpg_graph_channel_keys(const struct channel_name *n, uint64_t key[2])
{
    key[0] = (uint64_t)n->space << 62 | (uint64_t)(uint32_t)n->where << 31 |
             (uint64_t)(uint32_t)n->destination;
    key[1] = (uint64_t)(uint32_t)n->source << 32 | (uint32_t)n->tag;
}

/* Makes the channel NAME. ALONE: the message stored under this name without a channel, or NULL. */
static struct channel *new_channel(struct channels *all, const struct channel_name *name, struct message *alone,
                                   struct mpg_error *err)
{
    struct channel *c = mpg_pool_take(&all->channel_pool);
    if (!c) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    c->name = *name;
    c->first = c->last = alone;
    return c;
}

struct channel *mpg_graph_find_channel(struct channels *all, const struct channel_name *name, struct mpg_error *err)
{
    void **where;
    const uint32_t hash = mpg_graph_channel_hash(name);
    const struct channel_entry known = mpg_graph_channel_find(&all->channel_table, name, hash, &where);
    if (known.channel)
        return known.channel;
    const struct channel_entry made = {.channel = new_channel(all, name, known.alone, err)};
    if (!made.channel)
        return NULL;
    if (known.alone)
        mpg_graph_channel_change(where, made);
    else if (mpg_graph_channel_add(&all->channel_table, hash, made) < 0) {
        mpg_pool_give(&all->channel_pool, made.channel);
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    return made.channel;
}

void mpg_graph_drop_channel_if_empty(struct channels *all, struct channel *c)
{
    void **where;
    if (c->first || c->probers || c->channel_cache)
        return;
    const uint32_t hash = mpg_graph_channel_hash(&c->name);
    (void)mpg_graph_channel_find(&all->channel_table, &c->name, hash, &where);
    mpg_graph_channel_remove(&all->channel_table, hash, where);
    mpg_pool_give(&all->channel_pool, c);
}

struct message *mpg_graph_new_message(struct channels *all, const struct channel_name *name, struct mpg_error *err)
{
    struct message *m = mpg_pool_take(&all->message_pool);
    if (!m) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    m->source = name->source;
    m->destination = name->destination;
    m->comm = name->where;
    m->tag = name->tag;
    m->space = name->space;
    m->has_more = mpg_graph_channels_have_more(all);
    return m;
}

struct message *mpg_graph_append_message(struct channels *all, struct channel *c, struct mpg_error *err)
{
    struct message *m = mpg_graph_new_message(all, &c->name, err);
    if (!m)
        return NULL;
    if (c->first)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
    return m;
}

struct message *mpg_graph_match_named(struct channels *all, const struct channel_name *name, bool sent, struct channel **c,
                                      struct mpg_error *err)
{
    void **where;
    const uint32_t hash = mpg_graph_channel_hash(name);
    mpg_graph_channel_expect(&all->channel_table, name);
    const struct channel_entry known = mpg_graph_channel_find(&all->channel_table, name, hash, &where);
    struct message *m = known.alone;
    *c = known.channel;
    if (m && m->is_sent != sent) {
        mpg_graph_channel_remove(&all->channel_table, hash, where);
        return m;
    }
    if (m) { /* a second message: now the name needs a channel */
        if (!(*c = new_channel(all, name, m, err)))
            return NULL;
        mpg_graph_channel_change(where, (struct channel_entry){.channel = *c});
    }
    if (*c)
        return graph_match(all, *c, sent, err);
    m = mpg_graph_new_message(all, name, err);
    if (m && mpg_graph_channel_add(&all->channel_table, hash, (struct channel_entry){.alone = m}) < 0) {
        mpg_pool_give(&all->message_pool, m);
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    return m;
}

void mpg_graph_wake_probers(struct channel *c)
{
    for (struct waiter *w = c->probe_waiters, *next; w; w = next) {
        next = w->next;
        graph_satisfy(w);
    }
    c->probe_waiters = NULL;
}

void mpg_graph_free_message(struct channels *all, struct message *m)
{
    mpg_pool_give(&all->message_pool, m);
}

static bool is_earlier(const struct message *a, const struct message *b)
{
    const int32_t p = a->is_sent ? a->source : a->destination, q = b->is_sent ? b->source : b->destination;
    const uint64_t i = a->is_sent ? a->sent_number : a->posted_number;
    return p != q ? p < q : i < (b->is_sent ? b->sent_number : b->posted_number);
}

const struct message *mpg_graph_first_unmatched(const struct channels *all, uint64_t *count)
{
    const struct message *first = NULL;
    size_t i = 0;
    *count = 0;
    for (struct channel_entry p; p = mpg_graph_channel_next(&all->channel_table, &i), p.alone || p.channel;)
        for (const struct message *m = p.alone ? p.alone : p.channel->first; m; m = m->next) {
            if (m->cancelling)
                continue;
            *count += !m->unmatched;
            if (!first || is_earlier(m, first))
                first = m;
        }
    return first;
}

void mpg_graph_channels_clear(struct channels *all)
{
    mpg_graph_channel_table_clear(&all->channel_table);
    mpg_map_clear(&all->pairs);
    mpg_pool_clear(&all->pair_pool);
    mpg_pool_clear(&all->channel_pool);
    mpg_pool_clear(&all->message_pool);
}
