/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lane_code.inc, compiled for avx512. */
#define MPG_LANE_CODE mpg_lane_code_avx512
extern const struct mpg_lane_code MPG_LANE_CODE;
#include "simulate/draws/lane_code.inc"
