/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario with all hypotheses, with none, with each hypothesis alone, and with all but each. */
#ifndef MPG_SCENARIOS_SUPPOSED_H
#define MPG_SCENARIOS_SUPPOSED_H

#include "simulate/options/inputs.h"
#include "simulate/reports/supposing.h"

/* Replaces mpg_simulate() for predictions in simulated time. PREDICT computes the results one by one; FIRST marks the answer. */
struct mpg_supposed_engine {
    int (*predict)(void *context, const struct mpg_perturbation *p, const struct mpg_simulation_options *options,
                   bool first, struct mpg_result *result, struct mpg_error *err);
    void *context;
};

/* Fills RESULT, which has begun, for SETTING by mpg_simulate(), or by ENGINE if not NULL. OBSERVER sees only this run. With
 * hypotheses also fills SUPPOSING in the first process; the caller clears SUPPOSING, even after a failure. Errors: see
 * mpg_simulate(). */
int mpg_supposed_run(const struct mpg_setting *setting, const struct mpg_files *files,
                     const struct mpg_supposed_engine *engine, const struct mpg_observer *observer,
                     struct mpg_result *result, struct mpg_supposing *supposing, struct mpg_error *err);
void mpg_supposing_clear(struct mpg_supposing *supposing);

#endif
