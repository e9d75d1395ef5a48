/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's speed: time of computation in another launch of the target, relative to the recorded launch (docs/MODEL.md,
 * section 3, Speed). */
#ifndef MPG_SPEED_H
#define MPG_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "simulate/models/perturbation.h"

/* The factor F of computation times: ln F is SD times a variable of Student's t distribution. */
struct mpg_launch_speed {
    bool is_known;
    double sd;        /* factor of Student's variable, > 0: standard deviation of the logarithms of measured rates between
                         launches, of both machines together */
    double freedom;   /* degrees of freedom, >= 1 */
    double low, high; /* F is between these in 90 % of runs: the quantiles 0.05 and 0.95 */
};

/* Returns the factor of predictions by P, by the launches of target and source; unknown in perturb mode, with
 * --models=speed=recorded, without a source, or if a machine's rates come from a single launch. */
struct mpg_launch_speed mpg_speed_of(const struct mpg_perturbation *p);

/* A prediction at three speeds. */
struct mpg_speed_runs {
    const double *sorted_ns; /* run times of N >= 1 replicas at the recorded speed, ascending */
    size_t n;
    double low, high; /* run time with F = speed->low and with F = speed->high, relative to the recorded speed; <= 1 and >= 1 */
};

/* Sets INTERVAL_NS to the quantiles 0.05 and 0.95 of run times with independent replica and F; run time is linear in F between
 * the three speeds and beyond. */
void mpg_speed_interval(const struct mpg_launch_speed *speed, const struct mpg_speed_runs *runs, double interval_ns[2]);

#endif
