/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages in the calls that complete, or could complete, the messages: edges of arrivals or acknowledgements, views (copies
 * of an arrival for receivers that can choose another message), and candidates. Also the end of a message. */
#include "graph/matching/messages.h"

static inline void describe_arrival(const struct message *m, struct mpg_edge *edge)
{
    double later_ns = m->poster_ns > m->sender_ns ? m->poster_ns : m->sender_ns;
    edge->source = m->source;
    edge->slot = m->is_viewed ? graph_more(m)->view_slot : m->slot;
    edge->is_view = m->is_viewed;
    edge->message = graph_message_id(m);
    edge->is_followed = m->is_followed;
    edge->origin = graph_origin(m);
    edge->sent_ns = m->sender_ns;
    edge->requested = m->sent_requested;
    edge->from_ns = m->sync_source || graph_was_synchronous(m) ? later_ns : m->sender_ns;
    edge->base_ns = m->synchronous ? later_ns : m->sender_ns;
    edge->changed = graph_is_changed(m);
    edge->bytes = (double)graph_known_bytes(m);
    edge->target_bytes = (double)graph_target_bytes(m);
}

int mpg_graph_arrival_edge(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    struct mpg_edge *edge =
        m->dropped ? mpg_graph_lose_edge(matching->steps, MPG_EDGE_ARRIVAL) : graph_add_edge(matching->steps, MPG_EDGE_ARRIVAL);
    if (!edge)
        return mpg_graph_out_of_memory(err);
    describe_arrival(m, edge);
    return 0;
}

int mpg_graph_view(struct matching *matching, const struct call *call, struct message *m, struct mpg_error *err)
{
    if (m->is_viewed)
        return 0;
    struct more_of_message *more = graph_more(m);
    more->view_slot = m->slot;
    if (m->synchronous && graph_new_slot(matching->steps, &more->view_slot, err) < 0)
        return -1;
    m->is_viewed = true;
    struct mpg_step *step = graph_emit(matching->steps, MPG_STEP_VIEW, call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = more->view_slot;
    step->a = m->slot;
    step->message = graph_message_id(m);
    return 0;
}

/* Returns an edge that describes the arrival of M, which has arrived. All steps of a batch share one edge for M. NULL: out of
 * memory. */
static const struct mpg_edge *arrival_of(struct steps *steps, const struct message *m)
{
    struct more_of_message *more = graph_more(m);
    if (more->described_in == steps->batch->fill)
        return more->described;
    struct mpg_edge *arrival = mpg_graph_steps_arrival(steps);
    if (!arrival)
        return NULL;
    *arrival = (struct mpg_edge){.kind = MPG_EDGE_ARRIVAL};
    describe_arrival(m, arrival);
    more->described = arrival;
    more->described_in = steps->batch->fill;
    return arrival;
}

int mpg_graph_candidate(struct matching *matching, const struct message *m, int64_t request, bool completed,
                        struct mpg_error *err)
{
    const struct mpg_edge *arrival = arrival_of(matching->steps, m);
    struct mpg_candidate *candidate = arrival ? mpg_graph_add_candidate(matching->steps) : NULL;
    if (!candidate)
        return mpg_graph_out_of_memory(err);
    candidate->arrival = arrival;
    candidate->completed = completed;
    candidate->comm = m->is_of_program ? m->comm : -1 - m->comm;
    candidate->tag = m->tag;
    candidate->is_eager = !m->synchronous && !m->sync_source;
    candidate->request = request;
    return 0;
}

static int ack_edge(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (mpg_graph_arrival_edge(matching, m, err) < 0)
        return -1;
    struct mpg_edge *edge = &matching->steps->edges[matching->steps->edge_count - 1];
    edge->kind = MPG_EDGE_ACK;
    edge->source = m->destination;
    edge->awaited = !m->posted_requested;
    edge->receive = m->posted_number;
    edge->slot = m->slot; /* the sender sees the true arrival, not the receiver's view */
    edge->is_view = false;
    return 0;
}

/* Hypotheses drop message M. If the sender waited for the receiver, in a synchronous or weak send, counts this wait as lost.
 * The receive of M has no steps. */
static int lose_answer(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    if (!graph_was_synchronous(m) && !mpg_graph_is_weak_send(&matching->progress, m))
        return 0;
    return mpg_graph_lose_wait(matching->steps, err);
}

static bool is_wait(enum mpg_call call)
{
    return call == MPG_CALL_Wait || call == MPG_CALL_Waitall || call == MPG_CALL_Waitany || call == MPG_CALL_Waitsome;
}

int mpg_graph_sender_edge(struct matching *matching, struct call *call, struct message *m, struct mpg_error *err)
{
    if (m->synchronous && !m->arrived) /* with option lenient: the message never arrived */
        return 0;
    if ((m->synchronous && ack_edge(matching, m, err) < 0) || (m->dropped && lose_answer(matching, m, err) < 0) ||
        mpg_graph_weak_send_edge(&matching->progress, call, m, err) < 0)
        return -1;
    call->changed = call->changed || (graph_is_changed(m) && !m->grows);
    m->left_ns = call->leave_ns;
    m->has_left = true;
    if (matching->notes_progress && m->sent_requested && is_wait(call->event->call)) {
        m->is_awaited = true;
        graph_more(m)->awaited_ns = call->enter_ns;
    }
    mpg_graph_sender_done(matching, m, false);
    return 0;
}

static inline void release(struct matching *matching, struct message *m)
{
    if (m->sender_holds || m->receiver_holds)
        return;
    if (m->synchronous)
        graph_free_slot(matching->steps, m->slot);
    if (m->abandoned && m->polled)
        matching->counts->asynchronous++;
    if (!matching->part) /* the two ends of a message can be in different parts */
        mpg_graph_note_eager_evidence(&matching->eager_evidence, m);
    mpg_graph_note_progress(matching->counts, m);
    if (m->is_deferred)
        mpg_graph_deferred_remove(&matching->deferred, m);
    mpg_graph_free_message(&matching->channels, m);
}

void mpg_graph_note_received(const struct matching *matching, const struct call *call, struct message *m)
{
    if (!matching->notes_progress)
        return;
    m->is_received = true;
    graph_more(m)->receiving_ns = call->enter_ns;
    graph_more(m)->received_ns = call->leave_ns;
}

static inline void receiver_done(struct matching *matching, struct message *m, bool polled)
{
    m->receiver_holds = false;
    m->polled = polled;
    matching->in_flight -= !m->dropped;
    if (graph_is_away(matching->part, m->source))
        mpg_part_settle(matching->part, matching->part->owner[m->source]);
    mpg_graph_posted_remove(&matching->posted, m);
    if (m->dropped)
        ;
    else if (!m->synchronous)
        graph_free_slot(matching->steps, m->slot);
    else if (m->is_viewed)
        graph_free_slot(matching->steps, graph_more(m)->view_slot);
    release(matching, m);
}

void mpg_graph_receiver_done(struct matching *matching, struct message *m, bool polled)
{
    mpg_graph_weak_send_received(&matching->progress, m);
    receiver_done(matching, m, polled);
}

void mpg_graph_receive_freed(struct matching *matching, struct message *m)
{
    if (m->is_listed) /* is kept: further receives can choose this message */
        return;
    m->unwanted = !m->arrived;
    if (m->arrived)
        receiver_done(matching, m, true);
}

void mpg_graph_sender_done(struct matching *matching, struct message *m, bool abandoned)
{
    mpg_graph_weak_send_done(&matching->progress, m);
    m->sender_holds = false;
    m->abandoned = abandoned;
    matching->counts->uncompleted_sends += abandoned;
    release(matching, m);
}

void mpg_graph_handed_over(struct matching *matching, struct message *m)
{
    m->receiver_holds = false;
    release(matching, m);
}

uint32_t mpg_graph_abandon_message(struct message *m, const struct waiter *waiter)
{
    if (!m)
        return 0;
    uint32_t n = graph_abandon(&m->receive_waiter, waiter) +
                 graph_abandon(&m->send_waiter, waiter); /* before the send, this member of the union is the waiter of a probe */
    if (m->has_more) /* a send that is both synchronous and weak waits for two events */
        (void)graph_abandon(&graph_more(m)->weak_waiter, waiter);
    m->unmatched = m->unmatched || n > 0;
    return n > 0;
}

void mpg_graph_matching_clear(struct matching *matching)
{
    mpg_graph_channels_clear(&matching->channels);
    mpg_graph_posted_clear(&matching->posted);
    mpg_graph_deferred_clear(&matching->deferred);
    mpg_map_clear(&matching->eager_evidence.waited);
    mpg_graph_progress_clear(&matching->progress);
}
