/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers of N that times follow, and where they lead. Private to scale/correlate/. */
#ifndef MPG_SCALE_POWER_H
#define MPG_SCALE_POWER_H

#include "scale/correlate/coefficient.h"
#include "scale/correlate/correlate.h"

/* That of SITE's times (A_s, ns), of the runs in which they are longer than 0. Error: out of memory. */
int mpg_scale_power(const struct scale_set *set, size_t site, struct scale_power *power, struct mpg_error *err);
enum { SCALE_PROJECT_RESAMPLES = 500 };

/* What part of the communication each row of A has with options->project processes: the times of all sites of the set,
 * each by its power (without one: as their median), over their sum. The interval: 95 % of the same after resampling by
 * DRAWS, of as many points as the set has runs, all sites together; none where a row has fewer than 3 runs or one N
 * (docs/GROWTH.md). Error: out of memory. */
int mpg_scale_project(struct scale_analysis *a, const struct scale_draws *draws, struct mpg_error *err);

#endif
