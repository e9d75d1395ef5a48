/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message, from its first end (send or posted receive) to the last use. */
#ifndef MPG_GRAPH_MESSAGE_H
#define MPG_GRAPH_MESSAGE_H

#include <stdbool.h>

#include "graph/graph.h"
#include "graph/call_ref.h"
#include "graph/waiter.h"

/* Messages in flight are numerous and far apart in memory, so the struct has two cache lines (match.c checks the
 * size). Rare data is in struct more_of_message. */
struct message {
    struct message *next;  /* next in the channel */
    bool is_sent : 1, is_posted : 1, synchronous : 1, arrived : 1; /* synchronous: on the target machine */
    bool standard : 1, sync_source : 1;        /* a standard-mode send; synchronous on the traced machine */
    bool grows : 1;                            /* synchronous on the target only because hypotheses enlarge the message */
    bool blocking : 1, has_left : 1;           /* sent by MPI_Send or a variant; left_ns is known */
    bool sent_requested : 1, posted_requested : 1; /* the send (the receive) is completed by a request, in a later call */
    bool sender_holds : 1, receiver_holds : 1; /* the sender's, the receiver's completion is still to come */
    bool abandoned : 1;                        /* the sender never completes the send */
    bool polled : 1;                           /* received by a nonblocking call */
    bool unwanted : 1;                         /* the receiver freed the receive request before the send */
    bool unmatched : 1;                        /* lenient: one end went on without the other */
    bool cancelling : 1;                       /* one end asked for cancellation */
    bool dropped : 1;                          /* dropped by hypotheses: no step is made for the message */
    bool drops_sender : 1;                     /* learning pass: record the drop for the sending call, too */
    bool has_poster_slot : 1;
    bool is_viewed : 1;             /* the receiver can complete another message instead: view_slot is set */
    bool is_of_program : 1;               /* the channel is in SPACE_USER: not a library's internal message */
    bool is_followed : 1;           /* MPI_ANY_SOURCE receives can take the message instead of another (posted_queue.h) */
    /* the receive is in the posted-receive queue (posted_queue.h); the call being left can choose the receive's message */
    bool is_listed : 1, is_involved : 1;
    /* with matching.notes_progress: a wait call has completed the send (awaited_ns); a call has received the message */
    bool is_awaited : 1, is_received : 1;
    bool is_weak : 1, has_progress_call : 1; /* weak_progress.h; has_progress_call: the progress call is known */
    bool is_deferred : 1;             /* the receiver progresses the receive in a later call (receive_progress.h) */
    bool has_more : 1;              /* struct more_of_message exists */
    unsigned space : 2;             /* enum space of the channel */
    uint8_t posted_any;         /* MPG_ANY_ flags of the receive */
    int32_t source, destination; /* world ranks of sender and receiver */
    uint32_t slot, poster_slot; /* slot: value at the sender's enter, then the arrival */
    uint64_t sent_number, posted_number;   /* numbers of the sending and the posting call, each in its rank */
    uint32_t sent_thread, posted_thread;   /* threads of these calls */
    uint16_t sent_call, posted_call;       /* enum mpg_call of these calls */
    uint32_t sent_index;                   /* index among the messages that the sending call starts */
    uint64_t nth;                          /* number of earlier messages of the sender's thread to this receiver */
    int32_t comm, tag;          /* communicator and tag of the channel */
    int64_t bytes;              /* bytes sent */
    double poster_ns;           /* enter of the posting call */
    union {
        uint32_t progress_slot;     /* until the send: poster_slot, or the slot of the call that progresses the receive */
        double sender_ns;       /* from the send on: the sender's enter */
    };
    union {
        int64_t room_bytes;     /* until the send: size of the receive buffer */
        double left_ns;         /* from the send on: leave of the call that completes the send */
    };
    struct waiter *receive_waiter;
    union {
        struct waiter *probe_waiter; /* until the send: a matched probe that waits */
        struct waiter *send_waiter;  /* from the send on: the sender's waiter */
    };
};

/* Data of messages for choices, weak progress and hypotheses. Without these, messages have no such struct. */
struct more_of_message {
    uint64_t id;               /* number of the sent message, from 1 */
    int64_t target_bytes;      /* bytes sent, as changed by hypotheses */
    int64_t known_bytes;       /* bytes sent, as steps report them */
    struct waiter *choice_waiter; /* waiter of a call that can complete the message */
    const struct mpg_edge *described; /* the arrival's edge, made in batch filling DESCRIBED_IN; 0: none */
    uint64_t described_in;
    uint64_t candidate_of; /* 1 + number of the receiver's call that listed the message as candidate last; 0: none */
    uint32_t posted_part; /* position of the receive among the parts of the posting call, from 1 */
    uint32_t posted_which; /* index among the requests that the posting call starts, from 0 */
    uint32_t view_slot;         /* the arrival as the receiver sees it; for eager messages SLOT */
    int dropper;                /* dropped: by this hypothesis */
    bool was_synchronous;       /* dropped: synchronous on the traced machine */
    struct message *posted_next, *posted_before;
    double awaited_ns;                 /* is_awaited: enter of the awaiting call */
    double receiving_ns, received_ns;  /* is_received: enter and leave of the call that completes the receive */
    double progress_from_ns;              /* earliest start: the progress call ends then or later; INFINITY: not known yet */
    double progress_until_ns; /* a progress call begins at or before this time, the leave of the call that completes the send */
    struct progress_call *progress_call;           /* NULL: none */
    struct message *weak_next;
    struct waiter *weak_waiter;
};

/* Returns the struct behind M; M has_more. */
static inline struct more_of_message *graph_more(const struct message *m)
{
    return (struct more_of_message *)(void *)(m + 1);
}

static inline int64_t graph_target_bytes(const struct message *m)
{
    return m->has_more ? graph_more(m)->target_bytes : m->bytes;
}

static inline int64_t graph_known_bytes(const struct message *m)
{
    return m->has_more ? graph_more(m)->known_bytes : m->bytes;
}

static inline uint64_t graph_message_id(const struct message *m)
{
    return m->has_more ? graph_more(m)->id : 0;
}

/* Return the sending call; the posting call; the address of the random draws. Inserted messages of each hypothesis form a
 * stream of draws of their own, by the upper bits of THREAD, and leave the draws of traced messages unchanged. */
static inline struct call_ref graph_sending_call(const struct message *m)
{
    return (struct call_ref){m->source, m->sent_thread, (enum mpg_call)m->sent_call, m->sent_number};
}

static inline struct call_ref graph_posting_call(const struct message *m)
{
    return (struct call_ref){m->destination, m->posted_thread, (enum mpg_call)m->posted_call, m->posted_number};
}

static inline struct mpg_origin graph_origin(const struct message *m)
{
    return (struct mpg_origin){.rank = m->source,
                               .index = m->sent_index,
                               .call = m->sent_number,
                               .to = m->destination,
                               .thread = m->sent_thread + (uint32_t)(m->sent_number >> MPG_INSERTED_BITS << 16),
                               .nth = m->nth};
}

static inline bool graph_was_synchronous(const struct message *m)
{
    return m->dropped && graph_more(m)->was_synchronous;
}

/* Returns whether the protocol differs between traced and target machine. */
static inline bool graph_is_changed(const struct message *m)
{
    return m->synchronous != m->sync_source;
}

#endif
