/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrences.inc for the instruction set that its makefile names: avx2. */
#define MPG_RECURRENCES mpg_recurrences_avx2
extern const struct mpg_recurrences MPG_RECURRENCES;
#include "simulate/evaluate/recurrences/recurrences.inc"
