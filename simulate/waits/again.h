/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One replica once more, alone, for somebody who looks on. */
#ifndef MPG_WAITS_AGAIN_H
#define MPG_WAITS_AGAIN_H

#include "simulate/evaluate/simulation.h"

/* What was simulated, and came to RESULT. */
struct mpg_simulated {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    const struct mpg_result *result;
};

/* Which of R's replicas, from 0, has the median run: of an even number the lower of the middle ones, of those that
 * are as long the first. Error: out of memory. */
int mpg_median_replica(const struct mpg_result *r, uint32_t *k, struct mpg_error *err);
/* Simulates REPLICA of S once more, for WATCH, into AGAIN, which is to be cleared even on failure. ENTER steps name
 * regions. Errors: as the simulation's. */
int mpg_simulate_again(const struct mpg_simulated *s, uint32_t replica, const struct mpg_watch *watch,
                       struct mpg_result *again, struct mpg_error *err);

#endif
