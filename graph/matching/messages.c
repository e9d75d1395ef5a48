/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a send, a receive and their match mean for the graph (docs/MODEL.md, section 4). */
#include "graph/matching/messages.h"

#include <stdlib.h>

#include "common/reserve.h"
#include "graph/matching/routes.h"

static void arrive(struct message *m)
{
    m->arrived = true;
    graph_wake(&m->receive_waiter);
    graph_wake(&m->send_waiter);
    graph_wake(&m->choice_waiter);
}

bool graph_is_alone(const struct matching *matching, int32_t rank)
{
    return mpg_trace_threads(matching->members->trace, rank) <= 1;
}

static int learn_sender(const struct matching *matching, const struct message *m, struct mpg_error *err)
{
    return graph_learn_dropped(&matching->supposing, &m->sent, m->origin.index + 1, m->dropper, err);
}

int graph_drop_sender(struct matching *matching, struct message *m, int dropper, struct mpg_error *err)
{
    if (dropper < 0)
        return 0;
    m->drops_sender = true;
    m->dropper = dropper;
    return m->is_sent ? learn_sender(matching, m, err) : 0;
}

/* M's receive is of what a hypothesis is about. */
static int tell_receiver(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (!m->dropped && m->target_bytes == m->bytes)
        return 0;
    const struct mpg_told told = {.kind = MPG_TOLD_RECEIVED, .rank = m->posted.rank, .number = m->posted.number,
                                  .which = m->posted_which, .drops = m->dropped, .was = m->bytes,
                                  .bytes = m->target_bytes};
    return graph_tell(&matching->supposing, &told, m->dropped ? m->dropper : 0, err);
}

/* Both ends of a message are there. */
static int complete_match(struct matching *matching, struct message *m, struct mpg_error *err)
{
    if (tell_receiver(matching, m, err) < 0)
        return -1;
    if (m->dropped && m->posted_requested &&
        graph_learn_dropped(&matching->supposing, &m->posted, m->posted_part, m->dropper, err) < 0)
        return -1;
    if (m->drops_sender && learn_sender(matching, m, err) < 0)
        return -1;
    if (m->bytes > m->room_bytes && matching->lenient)
        matching->counts->unmatched++;
    else if (m->bytes > m->room_bytes)
        return graph_error_lenient(
            &m->posted, err,
            "its %lld bytes do not hold the %lld bytes that rank %d sends in call %llu (MPI_%s)",
            (long long)m->room_bytes, (long long)m->bytes, m->sent.rank,
            (unsigned long long)m->sent.number, mpg_call_name(m->sent.call));
    if (m->sync_source)
        graph_carry_message(&matching->carrying, m);
    if (!m->synchronous) {
        if (m->has_poster_slot)
            graph_free_slot(matching->steps, m->poster_slot);
        return 0;
    }
    struct mpg_step *s = graph_emit_at(matching->steps, MPG_STEP_SYNCHRONOUS, &m->sent);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = s->a = m->slot;
    s->b = m->poster_slot;
    s->origin = m->origin;
    s->receiver = m->posted.rank;
    s->bytes = (double)m->known_bytes;
    s->target_bytes = (double)m->target_bytes;
    s->sender_ns = m->sender_ns;
    s->poster_ns = m->poster_ns;
    s->requested = m->sent_requested;
    s->posted = m->posted_requested;
    s->poster = m->posted.number;
    s->changed = graph_is_changed(m);
    s->grows = m->grows;
    graph_free_slot(matching->steps, m->poster_slot);
    arrive(m);
    return 0;
}

/* Where a synchronous message leaves from, until its receive is posted. */
static int store_sending(struct matching *matching, const struct call *sender, struct message *m,
                         struct mpg_error *err)
{
    struct steps *steps = matching->steps;
    if (graph_store(steps, sender, &m->slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_last_step(steps);
    s->sends = true;
    s->origin = m->origin;
    s->receiver = m->destination;
    s->bytes = (double)m->known_bytes;
    s->target_bytes = (double)m->target_bytes;
    return 0;
}

static int emit_eager(struct matching *matching, const struct call *sender, struct message *m,
                      struct mpg_error *err)
{
    if (graph_new_slot(matching->steps, &m->slot, err) < 0)
        return -1;
    arrive(m);
    if (matching->steps->wanted == MPG_STEPS_LEAVES)
        return 0;
    struct mpg_step *s = graph_emit(matching->steps, MPG_STEP_EAGER, sender);
    if (!s)
        return graph_out_of_memory(err);
    s->slot = m->slot;
    s->origin = m->origin;
    s->receiver = m->destination;
    s->bytes = (double)m->known_bytes;
    s->target_bytes = (double)m->target_bytes;
    s->sender_ns = m->sender_ns;
    s->requested = m->sent_requested;
    s->changed = graph_is_changed(m);
    s->message = m->id;
    s->comm = m->comm;
    s->tag = m->tag;
    s->is_followed = m->is_followed;
    return 0;
}

struct protocol graph_protocol(const struct matching *matching, enum mpg_call mode, int64_t bytes)
{
    bool synchronous = mpg_call_is_synchronous(mode), standard = mpg_call_is_standard(mode);
    return (struct protocol){
        .standard = standard,
        .sync_source = synchronous || (standard && bytes > matching->source_eager_limit_bytes),
        .sync_target = synchronous || (standard && bytes > matching->eager_limit_bytes)};
}

/* *SEQUENCE, if it is not known, is that of the messages of CALL's thread to rank TO. */
static int find_sequence(struct matching *matching, const struct call *call, int32_t to,
                         uint32_t *sequence, struct mpg_error *err)
{
    if (*sequence > 0)
        return 0;
    uint64_t pair = (uint64_t)(uint32_t)call->rank << 32 | (uint32_t)to;
    uint64_t *number = mpg_map_add(&matching->sequences, pair, call->event->thread);
    void *all = matching->sequence;
    if (!number || mpg_reserve(&all, sizeof *matching->sequence, &matching->sequence_capacity,
                               matching->sequence_count + 1, err) < 0)
        return graph_out_of_memory(err);
    matching->sequence = all;
    if (*number == 0)
        *number = ++matching->sequence_count;
    *sequence = (uint32_t)*number;
    return 0;
}

/* The INDEX-th message of CALL, to rank TO. */
static int find_origin(struct matching *matching, const struct call *call, uint32_t index,
                       int32_t to, uint32_t *sequence, struct mpg_origin *origin,
                       struct mpg_error *err)
{
    if (find_sequence(matching, call, to, sequence, err) < 0)
        return -1;
    *origin = (struct mpg_origin){.rank = call->rank,
                                  .index = index,
                                  .call = call->number,
                                  .to = to,
                                  .thread = call->event->thread,
                                  .nth = matching->sequence[*sequence - 1]++};
    return 0;
}

/* Notes M among what CALL sends. */
static int note_sent(const struct call *call, const struct message *m, struct mpg_error *err)
{
    struct sent *sent = call->sent;
    enum mpg_kind kind = mpg_call_kind(call->event->call);
    if (sent->n == sent->capacity) {
        uint32_t capacity = sent->capacity ? 2 * sent->capacity : 4;
        void *grown = realloc(sent->message, capacity * sizeof *sent->message);
        if (!grown)
            return graph_out_of_memory(err);
        sent->message = grown;
        sent->capacity = capacity;
    }
    sent->message[sent->n++] =
        (struct mpg_sent){.origin = m->origin,
                          .bytes = (double)m->known_bytes,
                          .target_bytes = (double)m->target_bytes,
                          .blocking = kind == MPG_KIND_SEND || kind == MPG_KIND_SENDRECV,
                          .sync_source = m->sync_source,
                          .sync_target = m->synchronous && !m->grows};
    return 0;
}

/* M, sent by CALL on C, called NAME, is not there: nobody waits for it, and its draws are nobody else's. */
static int drop(struct matching *matching, const struct call *call, struct channel *c,
                const struct channel_name *name, uint32_t *sequence, struct message *m, int dropper,
                struct message **message, struct mpg_error *err)
{
    m->dropped = true;
    m->dropper = dropper;
    m->synchronous = m->sync_source = m->is_followed = false;
    call->sent->dropped++;
    if (find_origin(matching, call, 0, name->destination, sequence, &m->origin, err) < 0)
        return -1;
    arrive(m);
    graph_wake(&m->probe_waiter);
    if (c->first == m)
        graph_wake_probers(c);
    if (m->is_posted && complete_match(matching, m, err) < 0)
        return -1;
    graph_drop_channel_if_empty(&matching->channels, c, name);
    *message = m;
    return 0;
}

/* A message on C, which is called NAME; *SEQUENCE: that of those to its receiver, or 0. */
static int send_on(struct matching *matching, const struct call *call, struct channel *c,
                   const struct channel_name *name, uint32_t *sequence, struct protocol protocol,
                   struct load load, uint32_t index, struct message **message, struct mpg_error *err)
{
    struct message *m = graph_match(&matching->channels, c, name, true, err);
    if (!m)
        return -1;
    m->is_sent = m->sender_holds = true;
    m->receiver_holds = true;
    m->sent = graph_here(call);
    m->bytes = load.bytes;
    m->target_bytes = load.target_bytes;
    m->known_bytes = matching->of_target ? load.target_bytes : load.bytes;
    m->sender_ns = call->enter_ns;
    m->sent_requested = graph_leaves_request(call->event->call);
    m->standard = protocol.standard;
    m->blocking = mpg_call_kind(call->event->call) == MPG_KIND_SEND;
    m->sync_source = protocol.sync_source;
    m->synchronous = protocol.sync_target;
    m->grows = protocol.grows;
    m->id = ++matching->sent;
    m->is_user = name->space == SPACE_USER;
    m->comm = name->where;
    m->tag = name->tag;
    m->is_followed = matching->posted.follows && name->space == SPACE_USER && !m->synchronous &&
                     !m->sync_source && graph_is_alone(matching, m->destination);
    if (load.drops)
        return drop(matching, call, c, name, sequence, m, load.dropper, message, err);
    if (graph_is_alone(matching, m->destination))
        graph_carry_wants(&matching->carrying, m);
    graph_carry_resized(&matching->carrying, m, matching->counts);
    matching->counts->messages++;
    matching->in_flight++;
    matching->counts->synchronous_messages += m->synchronous;
    matching->counts->made_eager += m->sync_source && !m->synchronous;
    matching->counts->made_synchronous += !m->sync_source && m->synchronous;
    if (find_origin(matching, call, index, name->destination, sequence, &m->origin, err) < 0 ||
        (matching->steps->wanted != MPG_STEPS_LEAVES && note_sent(call, m, err) < 0) ||
        (m->synchronous ? store_sending(matching, call, m, err)
                        : emit_eager(matching, call, m, err)) < 0)
        return -1;
    graph_carry_message(&matching->carrying, m);
    graph_wake(&m->probe_waiter);
    if (c->first == m) /* what a receive or matched probe takes, a probe does not see */
        graph_wake_probers(c);
    if (m->is_posted && complete_match(matching, m, err) < 0)
        return -1;
    graph_drop_channel_if_empty(&matching->channels, c, name);
    *message = m;
    return 0;
}

int graph_send_on(struct matching *matching, const struct call *call,
                  const struct channel_name *name, struct protocol protocol, struct load load,
                  uint32_t index, struct message **message, struct mpg_error *err)
{
    struct channel *c = graph_find_channel(&matching->channels, name, err);
    uint32_t sequence = 0;
    return c ? send_on(matching, call, c, name, &sequence, protocol, load, index, message, err) : -1;
}

/* That of LOAD, which hypotheses resize. */
static struct protocol resized_protocol(const struct matching *matching, enum mpg_call mode, struct load load)
{
    struct protocol protocol = graph_protocol(matching, mode, load.bytes);
    if (!matching->keeps_protocol)
        protocol.sync_target = graph_protocol(matching, mode, load.target_bytes).sync_target;
    protocol.grows = protocol.sync_target && !protocol.sync_source &&
                     !graph_protocol(matching, mode, load.bytes).sync_target;
    return protocol;
}

struct protocol graph_load_protocol(struct matching *matching, enum mpg_call mode, struct load load)
{
    const uint64_t hash = ((uint64_t)load.bytes ^ mode) * 0x9e3779b97f4a7c15u;
    struct known_protocol *known = &matching->known[(hash >> 32) % GRAPH_PROTOCOLS];
    if (load.target_bytes != load.bytes)
        return resized_protocol(matching, mode, load);
    if (known->bytes != load.bytes || known->mode != mode)
        *known = (struct known_protocol){load.bytes, mode, graph_protocol(matching, mode, load.bytes)};
    return known->protocol;
}

/* With hypotheses: what becomes of the message that CALL sends on the channel NAME of COMM. */
static int suppose_load(const struct matching *matching, const struct call *call, int32_t comm,
                        const struct channel_name *name, struct load *load, struct mpg_error *err)
{
    const int64_t bytes = load->bytes;
    struct outcome outcome;
    if (graph_suppose_message(&matching->supposing, call, comm, name->destination, name->tag, bytes, &outcome, err) < 0)
        return -1;
    const struct mpg_told told = {.kind = MPG_TOLD_SENT, .rank = call->rank, .number = call->number,
                                  .which = call->sent->which, .drops = outcome.drops, .was = bytes,
                                  .bytes = outcome.bytes};
    if (graph_tell(&matching->supposing, &told, outcome.by, err) < 0)
        return -1;
    *load = graph_outcome_load(bytes, &outcome);
    return 0;
}

int graph_send(struct matching *matching, const struct call *call, enum mpg_call mode,
               int32_t comm, int32_t to, int32_t tag, int64_t bytes, uint32_t index,
               struct message **message, struct mpg_error *err)
{
    struct route *route;
    *message = NULL;
    if (graph_find_route(matching, call, true, comm, to, tag, &route, err) < 0)
        return -1;
    if (!route->channel) {
        matching->counts->foreign++;
        return 0;
    }
    struct load load = graph_load(bytes);
    if (matching->supposing.supposed && suppose_load(matching, call, comm, &route->name, &load, err) < 0)
        return -1;
    call->sent->parts++;
    return send_on(matching, call, route->channel, &route->name, &route->sequence,
                   graph_load_protocol(matching, mode, load), load, index, message, err);
}

int graph_post_message(struct matching *matching, const struct call *call, struct message *m,
                       int64_t room_bytes, struct mpg_error *err)
{
    m->is_posted = m->receiver_holds = true;
    m->posted = graph_here(call);
    m->posted_part = call->sent->parts;
    m->posted_which = call->sent->which;
    m->room_bytes = room_bytes;
    m->poster_ns = call->enter_ns;
    m->posted_requested = graph_leaves_request(call->event->call);
    m->has_poster_slot = !m->is_sent || m->synchronous;
    if (m->has_poster_slot && graph_store(matching->steps, call, &m->poster_slot, err) < 0)
        return -1;
    return m->is_sent ? complete_match(matching, m, err) : 0;
}

int graph_take_message(struct matching *matching, const struct channel_name *name,
                       struct message **message, struct mpg_error *err)
{
    struct channel *c = graph_find_channel(&matching->channels, name, err);
    *message = c ? graph_match(&matching->channels, c, name, false, err) : NULL;
    if (!*message)
        return -1;
    graph_drop_channel_if_empty(&matching->channels, c, name);
    return 0;
}

int graph_post_on(struct matching *matching, const struct call *call,
                  const struct channel_name *name, int64_t room_bytes, struct message **message,
                  struct mpg_error *err)
{
    struct message *m;
    if (graph_take_message(matching, name, &m, err) < 0 ||
        graph_post_message(matching, call, m, room_bytes, err) < 0)
        return -1;
    *message = m;
    return 0;
}

void graph_note_post(const struct matching *matching, const struct call *call)
{
    const struct place here = graph_here(call);
    call->sent->parts++;
    if (graph_leaves_request(call->event->call))
        call->sent->dropped += graph_is_post_dropped(&matching->supposing, &here, call->sent->parts);
}

int graph_post(struct matching *matching, const struct call *call, int32_t comm, int32_t from,
               int32_t tag, uint32_t any, int64_t room_bytes, struct message **message,
               struct mpg_error *err)
{
    struct route *route;
    *message = NULL;
    if (graph_find_route(matching, call, false, comm, from, tag, &route, err) < 0)
        return -1;
    if (!route->channel) {
        matching->counts->foreign++;
        return 0;
    }
    graph_note_post(matching, call);
    *message = graph_match(&matching->channels, route->channel, &route->name, false, err);
    if (!*message || graph_post_message(matching, call, *message, room_bytes, err) < 0)
        return -1;
    return graph_posted_add(&matching->posted, *message, any, err);
}

static void describe_arrival(const struct message *m, struct mpg_edge *edge)
{
    double later_ns = m->poster_ns > m->sender_ns ? m->poster_ns : m->sender_ns;
    edge->source = m->sent.rank;
    edge->slot = m->is_viewed ? m->view_slot : m->slot;
    edge->is_view = m->is_viewed;
    edge->message = m->id;
    edge->is_followed = m->is_followed;
    edge->origin = m->origin;
    edge->sent_ns = m->sender_ns;
    edge->requested = m->sent_requested;
    edge->from_ns = m->sync_source ? later_ns : m->sender_ns;
    edge->base_ns = m->synchronous ? later_ns : m->sender_ns;
    edge->changed = graph_is_changed(m);
    edge->bytes = (double)m->known_bytes;
    edge->target_bytes = (double)m->target_bytes;
}

int graph_arrival_edge(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (m->dropped)
        return 0;
    struct mpg_edge *edge = graph_add_edge(matching->steps, MPG_EDGE_ARRIVAL);
    if (!edge)
        return graph_out_of_memory(err);
    describe_arrival(m, edge);
    return 0;
}

int graph_view(struct matching *matching, const struct call *call, struct message *m,
               struct mpg_error *err)
{
    if (m->is_viewed)
        return 0;
    m->view_slot = m->slot;
    if (m->synchronous && graph_new_slot(matching->steps, &m->view_slot, err) < 0)
        return -1;
    m->is_viewed = true;
    struct mpg_step *step = graph_emit(matching->steps, MPG_STEP_VIEW, call);
    if (!step)
        return graph_out_of_memory(err);
    step->slot = m->view_slot;
    step->a = m->slot;
    step->message = m->id;
    return 0;
}

int graph_candidate(struct matching *matching, const struct message *m, int64_t request,
                    bool completed, struct mpg_error *err)
{
    struct mpg_candidate *candidate = graph_add_candidate(matching->steps);
    if (!candidate)
        return graph_out_of_memory(err);
    candidate->arrival.kind = MPG_EDGE_ARRIVAL;
    describe_arrival(m, &candidate->arrival);
    candidate->completed = completed;
    candidate->comm = m->is_user ? m->comm : -1 - m->comm;
    candidate->tag = m->tag;
    candidate->is_eager = !m->synchronous && !m->sync_source;
    candidate->request = request;
    return 0;
}

static int ack_edge(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (graph_arrival_edge(matching, m, err) < 0)
        return -1;
    struct mpg_edge *edge = &matching->steps->edges[matching->steps->edge_count - 1];
    edge->kind = MPG_EDGE_ACK;
    edge->source = m->posted.rank;
    edge->awaited = !m->posted_requested;
    edge->receive = m->posted.number;
    edge->slot = m->slot; /* not what its receiver takes for it */
    edge->is_view = false;
    return 0;
}

static bool is_wait(enum mpg_call call)
{
    return call == MPG_CALL_Wait || call == MPG_CALL_Waitall || call == MPG_CALL_Waitany || call == MPG_CALL_Waitsome;
}

int graph_sender_edge(struct matching *matching, struct call *call, struct message *m,
                      struct mpg_error *err)
{
    if (m->synchronous && !m->arrived) /* lenient: it never did */
        return 0;
    if ((m->synchronous && ack_edge(matching, m, err) < 0) ||
        graph_carried_edge(&matching->carrying, call, m, err) < 0)
        return -1;
    call->changed = call->changed || (graph_is_changed(m) && !m->grows);
    m->left_ns = call->leave_ns;
    m->has_left = true;
    if (matching->notes_progress && m->sent_requested && is_wait(call->event->call)) {
        m->is_awaited = true;
        m->awaited_ns = call->enter_ns;
    }
    graph_sender_done(matching, m, false);
    return 0;
}

static void release(struct matching *matching, struct message *m)
{
    if (m->sender_holds || m->receiver_holds)
        return;
    if (m->synchronous)
        graph_free_slot(matching->steps, m->slot);
    if (m->abandoned && m->polled)
        matching->counts->asynchronous++;
    graph_note_evidence(&matching->evidence, m);
    graph_note_progress(matching->counts, m);
    graph_free_message(&matching->channels, m);
}

void graph_note_received(const struct matching *matching, const struct call *call, struct message *m)
{
    if (!matching->notes_progress)
        return;
    m->is_received = true;
    m->receiving_ns = call->enter_ns;
    m->received_ns = call->leave_ns;
}

void graph_receiver_done(struct matching *matching, struct message *m, bool polled)
{
    graph_carried_received(&matching->carrying, m);
    m->receiver_holds = false;
    m->polled = polled;
    matching->in_flight -= !m->dropped;
    graph_posted_remove(&matching->posted, m);
    if (m->dropped)
        ;
    else if (!m->synchronous)
        graph_free_slot(matching->steps, m->slot);
    else if (m->is_viewed)
        graph_free_slot(matching->steps, m->view_slot);
    release(matching, m);
}

void graph_sender_done(struct matching *matching, struct message *m, bool abandoned)
{
    graph_carried_done(&matching->carrying, m);
    m->sender_holds = false;
    m->abandoned = abandoned;
    matching->counts->uncompleted_sends += abandoned;
    release(matching, m);
}

uint32_t graph_give_up_message(struct message *m, const struct waiter *waiter)
{
    if (!m)
        return 0;
    uint32_t n = graph_give_up(&m->receive_waiter, waiter) +
                 graph_give_up(&m->send_waiter, waiter) + graph_give_up(&m->probe_waiter, waiter);
    (void)graph_give_up(&m->carry_waiter, waiter); /* of one that is synchronous, too: it waits for both */
    m->given_up = m->given_up || n > 0;
    return n > 0;
}

void graph_matching_clear(struct matching *matching)
{
    graph_channels_clear(&matching->channels);
    graph_posted_clear(&matching->posted);
    mpg_map_clear(&matching->sequences);
    free(matching->sequence);
    mpg_map_clear(&matching->evidence.waited);
    graph_carrying_clear(&matching->carrying);
}
