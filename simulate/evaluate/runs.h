/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios, in either mode, each with the same replicas: those whose graph is the same in passes together, as many at a time
 * as memory wants, in each pass as lanes of as many threads as there are; and once more in the traced order where what
 * they chose was void. */
#ifndef MPG_RUNS_H
#define MPG_RUNS_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/observer.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/passes/pass.h"

/* A scenario; CONTEXT is passed on. Lanes of different begin() may be taken by different threads. */
struct mpg_run {
    void *context;
    struct mpg_course course;
    /* Lanes for replicas FIRST .. FIRST + N - 1, of which those that KEEPS says (may be NULL; one a
     * lane) keep the traced order; WATCH (may be NULL) sees what the first lane does. NULL with ERR. */
    struct mpg_evaluator *(*begin)(void *context, uint32_t first, uint32_t n, const bool *keeps,
                                   const struct mpg_observer *observer, struct mpg_error *err);
    /* Takes what LANES have come to, those of replicas FIRST .. FIRST + N - 1: of lower ones first. */
    void (*end)(void *context, const struct mpg_evaluator *lanes, uint32_t first, uint32_t n);
    uint32_t redone; /* replicas that were evaluated once more; counted up */
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
                      const struct mpg_observer *observer, struct mpg_error *err);

#endif
