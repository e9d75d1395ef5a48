/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the scenarios of --sweep, --tolerate and several signatures: a scenario per point and signature. Scenarios with a common
 * graph are simulated together. */
#ifndef MPG_SCENARIOS_H
#define MPG_SCENARIOS_H

#include "simulate/options/inputs.h"
#include "simulate/reports/result_table.h"

/* Fills ROWS with the results of C's sweep and signatures, in order. SETTING holds the distributions given by C. The arguments
 * must outlive ROWS; the caller clears ROWS, even after a failure. Several processes divide the scenarios into parts, and the
 * first process receives all rows. Collective. Errors: of a setting or a simulation, prefixed with the scenario's name. */
int mpg_scenarios_run(const struct mpg_config *c, const struct mpg_setting *setting,
                      const struct mpg_files *files, struct mpg_result_table *rows, struct mpg_error *err);

/* Returns true if points with different values on AXIS need different settings: another graph, placement or signature. Each value
 * then needs a separate simulation. */
bool mpg_axis_changes_setting(const struct mpg_config *config, const struct mpg_axis *axis);
/* Returns true if POINT of CONFIG's sweep differs only in values from LEADER, the first point with its setting. */
bool mpg_point_shares_setting(const struct mpg_config *config, size_t leader, size_t point);
/* Returns true if POINT is the first point with a new setting. */
bool mpg_point_is_leader(const struct mpg_config *config, size_t point);

/* Finds the largest tolerated value of the single axis, for each of CONFIG's signatures (or without a signature) and each limit.
 * A value is tolerated if the median run time is at most (1 + limit) times the base: the traced run, or in predict mode the
 * median run without the axis (Shen et al., LLAMP, SC 2024: T(L) <= (1 + x) T(L0)). ROWS receives the tolerances ordered by
 * signature and limit, and the runs without the axis and with each found value, ascending; for several signatures only each
 * signature's run without the axis. GIVEN receives the setting of CONFIG without the axis. GIVEN must outlive ROWS, and the
 * caller clears both, even after a failure. Other properties: see mpg_scenarios_run(). */
int mpg_tolerate(const struct mpg_config *config, const struct mpg_setting *setting, const struct mpg_files *files,
                 struct mpg_setting *given, struct mpg_result_table *rows, struct mpg_error *err);

#endif
