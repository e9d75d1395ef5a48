/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a world from its begin to its end. */
#ifndef MPG_EVENTS_WORLD_RUN_H
#define MPG_EVENTS_WORLD_RUN_H

#include "simulate/events/world.h"

/* W's options, target, parameters, processors, x, replica, ranks and watch are the caller's; all else is 0. GRAPH is
 * new, TIMES of one lane. Errors: those of the graph; out of memory; ranks that wait for each other for ever, which
 * a trace that could be run does not have. W is to be cleared even so. */
int world_run(struct world *w, struct mpg_graph *graph, struct mpg_evaluator *times, struct mpg_error *err);
void world_clear(struct world *w);

#endif
