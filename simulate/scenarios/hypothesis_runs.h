/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario with all hypotheses, without hypotheses, with each hypothesis alone, and with all hypotheses but each one. */
#ifndef MPG_HYPOTHESIS_RUNS_H
#define MPG_HYPOTHESIS_RUNS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/hypothesis_shares.h"

/* A function that replaces mpg_simulate(), for predictions in the order of simulated time. PREDICT computes a result per call;
 * FIRST: the result with all hypotheses, which is the answer. */
struct mpg_hypothesis_engine {
    int (*predict)(void *context, const struct mpg_perturbation *p, const struct mpg_simulation_options *options,
                   bool first, struct mpg_result *result, struct mpg_error *err);
    void *context;
};

/* Fills RESULT for SETTING, after mpg_setting_begin(), with all hypotheses: by mpg_simulate(), or by ENGINE if not NULL. OBSERVER
 * observes only this run. With hypotheses also fills HYPOTHESIS_SHARES in the first process; the caller clears the shares, even
 * after a failure. Errors: see mpg_simulate(). */
int mpg_hypothesis_runs(const struct mpg_setting *setting, const struct mpg_files *files,
                     const struct mpg_hypothesis_engine *engine, const struct mpg_observer *observer,
                     struct mpg_result *result, struct mpg_hypothesis_shares *hypothesis_shares, struct mpg_error *err);
void mpg_hypothesis_shares_clear(struct mpg_hypothesis_shares *hypothesis_shares);

#endif
