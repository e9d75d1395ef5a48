/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrences.inc for the instruction set that its makefile names: avx512. */
#define MPG_RECURRENCES mpg_recurrences_avx512
extern const struct mpg_recurrences MPG_RECURRENCES;
#include "simulate/evaluate/recurrences/recurrences.inc"
