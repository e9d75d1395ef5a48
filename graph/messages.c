/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching: the n-th message on a channel meets the n-th receive that named it
 * (MPI-3.1 section 3.5, non-overtaking; Sottile 2006, section 4.1). */
#include "graph/graph_private.h"

/* --- communicators --- */

static uint64_t member_key(int32_t comm, int32_t rank)
{
    return (uint64_t)(uint32_t)comm << 32 | (uint32_t)rank;
}

int32_t graph_member_index(struct mpg_graph *g, int32_t comm, int32_t rank)
{
    for (; g->indexed_comms <= comm; g->indexed_comms++) {
        const struct mpg_comm *c = mpg_trace_comm(g->trace, g->indexed_comms);
        for (int32_t i = 0; i < c->size + c->remote_size; i++) {
            if (c->world_ranks[i] < 0)
                continue; /* of another world */
            uint64_t *slot =
                mpg_map_add(&g->members, member_key(g->indexed_comms, c->world_ranks[i]), 0);
            if (!slot)
                return -1;
            *slot = (uint64_t)i;
        }
    }
    uint64_t *slot = mpg_map_find(&g->members, member_key(comm, rank), 0);
    return slot ? (int32_t)*slot : -1;
}

int32_t graph_peer(struct mpg_graph *g, const struct stream *s, int32_t comm, int32_t peer,
                   struct mpg_error *err)
{
    struct place here = graph_here(s);
    if (comm < 0 || comm >= mpg_trace_comm_count(g->trace))
        return graph_error(&here, err, "its communicator is not known");
    const struct mpg_comm *c = mpg_trace_comm(g->trace, comm);
    int32_t first = 0, size = c->size;
    if (c->remote_size > 0 && graph_member_index(g, comm, s->rank) < c->size) {
        first = c->size;
        size = c->remote_size;
    }
    if (peer < 0 || peer >= size)
        return graph_error(&here, err, "rank %d is not in communicator %d (%d ranks)", peer,
                           c->label, size);
    return c->world_ranks[first + peer];
}

/* --- channels --- */

/* A channel's two keys in the map. Numbers of communicators, windows and ranks have 31
 * bits. */
static void channel_keys(const struct channel_name *n, uint64_t key[2])
{
    key[0] = (uint64_t)n->space << 62 | (uint64_t)(uint32_t)n->where << 31 |
             (uint64_t)(uint32_t)n->source;
    key[1] = (uint64_t)(uint32_t)n->destination << 32 | (uint32_t)n->tag;
}

struct channel *graph_find_channel(struct mpg_graph *g, const struct channel_name *name,
                                   struct mpg_error *err)
{
    uint64_t key[2];
    channel_keys(name, key);
    uint64_t *slot = mpg_map_add(&g->channels, key[0], key[1]);
    if (!slot) {
        graph_out_of_memory(err);
        return NULL;
    }
    if (*slot)
        return (struct channel *)(uintptr_t)*slot;
    struct channel *c = mpg_pool_take(&g->channel_pool);
    if (!c) {
        graph_out_of_memory(err);
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)c;
    return c;
}

/* Forgets a channel that holds nothing, so that memory follows messages in flight. */
static void drop_channel_if_empty(struct mpg_graph *g, struct channel *c,
                                  const struct channel_name *name)
{
    uint64_t key[2];
    if (c->first || c->probers)
        return;
    channel_keys(name, key);
    mpg_map_remove(&g->channels, key[0], key[1]);
    mpg_pool_give(&g->channel_pool, c);
}

static struct message *new_message(struct mpg_graph *g, struct mpg_error *err)
{
    struct message *m = mpg_pool_take(&g->message_pool);
    if (!m) {
        graph_out_of_memory(err);
        return NULL;
    }
    return m;
}

/* Takes the first of the channel's messages that still lacks its other end, or
 * appends a new one. SENT: the side that asks. */
static struct message *meet(struct mpg_graph *g, struct channel *c,
                            const struct channel_name *name, bool sent, struct mpg_error *err)
{
    struct message *m = c->first;
    if (m && m->is_sent != sent) {
        c->first = m->next;
        m->next = NULL;
        return m;
    }
    if (!(m = new_message(g, err)))
        return NULL;
    m->source = name->source;
    m->destination = name->destination;
    if (c->first)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
    return m;
}

static void arrive(struct mpg_graph *g, struct message *m)
{
    m->arrived = true;
    graph_wake(g, &m->receive_waiter);
    graph_wake(g, &m->send_waiter);
}

/* Both ends of a message are there. */
static int complete_match(struct mpg_graph *g, struct message *m, struct mpg_error *err)
{
    if (m->bytes > m->room_bytes && g->options.lenient)
        g->counts.unmatched++;
    else if (m->bytes > m->room_bytes)
        return graph_error(&m->posted, err,
                           "its %lld bytes do not hold the %lld bytes that rank %d sends in call "
                           "%llu (MPI_%s)",
                           (long long)m->room_bytes, (long long)m->bytes, m->sent.rank,
                           (unsigned long long)m->sent.number, mpg_call_name(m->sent.call));
    if (!m->synchronous) {
        if (m->has_poster_slot)
            graph_free_slot(g, m->poster_slot);
        return 0;
    }
    struct mpg_step *s = graph_emit_at(g, MPG_STEP_SYNCHRONOUS, &m->sent);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = s->a = m->slot;
    s->b = m->poster_slot;
    s->origin = m->origin;
    s->receiver = m->posted.rank;
    s->bytes = (double)m->bytes;
    s->sender_ns = m->sender_ns;
    s->poster_ns = m->poster_ns;
    graph_free_slot(g, m->poster_slot);
    arrive(g, m);
    return 0;
}

static int emit_eager(struct mpg_graph *g, const struct stream *sender, struct message *m,
                      struct mpg_error *err)
{
    if (graph_new_slot(g, &m->slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_EAGER, sender);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = m->slot;
    s->origin = m->origin;
    s->receiver = m->destination;
    s->bytes = (double)m->bytes;
    s->sender_ns = m->sender_ns;
    arrive(g, m);
    return 0;
}

int graph_send_on(struct mpg_graph *g, struct stream *s, const struct channel_name *name,
                  bool synchronous, int64_t bytes, uint32_t index, struct message **message,
                  struct mpg_error *err)
{
    struct channel *c = graph_find_channel(g, name, err);
    struct message *m = c ? meet(g, c, name, true, err) : NULL;
    if (!m)
        return -1;
    m->is_sent = m->sender_holds = true;
    m->receiver_holds = true;
    m->sent = graph_here(s);
    m->bytes = bytes;
    m->origin = (struct mpg_origin){s->rank, index, m->sent.number};
    m->sender_ns = graph_enter_ns(g, s);
    m->synchronous = synchronous;
    g->counts.messages++;
    g->counts.synchronous_messages += m->synchronous;
    if ((synchronous ? graph_store(g, s, &m->slot, err) : emit_eager(g, s, m, err)) < 0)
        return -1;
    graph_wake(g, &m->probe_waiter);
    if (c->first == m) /* what a receive or matched probe takes, a probe does not see */
        graph_wake_probes(g, c);
    if (m->is_posted && complete_match(g, m, err) < 0)
        return -1;
    drop_channel_if_empty(g, c, name);
    *message = m;
    return 0;
}

int graph_send(struct mpg_graph *g, struct stream *s, enum mpg_call call, int32_t comm, int32_t to,
               int32_t tag, int64_t bytes, uint32_t index, struct message **message,
               struct mpg_error *err)
{
    int32_t receiver = graph_peer(g, s, comm, to, err);
    *message = NULL;
    if (receiver == MPG_FOREIGN) {
        g->counts.foreign++;
        return 0;
    }
    if (receiver < 0)
        return -1;
    struct channel_name name = {SPACE_USER, comm, s->rank, receiver, tag};
    bool synchronous = mpg_call_is_synchronous(call) ||
                       (mpg_call_is_standard(call) && bytes > g->options.eager_limit_bytes);
    return graph_send_on(g, s, &name, synchronous, bytes, index, message, err);
}

int graph_post_message(struct mpg_graph *g, struct stream *s, struct message *m,
                       int64_t room_bytes, struct mpg_error *err)
{
    m->is_posted = m->receiver_holds = true;
    m->posted = graph_here(s);
    m->room_bytes = room_bytes;
    m->poster_ns = graph_enter_ns(g, s);
    m->has_poster_slot = !m->is_sent || m->synchronous;
    if (m->has_poster_slot && graph_store(g, s, &m->poster_slot, err) < 0)
        return -1;
    return m->is_sent ? complete_match(g, m, err) : 0;
}

int graph_take_message(struct mpg_graph *g, const struct channel_name *name,
                       struct message **message, struct mpg_error *err)
{
    struct channel *c = graph_find_channel(g, name, err);
    *message = c ? meet(g, c, name, false, err) : NULL;
    if (!*message)
        return -1;
    drop_channel_if_empty(g, c, name);
    return 0;
}

int graph_post_on(struct mpg_graph *g, struct stream *s, const struct channel_name *name,
                  int64_t room_bytes, struct message **message, struct mpg_error *err)
{
    struct message *m;
    if (graph_take_message(g, name, &m, err) < 0 ||
        graph_post_message(g, s, m, room_bytes, err) < 0)
        return -1;
    *message = m;
    return 0;
}

int graph_post(struct mpg_graph *g, struct stream *s, int32_t comm, int32_t from, int32_t tag,
               int64_t room_bytes, struct message **message, struct mpg_error *err)
{
    int32_t sender = graph_peer(g, s, comm, from, err);
    *message = NULL;
    if (sender == MPG_FOREIGN) {
        g->counts.foreign++;
        return 0;
    }
    if (sender < 0)
        return -1;
    struct channel_name name = {SPACE_USER, comm, sender, s->rank, tag};
    return graph_post_on(g, s, &name, room_bytes, message, err);
}

int graph_arrival_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err)
{
    struct mpg_edge *edge = graph_add_edge(g, MPG_EDGE_ARRIVAL);
    if (!edge)
        return graph_out_of_memory(err);
    edge->source = m->sent.rank;
    edge->slot = m->slot;
    edge->origin = m->origin;
    edge->sent_ns = m->sender_ns;
    edge->from_ns =
        m->synchronous && m->poster_ns > m->sender_ns ? m->poster_ns : m->sender_ns;
    edge->bytes = (double)m->bytes;
    return 0;
}

int graph_ack_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err)
{
    if (graph_arrival_edge(g, m, err) < 0)
        return -1;
    struct mpg_edge *edge = &g->edges[g->edge_count - 1];
    edge->kind = MPG_EDGE_ACK;
    edge->source = m->posted.rank;
    return 0;
}

static void release(struct mpg_graph *g, struct message *m)
{
    if (m->sender_holds || m->receiver_holds)
        return;
    if (m->synchronous)
        graph_free_slot(g, m->slot);
    if (m->abandoned && m->polled)
        g->counts.asynchronous++;
    mpg_pool_give(&g->message_pool, m);
}

void graph_receiver_done(struct mpg_graph *g, struct message *m, bool polled)
{
    m->receiver_holds = false;
    m->polled = polled;
    if (!m->synchronous)
        graph_free_slot(g, m->slot);
    release(g, m);
}

void graph_sender_done(struct mpg_graph *g, struct message *m, bool abandoned)
{
    m->sender_holds = false;
    m->abandoned = abandoned;
    g->counts.uncompleted_sends += abandoned;
    release(g, m);
}

static bool is_earlier(const struct message *a, const struct message *b)
{
    const struct place *p = a->is_sent ? &a->sent : &a->posted;
    const struct place *q = b->is_sent ? &b->sent : &b->posted;
    return p->rank != q->rank ? p->rank < q->rank : p->number < q->number;
}

const struct message *graph_first_unmatched(const struct mpg_graph *g, uint64_t *count)
{
    const struct message *first = NULL;
    *count = 0;
    for (size_t i = 0; i < g->channels.capacity; i++) {
        if (!g->channels.entries[i].used)
            continue;
        const struct channel *c = (struct channel *)(uintptr_t)g->channels.entries[i].value;
        for (const struct message *m = c->first; m; m = m->next) {
            *count += !m->given_up;
            if (!first || is_earlier(m, first))
                first = m;
        }
    }
    return first;
}
