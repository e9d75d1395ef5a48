/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which worker's message each receive of a master takes, by the times of a simulation. Private to simulate/tasks/. */
#ifndef MPG_TASK_ORDER_H
#define MPG_TASK_ORDER_H

#include "simulate/choice/observer.h"
#include "simulate/tasks/tasks.h"

/* Times of a receive of the master in a simulation, ns. */
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

/* Gives out again the tasks of all rounds whose receives, from ORDER, do not take the message that comes first by TIME: of equal
 * arrivals (to 1e-3 ns) that of the lower rank; if the master picks, as docs/MODEL.md says of lists. In each such round all
 * receives before the first that takes another message keep their worker; from there on each receive takes the first message by a
 * simulation of the round in which each task, call and pause of the master takes as long as in TIME. Returns the number of
 * receives that took another message than the first, or UINT64_MAX: out of memory. */
uint64_t mpg_task_order_renew(const struct mpg_tasks *tasks, const struct mpg_task_times *time, int32_t *order);
/* Gives out the tasks of all rounds anew, each from its first receive, as mpg_task_order_renew() does. Returns by how many ns the
 * last receives of all rounds end earlier than in TIME, together; NAN: out of memory. */
double mpg_task_order_gain(const struct mpg_tasks *tasks, const struct mpg_task_times *time, const int32_t *order);

#endif
