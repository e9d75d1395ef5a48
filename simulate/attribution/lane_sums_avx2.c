/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_sums.inc for the instruction set that its makefile names: avx2. */
#define MPG_LANE_SUMS mpg_lane_sums_avx2
extern const struct mpg_lane_sums MPG_LANE_SUMS;
#include "simulate/attribution/lane_sums.inc"
