/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole simulation: clocks, floors, then replicas. */
#ifndef MPG_SIMULATION_H
#define MPG_SIMULATION_H

#include <stdbool.h>

#include "simulate/choice/observer.h"
#include "simulate/evaluate/share.h"

/* Where the eager limit of the traced machine is from. */
enum mpg_source_limit {
    MPG_LIMIT_OF_TARGET, /* nobody says: it is the target's */
    MPG_LIMIT_GIVEN,     /* graph.source_eager_limit_bytes */
    MPG_LIMIT_IN_TRACE   /* the target's, unless the trace contradicts it */
};

struct mpg_simulation_options {
    bool predicts; /* times of the target, else delays of the traced run */
    bool absorb_given;
    enum mpg_absorb absorb; /* if given; else clock where clocks are comparable, or wait */
    struct mpg_graph_options graph;
    enum mpg_source_limit source_limit; /* used with absorb clock only */
    bool limit_shown;      /* nobody says eager limits: the graph's is what the trace shows */
    struct mpg_floor_options floors;
    uint32_t replicas, first_replica;
    struct mpg_processes *processes; /* that share the replicas; NULL: there are no others */
    unsigned threads;      /* >= 1, that share the lanes of a pass */
    bool deterministic;    /* calls complete what they completed in the trace */
    int64_t polling_ns;    /* intervals that poll (docs/MODEL.md, section 5) and are no longer are waiting; -1: none is */
    uint64_t horizon;      /* messages in flight, beyond which candidates are not waited for */
    const struct mpg_placement *places, *source_places; /* messages take the paths between these; NULL: one
                                                        path on that machine */
    const struct mpg_observer *observer; /* of delays, or of times, from MPI_Init's leave on; NULL: nobody watches */
    struct mpg_kept *kept; /* what earlier runs have found in the trace; NULL: nothing is kept */
    struct mpg_attribution_wanted where;
    struct mpg_times_options times; /* predicts */
    struct mpg_critical *path; /* predicts, one replica: records what it is made of (simulate/attribution/critical.h); NULL */
};

/* One of several simulations. */
struct mpg_scenario {
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_result *result; /* filled; of those that are done it is the caller's to clear */
    /* Scenarios of one number have the same signatures, models, places and floors: their perturbations
     * differ in the values of distributions and in compute_ratio, no more. */
    uint32_t kin;
    /* Its result is whole, and will not be looked at any more. NULL: nobody wants to know. */
    int (*done)(void *context, struct mpg_error *err);
    void *context;
    const char *name; /* what errors that are its own begin with; NULL: nothing */
};

/* Simulates TRACE in N >= 1 scenarios, all of one mode, with the replicas, processes, threads and observer that the first one
 * has; the observer sees that one. Where their graphs are the same they share passes over the trace; PASSES
 * counts them. Of predictions results are filled, too, run times being traced ones plus delays; of the sources there is the noise
 * in the intervals only. Of several processes the first has the results, and calls done(). On failure no result that is not done
 * has to be cleared. */
int mpg_simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                 struct mpg_error *err);

#endif
