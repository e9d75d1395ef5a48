/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, each pinned to a core, that measure the kernels on a core alone or on all cores at once. */
#ifndef MPG_TEAM_H
#define MPG_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "bench/compute/kernels.h"
#include "bench/harness/timer.h"
#include "common/error.h"

enum { MPG_TEAM_COLUMNS = 3 }; /* kernel, cores, rate */

/* Samples of a core in time order; VALUE holds n rows. */
struct mpg_rates {
    size_t n, capacity;
    double *value;
};

struct mpg_team;

/* Starts a thread on each of the N >= 1 available cores in CORE; each allocates and touches two working sets of
 * WORKING_BYTES (>= 4096). SEED draws pointers and keys. TIMER must outlive the threads; end by
 * mpg_compute_threads_free(). Errors, with the core's number: no thread, no memory, core not available. */
struct mpg_team *mpg_team_new(const int *core, int n, int64_t working_bytes, uint64_t seed,
                              const struct mpg_timer *timer, struct mpg_error *err);

/* Measures KERNEL for DURATION_NS (> 0) on core INDEX (0..N-1), or on all N cores (INDEX -1), and appends a row
 * for each repetition to the core's rates. Each core first calibrates its repetition to a hundredth of the
 * duration, at most 10 ms. Repetitions count once all cores are calibrated, and all cores continue until the last
 * is done: all samples are taken under equal load. Errors: out of memory, wrong result of a kernel. */
int mpg_team_measure(struct mpg_team *team, enum mpg_kernel kernel, int index, double duration_ns,
                     struct mpg_error *err);

/* Returns the samples of core INDEX so far, owned by the threads struct. */
const struct mpg_rates *mpg_team_rates(const struct mpg_team *team, int index);

/* Prints a table of the rates of N cores on standard output: medians, alone and all at once. Errors: out of
 * memory. */
int mpg_team_print(const struct mpg_team *team, int n, struct mpg_error *err);

/* Ends the threads and frees everything; NULL is allowed. */
void mpg_team_free(struct mpg_team *team);

#endif
