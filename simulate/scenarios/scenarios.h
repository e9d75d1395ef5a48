/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios of --sweep, --tolerate and several signatures: one for each point and signature. Scenarios whose graphs can be the
 * same are simulated together. */
#ifndef MPG_SCENARIOS_H
#define MPG_SCENARIOS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/result_table.h"

/* Fills ROWS with the results of C's sweep and signatures, in their order. ASKED has the distributions that C gives. All
 * arguments outlive ROWS, which the caller clears, also on failure. Of several processes, which divide the scenarios into
 * parts, the first has the rows. Collective. Errors: those of a setting and of a simulation, prefixed with the name of the
 * scenario. */
int mpg_scenarios_run(const struct mpg_config *c, const struct mpg_setting *asked,
                      const struct mpg_files *files, struct mpg_result_table *rows, struct mpg_error *err);

/* Finds, for each of CONFIG's signatures (or without any) and each of CONFIG's limits, the largest value of the single axis
 * with which the median run is at most 1 + limit times the base: the traced run, or in predict mode the median run without the
 * axis (Shen et al., LLAMP, SC 2024: T(L) <= (1 + x) T(L0)). The tolerances of ROWS hold these values by signature, then by
 * limit. The rows hold the run without the axis and the run with each value, ascending; of several signatures, the run of each
 * without the axis. GIVEN is filled with the setting of CONFIG without its axis; it outlives ROWS, and the caller clears it,
 * also on failure. Otherwise as mpg_scenarios_run(). */
int mpg_tolerate(const struct mpg_config *config, const struct mpg_setting *asked, const struct mpg_files *files,
                 struct mpg_setting *given, struct mpg_result_table *rows, struct mpg_error *err);

#endif
