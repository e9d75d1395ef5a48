/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Naming files that mpgsim was given in the wrong place. */
#ifndef MPG_SIMULATE_KINDS_H
#define MPG_SIMULATE_KINDS_H

#include <stdbool.h>

#include "common/error.h"

/* PATH could not be read as a trace (IS_TRACE) or a signature, for the reason in ERR: says
 * what it is instead, if that can be told. Always returns -1. */
int mpg_explain_input(const char *path, bool is_trace, struct mpg_error *err);

#endif
