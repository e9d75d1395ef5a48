/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power laws of a site's time over N, and the projection to a larger N. Private to scale/correlate/. */
#ifndef MPG_SCALE_POWER_H
#define MPG_SCALE_POWER_H

#include "scale/correlate/coefficient.h"
#include "scale/correlate/correlate.h"

/* Fits a power law to SITE's times (A_s, ns) in the runs in which the time is above 0. Error: out of memory. */
int mpg_scale_power(const struct scale_set *set, size_t site, struct scale_power *power, struct mpg_error *err);
enum { SCALE_PROJECT_RESAMPLES = 500 };

/* Projects each row's share of the communication to options->project processes: the row's time by its power law (without power
 * law: the median), divided by the sum of these times over all sites of the set. The 95 % interval comes from resampling all
 * sites together by DRAWS, which has as many points as the set has runs. No interval for a row with fewer than 3 runs or a
 * single N (docs/GROWTH.md). Error: out of memory. */
int mpg_scale_project(struct scale_analysis *a, const struct scale_draws *draws, struct mpg_error *err);

#endif
