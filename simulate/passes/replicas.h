/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicas of runs, in either mode: in as many passes as memory wants, in each of them as lanes of as
 * many threads as there are, and once more in the traced order where what they chose was void. Several
 * scenarios, each a mode with a context of its own, are evaluated in one pass where their graph is the
 * same. */
#ifndef MPG_REPLICAS_H
#define MPG_REPLICAS_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/watch.h"
#include "simulate/passes/pass.h"

/* How a mode evaluates; CONTEXT is passed on. Lanes of different begin() may be taken by different
 * threads. */
struct mpg_mode {
    void *context;
    /* Lanes for replicas FIRST .. FIRST + N - 1, of which those that KEEPS says (may be NULL; one a
     * lane) keep the traced order; WATCH (may be NULL) sees what the first lane does. NULL with ERR. */
    void *(*begin)(void *context, uint32_t first, uint32_t n, const bool *keeps,
                   const struct mpg_watch *watch, struct mpg_error *err);
    mpg_take *take; /* whose context are lanes */
    /* Which steps LANES look at; NULL: at all. */
    enum mpg_steps_wanted (*wants)(const void *lanes);
    /* The values of STREAM's last node, one a lane. */
    const double *(*value)(const void *lanes, uint32_t stream);
    /* Which lanes would have had to keep the traced order, one a lane; NULL: none. */
    const bool *(*broken)(const void *lanes);
    /* Once all is evaluated: an error that says why LANES do not hold. */
    int (*check)(const void *lanes, struct mpg_error *err);
    /* Takes what LANES have come to, those of replicas FIRST .. FIRST + N - 1: of lower ones first. */
    void (*end)(void *context, const void *lanes, uint32_t first, uint32_t n);
    void (*free)(void *lanes);
    uint32_t redone; /* replicas that were evaluated once more; counted up */
};

struct mpg_replicas {
    struct mpg_course course;
    struct mpg_mode *mode;         /* so many: */
    size_t modes;
    unsigned threads;              /* >= 1 */
    const struct mpg_watch *watch; /* of the first mode's first replica; or NULL */
    struct mpg_passed *passed;     /* of the last pass */
};

/* Evaluates replicas FIRST .. FIRST + N - 1 of all modes in one pass, and those once more that have to
 * be. */
int mpg_replicas_evaluate(const struct mpg_replicas *replicas, uint32_t first, uint32_t n,
                          struct mpg_error *err);

/* How many lanes a pass may have, of LANE_BYTES each: results do not depend on it, memory does. */
uint32_t mpg_replicas_a_pass(double lane_bytes);
/* How many modes, of N replicas each, likewise: at least 1. */
size_t mpg_replicas_modes_a_pass(double lane_bytes, uint32_t n);

#endif
