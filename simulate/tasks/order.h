/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which worker's message each receive of a master takes, by the times of a simulation. Private to simulate/tasks/. */
#ifndef MPG_TASK_ORDER_H
#define MPG_TASK_ORDER_H

#include "simulate/choice/observer.h"
#include "simulate/tasks/tasks.h"

/* Times of the master's receive from any source in a simulation, ns. */
struct mpg_task_times {
    double enter_ns, arrival_ns, leave_ns; /* arrival of the message that the receive takes */
};

/* An observer of the simulation of a trace with TASKS. */
struct mpg_task_watch {
    const struct mpg_tasks *tasks;
    struct mpg_task_times *time; /* one for each receive */
    uint64_t entered, left;      /* receives so far */
};

/* Returns the observer that fills WATCH. */
struct mpg_observer mpg_task_observer(struct mpg_task_watch *watch);

/* Gives out again the tasks of all rounds whose receives, from ORDER, are not in the order of the arrivals in TIME: equal
 * arrivals (to 1e-3 ns) in the order of ranks. In each such round all receives before the first that takes a later message keep
 * their worker; from there on each receive takes the first message by a simulation of the round in which each task, each call of
 * the master and each of its pauses takes as long as in TIME. Returns the number of receives that were followed by an earlier
 * message, or UINT64_MAX: out of memory. */
uint64_t mpg_task_order_renew(const struct mpg_tasks *tasks, const struct mpg_task_times *time, int32_t *order);

#endif
