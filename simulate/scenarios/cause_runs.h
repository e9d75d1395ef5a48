/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a scenario without each cause of the target's noise, all with equal random draws (--where=noise). */
#ifndef MPG_CAUSE_RUNS_H
#define MPG_CAUSE_RUNS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/cause_worths.h"

/* Fills WORTHS for SETTING of C, after mpg_setting_begin(), in one simulation: with the noise of all causes; without each of the
 * largest causes, as with --without-noise=CAUSE; without all smaller causes; without any cause. Collective over the processes of
 * SETTING. The caller clears WORTHS, even after a failure. Errors: the causes of the target's noise are unknown; see
 * mpg_simulate(). */
int mpg_cause_runs(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                   struct mpg_cause_worths *worths, struct mpg_error *err);

#endif
