/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes (MPI-3.1 section 3.8): a plain one looks at the first message that no
 * receive has taken, a matched one takes it. */
#include "graph/graph_private.h"

static bool is_ready(const struct channel *c)
{
    return c->first && c->first->is_sent;
}

/* The channel that S's probe names: 1, 0 if its source is of another world. */
static int name_channel(struct mpg_graph *g, const struct stream *s, struct channel_name *name,
                        struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    int32_t sender = graph_peer(g, s, e->comm, e->from, err);
    g->counts.foreign += sender == MPG_FOREIGN;
    *name = (struct channel_name){SPACE_USER, e->comm, sender, s->rank, e->tag};
    return sender == MPG_FOREIGN ? 0 : sender < 0 ? -1 : 1;
}

int graph_probe(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct channel_name name;
    int status = name_channel(g, s, &name, err);
    if (status <= 0)
        return status;
    struct channel *c = graph_find_channel(g, &name, err);
    if (!c)
        return -1;
    s->probing = c;
    c->probers++;
    if (!is_ready(c)) {
        s->next_waiter = c->probe_waiters;
        c->probe_waiters = s;
        s->unmet++;
    }
    return 0;
}

void graph_wake_probes(struct mpg_graph *g, struct channel *c)
{
    for (struct stream *s = c->probe_waiters, *next; s; s = next) {
        next = s->next_waiter;
        graph_satisfy(g, s);
    }
    c->probe_waiters = NULL;
}

void graph_forget_probe(struct stream *s)
{
    struct stream **link = &s->probing->probe_waiters;
    while (*link && *link != s)
        link = &(*link)->next_waiter;
    if (*link)
        *link = s->next_waiter;
}

int graph_matched_probe(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct channel_name name;
    struct message *m;
    int status = name_channel(g, s, &name, err);
    if (status <= 0)
        return status;
    struct place here = graph_here(s);
    uint64_t *slot = mpg_map_add(&g->rank[s->rank].probed, (uint64_t)s->event.message, 0);
    if (!slot)
        return graph_out_of_memory(err);
    if (*slot)
        return graph_error(&here, err, "message %lld is already there",
                           (long long)s->event.message);
    if (graph_take_message(g, &name, &m, err) < 0)
        return -1;
    *slot = (uint64_t)(uintptr_t)m;
    m->posted = here; /* until it is */
    m->receiver_holds = true;
    s->probed = m;
    if (!m->is_sent) {
        m->probe_waiter = s;
        s->unmet++;
    }
    return 0;
}

int graph_matched_receive(struct mpg_graph *g, struct stream *s, struct message **message,
                          struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct rank_state *r = &g->rank[s->rank];
    struct place here = graph_here(s);
    *message = NULL;
    if (e->message == 0 || e->from == MPG_PROC_NULL)
        return 0;
    uint64_t *slot = mpg_map_find(&r->probed, (uint64_t)e->message, 0);
    if (!slot) {
        int32_t sender = graph_peer(g, s, e->comm, e->from, err);
        if (sender == MPG_FOREIGN)
            return 0; /* counted at its probe */
        g->counts.unmatched++;
        return g->options.lenient ? 0
                                  : graph_error(&here, err, "no probe found its message %lld",
                                                (long long)e->message);
    }
    *message = (struct message *)(uintptr_t)*slot;
    mpg_map_remove(&r->probed, (uint64_t)e->message, 0);
    return graph_post_message(g, s, *message, e->bytes, err);
}

static int probe_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err)
{
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

int graph_probe_edges(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct channel *c = s->probing;
    const struct message *m = s->probed;
    s->probing = NULL;
    s->probed = NULL;
    if (c)
        c->probers--;
    if (c && is_ready(c))
        return probe_edge(g, c->first, err);
    return m && m->is_sent ? probe_edge(g, m, err) : 0;
}

int graph_end_probes(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    const struct mpg_map *probed = &g->rank[rank].probed;
    const struct message *first = NULL;
    for (size_t i = 0; i < probed->capacity; i++) {
        if (!probed->entries[i].used)
            continue;
        const struct message *m = (struct message *)(uintptr_t)probed->entries[i].value;
        g->counts.unmatched++;
        if (!first || m->posted.number < first->posted.number)
            first = m;
    }
    if (!first || g->options.lenient)
        return 0;
    return graph_error(&first->posted, err, "the message that it took is never received");
}
