/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scenario with hypotheses, and the same with none of them, with each alone, and with each left out. */
#ifndef MPG_SCENARIOS_SUPPOSED_H
#define MPG_SCENARIOS_SUPPOSED_H

#include "simulate/options/inputs.h"
#include "simulate/reports/supposing.h"

/* What predicts in place of mpg_simulate(), one result after the other; the FIRST is the answer. */
struct mpg_supposed_engine {
    int (*predict)(void *context, const struct mpg_perturbation *p, const struct mpg_simulation_options *options,
                   bool first, struct mpg_result *result, struct mpg_error *err);
    void *context;
};

/* Fills RESULT, of SETTING, which has begun, as mpg_simulate() does (ENGINE: as that does),
 * whose WATCH sees it; with hypotheses also SUPPOSING, in the first of several processes, which is to be cleared even
 * so. Errors: theirs. */
int mpg_supposed_run(const struct mpg_setting *setting, const struct mpg_files *files,
                     const struct mpg_supposed_engine *engine, const struct mpg_observer *observer,
                     struct mpg_result *result, struct mpg_supposing *supposing, struct mpg_error *err);
void mpg_supposing_clear(struct mpg_supposing *supposing);

#endif
