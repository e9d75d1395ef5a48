/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rank 0 collects of the pairs of one path class: their samples, what did not
 * converge, which pairs differ from the others. */
#ifndef MPG_CLASSES_H
#define MPG_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/harness/pair.h"
#include "bench/harness/plan.h"
#include "bench/harness/stopping.h"
#include "common/error.h"

/* One cell of one pair. */
struct mpg_class_cell {
    int64_t pair, size_bytes, window;
    double median_ns; /* of the total time */
    struct mpg_lack lack;
};

struct mpg_class {
    enum mpg_path path;
    int n_columns;
    size_t n, room; /* rows */
    double *row;    /* n * n_columns; the first column is the pair, the second the size */
    int64_t pairs;
    struct mpg_couple *couple; /* of each pair */
    size_t cells;
    struct mpg_class_cell *cell;
    bool synchronised;  /* at least one pair's clocks are not one */
    double error_ns;    /* the largest of the pairs' bounds on one-way times */
    double drift;       /* of a pair's second clock against its first, the largest */
    int64_t rounds;     /* the most of a pair */
    int64_t dropped;    /* of all pairs: exchanges without a sample */
    int64_t eager_limit_bytes; /* as mpg_eager_limit() */
    int window_column;  /* 0: there is none */
};

/* Makes room for ROWS more samples and CELLS cells of one more pair. Errors: out of
 * memory; then the class is as before. */
int mpg_class_reserve(struct mpg_class *class, size_t rows, size_t cells, struct mpg_error *err);
void mpg_class_clear(struct mpg_class *class);

/* The values in COLUMN of all pairs' samples of a size and window, ascending, into
 * *VALUE, which the caller frees; returns how many. -1: out of memory. */
int64_t mpg_class_values(const struct mpg_class *class, int64_t size_bytes, int64_t window,
                         int column, double **value, struct mpg_error *err);

/* The class's sizes with WINDOW, ascending, into *CELL (whose size and window count),
 * which the caller frees; returns how many. -1: out of memory. */
int64_t mpg_class_sizes(const struct mpg_class *class, int64_t window,
                        struct mpg_class_cell **cell, struct mpg_error *err);

/* Lists into TEXT of SIZE bytes the cells that did not converge ("64KiB (p99)"), with
 * the pairs' number when there are several; "none" when all did. "and more" stands for
 * those that do not fit. */
void mpg_class_lacks(const struct mpg_class *class, char *text, size_t size);

#endif
