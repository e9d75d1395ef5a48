/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One message, from the first of its two ends to the last that needs it. */
#ifndef MPG_GRAPH_MESSAGE_H
#define MPG_GRAPH_MESSAGE_H

#include <stdbool.h>

#include "graph/graph.h"
#include "graph/call_ref.h"
#include "graph/waiter.h"

/* Those in flight are far apart in memory, and as many as there are: of most programs' messages this is all, two cache
 * lines (messages.c holds it to that). */
struct message {
    struct message *next;  /* in its channel */
    bool is_sent : 1, is_posted : 1, synchronous : 1, arrived : 1; /* synchronous: on the target */
    bool standard : 1, sync_source : 1;        /* a standard-mode send; synchronous on the traced machine */
    bool grows : 1;                            /* synchronous on the target for its size by hypotheses alone */
    bool blocking : 1, has_left : 1;           /* of a call that does nothing else (Send); left_ns is known */
    bool sent_requested : 1, posted_requested : 1; /* by calls that leave the completion to a request */
    bool sender_holds : 1, receiver_holds : 1; /* whose completion is still to come */
    bool abandoned : 1;                        /* the sender will not complete it */
    bool polled : 1;                           /* received by a call that does not block */
    bool unwanted : 1;                         /* the receiver has freed the receive before it was sent */
    bool given_up : 1;                         /* lenient: one end went on without the other */
    bool cancelling : 1;                       /* one end asked for it to be cancelled */
    bool dropped : 1;                          /* by hypotheses: no step is about it; */
    bool drops_sender : 1;                     /* and it is its sender's call that learns of it */
    bool has_poster_slot : 1;
    bool is_viewed : 1;             /* its receiver may complete another one in its place: view_slot is said */
    bool is_user : 1;               /* on a channel of the user's */
    bool is_followed : 1;           /* open receives may take it in place of another (posted.h) */
    bool is_listed : 1, is_involved : 1; /* its receive is posted, and not completed; the call that is being
                                            left may choose what it takes */
    bool is_awaited : 1, is_received : 1; /* matching.notes_progress: the former by a call that waits for a request */
    bool is_weak : 1, has_progress_call : 1; /* carried.h: the latter, as far as it is known who carries it */
    bool is_deferred : 1;             /* its receiver's library makes progress on it later (progress.h) */
    bool has_more : 1;              /* struct more_of_message */
    unsigned space : 2;             /* enum space, of its channel */
    uint8_t posted_any;         /* MPG_ANY_ flags of its receive */
    int32_t source, destination; /* world ranks: of who sends it, of who posts its receive */
    uint32_t slot, poster_slot; /* slot: sender's enter, then arrival */
    uint64_t sent_number, posted_number;   /* of the calls that do so, among their ranks', */
    uint32_t sent_thread, posted_thread;   /* their threads, */
    uint16_t sent_call, posted_call;       /* enum mpg_call; */
    uint32_t sent_index;                   /* among what the call starts, */
    uint64_t nth;                          /* and how many its thread sent there before */
    int32_t comm, tag;          /* of its channel's name */
    int64_t bytes;              /* sent */
    double poster_ns;           /* enter; */
    union {
        uint32_t progress_slot;     /* poster_slot, or where the receiver's library sees to the receive: until it is sent, */
        double sender_ns;       /* then the sender's enter */
    };
    union {
        int64_t room_bytes;     /* of the receive: until it is sent, */
        double left_ns;         /* then leave of the call that completed the send */
    };
    struct waiter *receive_waiter;
    union {
        struct waiter *probe_waiter; /* a matched one's: until it is sent, */
        struct waiter *send_waiter;  /* then the sender's */
    };
};

/* What is said of messages where calls choose, messages are carried or hypotheses hold: elsewhere there is no such thing. */
struct more_of_message {
    uint64_t id;               /* of what is sent: from 1 */
    int64_t target_bytes;      /* sent, as hypotheses say */
    int64_t known_bytes;       /* what steps say of the bytes sent */
    struct waiter *choice_waiter; /* of a call that may complete it */
    uint32_t posted_part; /* of what the call that posts is about: which, from 1; */
    uint32_t posted_which; /* of several requests that it starts: from 0 */
    uint32_t view_slot;         /* the arrival as its receiver sees it; of an eager message SLOT */
    int dropper;                /* dropped: by this hypothesis, */
    bool was_synchronous;       /* and it was synchronous on the traced machine, which is not said of it any more */
    struct message *posted_next, *posted_before;
    double awaited_ns;                 /* is_awaited: enter of that call; */
    double receiving_ns, received_ns;  /* is_received: enter, leave of the call that completed the receive */
    double progress_from_ns;              /* a call of its receiver that is over then, or later, carries it (INFINITY: not
                                          known yet); */
    double progress_until_ns;             /* and that has begun when the call that completes its send is over */
    struct progress_call *progress_call;           /* this one; NULL: none */
    struct message *weak_next;
    struct waiter *weak_waiter;
};

/* That of M, which has_more: it stands behind M. */
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

/* Where it was sent, where its receive was posted; what identifies its draws: those that a hypothesis inserts are rows of their
 * own, which a thread's messages in the trace are none of. */
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

/* Whether its protocol is another one on the target. */
static inline bool graph_is_changed(const struct message *m)
{
    return m->synchronous != m->sync_source;
}

#endif
