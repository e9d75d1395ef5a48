/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of all pairs of a path class, collected on rank 0: samples, goals not reached, clock errors. */
#ifndef MPG_PATH_RESULTS_H
#define MPG_PATH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/harness/pair.h"
#include "bench/harness/plan.h"
#include "bench/harness/stopping.h"
#include "common/error.h"

/* Result of a pair for an operation, message size and window. */
struct mpg_path_cell {
    int64_t pair, size_bytes, window;
    int operation; /* as struct mpg_bench_cell */
    double median_ns; /* median of total_ns (struct mpg_times) */
    struct mpg_unmet_goals unmet;
};

struct mpg_path_results {
    enum mpg_path path;
    int n_columns;
    size_t n, room; /* number of rows used; allocated */
    double *row;    /* n * n_columns values; column 0: number of the pair in its class, column 1: message size */
    int64_t pairs;
    struct mpg_rank_pair *rank_pair; /* the ranks of each of the PAIRS pairs */
    size_t cells;
    struct mpg_path_cell *cell;
    bool synchronised;  /* the clocks of at least one pair's ranks differ and were synchronised */
    double error_ns;    /* largest error bound of one-way times, of all pairs */
    double drift;       /* largest relative drift between the clocks of a pair's ranks */
    int64_t rounds;     /* largest number of rounds of any pair */
    int64_t dropped;    /* exchanges without a sample, all pairs */
    int64_t eager_limit_bytes; /* result of mpg_eager_limit() */
    int window_column;  /* number of the column with the window; 0: none */
    const char *const *operation_names; /* of the benchmark's operations, by number; NULL: a single operation */
};

/* Reserves memory for ROWS more samples and the CELLS cells of a further pair. Errors: out of memory; CLASS stays
 * unchanged. */
int mpg_path_results_reserve(struct mpg_path_results *class, size_t rows, size_t cells, struct mpg_error *err);
void mpg_path_results_clear(struct mpg_path_results *class);

/* Collects COLUMN of all samples of SIZE_BYTES and WINDOW, ascending, into *VALUE, which the caller frees. Returns
 * the number of values; -1: out of memory. */
int64_t mpg_path_results_values(const struct mpg_path_results *class, int64_t size_bytes, int64_t window,
                         int column, double **value, struct mpg_error *err);

/* Collects the distinct message sizes (of each operation) that have samples with WINDOW, ascending, into *CELL, which the
 * caller frees; only operation, size_bytes and window of the elements are set. Returns the number of sizes; -1: out of
 * memory. */
int64_t mpg_path_results_sizes(const struct mpg_path_results *class, int64_t window,
                        struct mpg_path_cell **cell, struct mpg_error *err);

/* Lists the cells that did not reach the goal into TEXT of SIZE bytes ("64KiB (p99)"), with pair numbers if there are several
 * pairs; "none" if all cells reached the goal. "and more" replaces entries beyond SIZE. */
void mpg_path_results_unconverged(const struct mpg_path_results *class, char *text, size_t size);

#endif
