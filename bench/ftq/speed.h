/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a core would have done in a quantum without noise. Its best quantum is no
 * measure of that: clock rates change, and a second hardware thread (another
 * guest's, on a virtual machine) slows the first, by several percent for
 * milliseconds to minutes; against the best, all that would count as noise. */
#ifndef MPG_SPEED_H
#define MPG_SPEED_H

#include <stddef.h>

/* Fills REFERENCE with the undisturbed rate about each of N >= 1 quanta that did
 * RATE (>= 0, any unit): of 64 quanta in a row, the rate that a quarter of them
 * exceed. Right as long as a quarter of the quanta is undisturbed; where that is
 * less than 0.7 of the best rate of all, noise is denser, and it is the best rate
 * of the 64, but at least 0.7 of the best of all. */
void mpg_speed_follow(const double *rate, size_t n, double *reference);

/* By how much N >= 1 references differ: between their 5 % and 95 % quantiles, by
 * the latter. Sorts them. */
double mpg_speed_range(double *reference, size_t n);

#endif
