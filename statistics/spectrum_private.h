/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that make a struct mpg_spectrum. */
#ifndef MPG_SPECTRUM_PRIVATE_H
#define MPG_SPECTRUM_PRIVATE_H

#include "statistics/spectrum.h"

/* Fills S's background, freedom and lines from its power, as mpg_spectrum_welch()
 * says. Errors: out of memory; S is then still to be freed as it was. */
int mpg_spectrum_find_lines(struct mpg_spectrum *s, double false_alarm, struct mpg_error *err);

/* Fills order and harmonic_of_hz of S's lines, ascending in frequency. */
void mpg_spectrum_mark_harmonics(struct mpg_spectrum *s);

#endif
