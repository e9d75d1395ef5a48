/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What simulation.c finds out about a trace, for worlds.c to evaluate. Private to simulate/evaluate/. */
#ifndef MPG_SIMULATION_PRIVATE_H
#define MPG_SIMULATION_PRIVATE_H

#include "simulate/evaluate/simulation.h"
#include "simulate/evaluate/runs.h"

/* A scenario. What others of its kin found, too, is the first one's. */
struct simulation {
    struct mpg_trace *trace;
    const struct mpg_scenario *scenario;
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_target target; /* predicts: what messages take there, and noise */
    struct mpg_clock_map *clocks;
    struct mpg_floors *floors;
    struct mpg_classes *classes; /* NULL: no noise is taken out */
    bool owns_clocks, owns_floors;
    enum mpg_absorb absorb;
    /* Of the first pass: whether messages have floors, and the answer says so; whether anything has;
     * whether intervals are told by what is alike. */
    bool flights, says_flights, wanted, alike, passed_first;
    struct mpg_graph_options graph;  /* with the source's eager limit, once it is known */
    struct mpg_graph_options traced; /* the same before it asked for candidates */
    struct mpg_result *result; /* of this process's share */
    double *base_ns; /* a rank's delay without the tracer's part, against the trace */
    struct mpg_delay_account *base_account;
    bool owns_base;
    uint32_t slots; /* that the graph had, as far as a pass has told */
    int32_t expanded; /* members of the largest collective that it expanded, likewise */
    struct mpg_paths *paths;     /* messages take them by their ranks: those of p; NULL: they do not */
    struct mpg_paths *unchanged; /* those of nothing but the tracer's part */
    int64_t evident_limit; /* the source's eager limit by the trace, the last pass says */
    uint32_t *passes;      /* over the trace */
    bool is_done;
};

struct mpg_course mpg_simulation_course(const struct simulation *sim, const char *label);
void mpg_simulation_take_passed(struct simulation *sim, const struct mpg_passed *passed);

/* worlds.c */
/* The runs without what the tracer took, which is what all delays are against: their delays against the
 * trace, and their accounts. */
int mpg_simulation_find_bases(struct simulation *sim, size_t n, struct mpg_error *err);
/* All replicas of all, of which SHARE is this process's. */
int mpg_simulation_run(struct simulation *sim, size_t n, struct mpg_share share, struct mpg_error *err);

#endif
