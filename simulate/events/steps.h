/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of a stream's steps (steps.c, leave.c). Private to simulate/events/. Functions executing a step of STREAM return
 * CONTINUES, STOPS, or -1 on failure. */
#ifndef MPG_EVENTS_STEPS_H
#define MPG_EVENTS_STEPS_H

#include "simulate/events/replica.h"

/* Waits and work shorter than this are rounding errors and count as none. Otherwise a wait would release the processor, and
 * work would end with a check for requests. */
static const double ROUNDING_NS = 1e-3;

/* Results of functions; STOPS: the stream cannot execute the next step now. */
enum { CONTINUES = 0, STOPS = 1 };

/* Returns whether STREAM is the first thread of the rank. */
static inline bool steps_is_first(const struct replica *rep, uint32_t stream)
{
    return stream < (uint32_t)rep->ranks;
}

/* Returns whether the state of STREAM affects other streams, because the rank serves requests or shares a processor. */
static inline bool steps_is_followed(const struct replica *rep, uint32_t stream)
{
    return steps_is_first(rep, stream) && (rep->serves || rep->shares);
}

/* --- steps.c --- */
/* Handles an event of STREAM: executes STREAM's steps as far as possible now. */
int mpg_events_steps_run(struct replica *rep, uint32_t stream, struct mpg_error *err);
/* Continues RANK, which was ready and has received the processor. */
int mpg_events_steps_granted(struct replica *rep, int32_t rank, struct mpg_error *err);
/* Adds a message or transfer of BYTES to the counts. */
void mpg_events_steps_count(struct replica *rep, double bytes);
/* Removes the first step from STREAM's queue, and tells the observer the step's value, VALUE_NS. */
int mpg_events_steps_drop(struct replica *rep, uint32_t stream, double value_ns, struct mpg_error *err);
/* Evaluates S. */
int mpg_events_steps_take(struct replica *rep, const struct mpg_step *s, struct mpg_error *err);
/* Advances STREAM to the time of STREAM's value. If this time is in the future and streams do not run ahead, schedules an event
 * and returns STOPS. */
int mpg_events_steps_advance(struct replica *rep, uint32_t stream, struct mpg_error *err);

/* --- leave.c --- */
/* Returns whether a value read by S is not known yet. */
bool mpg_events_steps_misses(const struct replica *rep, const struct mpg_step *s);
/* Suspends STREAM until all values read by S are known. */
int mpg_events_steps_await(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err);
/* Begins STREAM's wait; the sends of the call occupy the processor until IDLE_NS. */
int mpg_events_steps_begin_wait(struct replica *rep, uint32_t stream, double idle_ns, struct mpg_error *err);
/* To be called when the last event awaited by STREAM's call has happened, or when the rank has the processor again: ends the call
 * if both hold. */
int mpg_events_steps_finish_wait(struct replica *rep, uint32_t stream, struct mpg_error *err);
/* Executes LEAVE step S. */
int mpg_events_steps_leave(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err);

#endif
