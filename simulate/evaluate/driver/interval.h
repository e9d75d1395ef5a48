/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interval of the median over replicas, if the signatures are samples (docs/NOISE.md, Measured again). */
#ifndef MPG_INTERVAL_H
#define MPG_INTERVAL_H

#include "simulate/evaluate/driver/result.h"
#include "simulate/models/perturbation.h"

/* Widens the interval of S, of the median of N VALUES (replicas FIRST .. FIRST + N - 1), by the uncertainty of the
 * measurements from which R draws; never narrows the interval. For benchmark launches: Student's interval of the mean of the
 * launches' medians. For blocks of noise records: the variance between replicas with equal blocks (Fisher 1925, Statistical
 * methods for research workers, section 38); the interval of values that are not negative is not negative. SORTED: the N values
 * in ascending order. */
void mpg_interval_widen(struct mpg_summary *s, const struct mpg_resampling *r, const double *values, double *sorted, size_t n,
                        uint32_t first);

#endif
