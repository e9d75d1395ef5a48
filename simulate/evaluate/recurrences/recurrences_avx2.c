/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrences.inc compiled for AVX2; the makefile sets the instruction set. */
#define MPG_RECURRENCES mpg_recurrences_avx2
extern const struct mpg_recurrences MPG_RECURRENCES;
#include "simulate/evaluate/recurrences/recurrences.inc"
