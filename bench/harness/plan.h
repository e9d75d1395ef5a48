/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a pair's measurement: a cell for each operation, message size and window, with number of samples and block
 * length. */
#ifndef MPG_PLAN_H
#define MPG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_PLAN_MAX_BYTES ((int64_t)1 << 30)
#define MPG_PLAN_MAX_SAMPLES 100000000
enum { MPG_PLAN_MAX_BLOCK = 1000 };

struct mpg_bench_cell {
    int64_t size_bytes;
    int64_t window; /* number of messages sent before waiting for an acknowledgement, >= 1 */
    int64_t max;    /* number of samples at which the cell ends, >= 1 */
    int64_t block;  /* samples taken one after another, 1..MPG_PLAN_MAX_BLOCK */
    int operation;  /* number of the measured operation, if the benchmark has several; else 0 */
};

/* Zero-initialised is empty. */
struct mpg_bench_plan {
    size_t n;
    struct mpg_bench_cell *cell;
    int64_t max_bytes; /* largest message size of all cells */
    int64_t samples;   /* sum of max over all cells, <= MPG_PLAN_MAX_SAMPLES */
};

/* Number of samples by message size: MAX (>= 1) up to FULL_BYTES; above, as many as transfer equal bytes in total, but at least
 * MIN (or MAX if smaller). */
struct mpg_plan_limits {
    int64_t max, full_bytes, min;
};

/* Returns the maximum number of samples of messages of SIZE_BYTES. */
int64_t mpg_plan_max_samples(const struct mpg_plan_limits *limits, int64_t size_bytes);

/* Adds a cell unless present. The cell's block is a fiftieth of the samples, but at least 20, or all samples if fewer. Errors:
 * size outside 0..MPG_PLAN_MAX_BYTES, too many samples, out of memory. */
int mpg_plan_add(struct mpg_bench_plan *plan, int64_t size_bytes, int64_t window,
                 const struct mpg_plan_limits *limits, struct mpg_error *err);
/* As mpg_plan_add(), with window 1, for OPERATION, >= 0. */
int mpg_plan_add_operation(struct mpg_bench_plan *plan, int operation, int64_t size_bytes,
                           const struct mpg_plan_limits *limits, struct mpg_error *err);

/* Adds the sizes of the list SIZES (mpg_sizes_parse()) with window 1. NULL: 0, 1, the powers of two from 8 B to 4
 * MiB, and, for EAGER_LIMIT_BYTES > 0, the limit and the limit plus 1 byte, where times jump. Errors: as
 * mpg_sizes_parse() and mpg_plan_add(). */
int mpg_plan_add_sizes(struct mpg_bench_plan *plan, const char *sizes, int64_t eager_limit_bytes,
                       const struct mpg_plan_limits *limits, struct mpg_error *err);
void mpg_plan_clear(struct mpg_bench_plan *plan);

/* Parses sizes like "0,8,64KiB" into *SIZE, ascending, which the caller frees. Returns the number of sizes. Errors
 * (-1): malformed list, size out of range or repeated, out of memory. */
int64_t mpg_sizes_parse(const char *text, int64_t **size, struct mpg_error *err);

/* Parses a list like "bcast,barrier": sets WANTED[i] for each of the N (>= 1) names NAME[i] that TEXT contains, and leaves the
 * others. Errors: a word that is none of the names, a repeated name, out of memory. */
int mpg_names_parse(const char *text, const char *const name[], int n, bool wanted[], struct mpg_error *err);

#endif
