/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run without recording: the recorded run minus the time that the tracer took (docs/MODEL.md, Decisions, The tracer's
 * part). Ratios and delays of predictions refer to this run, as those of perturbed runs do. */
#ifndef MPG_RECORDED_H
#define MPG_RECORDED_H

#include "simulate/options/inputs.h"
#include "simulate/reports/result_table.h"

/* Sets the traced run of RESULT, a prediction by C with the open SETTING, to the run without recording. RESULT does not
 * change if perturb mode cannot compute this run, because there is no signature, or because C excludes perturb mode. To be
 * called by one process, without the others. */
void mpg_recorded_refer(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                        struct mpg_result *result);

/* As mpg_recorded_refer(), for ROWS, predictions that mpg_scenarios_run() made with C, SETTING and FILES; to be called by the
 * first process only, which has the rows. Each row then refers to the run to which a prediction of this row alone would refer. */
void mpg_recorded_refer_rows(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_files *files,
                             struct mpg_result_table *rows);

#endif
