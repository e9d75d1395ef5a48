/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long would the traced program take on the target? (docs/MODEL.md, 5) */
#ifndef MPG_PREDICT_H
#define MPG_PREDICT_H

#include "simulate/choice/watch.h"
#include "simulate/evaluate/simulation.h"

struct mpg_predict_options {
    struct mpg_graph_options graph;
    uint32_t replicas, first_replica;
    struct mpg_processes *processes; /* that share the replicas; NULL: there are no others */
    unsigned threads; /* >= 1, that share the lanes of a pass */
    struct mpg_times_options times;
    bool deterministic; /* calls complete what they completed in the trace */
    uint64_t horizon;   /* messages in flight, beyond which candidates are not waited for */
    const struct mpg_places *places; /* NULL: all messages take one path */
    struct mpg_kept *kept; /* what earlier runs have found in the trace; NULL: nothing is kept */
    struct mpg_where_wanted where;
    struct mpg_path *path; /* of one replica: records what it is made of (simulate/where/path.h); NULL */
    const struct mpg_watch *watch;   /* of times, from MPI_Init's leave on; NULL: nobody watches */
};

/* Before it: with CPU times in TRACE, P's noise is told from work even where both machines have the
 * same record of it. */
void mpg_predict_prepare(struct mpg_perturbation *p, const struct mpg_trace *trace);
/* One of several predictions; as struct mpg_scenario (simulate/evaluate/simulation.h). */
struct mpg_prediction {
    const struct mpg_perturbation *p;
    const struct mpg_predict_options *options;
    struct mpg_result *result;
    uint32_t kin;
    int (*done)(void *context, struct mpg_error *err);
    void *context;
    const char *name;
};

/* Predicts TRACE's run on the targets of N >= 1 perturbations; of the sources there is the noise in the
 * intervals only. Results are filled, run times being traced ones plus delays; all else as
 * mpg_simulate() has it. */
int mpg_predict(struct mpg_trace *trace, const struct mpg_prediction *prediction, size_t n, uint32_t *passes,
                struct mpg_error *err);

#endif
