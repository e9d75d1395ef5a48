/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message, from its first known end (send or posted receive) to its last use. */
#ifndef MPG_GRAPH_MESSAGE_H
#define MPG_GRAPH_MESSAGE_H

#include <stdbool.h>

#include "graph/graph.h"
#include "graph/call_ref.h"
#include "graph/waiter.h"

/* Messages in flight are numerous and far apart in memory, and therefore the struct fills exactly two cache lines (match.c
 * checks the size). Rare data are in struct more_of_message. */
struct message {
    struct message *next;  /* next in the channel */
    bool is_sent : 1, is_posted : 1, synchronous : 1, arrived : 1; /* synchronous: on the target machine */
    bool standard : 1, sync_source : 1;        /* a standard-mode send; synchronous on the traced machine */
    bool grows : 1;                            /* synchronous on the target only because hypotheses enlarge the message */
    bool blocking : 1, has_left : 1;           /* sent by MPI_Send or a variant; left_ns is known */
    bool sent_requested : 1, posted_requested : 1; /* the send (the receive) is completed by a request, in a later call */
    bool sender_holds : 1, receiver_holds : 1; /* the sender's, the receiver's completion is still to be evaluated */
    bool abandoned : 1;                        /* the sender never completes the send */
    bool polled : 1;                           /* received by a call that does not block */
    bool unwanted : 1;                         /* the receiver freed the receive request before the message was sent */
    bool unmatched : 1;                        /* lenient: sender or receiver went on without the peer */
    bool cancelling : 1;                       /* sender or receiver asked for cancellation */
    bool dropped : 1;                          /* dropped by hypotheses: no step is made for the message */
    bool drops_sender : 1;                     /* learning pass: the drop must be recorded for the sending call also */
    bool has_poster_slot : 1;
    bool is_viewed : 1;             /* the receiver can complete another message in place of this message: view_slot is set */
    bool is_of_program : 1;               /* the channel is in SPACE_USER: a message sent by the program's own calls */
    bool is_followed : 1;           /* MPI_ANY_SOURCE receives can take the message in place of another (posted_queue.h) */
    /* the receive is in the posted-receive queue (posted_queue.h); the call being left can choose the receive's message */
    bool is_listed : 1, is_involved : 1;
    /* with matching.notes_progress: a call waits for completion of the send (awaited_ns); a call has received the message */
    bool is_awaited : 1, is_received : 1;
    /* is_weak: a weak send (weak_progress.h); has_progress_call: the message's progress call is known */
    bool is_weak : 1, has_progress_call : 1;
    bool is_deferred : 1;             /* the receiver progresses the receive in a later call (receive_progress.h) */
    bool has_more : 1;              /* struct more_of_message exists */
    unsigned space : 2;             /* enum space of the channel */
    uint8_t posted_any;         /* MPG_ANY_ flags of the receive */
    int32_t source, destination; /* world ranks of sender and receiver */
    /* slot: value at the sender's enter, later the arrival; poster_slot: value at the enter of the posting call */
    uint32_t slot, poster_slot;
    uint64_t sent_number, posted_number;   /* numbers, in their ranks, of the sending and the posting call */
    uint32_t sent_thread, posted_thread;   /* threads of the sending and the posting call */
    uint16_t sent_call, posted_call;       /* enum mpg_call of the sending and the posting call */
    uint32_t sent_index;                   /* index among the messages started by the sending call */
    uint64_t nth;                          /* number of earlier messages of the sender's thread to this receiver */
    int32_t comm, tag;          /* communicator and tag of the channel */
    int64_t bytes;              /* bytes sent */
    double poster_ns;           /* aligned enter of the posting call */
    union {
        uint32_t progress_slot; /* until the send is known: poster_slot, or the slot of the call that progresses the receive */
        double sender_ns;       /* once the send is known: aligned enter of the sender */
    };
    union {
        int64_t room_bytes;     /* until the send is known: size of the receive buffer */
        double left_ns;         /* once the send is known: aligned leave of the call that completes the send */
        struct message *elsewhere; /* sent by a rank of another part, which has this message for the send; for the answer */
    };
    struct waiter *receive_waiter;
    union {
        struct waiter *probe_waiter; /* until the send is known: a matched probe that waits for the message */
        struct waiter *send_waiter;  /* once the send is known: waiter of the call that completes the send */
    };
};

/* Further data of a message, which exist only in graphs with choices, weak progress or hypotheses. */
struct more_of_message {
    uint64_t id;               /* number of the sent message, from 1 */
    int64_t target_bytes;      /* bytes sent, as changed by hypotheses */
    int64_t known_bytes;       /* bytes sent, as reported in the steps */
    struct waiter *choice_waiter; /* waiter of a call that can complete the message */
    const struct mpg_edge *described; /* the edge of the arrival, valid in the batch with fill number DESCRIBED_IN; 0: none */
    uint64_t described_in;
    uint64_t candidate_of; /* 1 + number of the receiver's call that listed the message as candidate last; 0: none */
    uint32_t posted_part; /* position of the receive among the parts of the posting call, from 1 */
    uint32_t posted_which; /* index among the requests that the posting call starts, from 0 */
    uint32_t view_slot;         /* slot from which the receiver reads the arrival; for eager messages equal to SLOT */
    int dropper;                /* if dropped: index of the hypothesis that drops the message */
    bool was_synchronous;       /* if dropped: the message is synchronous on the traced machine */
    struct message *posted_next, *posted_before;
    double awaited_ns;                 /* is_awaited: aligned enter of the call that waits for completion of the send */
    double receiving_ns, received_ns;  /* is_received: aligned enter and leave of the call that completes the receive */
    /* earliest start of the transfer, aligned; the progress call ends at this time or later; INFINITY: not known yet */
    double progress_from_ns;
    /* aligned leave of the call that completes the send; the progress call begins at or before this time */
    double progress_until_ns;
    struct progress_call *progress_call;           /* NULL: none */
    struct message *weak_next;
    struct waiter *weak_waiter;
};

/* Returns the struct more_of_message of M, which must have one. */
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

/* graph_sending_call() and graph_posting_call() return the sending and the posting call; graph_origin() returns the key of the
 * random draws. The upper bits of the key's `thread` give the inserted messages of each hypothesis separate draws; the draws
 * of traced messages do not change. */
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

/* Returns whether M is synchronous on exactly one of the traced and the target machine. */
static inline bool graph_is_changed(const struct message *m)
{
    return m->synchronous != m->sync_source;
}

#endif
