/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends and receives: the two ends of a message, what becomes of it when they have met
 * (graph/matching/match.h), the edges into the calls that complete it.
 *
 * Of others it needs calls, slots and steps; who has to wait is told by `arrived`, and
 * the caller then says who waits (graph/waiter.h). It knows nothing of ranks that are
 * advanced, of requests or of collectives. */
#ifndef MPG_GRAPH_MESSAGES_H
#define MPG_GRAPH_MESSAGES_H

#include "graph/matching/weak_progress.h"
#include "graph/matching/eager_limit.h"
#include "graph/matching/match.h"
#include "graph/matching/posted_queue.h"
#include "graph/matching/receive_progress.h"
#include "graph/members.h"
#include "graph/steps.h"
#include "graph/work/apply_hypotheses.h"

/* How a message is sent, on the traced machine and on the target. */
struct protocol {
    bool standard, sync_source, sync_target;
    bool grows; /* eager on both machines, but for what hypotheses add to it */
};

/* That of messages of BYTES in the mode of MODE: of those of the last few sizes. */
enum { GRAPH_PROTOCOLS = 16 };
struct known_protocol {
    int64_t bytes;
    enum mpg_call mode; /* 0, which sends nothing: none is known */
    struct protocol protocol;
};

struct matching {
    int64_t eager_limit_bytes; /* standard sends of more are synchronous */
    int64_t source_eager_limit_bytes; /* on the traced machine */
    bool lenient;
    struct mpg_graph_counts *counts;
    struct members *members;
    struct steps *steps;
    struct channels channels;
    struct eager_evidence eager_evidence;
    struct progress progress;
    struct posted posted;
    struct deferred_receives deferred;
    struct applied_hypotheses applied_hypotheses;
    bool notes_progress; /* counts what waits for its sender's next call (evidence.h) */
    bool of_target, keeps_protocol; /* of what hypotheses resize: graph.h has them */
    struct known_protocol known[GRAPH_PROTOCOLS];
    uint64_t sent; /* so far */
    uint64_t in_flight; /* sent, and not completed by their receiver */
};

/* Whether RANK has one thread: of several, the trace does not say which would have completed what
 * first. */
bool mpg_graph_is_alone(const struct matching *matching, int32_t rank);

/* That of BYTES sent in the mode of MODE, a call. */
struct protocol mpg_graph_protocol(const struct matching *matching, enum mpg_call mode, int64_t bytes);

/* How LOAD is sent in the mode of MODE, a call; where that is kept, if it is, and finding it if not. */
static inline struct known_protocol *graph_protocol_place(struct matching *matching, enum mpg_call mode, int64_t bytes)
{
    const uint64_t hash = ((uint64_t)bytes ^ mode) * 0x9e3779b97f4a7c15u;
    return &matching->known[(hash >> 32) % GRAPH_PROTOCOLS];
}
struct protocol mpg_graph_find_protocol(struct matching *matching, enum mpg_call mode, struct load load);
static inline struct protocol graph_load_protocol(struct matching *matching, enum mpg_call mode, struct load load)
{
    const struct known_protocol *known = graph_protocol_place(matching, mode, load.bytes);
    return known->bytes == load.bytes && known->mode == mode && load.target_bytes == load.bytes
               ? known->protocol
               : mpg_graph_find_protocol(matching, mode, load);
}

/* A message that CALL sends on the channel NAME; INDEX: the how-manieth of the call. */
int mpg_graph_send_on(struct matching *matching, const struct call *call, const struct channel_name *name,
                      struct protocol protocol, struct load load, uint32_t index, struct message **message,
                      struct mpg_error *err);
/* CALL posts a receive: what it is about, and whether, of what is dropped, a call that waits for it knows when it
 * leaves. Before it is posted. */
void mpg_graph_note_post(const struct matching *matching, const struct call *call);
/* Whether M, whose receive is posted, is dropped, as far as that is known. */
bool mpg_graph_is_receive_dropped(const struct applied_hypotheses *applied_hypotheses, const struct message *m);
/* A receive that CALL posts there, with room for so many bytes. */
int mpg_graph_post_on(struct matching *matching, const struct call *call, const struct channel_name *name, int64_t room_bytes,
                      struct message **message, struct mpg_error *err);
/* RANK makes CALL, or ends with it, in which its library makes progress on the receives that it has posted, if that is not
 * asked of it before. */
int mpg_graph_progress_receives(struct matching *matching, const struct call *call, struct mpg_error *err);
/* The same of a call of any kind that begins. */
static inline int graph_progress_receives_at(struct matching *matching, const struct call *call, struct mpg_error *err)
{
    if (!matching->deferred.rank || matching->deferred.rank[call->rank].n == 0 || !mpg_graph_makes_progress(call))
        return 0;
    return mpg_graph_progress_receives(matching, call, err);
}
/* A user's message. TO, FROM: ranks of COMM. *MESSAGE is NULL if the peer is of another
 * world. */
int mpg_graph_send(struct matching *matching, const struct call *call, enum mpg_call mode, int32_t comm, int32_t to, int32_t tag,
                   int64_t bytes, uint32_t index, struct message **message, struct mpg_error *err);
/* ANY: what the receive left open, MPG_ANY_ flags. */
int mpg_graph_post(struct matching *matching, const struct call *call, int32_t comm, int32_t from, int32_t tag, uint32_t any,
                   int64_t room_bytes, struct message **message, struct mpg_error *err);
/* The parts of a receive: finding the message on its channel, which a matched probe
 * does, and posting the receive of it. */
/* While a pass learns: what sends M, whose receive is posted, is dropped by DROPPER (-1: not). Error: out of memory. */
int mpg_graph_drop_sender(struct matching *matching, struct message *m, int dropper, struct mpg_error *err);
int mpg_graph_take_message(struct matching *matching, const struct channel_name *name, struct message **message,
                           struct mpg_error *err);
int mpg_graph_post_message(struct matching *matching, const struct call *call, struct message *message, int64_t room_bytes,
                           struct mpg_error *err);

/* The edge into the leave of the call that completes the message at the receiver; CALL
 * completes it at the sender: the edge of a synchronous one, which the sender then needs no
 * more if it has arrived. */
int mpg_graph_arrival_edge(struct matching *matching, const struct message *message, struct mpg_error *err);
int mpg_graph_sender_edge(struct matching *matching, struct call *call, struct message *message, struct mpg_error *err);
/* An arrived message that CALL was given, and may complete: its receiver sees a copy from now
 * on. */
int mpg_graph_view(struct matching *matching, const struct call *call, struct message *message, struct mpg_error *err);
/* Such a message as a candidate of the call that is being left, which COMPLETED it, or not. */
int mpg_graph_candidate(struct matching *matching, const struct message *message, int64_t request, bool completed,
                        struct mpg_error *err);
/* CALL, which completes MESSAGE at its receiver. Before mpg_graph_receiver_done(). */
void mpg_graph_note_received(const struct matching *matching, const struct call *call, struct message *message);
/* The receiver, the sender needs it no more; POLLED: received by a call that does not
 * block; ABANDONED: never completed by its sender. */
void mpg_graph_receiver_done(struct matching *matching, struct message *message, bool polled);
void mpg_graph_sender_done(struct matching *matching, struct message *message, bool abandoned);
/* MESSAGE's receive was freed: it takes the message, which no call completes. */
void mpg_graph_receive_freed(struct matching *matching, struct message *message);
void mpg_graph_matching_clear(struct matching *matching); /* with every message */

/* mpg_graph_send() of a call that is begun and left at once, where nothing more is said of messages (struct more_of_message): on
 * ROUTE, which has a channel, by a PROTOCOL that is eager on both machines. NULL with ERR. */
struct cached_channel;
struct message *mpg_graph_send_at_once(struct matching *matching, const struct call *call, struct cached_channel *cached_channel,
                                       struct protocol protocol, struct mpg_error *err);
/* Has STEP, the leave of CALL, say that the call sent M, and nothing else. Error: out of memory. */
int mpg_graph_keep_sent_at_once(struct matching *matching, const struct call *call, struct mpg_step *step,
                                const struct message *m, struct mpg_error *err);

/* MESSAGE, or NULL, if WAITER waits for it: gives up on it. How many things WAITER now
 * goes without: 0 or 1. */
uint32_t mpg_graph_give_up_message(struct message *message, const struct waiter *waiter);

#endif
