/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --tolerate: how much of something a run can stand. */
#ifndef MPG_TOLERATE_H
#define MPG_TOLERATE_H

#include "simulate/scenarios/scenarios.h"

/* Finds the largest value of A's one axis whose median slowdown is at most 1 + A's limit, and fills ROWS with
 * what is so without any, and with that; its tolerance says the value. All else as mpg_scenarios_run(). */
int mpg_tolerate(const struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_files *files,
                 struct mpg_sheet *rows, struct mpg_error *err);

#endif
