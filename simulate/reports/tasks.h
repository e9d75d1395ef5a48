/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an answer says of tasks that a master hands out (docs/MODEL.md, section 6, Tasks). */
#ifndef MPG_REPORTS_TASKS_H
#define MPG_REPORTS_TASKS_H

#include "common/table/json.h"
#include "simulate/reports/trace_warnings.h"

/* The tasks of a trace and their distribution. */
struct mpg_task_report {
    int32_t master, workers;
    bool is_by_arrival;  /* the answer is of tasks given out by arrival (--tasks=by-arrival); else of the traced distribution */
    uint64_t tasks, moved; /* MOVED: by arrival they have another worker than in the trace */
    uint32_t passes;     /* simulations without noise that found the distribution */
    uint64_t late;       /* by arrival: receives that take another message than the one that comes first */
    double traced_ns, by_arrival_ns; /* run without noise, with the traced distribution and by arrival; 0: unknown, as WHY says */
    double noisy_ns, gain_ns; /* by arrival: mean run of some replicas with noise, and how much shorter it is with tasks given
                                 out anew in each; 0: not tried */
    double slow_polls_ns, slowest_poll_ns; /* intervals of the master between polls that count as computation: sum, longest */
    double min_ns, mean_ns, max_ns;    /* computation of a worker, noise included: as predicted or, in perturb mode, as traced */
    char why[1024];
};

/* Warns if another distribution of the tasks would change the run time by more than half its interval and 0.5 %. With tasks by
 * arrival also warns of a master that polls slowly. */
mpg_warning mpg_warn_tasks;
/* Describes how tasks were given out. */
void mpg_assume_tasks(const struct mpg_report *report, FILE *out);
/* Puts the distribution as member KEY of J. */
void mpg_tasks_json(struct mpg_json *j, const char *key, const struct mpg_task_report *tasks);

#endif
