/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, each pinned to a core, that measure the kernels on one or several cores at once. */
#ifndef MPG_COMPUTE_THREADS_H
#define MPG_COMPUTE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/compute/kernels.h"
#include "bench/harness/timer.h"
#include "common/error.h"

enum { MPG_COMPUTE_COLUMNS = 3 }; /* kernel, cores_at_once, rate */

/* Samples of a core in time order; VALUE holds n rows. */
struct mpg_rates {
    size_t n, capacity;
    double *value;
};

struct mpg_compute_threads;

/* Starts a thread on each of the N >= 1 available cores in CORE; each allocates and touches two working sets of
 * WORKING_BYTES (>= 4096). SEED draws pointers and keys. TIMER must outlive the threads; end by
 * mpg_compute_threads_free(). Errors, with the core's number: no thread, no memory, core not available. */
struct mpg_compute_threads *mpg_compute_threads_new(const int *core, int n, int64_t working_bytes, uint64_t seed,
                              const struct mpg_timer *timer, struct mpg_error *err);

/* Measures KERNEL for DURATION_NS (> 0) on COUNT cores at once (1..N), which are spread evenly over the N cores from core
 * FIRST (0..N-COUNT) on: core FIRST + floor(i (N - FIRST) / COUNT), i = 0..COUNT-1. Appends a row for each repetition to each
 * core's rates. Each core first calibrates its repetition to a hundredth of the duration, at most 10 ms. Repetitions count
 * once all cores are calibrated, and all cores continue until the last is done: all samples are taken under equal load.
 * Errors: out of memory, wrong result of a kernel. */
int mpg_compute_threads_measure(struct mpg_compute_threads *threads, enum mpg_kernel kernel, int first, int count,
                                double duration_ns, struct mpg_error *err);

/* Returns the number of cores at once that compute measures after N of ALL (1 <= N <= ALL): twice as many, but at most all;
 * ALL + 1 after ALL. */
int mpg_compute_next_count(int n, int all);

/* Returns the samples of core INDEX so far, owned by the threads struct. */
const struct mpg_rates *mpg_compute_threads_rates(const struct mpg_compute_threads *threads, int index);

/* Prints a table of the rates of N cores on standard output: medians, for each number of cores at once. Errors: out of
 * memory. */
int mpg_compute_threads_print(const struct mpg_compute_threads *threads, int n, struct mpg_error *err);

/* Ends the threads and frees everything; NULL is allowed. */
void mpg_compute_threads_free(struct mpg_compute_threads *threads);

#endif
