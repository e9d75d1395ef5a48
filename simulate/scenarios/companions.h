/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Further runs for the short answer of a prediction: the perturbed run; and the prediction without noise, on an ideal network,
 * and with the computation ratios of the kernels in both signatures. */
#ifndef MPG_COMPANION_RUNS_H
#define MPG_COMPANION_RUNS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/companions.h"

/* Fills COMPANIONS for the prediction RESULT of SETTING, which has the configuration C and the files FILES. All runs have the
 * seed and the first replicas of the prediction. Sets the traced run of RESULT to the traced run of the perturbed run.
 * Collective: the first process has the results. A run that cannot be simulated is left out, and the reason stored. Returns 0, or
 * -1 with ERR: out of memory, an unreadable trace. The caller clears COMPANIONS. */
int mpg_companion_runs(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                       struct mpg_result *result, struct mpg_companions *companions, struct mpg_error *err);

/* Predicts one replica of FILES' trace without noise with configuration C and the message times of the first replica; receives
 * take the traced messages. OBSERVER observes the replica. SETTING has the configuration C, and shares the distributions. To be
 * called by one process alone. Returns 0, or -1 with ERR as of mpg_simulate(). The caller clears RESULT after success. */
int mpg_quiet_run(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files,
                  const struct mpg_observer *observer, struct mpg_result *result, struct mpg_error *err);
/* As mpg_quiet_run(), but predicts replica REPLICA of the prediction, with noise. */
int mpg_noisy_run(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, uint32_t replica,
                  const struct mpg_observer *observer, struct mpg_result *result, struct mpg_error *err);

#endif
