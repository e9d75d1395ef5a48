/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts and writes a table of traces on machines. */
#ifndef MPG_TARGET_TABLE_RUN_H
#define MPG_TARGET_TABLE_RUN_H

#include "simulate/options/inputs.h"

/* Predicts each trace of C on each machine; all rows use the same draws. Processes share the replicas of each row, and the first
 * process writes and draws the table as C says. FIRST is C with its first machine, and ASKED the setting of FIRST. Collective.
 * Errors: those of a trace, a setting or a prediction, which name the trace and the machine; those of the output. */
int mpg_target_table_answer(const struct mpg_config *c, const struct mpg_config *first, const struct mpg_setting *asked,
                            struct mpg_processes *processes, struct mpg_error *err);

#endif
