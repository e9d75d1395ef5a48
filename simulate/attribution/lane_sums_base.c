/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_sums.inc compiled for the base instruction set; see the makefile. */
#define MPG_LANE_SUMS mpg_lane_sums_base
extern const struct mpg_lane_sums MPG_LANE_SUMS;
#include "simulate/attribution/lane_sums.inc"
