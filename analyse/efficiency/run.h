/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The efficiencies of a recorded run. */
#ifndef MPG_EFFICIENCY_RUN_H
#define MPG_EFFICIENCY_RUN_H

#include "analyse/efficiency/by_iteration.h"
#include "analyse/efficiency/counters.h"
#include "analyse/efficiency/efficiency.h"
#include "analyse/efficiency/parts.h"
#include "analyse/recording.h"
#include "analyse/threads.h"
#include "graph/graph.h"

struct mpg_efficiency_options {
    bool lenient;              /* calls without a partner are counted, not an error */
    int64_t eager_limit_bytes; /* larger standard sends wait for the receiver in the ideal run; INT64_MAX: no send waits */
    enum mpg_efficiency_by by;
    uint32_t bins;             /* BY_TIME; 1 or more */
    /* BY_ITERATION: choose the loop with this many iterations; 0: choose by share of the run (iterations.h) */
    uint64_t iterations;
};

/* Times of a rank, ns, of the thread that called MPI_Init. */
struct mpg_efficiency_rank {
    double compute_ns; /* C: time outside of MPI, without tracer_ns, off_ns, idle_ns and polled_ns */
    double tracer_ns;  /* recording by the tracer, between calls */
    double off_ns;     /* off the CPU, between calls */
    double idle_ns;    /* further part of the time between calls that exceeds the CPU time; 0 where CPU times are not recorded */
    double polled_ns;  /* polling: between an unsuccessful test and its repetition */
    double in_mpi_ns;  /* within calls */
    double run_ns;     /* from leaving MPI_Init to entering MPI_Finalize */
    double ideal_ns;   /* run_ns of the ideal run */
};

struct mpg_efficiency_run {
    struct mpg_efficiency times; /* T and T_ideal: the longest run of a rank, traced and ideal */
    struct mpg_efficiency_rank *rank;
    struct mpg_graph_counts counts;
    struct mpg_efficiency_counters counters;
    struct mpg_threads threads; /* names of regions are valid as long as the trace is open */
    struct mpg_efficiency_parts parts;
    struct mpg_efficiency_iterations *iterations; /* BY_ITERATION; else NULL */
    bool off_cpu_known;          /* all ranks recorded off-CPU time */
};

/* Finds the efficiencies of TRACE, in one pass over TRACE; counters, parts and clocks that are not yet aligned need further
 * passes. The clocks of the ranks need not be comparable. The caller clears FOUND, also on failure. Returns 0, or -1 with
 * ERR: an error of the graph; no memory. */
int mpg_efficiency_find(struct mpg_trace *trace, const struct mpg_efficiency_options *options,
                        struct mpg_efficiency_run *found, struct mpg_error *err);
/* Returns the quality of the recording of FOUND. */
struct mpg_recording mpg_efficiency_recording(const struct mpg_efficiency_run *found);
void mpg_efficiency_run_clear(struct mpg_efficiency_run *found);

#endif
