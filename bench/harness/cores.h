/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cores that this process may use, as the system numbers them. */
#ifndef MPG_CORES_H
#define MPG_CORES_H

#include <stddef.h>

#include "common/error.h"

/* The cores this thread may run on, ascending, into *CORES, which the caller
 * frees; returns how many, at least 1, or -1 (out of memory, the system call
 * fails). Source: sched_getaffinity(2). */
int mpg_cores_allowed(int **cores, struct mpg_error *err);
/* Pins this thread to CORE (>= 0). Fails when it may not run there. */
int mpg_cores_pin(int core, struct mpg_error *err);
/* The allowed cores as a list of ranges, "0-3,8", into TEXT of SIZE bytes, cut off
 * where it is too long; "unknown" when they cannot be found out. Returns TEXT. */
char *mpg_cores_text(char *text, size_t size);

/* Keeps those of the N cores in CORE (as mpg_cores_allowed() gives them) that
 * LIST names, like "0,4-7"; returns how many. Errors: LIST is no such list, or
 * names a core that is not among them. */
int mpg_cores_select(const char *list, int *core, int n, struct mpg_error *err);

/* Keeps at most LIMIT of the N cores (0: all), evenly spread; returns how many. */
int mpg_cores_limit(int limit, int *core, int n);

#endif
