/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pre-pass over a trace, in both modes. The pre-pass finds minimum times of calls, usual times of messages, and
 * compute-interval classes, which must be known before the replicas' first step. The findings are kept in the pre-pass cache
 * (simulate/cache/). */
#ifndef MPG_PREPASS_H
#define MPG_PREPASS_H

#include "simulate/evaluate/prepass/classes.h"
#include "simulate/evaluate/prepass/floors.h"
#include "simulate/passes/pass.h"

/* One pre-pass; zero-initialised: empty. */
struct mpg_prepass {
    struct mpg_floors *floors;   /* NULL: not wanted */
    struct mpg_classes *classes; /* NULL: not wanted */
    bool messages;               /* the floors include message times, because the ranks' clocks are comparable */
    bool is_done;                /* the findings are complete */
    struct mpg_passed passed;    /* findings of the pass about the trace, valid if is_done */
};

/* Prepares X, which is empty, for TRACE: minimum times by OPTIONS (NULL: none), with MESSAGES also message times, and
 * classes of the intervals from which the noise of SOURCE is removed (NULL: none); REMOVALS, which outlives X, keeps the
 * removals. The caller clears X, also on failure. Error: out of memory. */
int mpg_prepass_init(struct mpg_prepass *x, const struct mpg_trace *trace, const struct mpg_floor_options *options, bool messages,
                     const struct mpg_perturbation *source, struct mpg_removals *removals, struct mpg_error *err);
/* Completes N >= 1 prepared pre-passes over the steps of PASS_CONFIG: from the cache, or else by one pass over the trace,
 * shared by THREADS >= 1 threads; of processes that make passes together, the first does this for all. Adds new findings to the
 * cache. Errors: errors of mpg_pass(); out of memory. */
int mpg_prepass_find(const struct mpg_pass_config *pass_config, struct mpg_prepass *const *x, size_t n, unsigned threads,
                     struct mpg_error *err);
void mpg_prepass_clear(struct mpg_prepass *x);

#endif
