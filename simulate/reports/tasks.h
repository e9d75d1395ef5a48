/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about tasks that a master hands out (docs/MODEL.md, section 6, Tasks). */
#ifndef MPG_REPORTS_TASKS_H
#define MPG_REPORTS_TASKS_H

#include "common/table/json.h"
#include "simulate/reports/trace_warnings.h"

/* The tasks of a trace and their distribution. */
struct mpg_task_report {
    int32_t master, workers;
    /* the answer is about tasks given out by arrival (--tasks=by-arrival); else about the traced distribution */
    bool is_by_arrival;
    uint64_t tasks, moved; /* number of tasks; number of tasks with a different worker by arrival than in the trace */
    uint32_t passes;     /* number of simulations without noise needed to find the distribution */
    uint64_t late;       /* by arrival: number of receives that do not take the first message to arrive */
    /* run time without noise: with the traced distribution, and by arrival; 0: unknown, for the reason WHY */
    double traced_ns, by_arrival_ns;
    /* by arrival: mean run time of some replicas with noise, and the reduction if tasks were given out anew in each replica; 0:
     * not tried */
    double noisy_ns, gain_ns;
    /* intervals of the master between polls that count as computation: sum, and longest interval */
    double slow_polls_ns, slowest_poll_ns;
    /* computation of a worker with noise: minimum, mean and maximum over workers; as predicted or, in perturb mode, as traced */
    double min_ns, mean_ns, max_ns;
    char why[1024];
};

/* Warns if another distribution of the tasks would change the run time by more than 0.5 %, and by more than half of the run
 * time's confidence interval. With tasks by arrival also warns of a master that polls slowly. */
mpg_warning mpg_warn_tasks;
/* Writes how tasks were given out, as an assumption. */
void mpg_assume_tasks(const struct mpg_report *report, FILE *out);
/* Puts the distribution as member KEY of J. */
void mpg_tasks_json(struct mpg_json *j, const char *key, const struct mpg_task_report *tasks);

#endif
