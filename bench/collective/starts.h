/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collective operations timed from starts that all processes agree on. Behind a
 * barrier each would go at another moment, and the skew would be measured with the
 * operation. So before each repetition all agree on a moment of the common time that
 * none has passed, and wait for it; a repetition in which one came late does
 * not count (as in Hunold and Carpen-Amarie, Hierarchical clock synchronization in
 * MPI, IEEE Cluster 2018, whose root says the moment; here the last one does). */
#ifndef MPG_STARTS_H
#define MPG_STARTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/collective/cases.h"
#include "bench/harness/ranks.h"
#include "bench/harness/stopping.h"
#include "bench/harness/sync.h"
#include "bench/harness/timer.h"
#include "common/error.h"

/* How to measure; the same on every rank. */
struct mpg_starts {
    bool adaptive;          /* a case ends when its times meet the goal */
    struct mpg_goal goal;
    int64_t warmup;         /* repetitions before a case's first block, >= 0 */
    double time_ns;         /* no round starts later, but one is measured; > 0 */
    uint64_t seed;          /* draws the order of each round */
    double late_ns;         /* a process that starts so much late, or more, was late */
    bool yield;             /* give the core away while waiting for the start: ranks share cores,
                               and nobody looks for when one is off its CPU */
};

enum { MPG_STARTS_COLUMNS = 5 }; /* operation, processes, size_bytes, time_ns, off_cpu_ns */

/* What was measured; rows on rank 0 only. Zero-initialised is empty. */
struct mpg_starts_result {
    size_t n, capacity;
    double *value;          /* n rows in the order taken */
    int64_t rounds;
    bool shared;            /* all ranks read one clock */
    double error_ns;        /* the bound on how far any process's start was from the agreed */
};

/* Measures all CASES (>= 1) on MPI_COMM_WORLD, noting in each what was done: rounds
 * in a drawn order, a block of each case, until each has its samples, meets the
 * goal, or has had four times as many attempts. A repetition's time is the last
 * process's end less the agreed start and one reading of the timer; one in which a
 * process came late counts as invalid and has no row. Of reduce_local, which sends nothing, it is
 * the mean of calls in a row, as many as take 10 us, on one rank, a different one for each
 * repetition; all start them at the same time. Of reduce_sent, which follows an exchange, it is that
 * of one call. Ranks that a case leaves out
 * wait without load. Collective. Errors, on every rank (empty where they are
 * another's): an operation delivers wrong data, out of memory. The caller clears
 * RESULT in any case. */
int mpg_starts_measure(const struct mpg_starts *how, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_buffers *buffers,
                        struct mpg_cases *cases, struct mpg_starts_result *result,
                        struct mpg_error *err);
/* Prints a table of all CASES on standard output, for rank 0. Errors: out of memory. */
int mpg_starts_print(const struct mpg_starts_result *result, const struct mpg_cases *cases,
                     int64_t launch, struct mpg_error *err);
void mpg_starts_clear(struct mpg_starts_result *result);

#endif
