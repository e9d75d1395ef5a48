/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_sums.inc compiled for AVX2; the makefile sets the instruction set. */
#define MPG_LANE_SUMS mpg_lane_sums_avx2
extern const struct mpg_lane_sums MPG_LANE_SUMS;
#include "simulate/attribution/lane_sums.inc"
