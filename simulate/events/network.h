/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interconnect: messages in flight and their contention (docs/MACHINES.md, Contention), or the shared ports and memories
 * (docs/MODEL.md, section 5, Sharing). Private to simulate/events/.
 *
 * A message enters the network at an INJECT event. It leaves at a DELIVER event or, where capacities are shared, at a FLOW event.
 * The state between the two belongs to network.c alone. Errors of all functions: out of memory. */
#ifndef MPG_EVENTS_NETWORK_H
#define MPG_EVENTS_NETWORK_H

#include "simulate/events/replica.h"

/* Returns a network without messages, which the caller frees; NULL with ERR. P, PROCESSORS and CAPACITIES (NULL: nothing is
 * shared) outlive the network. */
struct network *mpg_events_network_new(const struct mpg_parameters *p, const struct mpg_processors *processors,
                                       const struct mpg_capacities *capacities, struct mpg_error *err);
void mpg_events_network_free(struct network *n); /* NULL is allowed */

/* Sends the eager message of S, the first step of STREAM, which the evaluator has just taken: the slot of S holds the arrival
 * without contention. */
int mpg_events_network_send(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err);
/* Sends the bytes of the synchronous message NODE, whose slot holds the arrival time without contention. */
int mpg_events_network_send_node(struct replica *rep, struct node *node, struct mpg_error *err);
/* Returns whether the receiver of S, a synchronous message, asks for the bytes by a request, which may wait. */
bool mpg_events_network_asks(const struct replica *rep, const struct mpg_step *s);
/* Sends M at AT_NS; the arrival of M will be an event KIND of rank ID, with object WHAT. */
int mpg_events_network_deliver(struct replica *rep, const struct mpg_sent_message *m, double at_ns, enum event_kind kind,
                               uint32_t id,
                               void *what, struct mpg_error *err);
/* A message of an expanded collective, between two ranks, with the times without sharing. */
struct network_letter {
    struct letter *letter;
    int32_t from, to;
    double bytes, latency_ns, tau_ns;
    bool synchronous;
    double part; /* synchronous: the sender is done when this part of the bytes has crossed; 1: when all have */
};
/* Sends X, whose bytes begin at AT_NS, or now if AT_NS is past, without sharing. X arrives by mpg_events_collective_arrive(), at
 * once if X shares no resource; before, the sender can be done by mpg_events_collective_sent(). */
int mpg_events_network_send_letter(struct replica *rep, const struct network_letter *x, double at_ns, struct mpg_error *err);
/* Handle an event E: the message of E enters, or leaves, the network. */
int mpg_events_network_inject(struct replica *rep, const struct event *e, struct mpg_error *err);
void mpg_events_network_end_message(struct replica *rep, const struct event *e);
/* Sets E to the next event of the shared ports and memories: FLOW or SETTLE, at most one of each is pending. Returns false if no
 * event is pending. */
bool mpg_events_network_next(const struct replica *rep, struct event *e);
/* Handle FLOW and SETTLE events: the flows ending now arrive; rates follow from the flows begun and ended. */
int mpg_events_network_end_flows(struct replica *rep, struct mpg_error *err);
void mpg_events_network_settle(struct replica *rep);

#endif
