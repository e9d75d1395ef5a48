/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of all pairs of a path class, collected on rank 0: samples, cells without convergence, outlying pairs. */
#ifndef MPG_PATH_RESULTS_H
#define MPG_PATH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/harness/pair.h"
#include "bench/harness/plan.h"
#include "bench/harness/stopping.h"
#include "common/error.h"

/* A cell (message size and window) of a pair. */
struct mpg_path_cell {
    int64_t pair, size_bytes, window;
    double median_ns; /* median of the total time */
    struct mpg_unmet_goals unmet;
};

struct mpg_path_results {
    enum mpg_path path;
    int n_columns;
    size_t n, room; /* rows: used, allocated */
    double *row;    /* n * n_columns values; first column: pair, second: size */
    int64_t pairs;
    struct mpg_rank_pair *rank_pair; /* the ranks of each pair */
    size_t cells;
    struct mpg_path_cell *cell;
    bool synchronised;  /* true: the clocks of at least a pair differ and are synchronised */
    double error_ns;    /* largest bound of any pair on errors of one-way times */
    double drift;       /* largest relative drift of a pair's second clock against the first */
    int64_t rounds;     /* largest number of rounds of any pair */
    int64_t dropped;    /* exchanges without a sample, all pairs */
    int64_t eager_limit_bytes; /* result of mpg_eager_limit() */
    int window_column;  /* 0: none */
};

/* Reserves memory for ROWS more samples and the CELLS cells of a further pair. Errors: out of memory; CLASS stays
 * unchanged. */
int mpg_path_results_reserve(struct mpg_path_results *class, size_t rows, size_t cells, struct mpg_error *err);
void mpg_path_results_clear(struct mpg_path_results *class);

/* Collects COLUMN of all samples of SIZE_BYTES and WINDOW, ascending, into *VALUE, which the caller frees. Returns
 * the number of values; -1: out of memory. */
int64_t mpg_path_results_values(const struct mpg_path_results *class, int64_t size_bytes, int64_t window,
                         int column, double **value, struct mpg_error *err);

/* Collects the distinct sizes with WINDOW, ascending, into *CELL, which the caller frees; only size and window are
 * valid. Returns the number of sizes; -1: out of memory. */
int64_t mpg_path_results_sizes(const struct mpg_path_results *class, int64_t window,
                        struct mpg_path_cell **cell, struct mpg_error *err);

/* Lists the cells without convergence into TEXT of SIZE bytes ("64KiB (p99)"), with pair numbers if there are
 * several pairs; "none" if all converged. "and more" replaces entries beyond SIZE. */
void mpg_path_results_unconverged(const struct mpg_path_results *class, char *text, size_t size);

#endif
