/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios: the same replicas of each, those whose graph is the same in passes together, as many at a
 * time as memory wants. */
#ifndef MPG_RUNS_H
#define MPG_RUNS_H

#include "simulate/passes/replicas.h"

/* A scenario; CONTEXT below is its mode's. */
struct mpg_run {
    struct mpg_course course;
    struct mpg_mode mode;
    /* What a lane takes, bytes, as far as passes have told. */
    double (*lane_bytes)(const void *context);
    bool told; /* by a pass of this course */
    /* Before its first replica, and after its last: other scenarios may have none of theirs then. Either
     * may be NULL. */
    int (*start)(void *context, struct mpg_error *err);
    int (*finish)(void *context, struct mpg_error *err);
    /* Fills PASSED with what is to be kept of before; takes it after each pass, whole or not. */
    void (*passing)(const void *context, struct mpg_passed *passed);
    void (*passed)(void *context, const struct mpg_passed *passed);
};

/* Evaluates replicas FIRST .. FIRST + REPLICAS - 1 of N runs by THREADS >= 1 threads; WATCH (may be NULL)
 * sees the first one of the first. */
int mpg_runs_evaluate(struct mpg_run *run, size_t n, uint32_t first, uint32_t replicas, unsigned threads,
                      const struct mpg_watch *watch, struct mpg_error *err);

#endif
