/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured between two ranks: cells of message size and window, how often
 * each at most, in which order. */
#ifndef MPG_PLAN_H
#define MPG_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_PLAN_MAX_BYTES ((int64_t)1 << 30)
#define MPG_PLAN_MAX_SAMPLES 100000000
enum { MPG_PLAN_MOST_BLOCK = 1000 };

struct mpg_bench_cell {
    int64_t size_bytes;
    int64_t window; /* messages in flight, >= 1 */
    int64_t most;   /* samples at most, >= 1 */
    int64_t block;  /* samples taken in a row, 1..MPG_PLAN_MOST_BLOCK */
};

/* Zero-initialised is empty. */
struct mpg_bench_plan {
    size_t n;
    struct mpg_bench_cell *cell;
    int64_t max_bytes; /* the largest size */
    int64_t samples;   /* of all cells at most, <= MPG_PLAN_MAX_SAMPLES */
};

/* How often to measure messages of a size: up to FULL_BYTES MOST times (>= 1), a
 * larger one as often as carries the same bytes, but no less than LEAST times (or
 * MOST, when that is fewer). */
struct mpg_plan_limits {
    int64_t most, full_bytes, least;
};

/* That number for messages of SIZE_BYTES. */
int64_t mpg_plan_most(const struct mpg_plan_limits *limits, int64_t size_bytes);

/* Adds a cell, or nothing when it is there already; its block is a fiftieth of what
 * is measured at most, but 20 or all. Errors: a size outside
 * 0..MPG_PLAN_MAX_BYTES, too many samples, out of memory. */
int mpg_plan_add(struct mpg_bench_plan *plan, int64_t size_bytes, int64_t window,
                 const struct mpg_plan_limits *limits, struct mpg_error *err);

/* Adds SIZES, a list as mpg_sizes_parse() takes it, one message at a time; or if that is NULL
 * 0, 1, the powers of two from 8 B to 4 MiB, and, where it is known (> 0), EAGER_LIMIT_BYTES
 * and one byte more, between which times jump. Errors: as mpg_sizes_parse() and
 * mpg_plan_add(). */
int mpg_plan_add_sizes(struct mpg_bench_plan *plan, const char *sizes, int64_t eager_limit_bytes,
                       const struct mpg_plan_limits *limits, struct mpg_error *err);
void mpg_plan_clear(struct mpg_bench_plan *plan);

/* Reads sizes like "0,8,64KiB" into *SIZE, ascending, which the caller frees;
 * returns how many. -1: not a list of sizes, one out of range or there twice, out of
 * memory. */
int64_t mpg_sizes_parse(const char *text, int64_t **size, struct mpg_error *err);

#endif
