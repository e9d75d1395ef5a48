/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole simulation: clocks, pre-pass, replicas. */
#ifndef MPG_SIMULATION_H
#define MPG_SIMULATION_H

#include <stdbool.h>

#include "simulate/choice/observer.h"
#include "simulate/evaluate/driver/share.h"

/* Origin of the traced machine's eager limit. */
enum mpg_source_limit {
    MPG_LIMIT_OF_TARGET, /* unknown: the target's limit is assumed */
    MPG_LIMIT_GIVEN,     /* given in graph.source_eager_limit_bytes */
    MPG_LIMIT_IN_TRACE   /* the target's limit, unless the trace contradicts this limit */
};

struct mpg_capacities;
struct mpg_simulation_options;

/* Predicts TRACE in the order of simulated time, for messages that share the capacities of OPTIONS, and fills RESULT as
 * mpg_simulate() does. */
typedef int mpg_predict_shared(struct mpg_trace *trace, const struct mpg_perturbation *p,
                               const struct mpg_simulation_options *options, struct mpg_result *result, struct mpg_error *err);

struct mpg_simulation_options {
    bool predicts; /* predict mode; else perturb mode */
    bool absorb_given;
    /* kind of slack, if absorb_given; otherwise MPG_ABSORB_CLOCK where clocks are comparable, else MPG_ABSORB_WAIT */
    enum mpg_absorb absorb;
    struct mpg_graph_options graph;
    enum mpg_source_limit source_limit; /* used only with MPG_ABSORB_CLOCK */
    bool limit_shown;      /* no eager limit is given: the graph uses the limit found in the trace */
    struct mpg_floor_options floors;
    uint32_t replicas, first_replica;
    struct mpg_processes *processes; /* processes that share the replicas; NULL: this process alone */
    unsigned threads;      /* threads that share the lanes of a pass, >= 1 */
    /* perturb mode, one scenario: evaluates no replicas; sets only tracer_taken_out of the result and, if true, recorded_ns
     * and traced_ns */
    bool without_replicas;
    bool deterministic;    /* calls complete messages as in the trace */
    int64_t polling_ns;    /* polling intervals up to this length are waiting (docs/MODEL.md, section 5); -1: none */
    uint64_t horizon;      /* maximum number of messages in flight while a call waits for candidates */
    /* places of ranks, which select the path class of a message; NULL: the machine has one path class */
    const struct mpg_placement *placement, *source_placement;
    const struct mpg_observer *observer; /* observer of delays or times, from MPI_Init on; NULL: none */
    struct mpg_cache *cache; /* pre-pass cache; NULL: none */
    struct mpg_removals *removals; /* removals of the source's noise in all simulations; NULL: no source has noise */
    struct mpg_attribution_wanted where;
    struct mpg_times_options times; /* predict mode */
    /* Predict mode: SHARED predicts, if not NULL. Messages share CAPACITIES; NULL: they share nothing. All ranks share CORES; 0:
     * each has a core. IF_NEEDED: SHARED predicts only if some message of the first replica is delayed by sharing. */
    const struct mpg_capacities *capacities;
    int32_t cores;
    mpg_predict_shared *shared;
    bool if_needed;
    struct mpg_critical *path; /* predict mode with one replica: records the critical path; NULL: not wanted */
};

/* A scenario: configuration and result. */
struct mpg_scenario {
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_result *result; /* result, filled here; the caller clears the result after use */
    /* Scenarios with equal FAMILY have equal signatures, models, placements and minimum times: the perturbations differ only
     * in compute_ratio and in the values of distributions. */
    uint32_t family;
    /* Called when the result is complete; the simulation does not use the result afterwards. NULL: not wanted. */
    int (*done)(void *context, struct mpg_error *err);
    void *context;
    const char *name; /* prefix of the scenario's own errors; NULL: none */
};

/* Simulates TRACE in N >= 1 scenarios of one mode. The first scenario gives the replicas, processes, threads and observer, and
 * only the first scenario is observed. Scenarios with equal graphs share passes over the trace; *PASSES is increased by the
 * number of passes. In predict mode a delay is the predicted less the traced run time, and the source is used only for the
 * noise in intervals. With several processes only the first process has the results and calls done(). On failure, results for
 * which done() was not called need no clearing. Errors: errors of the trace, the graph and the options; out of memory. */
int mpg_simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                 struct mpg_error *err);

#endif
