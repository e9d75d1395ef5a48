/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --sweep, --tolerate and several signatures ask for: a scenario for each point and signature, those whose graph
 * may be the same simulated together. */
#ifndef MPG_SCENARIOS_H
#define MPG_SCENARIOS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/result_table.h"

/* Fills ROWS, of C's sweep and signatures, in their order; of several processes, which are divided into
 * parts for this, those of the first. ASKED has the distributions that C gives. What is passed outlives ROWS,
 * which is to be cleared even on failure. Collective. Errors, which say what they are about: as those of a
 * setting and of a simulation. */
int mpg_scenarios_run(const struct mpg_config *c, const struct mpg_setting *asked,
                      const struct mpg_files *files, struct mpg_result_table *rows, struct mpg_error *err);

/* Finds for each of CONFIG's signatures (or without any) and each of its limits the largest value of its one axis with which
 * the median run is at most 1 + that limit times the traced one, or, of a prediction, times the median of the run as all
 * else is given (Shen et al., LLAMP, SC 2024: T(L) <= (1 + x) T(L0)). ROWS's tolerances say the values, signatures in
 * their order, for each the limits in theirs; its rows are what is so without any, and with each, ascending; of several
 * signatures, the run of each as it is given. All else as mpg_scenarios_run(); GIVEN, what
 * CONFIG asks for without its axis, is filled, outlives ROWS, and is to be cleared even on failure. */
int mpg_tolerate(const struct mpg_config *config, const struct mpg_setting *asked, const struct mpg_files *files,
                 struct mpg_setting *given, struct mpg_result_table *rows, struct mpg_error *err);

#endif
