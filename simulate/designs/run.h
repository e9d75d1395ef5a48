/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a table of traces on targets, and giving it. */
#ifndef MPG_DESIGNS_RUN_H
#define MPG_DESIGNS_RUN_H

#include "simulate/options/inputs.h"

/* Predicts each of C's traces on each of its designs, all replicas by the same addresses of draws; in the first of several
 * processes, which share the replicas of each, writes the table as C says and draws it. FIRST is C with its first
 * design, ASKED what that asks for. Collective. Errors: those of a trace, a setting or a prediction, with the trace
 * and the design that they are about; of the output. */
int mpg_designs_answer(const struct mpg_config *c, const struct mpg_config *first, const struct mpg_setting *asked,
                       struct mpg_processes *processes, struct mpg_error *err);

#endif
