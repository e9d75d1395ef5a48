/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes: plain probes look at the first message in a channel, matched probes take the message out. */
#include "graph/matching/probes.h"

static bool is_ready(const struct channel *c)
{
    return c->first && c->first->is_sent;
}

/* Sets *NAME to the channel in which CALL, a probe, looks. Returns 1; 0 if the source belongs to another job; -1 with ERR. */
static int name_channel(struct matching *matching, const struct call *call,
                        struct channel_name *name, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    int32_t sender = mpg_graph_peer(matching->members, call, e->comm, e->from, err);
    matching->counts->foreign += sender == MPG_FOREIGN;
    *name = (struct channel_name){SPACE_USER, e->comm, sender, call->rank, e->tag};
    return sender == MPG_FOREIGN ? 0 : sender < 0 ? -1 : 1;
}

int mpg_graph_probe(struct matching *matching, struct call *call, struct probing *probing, struct mpg_error *err)
{
    struct channel_name name;
    int status = name_channel(matching, call, &name, err);
    if (status <= 0)
        return status;
    struct channel *c = mpg_graph_find_channel(&matching->channels, &name, err);
    if (!c)
        return -1;
    probing->channel = c;
    c->probers++;
    if (!is_ready(c)) {
        call->waiter.next = c->probe_waiters;
        graph_await(&call->waiter, &c->probe_waiters);
    }
    return 0;
}

int mpg_graph_matched_probe(struct matching *matching, struct taken *taken, struct call *call, struct probing *probing,
                            struct mpg_error *err)
{
    struct channel_name name;
    struct message *m;
    uint64_t id = (uint64_t)call->event->message;
    int status = name_channel(matching, call, &name, err);
    if (status <= 0)
        return status;
    struct call_ref here = graph_call_ref(call);
    uint64_t *slot = mpg_map_add(&taken->messages, id, 0);
    if (!slot)
        return mpg_graph_out_of_memory(err);
    if (*slot)
        return mpg_graph_error(&here, err, "message %lld is already there", (long long)id);
    if (mpg_graph_take_message(matching, &name, &m, err) < 0) {
        mpg_map_remove(&taken->messages, id, 0);
        return -1;
    }
    *slot = (uint64_t)(uintptr_t)m;
    m->posted_number = call->number; /* the posting call is the probe until the message is received */
    m->posted_thread = call->event->thread;
    m->posted_call = (uint16_t)call->event->call;
    m->receiver_holds = true;
    probing->taken = m;
    if (!m->is_sent)
        graph_await(&call->waiter, &m->probe_waiter);
    return 0;
}

int mpg_graph_matched_receive(struct matching *matching, struct taken *taken, const struct call *call, struct message **message,
                              struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct call_ref here = graph_call_ref(call);
    *message = NULL;
    if (e->message == 0 || e->from == MPG_PROC_NULL)
        return 0;
    uint64_t *slot = mpg_map_find(&taken->messages, (uint64_t)e->message, 0);
    if (!slot) {
        int32_t sender = mpg_graph_peer(matching->members, call, e->comm, e->from, err);
        if (sender == MPG_FOREIGN)
            return 0; /* the probe has counted this foreign message */
        matching->counts->unmatched++;
        return matching->lenient ? 0
                                 : mpg_graph_error_lenient(&here, err, "no earlier probe returned message %lld",
                                                           (long long)e->message);
    }
    *message = (struct message *)(uintptr_t)*slot;
    call->sent->parts++;
    call->sent->dropped += mpg_call_kind(e->call) == MPG_KIND_IMRECV && (*message)->dropped;
    mpg_map_remove(&taken->messages, (uint64_t)e->message, 0);
    return mpg_graph_post_message(matching, call, *message, e->bytes, err);
}

static int probe_edge(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (m->dropped || (!m->synchronous && !m->sync_source))
        return mpg_graph_arrival_edge(matching, m, err);
    struct mpg_edge *edge = graph_add_edge(matching->steps, MPG_EDGE_ENVELOPE);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    edge->source = m->source;
    edge->slot = m->slot;
    edge->origin = graph_origin(m);
    edge->from_ns = edge->sent_ns = m->sender_ns;
    edge->requested = m->sent_requested;
    edge->bytes = (double)graph_known_bytes(m);
    edge->target_bytes = (double)graph_target_bytes(m);
    return 0;
}

struct message *mpg_graph_probed(const struct probing *probing)
{
    if (probing->channel && is_ready(probing->channel))
        return probing->channel->first;
    return probing->taken && probing->taken->is_sent ? probing->taken : NULL;
}

int mpg_graph_probe_edges(struct matching *matching, struct probing *probing, struct mpg_error *err)
{
    const struct message *m = mpg_graph_probed(probing);
    if (probing->channel)
        probing->channel->probers--;
    *probing = (struct probing){0};
    return m ? probe_edge(matching, m, err) : 0;
}

bool mpg_graph_probe_lacks_message(const struct probing *probing)
{
    return probing->taken && !probing->taken->is_sent;
}

static void forget_prober(struct channel *c, const struct waiter *waiter)
{
    struct waiter **link = &c->probe_waiters;
    while (*link && *link != waiter)
        link = &(*link)->next;
    if (*link)
        *link = waiter->next;
}

uint32_t mpg_graph_abandon_probe(struct probing *probing, const struct waiter *waiter)
{
    uint32_t n = mpg_graph_abandon_message(probing->taken, waiter);
    if (!probing->channel)
        return n;
    forget_prober(probing->channel, waiter);
    return n + 1;
}

int mpg_graph_end_probes(struct matching *matching, const struct taken *taken, struct mpg_error *err)
{
    const struct mpg_map *map = &taken->messages;
    const struct message *first = NULL;
    for (size_t i = 0; i < map->capacity; i++) {
        if (!map->entries[i].used)
            continue;
        const struct message *m = (struct message *)(uintptr_t)map->entries[i].value;
        matching->counts->unmatched++;
        if (!first || m->posted_number < first->posted_number)
            first = m;
    }
    if (!first || matching->lenient)
        return 0;
    const struct call_ref posted = graph_posting_call(first);
    return mpg_graph_error_lenient(&posted, err, "the message that it took is never received");
}
