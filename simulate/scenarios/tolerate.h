/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --tolerate: how much of something a run can stand. */
#ifndef MPG_TOLERATE_H
#define MPG_TOLERATE_H

#include "simulate/scenarios/scenarios.h"

/* Finds for each of A's signatures (or without any) and each of A's limits the largest value of A's one axis with which
 * the median run is at most 1 + that limit times the traced one, or, of a prediction, times the median of the run as all
 * else is given (Shen et al., LLAMP, SC 2024: T(L) <= (1 + x) T(L0)). ROWS's tolerances say the values, signatures in
 * their order, for each the limits in theirs; its rows are what is so without any, and with each, ascending; of several
 * signatures, the run of each as it is given. All else as mpg_scenarios_run(); GIVEN, what
 * A asks for without its axis, is filled, outlives ROWS, and is to be cleared even on failure. */
int mpg_tolerate(const struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_files *files,
                 struct mpg_asked *given, struct mpg_sheet *rows, struct mpg_error *err);

#endif
