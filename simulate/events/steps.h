/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream's own steps. Private to simulate/events/. */
#ifndef MPG_EVENTS_STEPS_H
#define MPG_EVENTS_STEPS_H

#include "simulate/events/world.h"

/* LANE's event is there: it goes on as far as it can now. */
int steps_go(struct world *w, uint32_t lane, struct mpg_error *err);
/* RANK, which was ready, has its processor. */
int steps_granted(struct world *w, int32_t rank, struct mpg_error *err);
/* Counts what is sent. */
void steps_count(struct world *w, double bytes);

#endif
