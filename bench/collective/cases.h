/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cases of a collective run: operation, processes, size. */
#ifndef MPG_CASES_H
#define MPG_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/collective/operations.h"
#include "common/error.h"

/* Operations whose data grow with the number of processes are skipped if a rank would send or receive more than
 * MPG_CASES_MAX_BYTES. */
#define MPG_CASES_MAX_BYTES ((int64_t)1 << 24)

struct mpg_case {
    enum mpg_bench_operation operation;
    int processes;      /* participants: ranks 0 to processes - 1 */
    int64_t size_bytes;
    int64_t max;        /* number of valid repetitions at which the case ends, >= 1 */
    int64_t done;       /* valid repetitions so far */
    int64_t invalid;    /* repetitions that do not count, because a rank started late */
    int64_t calls;      /* consecutive calls in a repetition, whose mean is recorded: 1, except for reduce_local */
    double slack_ns;    /* time between the agreement on a start and the start */
    double usual_ns;    /* 90 % quantile of the times in the last block */
    bool finished;
};

/* Zero-initialised is empty. */
struct mpg_cases {
    size_t n;
    struct mpg_case *item;
    int64_t bytes;      /* size of the largest buffer that a case needs */
};

/* Makes the cases of all operations in OPERATIONS ("bcast,barrier"), process counts in PROCESSES ("2,4,7"; NULL: 2, 4, 8 ... and
 * all RANKS, >= 2; local operations with the largest count only) and sizes in SIZES ("8,64KiB"; none for a barrier). Each case
 * has at most ITERATIONS (>= 1) repetitions up to 32 KiB; for larger sizes as many as transfer equal bytes in total, but at least
 * 50. The caller clears CASES. Errors: unknown or repeated operation; count outside 2..RANKS; malformed size, outside 0..1 GiB,
 * or no multiple of 8 for a reduction; out of memory. */
int mpg_cases_make(const char *operations, const char *processes, const char *sizes,
                   int64_t iterations, int ranks, struct mpg_cases *cases,
                   struct mpg_error *err);
void mpg_cases_clear(struct mpg_cases *cases);

#endif
