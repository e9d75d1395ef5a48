/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timing of collective operations from agreed starts (bench/harness/start.h): after a barrier, processes leave at
 * different moments, and the measured time would include the skew. A repetition with a late process does not count. */
#ifndef MPG_TIMING_H
#define MPG_TIMING_H

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

/* Parameters of a measurement; equal on every rank. */
struct mpg_timing {
    bool adaptive;          /* a case ends when its times meet the goal */
    struct mpg_stopping_goal goal;
    int64_t warmup;         /* repetitions before a case's first block, >= 0 */
    double time_ns;         /* > 0; no round starts later, except the first */
    uint64_t seed;          /* seed of the random order of each round */
    double late_ns;         /* a repetition is invalid if a process starts at least this late */
    bool yield;             /* yield the core while waiting for the start: ranks share cores, and off-CPU time is not measured */
};

enum { MPG_TIMING_COLUMNS = 5 }; /* number of values in a row: operation, processes, size_bytes, time_ns, off_cpu_ns */

/* Results; rows on rank 0 only. Zero-initialised is empty. */
struct mpg_timing_result {
    size_t n, capacity;
    double *value;          /* n rows of MPG_TIMING_COLUMNS values, in time order */
    int64_t rounds;
    bool shared;            /* all ranks read a common clock */
    double error_ns;        /* bound on the deviation of any process's start from the agreed start */
};

/* Measures all CASES (>= 1) on MPI_COMM_WORLD and updates their counts: rounds in random order, a block for each case, until each
 * case has enough samples, meets the goal, or has had four times as many attempts as wanted samples. The time of a repetition:
 * the last process's end minus the agreed start minus a timer reading; a repetition with a late process is invalid and has no
 * row.
 *
 * reduce_local, which sends nothing: the mean of consecutive calls that take 10 us together, on a different rank for each
 * repetition, while all ranks run the operation. reduce_sent, which follows an exchange: a single call. Ranks without a part in a
 * case wait without load. Collective. Errors, on every rank (with an empty text if another rank failed): an operation delivers
 * wrong data, out of memory. The caller clears RESULT in any case. */
int mpg_timing_measure(const struct mpg_timing *config, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_buffers *buffers,
                        struct mpg_cases *cases, struct mpg_timing_result *result,
                        struct mpg_error *err);
/* Prints a table of all CASES on standard output; rank 0 only. Errors: out of memory. */
int mpg_timing_print(const struct mpg_timing_result *result, const struct mpg_cases *cases,
                     int64_t launch, struct mpg_error *err);
void mpg_timing_clear(struct mpg_timing_result *result);

#endif
