/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends and receives: both ends of a message, the consequences of a match (graph/matching/match.h), and the edges into the
 * calls that complete the message.
 *
 * The caller makes calls wait (graph/waiter.h) until `arrived` is set. graph/matching/ does not depend on the scheduler,
 * requests or collectives. */
#ifndef MPG_GRAPH_MESSAGES_H
#define MPG_GRAPH_MESSAGES_H

#include "graph/matching/weak_progress.h"
#include "graph/matching/eager_limit.h"
#include "graph/matching/match.h"
#include "graph/matching/posted_queue.h"
#include "graph/matching/receive_progress.h"
#include "graph/members.h"
#include "graph/parts/part.h"
#include "graph/steps.h"
#include "graph/work/apply_hypotheses.h"

/* Protocols of a message on the traced and on the target machine. */
struct protocol {
    bool standard, sync_source, sync_target;
    bool grows; /* synchronous on the target only because hypotheses enlarge the message */
};

/* Cache of protocols, by message size in bytes and send mode. */
enum { GRAPH_PROTOCOLS = 16 };
struct known_protocol {
    int64_t bytes;
    enum mpg_call mode; /* send mode of the entry; 0, which is no send mode: the entry is empty */
    struct protocol protocol;
};

struct matching {
    int64_t eager_limit_bytes; /* larger standard sends are synchronous on the target */
    int64_t source_eager_limit_bytes; /* larger standard sends are synchronous on the traced machine */
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
    struct mpg_rank_part *part; /* the ranks of this graph; NULL: all ranks */
    bool notes_progress; /* whether to count receivers that wait until the sender enters the call that completes the send
                          * (eager_limit.h) */
    bool of_target, keeps_protocol; /* resized messages: see struct mpg_graph_options */
    struct known_protocol known[GRAPH_PROTOCOLS];
    uint64_t sent; /* number of messages sent so far */
    uint64_t in_flight; /* messages sent and not completed by the receiver */
};

/* Takes over the send of SENT, a message that a rank of another part has sent on the channel NAME. ELSEWHERE: the message in
 * that part; SLOT: the arrival (eager) or the sender's enter (synchronous). Returns 0, or -1 with ERR. */
int mpg_graph_take_over(struct matching *matching, const struct channel_name *name, const struct message *sent,
                        struct message *elsewhere, uint32_t slot, struct mpg_error *err);
/* MESSAGE, which is synchronous, has been received by a rank of another part, and has arrived in MESSAGE's slot. */
void mpg_graph_message_answered(struct matching *matching, struct message *message);
/* To be called when the receiver's end of MESSAGE, sent to a rank of another part, needs nothing of this part any more. */
void mpg_graph_handed_over(struct matching *matching, struct message *message);

/* Returns whether RANK has only one thread. The trace does not tell the order of completions in different threads. */
bool mpg_graph_is_alone(const struct matching *matching, int32_t rank);

/* Returns the protocol of a message of BYTES sent in the mode of call MODE. */
struct protocol mpg_graph_protocol(const struct matching *matching, enum mpg_call mode, int64_t bytes);

/* Returns the cache entry of messages of BYTES sent in the mode of call MODE; the entry can hold a different size and mode. */
static inline struct known_protocol *graph_protocol_place(struct matching *matching, enum mpg_call mode, int64_t bytes)
{
    const uint64_t hash = ((uint64_t)bytes ^ mode) * 0x9e3779b97f4a7c15u;
    return &matching->known[(hash >> 32) % GRAPH_PROTOCOLS];
}
/* These return the protocol of LOAD sent in the mode of call MODE: mpg_graph_find_protocol() computes the protocol and fills
 * the cache, graph_load_protocol() asks the cache first. */
struct protocol mpg_graph_find_protocol(struct matching *matching, enum mpg_call mode, struct load load);
static inline struct protocol graph_load_protocol(struct matching *matching, enum mpg_call mode, struct load load)
{
    const struct known_protocol *known = graph_protocol_place(matching, mode, load.bytes);
    return known->bytes == load.bytes && known->mode == mode && load.target_bytes == load.bytes
               ? known->protocol
               : mpg_graph_find_protocol(matching, mode, load);
}

/* Sends a message of CALL on the channel NAME; INDEX: index among the messages sent by CALL. Returns 0, or -1: out of memory. */
int mpg_graph_send_on(struct matching *matching, const struct call *call, const struct channel_name *name,
                      struct protocol protocol, struct load load, uint32_t index, struct message **message,
                      struct mpg_error *err);
/* To be called before CALL posts a receive: counts one more part of CALL, and one more dropped part if hypotheses drop the
 * message and a request completes the receive. Dropped messages of blocking receives are counted when the call is left. */
void mpg_graph_note_post(const struct matching *matching, const struct call *call);
/* Returns whether hypotheses are known to drop M, whose receive is posted. */
bool mpg_graph_is_receive_dropped(const struct applied_hypotheses *applied_hypotheses, const struct message *m);
/* Posts a receive of CALL with a buffer of ROOM_BYTES on the channel NAME. Returns 0, or -1: out of memory. */
int mpg_graph_post_on(struct matching *matching, const struct call *call, const struct channel_name *name, int64_t room_bytes,
                      struct message **message, struct mpg_error *err);
/* Lets the library progress posted receives in CALL: sets the progress slot of the deferred receives of CALL's rank. Returns
 * 0, or -1: out of memory. */
int mpg_graph_progress_receives(struct matching *matching, const struct call *call, struct mpg_error *err);
/* Calls mpg_graph_progress_receives() at the begin of CALL, if CALL is of a kind that makes progress. */
static inline int graph_progress_receives_at(struct matching *matching, const struct call *call, struct mpg_error *err)
{
    if (!matching->deferred.rank || matching->deferred.rank[call->rank].n == 0 || !mpg_graph_makes_progress(call))
        return 0;
    return mpg_graph_progress_receives(matching, call, err);
}
/* Sends a message of the program from CALL. TO: rank of COMM. *MESSAGE is set to NULL if the receiver belongs to another job. */
int mpg_graph_send(struct matching *matching, const struct call *call, enum mpg_call mode, int32_t comm, int32_t to, int32_t tag,
                   int64_t bytes, uint32_t index, struct message **message, struct mpg_error *err);
/* Posts a receive of the program from CALL. FROM: rank of COMM. ANY: MPG_ANY_ flags of the receive. */
int mpg_graph_post(struct matching *matching, const struct call *call, int32_t comm, int32_t from, int32_t tag, uint32_t any,
                   int64_t room_bytes, struct message **message, struct mpg_error *err);
/* Records in a learning pass that hypothesis DROPPER (-1: none) drops the send of M, whose receive is posted. Returns 0, or
 * -1: out of memory. */
int mpg_graph_drop_sender(struct matching *matching, struct message *m, int dropper, struct mpg_error *err);
/* mpg_graph_take_message(): takes the first message without receive from the channel NAME, as a matched probe does; *MESSAGE
 * is a new message if the channel has no sent message. mpg_graph_post_message(): posts the receive of this MESSAGE by CALL,
 * with a buffer of ROOM_BYTES. Both return 0, or -1: out of memory. */
int mpg_graph_take_message(struct matching *matching, const struct channel_name *name, struct message **message,
                           struct mpg_error *err);
int mpg_graph_post_message(struct matching *matching, const struct call *call, struct message *message, int64_t room_bytes,
                           struct mpg_error *err);

/* mpg_graph_arrival_edge() adds the edge into the leave of the receiver's call that completes MESSAGE; mpg_graph_sender_edge()
 * adds the edges into the leave of the sender's call, for synchronous and weak sends. mpg_graph_sender_edge() also calls
 * mpg_graph_sender_done(), unless a synchronous message has not arrived (lenient). Both return 0, or -1: out of memory. */
int mpg_graph_arrival_edge(struct matching *matching, const struct message *message, struct mpg_error *err);
int mpg_graph_sender_edge(struct matching *matching, struct call *call, struct message *message, struct mpg_error *err);
/* Emits a step MPG_STEP_VIEW (graph/graph.h) for MESSAGE, which has arrived and which CALL can complete: from now on the
 * receiver reads the arrival from the step's slot. */
int mpg_graph_view(struct matching *matching, const struct call *call, struct message *message, struct mpg_error *err);
/* Lists MESSAGE as a candidate of the call being left. COMPLETED: the call completes the message in the trace. */
int mpg_graph_candidate(struct matching *matching, const struct message *message, int64_t request, bool completed,
                        struct mpg_error *err);
/* Notes that CALL completes MESSAGE at the receiver. Call before mpg_graph_receiver_done(). */
void mpg_graph_note_received(const struct matching *matching, const struct call *call, struct message *message);
/* To be called when the receiver, or the sender, has completed MESSAGE. POLLED: the receiving call does not block. ABANDONED:
 * the sender never completes MESSAGE. */
void mpg_graph_receiver_done(struct matching *matching, struct message *message, bool polled);
void mpg_graph_sender_done(struct matching *matching, struct message *message, bool abandoned);
/* To be called when the receive request of MESSAGE is freed: the receive takes the message, but no call completes it. */
void mpg_graph_receive_freed(struct matching *matching, struct message *message);
void mpg_graph_matching_clear(struct matching *matching); /* frees every message */

/* As mpg_graph_send(), for a call whose begin and leave are made together. Requires a graph without struct more_of_message, a
 * CACHED_CHANNEL with channel, and a PROTOCOL that is eager on both machines. Returns NULL with ERR: out of memory. */
struct cached_channel;
struct message *mpg_graph_send_at_once(struct matching *matching, const struct call *call, struct cached_channel *cached_channel,
                                       struct protocol protocol, struct mpg_error *err);
/* Lists M as the only message sent by CALL in STEP, the LEAVE of CALL. Returns 0, or -1: out of memory. */
int mpg_graph_keep_sent_at_once(struct matching *matching, const struct call *call, struct mpg_step *step,
                                const struct message *m, struct mpg_error *err);

/* Removes WAITER from MESSAGE (or NULL). Returns 1 if WAITER waited for MESSAGE, else 0. */
uint32_t mpg_graph_abandon_message(struct message *message, const struct waiter *waiter);

#endif
