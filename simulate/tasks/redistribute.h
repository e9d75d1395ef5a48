/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives out the tasks of a master in the order of the workers' requests on the target (mpgsim(1), --tasks=by-arrival). */
#ifndef MPG_REDISTRIBUTE_H
#define MPG_REDISTRIBUTE_H

#include "simulate/options/inputs.h"
#include "simulate/tasks/tasks.h"

/* A trace with another distribution of tasks. Zero-initialised: none. */
struct mpg_redistributed {
    struct mpg_tasks tasks;
    struct mpg_trace *trace; /* NULL: the distribution by arrival is the traced distribution */
    char folder[4096];       /* folder of TRACE, in $TMPDIR; empty: none */
    uint64_t moved;          /* number of tasks with another worker than in the trace */
    /* number of receives that do not take the first message to arrive; 0 unless the number of passes did not suffice */
    uint64_t late;
    uint32_t passes;         /* number of simulations without noise */
    double traced_ns, run_ns; /* run time without noise, with the traced distribution and with the distribution by arrival */
    /* mean run time of some replicas, with noise, in this distribution; mean reduction if the tasks were given out anew
     * in each replica; 0: not tried */
    double noisy_ns, gain_ns;
    int64_t *recorded_ns;    /* by rank: the recorded run time, from the leave of MPI_Init to the enter of MPI_Finalize */
};

/* Finds the distribution of FILES' tasks by arrival, in predict mode with the configuration C and SETTING, without noise.
 * If WITH_NOISE, also finds, by eight more simulations, how much shorter runs with noise would be if the tasks were given
 * out anew in each run. Passes over the trace: two, and at least one simulation; after each simulation with receives out
 * of the order of arrival the tasks are given out again, by the times of this simulation, and the trace is written again
 * into a folder in $TMPDIR. Memory as of mpg_tasks_find(), and some 60 bytes for each receive. Returns 1; 0 if the trace
 * does not have the pattern, and ERR says why; -1 with ERR. The caller closes X in every case. */
int mpg_redistribute(const struct mpg_config *c, struct mpg_setting *setting, const struct mpg_files *files, bool with_noise,
                     struct mpg_redistributed *x, struct mpg_error *err);
void mpg_redistributed_close(struct mpg_redistributed *x);

#endif
