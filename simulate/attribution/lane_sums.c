/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among the instruction sets that were compiled for. */
#include "config.h"
#include "simulate/attribution/lane_sums.h"

#include "common/isa_choice.h"

MPG_ISA_CHOICE(mpg_lane_sums, static);
