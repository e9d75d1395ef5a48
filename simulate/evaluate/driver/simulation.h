/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole simulation: clocks, pre-pass, replicas. */
#ifndef MPG_SIMULATION_H
#define MPG_SIMULATION_H

#include <stdbool.h>

#include "simulate/choice/observer.h"
#include "simulate/evaluate/driver/share.h"

/* The origin of the traced machine's eager limit. */
enum mpg_source_limit {
    MPG_LIMIT_OF_TARGET, /* unknown: as the target's */
    MPG_LIMIT_GIVEN,     /* graph.source_eager_limit_bytes */
    MPG_LIMIT_IN_TRACE   /* the target's, unless the trace contradicts this limit */
};

struct mpg_simulation_options {
    bool predicts; /* predict mode; else perturb mode */
    bool absorb_given;
    enum mpg_absorb absorb; /* choice of slack, if absorb_given; else clock where clocks are comparable, or wait */
    struct mpg_graph_options graph;
    enum mpg_source_limit source_limit; /* used only with MPG_ABSORB_CLOCK */
    bool limit_shown;      /* no eager limit is given: the graph uses the limit that the trace shows */
    struct mpg_floor_options floors;
    uint32_t replicas, first_replica;
    struct mpg_processes *processes; /* processes that share the replicas; NULL: this process alone */
    unsigned threads;      /* threads that share the lanes of a pass, >= 1 */
    bool without_replicas; /* perturb mode, one scenario: finds only tracer_taken_out, and if true recorded_ns and traced_ns */
    bool deterministic;    /* calls complete as in the trace */
    int64_t polling_ns;    /* intervals up to this length that poll are waiting (docs/MODEL.md, section 5); -1: none */
    uint64_t horizon;      /* limit of messages in flight while a call waits for candidates */
    const struct mpg_placement *placement, *source_placement; /* places of ranks, which select path classes; NULL: one path class
                                                           on the machine */
    const struct mpg_observer *observer; /* observer of delays or of times, after MPI_Init; NULL: none */
    struct mpg_cache *cache; /* pre-pass cache; NULL: none */
    struct mpg_attribution_wanted where;
    struct mpg_times_options times; /* predict mode */
    struct mpg_critical *path; /* predict mode with one replica: records the critical path; NULL: not wanted */
};

/* A scenario. */
struct mpg_scenario {
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_result *result; /* result, filled here; the caller clears the result after use */
    /* Scenarios with equal FAMILY have equal signatures, models, placements and floors: their perturbations differ only in
     * compute_ratio and in the values of distributions. */
    uint32_t family;
    /* Called when the result is complete, and not needed any more. NULL: not wanted. */
    int (*done)(void *context, struct mpg_error *err);
    void *context;
    const char *name; /* prefix of the scenario's own errors; NULL: none */
};

/* Simulates TRACE in N >= 1 scenarios of one mode. The replicas, processes, threads and observer are the first scenario's;
 * only the first scenario is observed. Scenarios with equal graphs share passes over the trace; PASSES counts them. In
 * predict mode a delay is the predicted less the traced run time, and the source's only use is the noise in intervals. With
 * several processes only the first one has the results and calls done(). On failure, results that are not done need no
 * clearing. Errors: errors of the trace, the graph and the options; out of memory. */
int mpg_simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                 struct mpg_error *err);

#endif
