/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among the instruction sets that were compiled for. */
#include "config.h"
#include "simulate/evaluate/recurrences/recurrences.h"

#include "common/isa_choice.h"

MPG_ISA_CHOICE(mpg_recurrences, static);
