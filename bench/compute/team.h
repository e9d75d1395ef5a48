/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, one pinned to each core, that measure the kernels one by one or all
 * at once. */
#ifndef MPG_TEAM_H
#define MPG_TEAM_H

#include <stddef.h>
#include <stdint.h>

#include "bench/compute/kernels.h"
#include "bench/harness/timer.h"
#include "common/error.h"

enum { MPG_TEAM_COLUMNS = 3 }; /* kernel, cores, rate */

/* What one core measured, in the order measured; VALUE holds n rows. */
struct mpg_rates {
    size_t n, capacity;
    double *value;
};

struct mpg_team;

/* Starts a thread on each of the N cores in CORE (N >= 1, each allowed), which
 * allocates and touches two working sets of WORKING_BYTES (>= 4096) there. SEED
 * draws pointers and keys. TIMER must outlive the team; the caller ends it with
 * mpg_team_free(). Errors: a thread or memory is not to be had, a core may not
 * be used; the text names the core. */
struct mpg_team *mpg_team_new(const int *core, int n, int64_t working_bytes, uint64_t seed,
                              const struct mpg_timer *timer, struct mpg_error *err);

/* Measures KERNEL for DURATION_NS (> 0) on the one core INDEX (0..N-1), or on all N
 * when INDEX is -1, and appends a row a repetition to each one's rates. Each core
 * first finds how much work is about a hundredth of the duration, at most
 * 10 ms; no repetition counts before all are that far, and all go on until
 * the last one is done, so that every sample is taken under the same load.
 * Errors: out of memory, a kernel's result is wrong. */
int mpg_team_measure(struct mpg_team *team, enum mpg_kernel kernel, int index, double duration_ns,
                     struct mpg_error *err);

/* The samples of core INDEX so far; the team's. */
const struct mpg_rates *mpg_team_rates(const struct mpg_team *team, int index);

/* Prints a table of the rates of the team's N cores on standard output: the medians,
 * alone and all at once. Errors: out of memory. */
int mpg_team_print(const struct mpg_team *team, int n, struct mpg_error *err);

/* Ends the threads and frees everything; NULL is allowed. */
void mpg_team_free(struct mpg_team *team);

#endif
