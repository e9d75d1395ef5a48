/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the compiled code for the processor's instruction set. */
#include "config.h"
#include "simulate/evaluate/recurrences/recurrences.h"

#include "common/isa_choice.h"

MPG_ISA_CHOICE(mpg_recurrences, static);
