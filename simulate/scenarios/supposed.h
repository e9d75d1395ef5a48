/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scenario with all hypotheses, with none, with each alone, and without each. */
#ifndef MPG_SCENARIOS_SUPPOSED_H
#define MPG_SCENARIOS_SUPPOSED_H

#include "simulate/options/inputs.h"
#include "simulate/reports/supposing.h"

/* Replaces mpg_simulate() for predictions in simulated time: computes one result after the other; the FIRST is the answer. */
struct mpg_supposed_engine {
    int (*predict)(void *context, const struct mpg_perturbation *p, const struct mpg_simulation_options *options,
                   bool first, struct mpg_result *result, struct mpg_error *err);
    void *context;
};

/* Fills RESULT, which has begun, by SETTING, as mpg_simulate() does (with ENGINE: as ENGINE does); the observer of SETTING
 * sees this run. With hypotheses also fills SUPPOSING, in the first of several processes; the caller clears SUPPOSING, also on
 * failure. Errors: those of the simulation. */
int mpg_supposed_run(const struct mpg_setting *setting, const struct mpg_files *files,
                     const struct mpg_supposed_engine *engine, const struct mpg_observer *observer,
                     struct mpg_result *result, struct mpg_supposing *supposing, struct mpg_error *err);
void mpg_supposing_clear(struct mpg_supposing *supposing);

#endif
