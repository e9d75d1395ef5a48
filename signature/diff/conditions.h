/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of sigdiff (common/conditions/conditions.h) on the ratio b / a of parameters. */
#ifndef MPG_DIFF_CONDITIONS_H
#define MPG_DIFF_CONDITIONS_H

#include "common/conditions/conditions.h"
#include "signature/diff/compare.h"

/* Checks that C's limit is in %, or 0. Returns 0, or -1 with ERR. */
int diff_fit_condition(struct mpg_condition *c, struct mpg_error *err);
/* Decides N conditions, which outlive RESULT (N elements), from D, which the results point into. A condition is about all
 * parameters whose names contain the condition's name, and fails if one of them fails. MEASUREMENTS: number of measurements of
 * a's machine. Returns 0, or -1 with ERR: no parameter has such a name; out of memory. */
int diff_judge(const struct mpg_difference *d, size_t measurements, const struct mpg_condition *condition, size_t n,
               struct mpg_condition_result *result, struct mpg_error *err);

#endif
