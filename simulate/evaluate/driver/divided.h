/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicas whose ranks are divided among threads: each thread evaluates all replicas of its ranks. */
#ifndef MPG_DIVIDED_H
#define MPG_DIVIDED_H

#include "simulate/evaluate/driver/runs.h"

/* Evaluates replicas FIRST to FIRST + LANES - 1 of N runs with equal graphs by up to THREADS threads. PASSED: findings of the
 * last pass, updated. Returns 1; 0, having changed nothing, if the ranks cannot be divided because of *REASON, or (NULL) are too
 * few; -1 with ERR. */
int mpg_runs_divided(struct mpg_run **run, size_t n, uint32_t first, uint32_t lanes, unsigned threads, struct mpg_passed *passed,
                     const char **reason, struct mpg_error *err);

#endif
