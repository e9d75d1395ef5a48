/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts and writes a table of traces on machines. */
#ifndef MPG_TARGET_TABLE_RUN_H
#define MPG_TARGET_TABLE_RUN_H

#include "simulate/options/inputs.h"

/* Predicts each trace of C on each machine, with equal random draws in all rows. Processes divide the replicas of each row; the
 * first process writes and plots the table as C requests. FIRST is C with the first machine, SETTING is the setting of FIRST.
 * Collective. Errors: of a trace, setting or prediction, with the names of the trace and the machine; of the output. */
int mpg_target_table_answer(const struct mpg_config *c, const struct mpg_config *first, const struct mpg_setting *setting,
                            struct mpg_processes *processes, struct mpg_error *err);

#endif
