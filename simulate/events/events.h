/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predict mode in the order of simulated time: processors shared by several ranks and serving requests by a policy, barriers, and
 * a network with contention (docs/MACHINES.md). */
#ifndef MPG_EVENTS_H
#define MPG_EVENTS_H

#include "simulate/evaluate/driver/simulation.h"
#include "simulate/target/topology.h"

/* Further components of a rank's run besides struct mpg_run_account: means over replicas, ns. */
struct mpg_rank_use {
    double barrier_ns;   /* waiting in barriers, a part of collective_ns */
    double service_ns;   /* serving the requests of other ranks */
    double processor_ns; /* ready to run while another rank holds the processor, or during a switch */
    double requests;     /* requests served by the rank */
};

enum { MPG_SIZE_BINS = 64 };

struct mpg_extrapolation {
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    int32_t ranks;
    struct mpg_rank_use *use;       /* one for each rank */
    uint64_t messages, barriers, gets, puts;
    double bytes;                   /* sum of the bytes of messages, gets and puts */
    uint64_t sizes[MPG_SIZE_BINS];  /* number of messages and transfers by size: 0 bytes, from 1, 2, 4 ... bytes */
    uint64_t delayed;               /* number of messages delayed by the sharing of ports and memory, */
    double delay_ns;                /* and the sum of these delays; of the first replica, as the numbers above */
    double events;                  /* mean number of events per replica */
    bool models_barrier;            /* barriers follow the target's parameters */
};

struct mpg_events_options {
    const struct mpg_simulation_options *simulation;
    bool blocking_get; /* a rank waits for each get or put immediately */
    /* the capacities shared by messages; NULL: from the target's parameters */
    const struct mpg_capacities *capacities;
};

/* Predicts the run of TRACE on target P. The caller sets the parameters, the processors and models_barrier of X. Fills RESULT as
 * mpg_simulate() does, and the other fields of X; the caller clears X by mpg_extrapolation_clear(), also on failure. Errors:
 * errors of the trace and its graph; out of memory; a deadlock of ranks. */
int mpg_events_predict(struct mpg_trace *trace, const struct mpg_perturbation *p, const struct mpg_events_options *options,
                       struct mpg_result *result, struct mpg_extrapolation *x, struct mpg_error *err);
/* An mpg_predict_shared (simulate/evaluate/driver/simulation.h): a target of signatures, whose processors serve nothing and are
 * not shared. Calls complete the messages of the trace. */
int mpg_events_predict_shared(struct mpg_trace *trace, const struct mpg_perturbation *p,
                              const struct mpg_simulation_options *options, struct mpg_result *result, struct mpg_error *err);
void mpg_extrapolation_clear(struct mpg_extrapolation *x);

#endif
