/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds which worker's message each receive of a master takes, by the times of a simulation. Private to simulate/tasks/. */
#ifndef MPG_TASK_ORDER_H
#define MPG_TASK_ORDER_H

#include "simulate/choice/observer.h"
#include "simulate/tasks/tasks.h"

/* Times of a receive of the master in a simulation, ns. */
struct mpg_task_times {
    double enter_ns, arrival_ns, leave_ns; /* arrival of the message taken by the receive */
};

/* An observer that stores the times of receives, in a simulation of a trace with TASKS. */
struct mpg_task_watch {
    const struct mpg_tasks *tasks;
    struct mpg_task_times *time; /* by receive */
    uint64_t entered, left;      /* number of receives entered, and left, by the master */
};

/* Returns the observer that fills WATCH. */
struct mpg_observer mpg_task_observer(struct mpg_task_watch *watch);

/* ORDER has, by receive, the worker whose message is taken. Changes ORDER in each round with a receive that does not take
 * the first message to arrive according to TIME. Of equal arrivals (to 1e-3 ns) the message of the lower rank counts as
 * first; if the master picks, docs/MODEL.md says which. Receives before the first wrong receive of a round keep their
 * worker. From there on the round is simulated: each receive takes the first message, and each task, call and pause of
 * the master takes as long as in TIME. Returns the number of wrong receives; UINT64_MAX: out of memory. */
uint64_t mpg_task_order_renew(const struct mpg_tasks *tasks, const struct mpg_task_times *time, int32_t *order);
/* Gives out the tasks of all rounds anew, from the first receive of each round, as mpg_task_order_renew() does. Returns,
 * summed over rounds, how many ns earlier than in TIME the last receive ends; NAN: out of memory. */
double mpg_task_order_gain(const struct mpg_tasks *tasks, const struct mpg_task_times *time, const int32_t *order);

#endif
