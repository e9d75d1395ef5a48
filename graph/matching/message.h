/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One message, from the first of its two ends to the last that needs it. */
#ifndef MPG_GRAPH_MESSAGE_H
#define MPG_GRAPH_MESSAGE_H

#include <stdbool.h>

#include "graph/graph.h"
#include "graph/place.h"
#include "graph/waiter.h"

struct message { /* what all messages need first: those in flight are far apart in memory */
    struct message *next;  /* in its channel */
    bool is_sent, is_posted, synchronous, arrived; /* synchronous: on the target */
    bool standard, sync_source;        /* a standard-mode send; synchronous on the traced machine */
    bool grows;                        /* synchronous on the target for its size by hypotheses alone */
    bool blocking, has_left;           /* of a call that does nothing else (Send); left_ns is known */
    bool sent_requested, posted_requested; /* by calls that leave the completion to a request */
    bool sender_holds, receiver_holds; /* whose completion is still to come */
    bool abandoned;                    /* the sender will not complete it */
    bool polled;                       /* received by a call that does not block */
    bool given_up;                     /* lenient: one end went on without the other */
    bool cancelling;                   /* one end asked for it to be cancelled */
    bool dropped;                      /* by hypotheses: no step is about it; */
    bool drops_sender;                 /* and it is its sender's call that learns of it */
    bool has_poster_slot;
    bool is_viewed;             /* its receiver may complete another one in its place: VIEW_SLOT is said */
    bool is_user;               /* on a channel of the user's */
    bool is_followed;           /* open receives may take it in place of another (posted.h) */
    bool is_listed, is_involved; /* its receive is posted, and not completed; the call that is being
                                    left may choose what it takes */
    bool is_awaited, is_received; /* matching.notes_progress: the former by a call that waits for a request */
    bool wants_carrier, is_carried; /* carried.h: the latter, as far as it is known who carries it */
    int32_t source, destination; /* world ranks */
    uint32_t slot, poster_slot; /* slot: sender's enter, then arrival */
    struct mpg_origin origin;
    int64_t bytes, room_bytes; /* sent; of the receive */
    int64_t target_bytes;      /* sent, as hypotheses say */
    int64_t known_bytes;       /* what steps say of BYTES */
    uint64_t id;                /* of what is sent: from 1 */
    int32_t comm, tag;          /* of what is sent */
    double sender_ns, poster_ns, left_ns; /* enters; leave of the call that completed the send */
    struct waiter *receive_waiter, *send_waiter, *probe_waiter; /* probe: a matched one */
    struct waiter *choice_waiter; /* of a call that may complete it */
    struct place sent, posted;
    uint32_t posted_part; /* of what POSTED is about: which, from 1; */
    uint32_t posted_which; /* of several requests that it starts: from 0 */
    uint32_t posted_any;        /* MPG_ANY_ flags of its receive */
    uint32_t view_slot;         /* the arrival as its receiver sees it; of an eager message SLOT */
    int dropper;                /* dropped: by this hypothesis */
    struct message *posted_next, *posted_before;
    double awaited_ns;                 /* is_awaited: enter of that call; */
    double receiving_ns, received_ns;  /* is_received: enter, leave of the call that completed the receive */
    double carry_from_ns;              /* a call of its receiver that is over then, or later, carries it (INFINITY: not
                                          known yet); */
    double carry_until_ns;             /* and that has begun when the call that completes its send is over */
    struct passage *carrier;           /* this one; NULL: none */
    struct message *carry_next;
    struct waiter *carry_waiter;
};

/* Whether its protocol is another one on the target. */
static inline bool graph_is_changed(const struct message *m)
{
    return m->synchronous != m->sync_source;
}

#endif
