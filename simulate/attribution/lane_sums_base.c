/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_sums.inc for the instruction set that its makefile names: base. */
#define MPG_LANE_SUMS mpg_lane_sums_base
extern const struct mpg_lane_sums MPG_LANE_SUMS;
#include "simulate/attribution/lane_sums.inc"
