/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_code.inc, compiled for the base instruction set. */
#define MPG_LANE_CODE mpg_lane_code_base
extern const struct mpg_lane_code MPG_LANE_CODE;
#include "simulate/draws/lane_code.inc"
