/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure the median over replicas is, when the signatures it rests on are samples. */
#ifndef MPG_INTERVAL_H
#define MPG_INTERVAL_H

#include "simulate/engine/result.h"

/* The share of the variance of N values, replicas FIRST .. FIRST + N - 1, that two of one
 * measurement (2k and 2k + 1) have in common, 0 .. 1: their intraclass correlation (Fisher 1925,
 * Statistical methods for research workers, section 38). 0 with fewer than 3 pairs. */
double mpg_interval_shared(const double *values, size_t n, uint32_t first);
/* Widens S's interval of the median of N VALUES, sorted in SORTED, by what the measurements differ
 * by: of the distances to the 2.5 and the 97.5 % quantile it takes the part
 * sqrt(shared + (1 - shared) pi / 2 / N), the median's own error being sqrt(pi / 2 / N) of the
 * spread (docs/MODEL.md, Decisions, Measured again). It never narrows it. */
void mpg_interval_widen(struct mpg_summary *s, const double *values, const double *sorted, size_t n,
                        uint32_t first);

#endif
