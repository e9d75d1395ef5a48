/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching: the n-th message on a channel meets the n-th receive that named it
 * (MPI-3.1 section 3.5, non-overtaking; Sottile 2006, section 4.1). */
#include "graph/graph_private.h"

static uint64_t channel_key(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static struct channel *find_channel(struct mpg_graph *g, int32_t comm, int32_t source,
                                    int32_t destination, int32_t tag, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&g->channels, channel_key(comm, source),
                                 channel_key(destination, tag));
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
    c->probe_waiter = NO_RANK;
    *slot = (uint64_t)(uintptr_t)c;
    return c;
}

/* Forgets a channel that holds nothing, so that memory follows messages in flight. */
static void drop_channel_if_empty(struct mpg_graph *g, struct channel *c, int32_t comm,
                                  int32_t source, int32_t destination, int32_t tag)
{
    if (c->first || c->probe_waiter != NO_RANK)
        return;
    mpg_map_remove(&g->channels, channel_key(comm, source), channel_key(destination, tag));
    mpg_pool_give(&g->channel_pool, c);
}

static struct message *new_message(struct mpg_graph *g, struct mpg_error *err)
{
    struct message *m = mpg_pool_take(&g->message_pool);
    if (!m) {
        graph_out_of_memory(err);
        return NULL;
    }
    m->receive_waiter = m->send_waiter = NO_RANK;
    return m;
}

/* Takes the first of the channel's messages that still lacks its other end, or
 * appends a new one. SENT: the side that asks. */
static struct message *meet(struct mpg_graph *g, struct channel *c, bool sent, int32_t source,
                            int32_t destination, struct mpg_error *err)
{
    struct message *m = c->first;
    if (m && (sent ? !m->is_sent : !m->is_posted)) {
        c->first = m->next;
        m->next = NULL;
        return m;
    }
    if (!(m = new_message(g, err)))
        return NULL;
    m->source = source;
    m->destination = destination;
    if (c->first)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
    return m;
}

static void wake(struct mpg_graph *g, int32_t *waiter)
{
    if (*waiter != NO_RANK) {
        int32_t rank = *waiter;
        *waiter = NO_RANK;
        graph_satisfy(g, rank);
    }
}

static void arrive(struct mpg_graph *g, struct message *m)
{
    m->arrived = true;
    wake(g, &m->receive_waiter);
    wake(g, &m->send_waiter);
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
    struct mpg_step *s = graph_emit(g, MPG_STEP_SYNCHRONOUS, m->sent.rank);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = s->a = m->slot;
    s->b = m->poster_slot;
    s->origin = m->origin;
    s->call = m->sent.call;
    s->number = m->sent.number;
    s->receiver = m->posted.rank;
    s->bytes = (double)m->bytes;
    s->sender_ns = m->sender_ns;
    s->poster_ns = m->poster_ns;
    graph_free_slot(g, m->poster_slot);
    arrive(g, m);
    return 0;
}

static int store_value(struct mpg_graph *g, int32_t rank, uint32_t *slot, struct mpg_error *err)
{
    if (graph_new_slot(g, slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_STORE, rank);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = *slot;
    return 0;
}

static int emit_eager(struct mpg_graph *g, struct message *m, int32_t receiver,
                      struct mpg_error *err)
{
    if (graph_new_slot(g, &m->slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_EAGER, m->sent.rank);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = m->slot;
    s->origin = m->origin;
    s->call = m->sent.call;
    s->number = m->sent.number;
    s->receiver = receiver;
    s->bytes = (double)m->bytes;
    s->sender_ns = m->sender_ns;
    arrive(g, m);
    return 0;
}

int graph_send(struct mpg_graph *g, int32_t rank, enum mpg_call call, int32_t comm, int32_t to,
               int32_t tag, int64_t bytes, uint32_t index, struct message **message,
               struct mpg_error *err)
{
    int32_t receiver = graph_peer(g, rank, comm, to, err);
    if (receiver < 0)
        return -1;
    struct channel *c = find_channel(g, comm, rank, receiver, tag, err);
    struct message *m = c ? meet(g, c, true, rank, receiver, err) : NULL;
    if (!m)
        return -1;
    m->is_sent = m->sender_holds = true;
    m->receiver_holds = true;
    m->sent = graph_here(g, rank);
    m->bytes = bytes;
    m->origin = (struct mpg_origin){rank, index, m->sent.number};
    m->sender_ns = graph_enter_ns(g, rank);
    m->synchronous = mpg_call_is_synchronous(call) ||
                     (mpg_call_is_standard(call) && bytes > g->options.eager_limit_bytes);
    g->counts.messages++;
    g->counts.synchronous_messages += m->synchronous;
    if ((m->synchronous ? store_value(g, rank, &m->slot, err) : emit_eager(g, m, receiver, err)) <
        0)
        return -1;
    if (!m->is_posted) /* what a posted receive takes, a probe does not see */
        wake(g, &c->probe_waiter);
    if (m->is_posted && complete_match(g, m, err) < 0)
        return -1;
    drop_channel_if_empty(g, c, comm, rank, receiver, tag);
    *message = m;
    return 0;
}

int graph_post(struct mpg_graph *g, int32_t rank, int32_t comm, int32_t from, int32_t tag,
               int64_t room_bytes, struct message **message, struct mpg_error *err)
{
    int32_t sender = graph_peer(g, rank, comm, from, err);
    if (sender < 0)
        return -1;
    struct channel *c = find_channel(g, comm, sender, rank, tag, err);
    struct message *m = c ? meet(g, c, false, sender, rank, err) : NULL;
    if (!m)
        return -1;
    m->is_posted = m->receiver_holds = true;
    m->posted = graph_here(g, rank);
    m->room_bytes = room_bytes;
    m->poster_ns = graph_enter_ns(g, rank);
    m->has_poster_slot = !m->is_sent || m->synchronous;
    if (m->has_poster_slot && store_value(g, rank, &m->poster_slot, err) < 0)
        return -1;
    if (m->is_sent && complete_match(g, m, err) < 0)
        return -1;
    drop_channel_if_empty(g, c, comm, sender, rank, tag);
    *message = m;
    return 0;
}

bool graph_channel_ready(const struct channel *c)
{
    return c->first && c->first->is_sent;
}

int graph_probe(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    int32_t sender = graph_peer(g, rank, r->event.comm, r->event.from, err);
    if (sender < 0)
        return -1;
    r->probing = find_channel(g, r->event.comm, sender, rank, r->event.tag, err);
    if (!r->probing)
        return -1;
    if (!graph_channel_ready(r->probing))
        r->probing->probe_waiter = rank;
    return 0;
}

int graph_probe_edge(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct message *m = r->probing->first;
    r->probing = NULL;
    if (!m->synchronous)
        return graph_arrival_edge(g, m, err);
    struct mpg_edge *edge = graph_add_edge(g, MPG_EDGE_ENVELOPE);
    if (!edge)
        return graph_out_of_memory(err);
    edge->source = m->sent.rank;
    edge->slot = m->slot;
    edge->origin = m->origin;
    edge->from_ns = edge->sent_ns = m->sender_ns;
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
