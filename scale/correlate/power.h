/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power laws of times over N, and their projection to larger N. Private to scale/correlate/. */
#ifndef MPG_SCALE_POWER_H
#define MPG_SCALE_POWER_H

#include "scale/correlate/coefficient.h"
#include "scale/correlate/correlate.h"

/* Fits the power law of SITE's times (A_s, ns) over the runs with times above 0. Error: out of memory. */
int mpg_scale_power(const struct scale_set *set, size_t site, struct scale_power *power, struct mpg_error *err);
enum { SCALE_PROJECT_RESAMPLES = 500 };

/* Projects each row's share of the communication to options->project processes: the row's time by its power law (without one:
 * its median) divided by the sum over all sites of the set. The 95 % interval comes from resampling all sites together with
 * DRAWS, which have as many points as the set has runs; no interval for a row with fewer than 3 runs or a single N
 * (docs/GROWTH.md). Error: out of memory. */
int mpg_scale_project(struct scale_analysis *a, const struct scale_draws *draws, struct mpg_error *err);

#endif
