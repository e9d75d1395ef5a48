/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of messages on the target in one replica, each component by itself (docs/MACHINES.md). Private to simulate/events/.
 *
 * A message M names the sender, the receiver, the bytes and the address of the random draws. All results are in ns, >= 0. */
#ifndef MPG_EVENTS_COSTS_H
#define MPG_EVENTS_COSTS_H

#include "simulate/events/replica.h"

/* Processor time that M takes from its sender (o_s) and from the receiver (o_r); 0 where the target does not say. */
double mpg_events_send_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m);
double mpg_events_receive_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m);
/* Time of M between the end of o_s and the begin of o_r; *TAU_NS receives the transfer time of its bytes. */
double mpg_events_flight_ns(const struct replica *rep, const struct mpg_sent_message *m, double *tau_ns);
/* Time in which M's sender copies BYTES within its own memory. */
double mpg_events_copy_ns(const struct replica *rep, const struct mpg_sent_message *m, double bytes);
/* Sum of the send overheads of the call that LEAVE step S ends. */
double mpg_events_call_sends_ns(const struct replica *rep, const struct mpg_step *s);
/* The time at which the last message that S receives reaches the processor, at most END_NS. END_NS if S receives no message
 * or depends on anything else. */
double mpg_events_arrival_ns(const struct replica *rep, const struct mpg_step *s, double end_ns);
/* Draws parameter WHICH of the target. ADDRESS identifies the draw; the seed is set here. */
double mpg_events_draw_ns(const struct replica *rep, enum mpg_parameter which, struct mpg_address address);

#endif
