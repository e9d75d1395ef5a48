/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that implement struct mpg_spectrum; private to statistics/spectrum*.c. */
#ifndef MPG_SPECTRUM_PRIVATE_H
#define MPG_SPECTRUM_PRIVATE_H

#include "statistics/spectrum.h"

/* Fills S's background, freedom and lines from its power, as documented for mpg_spectrum_welch(). Errors: out of
 * memory; the caller still frees S. */
int mpg_spectrum_find_lines(struct mpg_spectrum *s, double false_alarm, struct mpg_error *err);

/* Fills order and harmonic_of_hz of S's lines, ascending in frequency. */
void mpg_spectrum_mark_harmonics(struct mpg_spectrum *s);

#endif
