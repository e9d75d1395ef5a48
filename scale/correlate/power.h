/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers of N that times follow, and where they lead. Private to scale/correlate/. */
#ifndef MPG_SCALE_POWER_H
#define MPG_SCALE_POWER_H

#include "scale/correlate/correlate.h"

/* That of SITE's times (A_s, ns), of the runs in which they are longer than 0. Error: out of memory. */
int mpg_scale_power(const struct scale_set *set, size_t site, struct scale_power *power, struct mpg_error *err);
/* What part of the communication each row of A has with options->project processes: the times of all sites of the set,
 * each by its power (without one: as their median), over their sum. The interval: this row's time by both ends of its
 * exponent's interval, all others as they are. Error: out of memory. */
int mpg_scale_project(struct scale_analysis *a, struct mpg_error *err);

#endif
