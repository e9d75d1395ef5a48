/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream's own steps (steps.c, leave.c). Private to simulate/events/. What takes a step of LANE returns GOES_ON, STOPS
 * or -1. */
#ifndef MPG_EVENTS_STEPS_H
#define MPG_EVENTS_STEPS_H

#include "simulate/events/world.h"

/* Less than so much is no time: no wait, which would cost a turn of the processor, and no work, which would be followed by
 * a check. */
static const double ROUNDING_NS = 1e-3;

/* STOPS: the stream's next step cannot be taken now. */
enum { GOES_ON = 0, STOPS = 1 };

/* Whether LANE is its rank's first thread. */
static inline bool steps_is_first(const struct world *w, uint32_t lane)
{
    return lane < (uint32_t)w->ranks;
}

/* Whether what LANE does matters for more than its own values. */
static inline bool steps_is_followed(const struct world *w, uint32_t lane)
{
    return steps_is_first(w, lane) && (w->serves || w->shares);
}

/* --- steps.c --- */
/* LANE's event is there: it goes on as far as it can now. */
int mpg_events_steps_go(struct world *w, uint32_t lane, struct mpg_error *err);
/* RANK, which was ready, has its processor. */
int mpg_events_steps_granted(struct world *w, int32_t rank, struct mpg_error *err);
/* Counts what is sent. */
void mpg_events_steps_count(struct world *w, double bytes);
/* The first step of LANE's queue is done with, and its value is VALUE_NS. */
int mpg_events_steps_drop(struct world *w, uint32_t lane, double value_ns, struct mpg_error *err);
int mpg_events_steps_take(struct world *w, const struct mpg_step *s, struct mpg_error *err);
/* LANE is where it is by its own value: STOPS if that is later than now. */
int mpg_events_steps_advance(struct world *w, uint32_t lane, struct mpg_error *err);

/* --- leave.c --- */
/* A slot that S needs and that is not known; NO_SLOT: there is none. */
uint32_t mpg_events_steps_missing(const struct world *w, const struct mpg_step *s);
/* LANE waits for SLOT before it takes S. */
int mpg_events_steps_await(struct world *w, uint32_t lane, const struct mpg_step *s, uint32_t slot, struct mpg_error *err);
/* LANE waits from now on, whose call's sends keep its processor until IDLE_NS. */
int mpg_events_steps_begin_wait(struct world *w, uint32_t lane, double idle_ns, struct mpg_error *err);
/* What LANE's call waits for is there, or it has its processor again. */
int mpg_events_steps_finish_wait(struct world *w, uint32_t lane, struct mpg_error *err);
int mpg_events_steps_leave(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err);

#endif
