/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recurrences.inc compiled for the base instruction set; see the makefile. */
#define MPG_RECURRENCES mpg_recurrences_base
extern const struct mpg_recurrences MPG_RECURRENCES;
#include "simulate/evaluate/recurrences/recurrences.inc"
