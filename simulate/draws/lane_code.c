/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the compiled code for the processor's instruction set. */
#include "config.h"
#include "simulate/draws/lane_code.h"

#include "common/isa_choice.h"

MPG_ISA_CHOICE(mpg_lane_code, );
