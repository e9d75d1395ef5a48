/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of collective measures: cases of operation, processes and size. */
#ifndef MPG_CASES_H
#define MPG_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/collective/operations.h"
#include "common/error.h"

/* What grows with the number of processes is left out where what one rank sends or receives is more
 * than this. */
#define MPG_CASES_MOST_BYTES ((int64_t)1 << 24)

struct mpg_case {
    enum mpg_bench_operation operation;
    int processes;      /* ranks 0 to processes - 1 take part */
    int64_t size_bytes;
    int64_t most;       /* valid repetitions at most, >= 1 */
    int64_t done;       /* valid repetitions so far */
    int64_t invalid;    /* those in which a rank came late */
    int64_t calls;      /* in a row in one repetition, whose time is their mean: 1, except of
                         * reduce_local */
    double slack_ns;    /* from the agreement on a start to it */
    double usual_ns;    /* what nine of ten of the last block's repetitions took at most */
    bool finished;
};

/* Zero-initialised is empty. */
struct mpg_cases {
    size_t n;
    struct mpg_case *item;
    int64_t bytes;      /* of the largest buffer */
};

/* Makes the cases of every operation in OPERATIONS ("bcast,barrier"), every process
 * count in PROCESSES ("2,4,7"; NULL: 2, 4, 8 ... and all RANKS, >= 2; of what is local the
 * greatest only) and every size in SIZES ("8,64KiB"; a barrier has none), each measured ITERATIONS times at most
 * (>= 1), of messages above 32 KiB as often as carries the same bytes, but at least
 * 50 times. The caller clears CASES. Errors: an unknown or repeated
 * operation, a count outside 2..RANKS, a size that is none or outside 0..1 GiB or,
 * for operations that add up, no multiple of 8, out of memory. */
int mpg_cases_make(const char *operations, const char *processes, const char *sizes,
                   int64_t iterations, int ranks, struct mpg_cases *cases,
                   struct mpg_error *err);
void mpg_cases_clear(struct mpg_cases *cases);

#endif
