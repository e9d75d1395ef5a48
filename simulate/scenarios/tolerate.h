/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --tolerate: how much of something a run can stand. */
#ifndef MPG_TOLERATE_H
#define MPG_TOLERATE_H

#include "simulate/scenarios/scenarios.h"

/* Finds for each of A's limits the largest value of A's one axis whose median slowdown is at most 1 + that limit, and
 * fills ROWS with what is so without any, and with each, ascending; its tolerances say the values, in the order of
 * the limits. All else as mpg_scenarios_run(). */
int mpg_tolerate(const struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_files *files,
                 struct mpg_sheet *rows, struct mpg_error *err);

#endif
