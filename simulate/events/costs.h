/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of messages on the target in one replica, by component (docs/MACHINES.md). Private to simulate/events/.
 *
 * A message M names the sender, the receiver, the bytes and the address of the random draws. All results are in ns, >= 0. */
#ifndef MPG_EVENTS_COSTS_H
#define MPG_EVENTS_COSTS_H

#include <math.h>

#include "simulate/events/replica.h"

/* Returns the processor time of M at the sender (o_s), or at the receiver (o_r); 0 if the target has no overhead there. */
double mpg_events_send_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m);
double mpg_events_receive_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m);
/* Returns the time of M between the end of o_s and the begin of o_r; *TAU_NS receives the part of the returned time for M's
 * bytes. */
double mpg_events_flight_ns(const struct replica *rep, const struct mpg_sent_message *m, double *tau_ns);
/* Sets *LAMBDA_NS and *TAU_NS to the latency of M, the time of an empty message, and the time of M's bytes. */
void mpg_events_message_times(const struct replica *rep, const struct mpg_sent_message *m, double *lambda_ns, double *tau_ns);
/* Returns the time in which M's sender copies BYTES within the sender's memory. */
double mpg_events_copy_ns(const struct replica *rep, const struct mpg_sent_message *m, double bytes);
/* Returns the sum of the send overheads of the call ended by LEAVE step S. */
double mpg_events_call_sends_ns(const struct replica *rep, const struct mpg_step *s);
/* Returns the time at which the last message received by S reaches the processor, but at most END_NS. Returns END_NS if S
 * receives no message or depends on anything else. */
double mpg_events_arrival_ns(const struct replica *rep, const struct mpg_step *s, double end_ns);
/* Draws parameter WHICH of the target. ADDRESS identifies the draw; this function sets the seed. */
double mpg_events_draw_ns(const struct replica *rep, enum mpg_parameter which, struct mpg_address address);

/* Returns the part of the bytes of M, a synchronous message of LAMBDA_NS and TAU_NS, after which the sender is done, 0 to 1
 * (docs/MODEL.md, section 5, Sharing). */
double mpg_events_sent_part(const struct replica *rep, const struct mpg_sent_message *m, double lambda_ns, double tau_ns);
/* Returns the sent part for a send of WAITING_NS while the receiver waits. */
static inline double mpg_sent_part(double waiting_ns, double lambda_ns, double tau_ns)
{
    return waiting_ns - lambda_ns < tau_ns ? fmax(waiting_ns - lambda_ns, 0) / tau_ns : 1;
}

#endif
