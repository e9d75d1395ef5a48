/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates the replicas of scenarios, in perturb or predict mode. Scenarios with equal graphs share passes over the trace, at
 * most so many scenarios at a time as memory allows; threads share the lanes of a pass. A lane whose choices end in a deadlock
 * is evaluated again in the traced order. */
#ifndef MPG_RUNS_H
#define MPG_RUNS_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/observer.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/passes/pass.h"

/* A scenario, described by functions of the caller. CONTEXT is passed to all functions. Different threads may use different
 * evaluators at the same time. */
struct mpg_run {
    void *context;
    struct mpg_pass_config pass_config;
    /* Returns a new evaluator with a lane for each of the replicas FIRST .. FIRST + N - 1. KEEPS (may be NULL): by lane, true
     * if the lane completes messages as in the trace. OBSERVER (may be NULL) observes the first lane. Returns NULL with ERR on
     * failure. */
    struct mpg_evaluator *(*begin)(void *context, uint32_t first, uint32_t n, const bool *keeps,
                                   const struct mpg_observer *observer, struct mpg_error *err);
    /* Called with EVALUATOR after EVALUATOR has evaluated replicas FIRST .. FIRST + N - 1, in ascending order of FIRST. */
    void (*end)(void *context, const struct mpg_evaluator *evaluator, uint32_t first, uint32_t n);
    uint32_t redone; /* number of replicas that were evaluated again; increased by mpg_runs_evaluate() */
    /* Returns the memory of a lane, bytes, estimated from the findings of earlier passes. */
    double (*lane_bytes)(const void *context);
    bool has_findings; /* a pass of this configuration has been made and has left findings */
    /* Called before the first replica and after the last replica of the run; no evaluator exists during these calls. May be
     * NULL. */
    int (*start)(void *context, struct mpg_error *err);
    int (*finish)(void *context, struct mpg_error *err);
    struct mpg_passed *passed; /* findings of the last pass of this configuration, updated after each pass */
    const char *undivided; /* why threads shared replicas, not ranks; NULL: they shared ranks, or had too little to do */
};

/* Evaluates replicas FIRST .. FIRST + REPLICAS - 1 of N runs by THREADS >= 1 threads; OBSERVER (may be NULL) observes the
 * first replica of the first run. Errors: errors of the passes and of the functions of RUN. */
int mpg_runs_evaluate(struct mpg_run *run, size_t n, uint32_t first, uint32_t replicas, unsigned threads,
                      const struct mpg_observer *observer, struct mpg_error *err);

#endif
