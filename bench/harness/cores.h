/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores available to this process, by the system's numbers. */
#ifndef MPG_CORES_H
#define MPG_CORES_H

#include <stddef.h>

#include "common/error.h"

/* Stores the cores available to this thread, ascending, into *CORES, which the caller frees. Returns the number of
 * cores, >= 1. Errors (-1): out of memory, sched_getaffinity(2) fails. */
int mpg_cores_allowed(int **cores, struct mpg_error *err);
/* Pins this thread to CORE (>= 0). Error: the core is not available. */
int mpg_cores_pin(int core, struct mpg_error *err);
/* Formats the available cores as a list of ranges, "0-3,8", into TEXT of SIZE bytes, truncated if too long;
 * "unknown" if the system call fails. Returns TEXT. */
char *mpg_cores_text(char *text, size_t size);

/* Keeps the cores of LIST ("0,4-7") among the N cores in CORE (from mpg_cores_allowed()). Returns the number of
 * cores kept. Errors: LIST is malformed or names an unavailable core. */
int mpg_cores_select(const char *list, int *core, int n, struct mpg_error *err);

/* Keeps at most LIMIT of the N cores (0: all), evenly spread. Returns the number of cores kept. */
int mpg_cores_limit(int limit, int *core, int n);

#endif
