/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One replica of a finished simulation, evaluated again, alone, for an observer. */
#ifndef MPG_REPLICA_RERUN_H
#define MPG_REPLICA_RERUN_H

#include "simulate/evaluate/driver/simulation.h"

/* A finished simulation: its inputs and its result. */
struct mpg_simulated {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    const struct mpg_result *result;
};

/* Reruns the median replica of SIMULATED. The median replica: of an even number of replicas, the lower of the two middle run
 * times; among equal run times, the first replica. OBSERVER (NULL: none) is notified of all steps; ENTER steps name regions.
 * PATH (NULL: none) records the critical path. *REPLICA is the number of the replica, also on failure of the simulation.
 * Returns 0, or -1 with ERR: no memory; an error of the simulation or of the observer; the run time of the rerun differs from
 * the run time in SIMULATED. */
int mpg_rerun_median(const struct mpg_simulated *simulated, const struct mpg_observer *observer, struct mpg_critical *path,
                     uint32_t *replica, struct mpg_error *err);

#endif
