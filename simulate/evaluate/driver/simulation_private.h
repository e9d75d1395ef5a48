/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a simulation, prepared by simulation.c and evaluated by scenario_runs.c. Private to simulate/evaluate/. */
#ifndef MPG_SIMULATION_PRIVATE_H
#define MPG_SIMULATION_PRIVATE_H

#include "simulate/evaluate/prepass/prepass.h"
#include "simulate/evaluate/driver/runs.h"
#include "simulate/evaluate/driver/simulation.h"

/* A scenario in simulation. Of several scenarios with common findings of the pre-pass, the first owns the findings. */
struct simulation {
    struct mpg_trace *trace;
    const struct mpg_scenario *scenario;
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_target target; /* predict mode: costs of messages, and noise */
    struct mpg_clock_map *clocks;
    struct mpg_prepass prepass;
    bool owns_clocks, owns_prepass;
    enum mpg_absorb absorb;
    /* The findings wanted from the pre-pass: minimum message times (reported in the answer if reports_message_minima); minimum
     * times of calls; compute-interval classes. */
    bool message_minima, reports_message_minima, call_minima, uses_classes;
    struct mpg_graph_options graph;  /* graph options, with the source's eager limit when known */
    struct mpg_graph_options traced; /* copy of `graph` before choices are turned on (mpg_pass_choices()) */
    struct mpg_result *result; /* result of this process's share of the replicas */
    double *base_ns; /* for each rank: delay, against the trace, of the run without the tracer's time */
    struct mpg_delay_account *base_account;
    bool owns_base;
    struct mpg_passed passed; /* findings of the last pass */
    struct mpg_paths *paths;     /* path classes of the perturbation P; NULL: all messages have one class */
    struct mpg_paths *unchanged; /* path classes of the run that only removes the tracer's time */
    struct mpg_together *together; /* the processes that share the ranks; NULL: they share the replicas */
    const char *undivided; /* why processes share replicas, not ranks; NULL: there is one process, or it has too little to do */
    uint32_t *passes;      /* number of passes over the trace so far; incremented */
    bool is_done;
};

/* Returns the configuration of a pass of SIM, with LABEL for its progress. */
struct mpg_pass_config mpg_simulation_pass_config(const struct simulation *sim, const char *label);

/* scenario_runs.c */
/* Evaluates the runs without the tracer's time, to which all delays are relative: sets base_ns, the delays of these runs
 * against the trace, and base_account. */
int mpg_simulation_find_bases(struct simulation *sim, size_t n, struct mpg_error *err);
/* Evaluates SHARE, this process's share of all replicas of all scenarios. */
int mpg_simulation_run(struct simulation *sim, size_t n, struct mpg_share share, struct mpg_error *err);

#endif
