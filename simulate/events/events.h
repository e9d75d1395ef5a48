/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicting a run in the order of simulated time: processors that serve requests by a policy, share ranks, meet in
 * barriers, and a network that is in use (docs/MACHINES.md). */
#ifndef MPG_EVENTS_H
#define MPG_EVENTS_H

#include "simulate/evaluate/simulation.h"
#include "simulate/target/topology.h"

/* What a rank's run consists of besides struct mpg_run_account, means over replicas, ns. */
struct mpg_rank_use {
    double barrier_ns;   /* in barriers, of what is in collectives */
    double service_ns;   /* serving others' requests */
    double processor_ns; /* ready, and another rank had its processor, or it was switched */
    double requests;     /* that it served */
};

enum { MPG_SIZE_BINS = 64 };

struct mpg_extrapolation {
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    int32_t ranks;
    struct mpg_rank_use *use;       /* a rank */
    uint64_t messages, barriers, gets, puts;
    double bytes;                   /* of messages, gets and puts */
    uint64_t sizes[MPG_SIZE_BINS];  /* of these: of none, from 1, 2, 4 ... bytes */
    double events;                  /* a replica */
    bool models_barrier;            /* by parameters */
};

struct mpg_events_options {
    const struct mpg_simulation_options *simulation;
    bool blocking_get; /* a rank that gets or puts waits at once */
};

/* Predicts TRACE's run with P, whose parameters and processors are X's. RESULT is filled as mpg_simulate() does;
 * X's use and counts are the caller's to free by mpg_extrapolation_clear(), also on failure. */
int mpg_events_predict(struct mpg_trace *trace, const struct mpg_perturbation *p, const struct mpg_events_options *options,
                       struct mpg_result *result, struct mpg_extrapolation *x, struct mpg_error *err);
void mpg_extrapolation_clear(struct mpg_extrapolation *x);

#endif
