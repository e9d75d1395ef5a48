/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which message sizes are measured, in which order, how often. */
#ifndef MPG_PLAN_H
#define MPG_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_PLAN_MAX_BYTES ((int64_t)1 << 30)
#define MPG_PLAN_MAX_SAMPLES 100000000

struct mpg_plan_step {
    int64_t size_bytes, iterations;
    size_t first; /* its first sample, counting from 0 in the order measured */
};

struct mpg_plan {
    size_t n;
    struct mpg_plan_step *step;
    int64_t max_bytes;  /* the largest size */
    size_t samples;     /* all iterations together, <= MPG_PLAN_MAX_SAMPLES */
};

/* Reads SIZES, "0,8,64KiB": sizes of 0..MPG_PLAN_MAX_BYTES, each once. A size
 * up to FULL_BYTES is measured ITERATIONS times (>= 1), a larger one as often as
 * carries the same bytes, but no less than LEAST times (or ITERATIONS, when that
 * is fewer). SEED draws the order (splitmix64; Steele, Lea and Flood, OOPSLA
 * 2014), so that a drift of the machine does not look like an effect of size.
 * The caller clears PLAN. Errors: not a list of sizes, a size out of range or
 * there twice, too many samples, out of memory. */
int mpg_plan_make(const char *sizes, int64_t iterations, int64_t full_bytes, int64_t least,
                  uint64_t seed, struct mpg_plan *plan, struct mpg_error *err);
/* Orders the steps by size, once they have been measured. */
void mpg_plan_sort(struct mpg_plan *plan);
void mpg_plan_clear(struct mpg_plan *plan);

#endif
