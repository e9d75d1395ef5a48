/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of mpgtrace compare (common/conditions/conditions.h). Private to mpgtrace compare. */
#ifndef MPG_COMPARE_CONDITIONS_H
#define MPG_COMPARE_CONDITIONS_H

#include "analyse/compare/compare.h"
#include "common/conditions/conditions.h"

/* Checks that C names a quantity that recordings can have, with a limit that fits; a limit of 0 gets the quantity's unit. Returns
 * 0, or -1 with ERR. */
int mpg_compare_fit_condition(struct mpg_condition *c, struct mpg_error *err);
/* Decides N conditions, which outlive RESULT (N elements), from the recordings of C. Changes are of the mean of a side's
 * recordings; limits in % use Fieller's interval of the ratio, other limits Welch's interval of the difference. Returns 0, or -1
 * with ERR: a region or callsite that no recording has; out of memory. */
int mpg_compare_judge(const struct comparison *c, const struct mpg_condition *condition, size_t n,
                      struct mpg_condition_result *result, struct mpg_error *err);

#endif
