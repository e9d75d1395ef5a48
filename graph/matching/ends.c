/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps and effects of a send, a receive and a match (docs/MODEL.md, section 4). */
#include "graph/matching/messages.h"

#include <stdlib.h>

#include "graph/matching/away.h"
#include "graph/matching/channel_cache.h"
#include "graph/work/inserted.h"

static void arrive(struct message *m)
{
    m->arrived = true;
    graph_wake(&m->receive_waiter);
    graph_wake(&m->send_waiter);
    if (m->has_more)
        graph_wake(&graph_more(m)->choice_waiter);
}

bool mpg_graph_is_alone(const struct matching *matching, int32_t rank)
{
    return mpg_trace_threads(matching->members->trace, rank) <= 1;
}

bool mpg_graph_is_receive_dropped(const struct applied_hypotheses *applied_hypotheses, const struct message *m)
{
    const struct call_ref posted = graph_posting_call(m);
    return m->is_sent ? m->dropped : m->has_more && mpg_graph_is_post_dropped(applied_hypotheses, &posted,
                                                                              graph_more(m)->posted_part);
}

static int learn_sender(const struct matching *matching, const struct message *m, struct mpg_error *err)
{
    const struct call_ref sent = graph_sending_call(m);
    return mpg_graph_learn_dropped(&matching->applied_hypotheses, &sent, m->sent_index + 1, graph_more(m)->dropper, err);
}

int mpg_graph_drop_sender(struct matching *matching, struct message *m, int dropper, struct mpg_error *err)
{
    if (dropper < 0)
        return 0;
    m->drops_sender = true;
    graph_more(m)->dropper = dropper;
    return m->is_sent ? learn_sender(matching, m, err) : 0;
}

/* Reports the effect of a hypothesis on the receive of M, if M is dropped or resized. */
static int report_receiver(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    const struct more_of_message *more = graph_more(m);
    if (!m->dropped && more->target_bytes == m->bytes)
        return 0;
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_RECEIVED, .rank = m->destination, .number = m->posted_number,
                                                 .which = more->posted_which, .drops = m->dropped, .was = m->bytes,
                                                 .bytes = more->target_bytes};
    return mpg_graph_report_effect(&matching->applied_hypotheses, &effect, m->dropped ? more->dropper : 0, err);
}

/* With hypotheses: reports the effects on both ends of M, which has been sent and posted. */
static int report_ends(struct matching *matching, const struct message *m, struct mpg_error *err)
{
    const struct more_of_message *more = graph_more(m);
    const struct call_ref posted = graph_posting_call(m);
    if (report_receiver(matching, m, err) < 0)
        return -1;
    if (m->dropped && m->posted_requested &&
        mpg_graph_learn_dropped(&matching->applied_hypotheses, &posted, more->posted_part, more->dropper, err) < 0)
        return -1;
    return m->drops_sender ? learn_sender(matching, m, err) : 0;
}

/* M is longer than ROOM_BYTES, the buffer of its receive: returns an error; with option lenient counts the case and
 * returns 0. */
static int refuse(struct matching *matching, const struct message *m, int64_t room_bytes, struct mpg_error *err)
{
    const struct call_ref posted = graph_posting_call(m);
    if (matching->lenient) {
        matching->counts->truncated++;
        return 0;
    }
    return mpg_graph_error_lenient(
        &posted, err, "its buffer of %lld bytes is too small for the %lld bytes that rank %d sends in call %llu (MPI_%s)",
        (long long)room_bytes, (long long)m->bytes, m->source, (unsigned long long)m->sent_number,
        mpg_call_name((enum mpg_call)m->sent_call));
}

/* Emits the step that pairs the synchronous message M with its receive. PROGRESS_SLOT: slot of the call from which the
 * receiver's library can progress the receive. */
static int meet(struct matching *matching, struct message *m, uint32_t progress_slot, struct mpg_error *err)
{
    const struct call_ref sent = graph_sending_call(m);
    struct mpg_step *s = mpg_graph_emit_at(matching->steps, MPG_STEP_SYNCHRONOUS, &sent);
    if (!s)
        return mpg_graph_out_of_memory(err);
    s->a = m->slot;
    s->b = m->poster_slot;
    if (graph_renew_slot(matching->steps, &m->slot, err) < 0)
        return -1;
    s->slot = m->slot;
    s->progress_slot = progress_slot;
    s->origin = graph_origin(m);
    s->receiver = m->destination;
    s->bytes = (double)graph_known_bytes(m);
    s->target_bytes = (double)graph_target_bytes(m);
    s->sender_ns = m->sender_ns;
    s->poster_ns = m->poster_ns;
    s->requested = m->sent_requested;
    s->posted = m->posted_requested;
    s->poster = m->posted_number;
    s->changed = graph_is_changed(m);
    s->grows = m->grows;
    graph_free_slot(matching->steps, m->poster_slot);
    if (progress_slot != m->poster_slot)
        graph_free_slot(matching->steps, progress_slot);
    arrive(m);
    return graph_is_away(matching->part, m->source) ? mpg_graph_export_answer(matching, m, err) : 0;
}

/* Properties of a receive posted before the send. Stored in unions of struct message, which the send overwrites with the
 * properties of the send. */
struct waiting_receive {
    int64_t room_bytes;
    uint32_t progress_slot;
};

static inline struct waiting_receive receive_of(const struct message *m)
{
    return (struct waiting_receive){m->room_bytes, m->progress_slot};
}

/* Completes the match of M, which is both sent and posted. RECEIVE: properties of the posted receive. */
static inline int complete_match(struct matching *matching, struct message *m, struct waiting_receive receive,
                                 struct mpg_error *err)
{
    if (m->has_more && report_ends(matching, m, err) < 0)
        return -1;
    if (m->bytes > receive.room_bytes && refuse(matching, m, receive.room_bytes, err) < 0)
        return -1;
    mpg_graph_weak_send_posted(&matching->progress, m);
    if (!m->synchronous) {
        if (m->has_poster_slot)
            graph_free_slot(matching->steps, m->poster_slot);
        if (m->has_poster_slot && receive.progress_slot != m->poster_slot)
            graph_free_slot(matching->steps, receive.progress_slot);
        return 0;
    }
    return m->is_deferred ? 0 : meet(matching, m, receive.progress_slot, err);
}

/* Stores the time at which SENDER sends the synchronous message M, for the later step that pairs M with the receive. */
static int store_sending(struct matching *matching, const struct call *sender, struct message *m,
                         struct mpg_error *err)
{
    struct steps *steps = matching->steps;
    if (mpg_graph_store(steps, sender, &m->slot, err) < 0)
        return -1;
    struct mpg_step *s = graph_last_step(steps);
    s->sends = true;
    s->origin = graph_origin(m);
    s->receiver = m->destination;
    s->bytes = (double)graph_known_bytes(m);
    s->target_bytes = (double)graph_target_bytes(m);
    return 0;
}

static inline int emit_eager(struct matching *matching, const struct call *sender, struct message *m,
                      struct mpg_error *err)
{
    if (graph_new_slot(matching->steps, &m->slot, err) < 0)
        return -1;
    arrive(m);
    if (matching->steps->wanted == MPG_STEPS_LEAVES)
        return 0;
    struct mpg_step *s = graph_emit(matching->steps, MPG_STEP_EAGER, sender);
    if (!s)
        return mpg_graph_out_of_memory(err);
    s->slot = m->slot;
    s->origin = graph_origin(m);
    s->receiver = m->destination;
    s->bytes = (double)graph_known_bytes(m);
    s->target_bytes = (double)graph_target_bytes(m);
    s->sender_ns = m->sender_ns;
    s->requested = m->sent_requested;
    s->changed = graph_is_changed(m);
    s->message = graph_message_id(m);
    s->comm = m->comm;
    s->tag = m->tag;
    s->is_followed = m->is_followed;
    return 0;
}

struct protocol mpg_graph_protocol(const struct matching *matching, enum mpg_call mode, int64_t bytes)
{
    bool synchronous = mpg_call_is_synchronous(mode), standard = mpg_call_is_standard(mode);
    return (struct protocol){
        .standard = standard,
        .sync_source = synchronous || (standard && bytes > matching->source_eager_limit_bytes),
        .sync_target = synchronous || (standard && bytes > matching->eager_limit_bytes)};
}

/* Sets M's address for random draws: M is message INDEX of CALL, from 0, and message `nth`, from 0, of the thread to the
 * receiver. *SEQUENCE: number of the thread's counter of messages to the receiver; 0: not known yet. */
static int find_origin(const struct call *call, uint32_t index, uint32_t *sequence, struct message *m,
                       struct mpg_error *err)
{
    struct sequences *sequences = &call->channel_cache->sequences;
    m->sent_index = index;
    if (mpg_is_inserted(call->number)) {
        m->nth = graph_inserted_begin(call->number);
        return 0;
    }
    if (*sequence == 0 && (*sequence = mpg_graph_sequence(sequences, m->destination, err)) == 0)
        return -1;
    m->nth = sequences->count[*sequence - 1]++;
    return 0;
}

/* Fills SENT, the description for evaluators of M, a message sent by CALL. Fills in place: copying a struct directly after
 * writing the members stalls on the stores. */
static inline void describe_sent_message(const struct call *call, const struct message *m, struct mpg_sent *sent)
{
    const enum mpg_kind kind = mpg_call_kind(call->event->call);
    sent->origin = graph_origin(m);
    sent->bytes = (double)graph_known_bytes(m);
    sent->target_bytes = (double)graph_target_bytes(m);
    sent->blocking = kind == MPG_KIND_SEND || kind == MPG_KIND_SENDRECV;
    sent->sync_source = m->sync_source;
    sent->sync_target = m->synchronous && !m->grows;
}

/* Adds M to the list of messages sent by CALL. */
static int note_sent(const struct call *call, const struct message *m, struct mpg_error *err)
{
    struct sent *sent = call->sent;
    if (sent->n == sent->capacity) {
        uint32_t capacity = sent->capacity ? 2 * sent->capacity : 4;
        void *grown = realloc(sent->message, capacity * sizeof *sent->message);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        sent->message = grown;
        sent->capacity = capacity;
    }
    describe_sent_message(call, m, &sent->message[sent->n++]);
    return 0;
}

/* M has been sent on channel C (NULL: a message without channel). If the receive is posted, completes the match with RECEIVE.
 * Wakes probes. */
static inline int meet_receive(struct matching *matching, struct channel *c, struct message *m,
                               struct waiting_receive receive, struct mpg_error *err)
{
    graph_wake(&m->probe_waiter);
    /* Plain probes see only the first message in the channel, and no message already taken by a receive or matched probe. */
    if (c && c->first == m)
        mpg_graph_wake_probers(c);
    if (m->is_posted && complete_match(matching, m, receive, err) < 0)
        return -1;
    if (c)
        mpg_graph_drop_channel_if_empty(&matching->channels, c);
    if (m->unwanted)
        mpg_graph_receive_freed(matching, m);
    return 0;
}

/* Hypotheses drop M, sent by CALL on channel C (NULL: a message without channel): no call waits for M. M still counts in the
 * sequence of messages to the receiver, so that the addresses of later messages for random draws do not change. */
static int drop(struct matching *matching, const struct call *call, struct channel *c, uint32_t *sequence,
                struct message *m, struct waiting_receive receive, int dropper, struct message **message,
                struct mpg_error *err)
{
    m->dropped = true;
    graph_more(m)->dropper = dropper;
    graph_more(m)->was_synchronous = m->sync_source;
    m->synchronous = m->sync_source = m->is_followed = false;
    call->sent->dropped++;
    if (find_origin(call, 0, sequence, m, err) < 0)
        return -1;
    arrive(m);
    *message = m;
    return meet_receive(matching, c, m, receive, err);
}

/* Fills the data of M for choices, weak progress and hypotheses. LOAD: size of M, with and without hypotheses. */
static void note_more(struct matching *matching, struct message *m, const struct load *load)
{
    struct more_of_message *more = graph_more(m);
    more->id = ++matching->sent;
    more->target_bytes = load->target_bytes;
    more->known_bytes = matching->of_target ? load->target_bytes : load->bytes;
}

/* Fills M with the properties of CALL, which sends M. */
static inline void describe_sent(struct message *m, const struct call *call, int64_t bytes, struct protocol protocol)
{
    m->is_sent = m->sender_holds = m->receiver_holds = true;
    m->sent_number = call->number;
    m->sent_thread = call->event->thread;
    m->sent_call = (uint16_t)call->event->call;
    m->bytes = bytes;
    m->sender_ns = call->enter_ns;
    m->sent_requested = graph_leaves_request(call->event->call);
    m->standard = protocol.standard;
    m->blocking = mpg_call_kind(call->event->call) == MPG_KIND_SEND;
    m->sync_source = protocol.sync_source;
    m->synchronous = protocol.sync_target;
    m->grows = protocol.grows;
}

static inline void count_sent(struct matching *matching, const struct message *m)
{
    matching->counts->messages++;
    matching->in_flight++;
    matching->counts->synchronous_messages += m->synchronous;
    matching->counts->made_eager += m->sync_source && !m->synchronous;
    matching->counts->made_synchronous += !m->sync_source && m->synchronous;
}

/* Sends a message of size LOAD on channel C; if C is NULL, on the channel called NAME. *SEQUENCE: number of the counter
 * of messages to the receiver, or 0. *MESSAGE: the message. */
static int send_on(struct matching *matching, const struct call *call, struct channel *c,
                   const struct channel_name *name, uint32_t *sequence, struct protocol protocol,
                   struct load load, uint32_t index, struct message **message, struct mpg_error *err)
{
    const bool is_away = graph_is_away(matching->part, name->destination);
    struct message *m = is_away ? mpg_graph_new_message(&matching->channels, name, err)
                        : c     ? graph_match(&matching->channels, c, true, err)
                                : mpg_graph_match_named(&matching->channels, name, true, &c, err);
    if (!m)
        return -1;
    const struct waiting_receive receive = receive_of(m);
    describe_sent(m, call, load.bytes, protocol);
    if (m->has_more)
        note_more(matching, m, &load);
    m->is_of_program = name->space == SPACE_USER;
    m->is_followed = matching->posted.follows && name->space == SPACE_USER && !m->synchronous && !m->sync_source &&
                     mpg_graph_is_alone(matching, m->destination);
    if (load.drops)
        return drop(matching, call, c, sequence, m, receive, load.dropper, message, err);
    mpg_graph_mark_weak_send(&matching->progress, m);
    mpg_graph_count_resized(&matching->progress, m, matching->counts);
    count_sent(matching, m);
    if (find_origin(call, index, sequence, m, err) < 0 ||
        (matching->steps->wanted != MPG_STEPS_LEAVES && note_sent(call, m, err) < 0) ||
        (m->synchronous ? store_sending(matching, call, m, err)
                        : emit_eager(matching, call, m, err)) < 0)
        return -1;
    mpg_graph_weak_send_started(&matching->progress, m);
    *message = m;
    return is_away ? mpg_graph_export_message(matching, call, m, err) : meet_receive(matching, c, m, receive, err);
}

/* Makes the send of M equal to the send of SENT. */
static void copy_send(struct message *m, const struct message *sent)
{
    m->is_sent = true;
    m->synchronous = sent->synchronous;
    m->standard = sent->standard;
    m->sync_source = sent->sync_source;
    m->blocking = sent->blocking;
    m->sent_requested = sent->sent_requested;
    m->is_of_program = sent->is_of_program;
    m->sent_number = sent->sent_number;
    m->sent_thread = sent->sent_thread;
    m->sent_call = sent->sent_call;
    m->sent_index = sent->sent_index;
    m->nth = sent->nth;
    m->bytes = sent->bytes;
    m->sender_ns = sent->sender_ns;
}

int mpg_graph_take_over(struct matching *matching, const struct channel_name *name, const struct message *sent,
                        struct message *elsewhere, uint32_t slot, struct mpg_error *err)
{
    struct channel *c;
    struct message *m = mpg_graph_match_named(&matching->channels, name, true, &c, err);
    if (!m)
        return -1;
    const struct waiting_receive receive = receive_of(m);
    copy_send(m, sent);
    m->receiver_holds = true;
    m->elsewhere = elsewhere;
    m->slot = slot;
    matching->in_flight++;
    if (!m->synchronous)
        arrive(m);
    return meet_receive(matching, c, m, receive, err);
}

void mpg_graph_message_answered(struct matching *matching, struct message *m)
{
    m->is_posted = true;
    arrive(m);
    mpg_graph_handed_over(matching, m);
}

int mpg_graph_send_on(struct matching *matching, const struct call *call, const struct channel_name *name,
                      struct protocol protocol, struct load load, uint32_t index, struct message **message, struct mpg_error *err)
{
    uint32_t sequence = 0;
    return send_on(matching, call, NULL, name, &sequence, protocol, load, index, message, err);
}

/* Returns the protocol of a message resized by hypotheses: on the source machine for the traced size, on the target for the
 * new size. */
static struct protocol resized_protocol(const struct matching *matching, enum mpg_call mode, struct load load)
{
    struct protocol protocol = mpg_graph_protocol(matching, mode, load.bytes);
    if (!matching->keeps_protocol)
        protocol.sync_target = mpg_graph_protocol(matching, mode, load.target_bytes).sync_target;
    protocol.grows = protocol.sync_target && !protocol.sync_source && !mpg_graph_protocol(matching, mode, load.bytes).sync_target;
    return protocol;
}

struct protocol mpg_graph_find_protocol(struct matching *matching, enum mpg_call mode, struct load load)
{
    if (mpg_call_is_standard(mode) && load.bytes >= matching->eager_evidence.below_bytes)
        matching->eager_evidence.below_bytes = load.bytes + 1;
    if (load.target_bytes != load.bytes)
        return resized_protocol(matching, mode, load);
    *graph_protocol_place(matching, mode, load.bytes) =
        (struct known_protocol){load.bytes, mode, mpg_graph_protocol(matching, mode, load.bytes)};
    return mpg_graph_protocol(matching, mode, load.bytes);
}

/* With hypotheses: computes the hypotheses' effect on LOAD, the size of the message sent by CALL on the channel NAME of COMM. */
static int apply_to_load(const struct matching *matching, const struct call *call, int32_t comm,
                        const struct channel_name *name, struct load *load, struct mpg_error *err)
{
    const int64_t bytes = load->bytes;
    struct outcome outcome;
    if (mpg_graph_apply_to_message(&matching->applied_hypotheses, call, comm, name->destination, name->tag, bytes, &outcome,
                                   err) < 0)
        return -1;
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_SENT, .rank = call->rank, .number = call->number,
                                                 .which = call->sent->which, .drops = outcome.drops, .was = bytes,
                                                 .bytes = outcome.bytes};
    if (mpg_graph_report_effect(&matching->applied_hypotheses, &effect, outcome.by, err) < 0)
        return -1;
    *load = graph_outcome_load(bytes, &outcome);
    return 0;
}

int mpg_graph_send(struct matching *matching, const struct call *call, enum mpg_call mode, int32_t comm, int32_t to, int32_t tag,
                   int64_t bytes, uint32_t index, struct message **message, struct mpg_error *err)
{
    struct cached_channel *cached_channel;
    *message = NULL;
    if (graph_find_cached_channel(matching, call, true, comm, to, tag, &cached_channel, err) < 0)
        return -1;
    if (cached_channel->is_foreign) {
        matching->counts->foreign++;
        return 0;
    }
    struct load load = graph_load(bytes);
    if (matching->applied_hypotheses.bound && apply_to_load(matching, call, comm, &cached_channel->name, &load, err) < 0)
        return -1;
    call->sent->parts++;
    return send_on(matching, call, cached_channel->channel, &cached_channel->name, &cached_channel->sequence,
                   graph_load_protocol(matching, mode, load), load, index, message, err);
}

/* Returns whether the receive that CALL posts progresses only in a later call of the rank. With several threads the
 * progressing call is not known. */
static bool is_deferred_by(const struct matching *matching, const struct call *call)
{
    return matching->deferred.rank && !mpg_graph_makes_progress(call) && mpg_graph_is_alone(matching, call->rank);
}

int mpg_graph_progress_receives(struct matching *matching, const struct call *call, struct mpg_error *err)
{
    struct deferred *deferred = matching->deferred.rank ? &matching->deferred.rank[call->rank] : NULL;
    if (!deferred)
        return 0;
    for (uint32_t i = 0; i < deferred->n; i++) {
        struct message *m = deferred->message[i];
        uint32_t slot;
        m->is_deferred = false;
        if (m->is_sent && !m->synchronous)
            continue;
        if (mpg_graph_store(matching->steps, call, &slot, err) < 0 || (m->is_sent && meet(matching, m, slot, err) < 0))
            return -1;
        if (!m->is_sent)
            m->progress_slot = slot;
    }
    deferred->n = 0;
    return 0;
}

int mpg_graph_post_message(struct matching *matching, const struct call *call, struct message *m, int64_t room_bytes,
                           struct mpg_error *err)
{
    m->is_posted = m->receiver_holds = true;
    m->posted_number = call->number;
    m->posted_thread = call->event->thread;
    m->posted_call = (uint16_t)call->event->call;
    if (m->has_more) {
        graph_more(m)->posted_part = call->sent->parts;
        graph_more(m)->posted_which = call->sent->which;
    }
    if (!m->is_sent)
        m->room_bytes = room_bytes;
    m->poster_ns = call->enter_ns;
    m->posted_requested = graph_leaves_request(call->event->call);
    m->has_poster_slot = !m->is_sent || m->synchronous;
    if (m->has_poster_slot && (mpg_graph_store(matching->steps, call, &m->poster_slot, err) < 0 ||
                               (is_deferred_by(matching, call) && mpg_graph_deferred_add(&matching->deferred, call, m, err) < 0)))
        return -1;
    if (m->is_sent)
        return complete_match(matching, m, (struct waiting_receive){room_bytes, m->poster_slot}, err);
    m->progress_slot = m->poster_slot;
    return 0;
}

int mpg_graph_take_message(struct matching *matching, const struct channel_name *name, struct message **message,
                           struct mpg_error *err)
{
    struct channel *c;
    *message = mpg_graph_match_named(&matching->channels, name, false, &c, err);
    if (!*message)
        return -1;
    if (c)
        mpg_graph_drop_channel_if_empty(&matching->channels, c);
    return 0;
}

int mpg_graph_post_on(struct matching *matching, const struct call *call, const struct channel_name *name, int64_t room_bytes,
                      struct message **message, struct mpg_error *err)
{
    struct message *m;
    if (mpg_graph_take_message(matching, name, &m, err) < 0 || mpg_graph_post_message(matching, call, m, room_bytes, err) < 0)
        return -1;
    *message = m;
    return 0;
}

void mpg_graph_note_post(const struct matching *matching, const struct call *call)
{
    const struct call_ref here = graph_call_ref(call);
    call->sent->parts++;
    if (graph_leaves_request(call->event->call))
        call->sent->dropped += mpg_graph_is_post_dropped(&matching->applied_hypotheses, &here, call->sent->parts);
}

int mpg_graph_post(struct matching *matching, const struct call *call, int32_t comm, int32_t from, int32_t tag, uint32_t any,
                   int64_t room_bytes, struct message **message, struct mpg_error *err)
{
    struct cached_channel *cached_channel;
    *message = NULL;
    if (graph_find_cached_channel(matching, call, false, comm, from, tag, &cached_channel, err) < 0)
        return -1;
    if (cached_channel->is_foreign) {
        matching->counts->foreign++;
        return 0;
    }
    mpg_graph_note_post(matching, call);
    struct channel *c = cached_channel->channel;
    *message = c ? graph_match(&matching->channels, c, false, err)
                 : mpg_graph_match_named(&matching->channels, &cached_channel->name, false, &c, err);
    if (*message && c && !cached_channel->channel)
        mpg_graph_drop_channel_if_empty(&matching->channels, c);
    if (!*message || mpg_graph_post_message(matching, call, *message, room_bytes, err) < 0)
        return -1;
    return mpg_graph_posted_add(&matching->posted, *message, any, err);
}

struct message *mpg_graph_send_at_once(struct matching *matching, const struct call *call, struct cached_channel *cached_channel,
                                       struct protocol protocol, struct mpg_error *err)
{
    const bool is_away = graph_is_away(matching->part, cached_channel->name.destination);
    struct message *m = is_away ? mpg_graph_new_message(&matching->channels, &cached_channel->name, err)
                                : graph_match(&matching->channels, cached_channel->channel, true, err);
    if (!m)
        return NULL;
    const struct waiting_receive receive = receive_of(m);
    describe_sent(m, call, call->event->bytes, protocol);
    m->is_of_program = true;
    count_sent(matching, m);
    if (find_origin(call, 0, &cached_channel->sequence, m, err) < 0 || emit_eager(matching, call, m, err) < 0 ||
        (is_away ? mpg_graph_export_message(matching, call, m, err)
                 : meet_receive(matching, cached_channel->channel, m, receive, err)) < 0)
        return NULL;
    return m;
}

int mpg_graph_keep_sent_at_once(struct matching *matching, const struct call *call, struct mpg_step *step,
                                const struct message *m, struct mpg_error *err)
{
    struct mpg_sent *sent = mpg_graph_add_sent(matching->steps, step, 1, err);
    if (!sent)
        return -1;
    describe_sent_message(call, m, sent);
    return 0;
}
