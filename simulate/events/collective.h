/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded collectives in simulated time: each member makes the calls of the algorithm, and each message is in the network like a
 * message between two ranks (docs/MODEL.md, sections 4, Expanded collectives, and 5, Sharing). Private to simulate/events/.
 *
 * Calls and messages have the rules of simulate/algorithms/expand.h, but a member's evaluation does not await the entries of all
 * members. Errors of all functions: out of memory. */
#ifndef MPG_EVENTS_COLLECTIVE_H
#define MPG_EVENTS_COLLECTIVE_H

#include "simulate/events/replica.h"

/* A message between two members; exists until both members have ended the calls of the message. */
struct letter {
    struct running_collective *collective;
    struct letter *next_sent, *next_received; /* next message, in order, of the sender's call and of the receiver's call */
    struct mpg_message m;   /* members by index */
    int32_t from, to;       /* members relative to the root */
    bool synchronous, is_sent, is_posted, has_arrived, sender_is_done;
    uint8_t ends;           /* number of ends, sender and receiver, whose calls have not ended */
    double sent_ns;         /* when the message leaves */
    double posted_ns;       /* begin of the receiver's call */
    double arrival_ns;
    double done_ns;         /* synchronous: when the sender is done */
};

/* NODE's member enters the collective: the value of the member's slot is known. The collective takes ownership of NODE. */
int mpg_events_collective_enter(struct replica *rep, struct node *node, struct mpg_error *err);
/* The sender of L, a synchronous message in the network, is done before L arrives, DELAY_NS later than without sharing. */
int mpg_events_collective_sent(struct replica *rep, struct letter *l, double delay_ns, struct mpg_error *err);
/* L, which is in the network, arrives, DELAY_NS later than without sharing. */
int mpg_events_collective_arrive(struct replica *rep, struct letter *l, double delay_ns, struct mpg_error *err);
/* Frees the collectives in which members are missing. */
void mpg_events_collectives_clear(struct replica *rep);

#endif
