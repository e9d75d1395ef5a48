/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run without recording: the recorded run minus the tracer's time (docs/MODEL.md, Decisions, The tracer's part). Ratios and
 * delays of predictions and of perturbed runs refer to this run. */
#ifndef MPG_RECORDED_H
#define MPG_RECORDED_H

#include "simulate/options/inputs.h"
#include "simulate/reports/result_table.h"

/* Sets the traced run of RESULT, a prediction by C with the open SETTING, to the run without recording. RESULT does not change if
 * perturb mode cannot compute this run: without a signature, or if C excludes perturb mode. To be called by one process alone. */
void mpg_recorded_refer(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                        struct mpg_result *result);

/* As mpg_recorded_refer(), for ROWS, predictions by mpg_scenarios_run() with C, SETTING and FILES; to be called only by the first
 * process, which has the rows. Each row then refers to the same run as a separate prediction of this row. */
void mpg_recorded_refer_rows(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                             struct mpg_result_table *rows);

#endif
