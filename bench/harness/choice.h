/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the allowed cores a benchmark measures. */
#ifndef MPG_CHOICE_H
#define MPG_CHOICE_H

#include "common/error.h"

/* Keeps those of the N cores in CORE (as mpg_cores_allowed() gives them) that
 * LIST names, like "0,4-7"; returns how many. Errors: LIST is no such list, or
 * names a core that is not among them. */
int mpg_choice_select(const char *list, int *core, int n, struct mpg_error *err);

/* Keeps at most LIMIT of the N cores (0: all), evenly spread; returns how many. */
int mpg_choice_limit(int limit, int *core, int n);

#endif
