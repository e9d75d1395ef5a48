/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of all pairs of a path class: memory, selection by message size, cells without convergence. */
#include "config.h"

#include "bench/harness/path_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/order.h"

int mpg_path_results_reserve(struct mpg_path_results *class, size_t rows, size_t cells, struct mpg_error *err)
{
    size_t columns = (size_t)class->n_columns;
    if (class->n + rows > class->room) {
        size_t room = class->n + rows;
        double *row = realloc(class->row, room * columns * sizeof *row);
        if (!row)
            return mpg_error_set(err, "out of memory for %zu samples", room);
        class->row = row;
        class->room = room;
    }
    struct mpg_rank_pair *rank_pair =
        realloc(class->rank_pair, (size_t)(class->pairs + 1) * sizeof *rank_pair);
    if (rank_pair)
        class->rank_pair = rank_pair;
    struct mpg_path_cell *cell = realloc(class->cell, (class->cells + cells) * sizeof *cell);
    if (cell)
        class->cell = cell;
    return rank_pair && cell ? 0 : mpg_error_set(err, "out of memory");
}

void mpg_path_results_clear(struct mpg_path_results *class)
{
    free(class->row);
    free(class->rank_pair);
    free(class->cell);
    *class = (struct mpg_path_results){0};
}

int64_t mpg_path_results_values(const struct mpg_path_results *class, int64_t size_bytes, int64_t window,
                         int column, double **value, struct mpg_error *err)
{
    int64_t n = 0;
    double *list = NULL;
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (size_t i = 0; i < class->n; i++) {
            const double *row = class->row + i * (size_t)class->n_columns;
            if (row[1] != (double)size_bytes ||
                (class->window_column && row[class->window_column] != (double)window))
                continue;
            if (list)
                list[n] = row[column];
            n++;
        }
        if (pass == 0 && !(list = malloc((size_t)(n + 1) * sizeof *list)))
            return mpg_error_set(err, "out of memory for %lld samples", (long long)n);
    }
    mpg_sort(list, (size_t)n);
    *value = list;
    return n;
}

static int compare_cells(const void *a, const void *b)
{
    const struct mpg_path_cell *x = a, *y = b;
    if (x->operation != y->operation)
        return (x->operation > y->operation) - (x->operation < y->operation);
    if (x->size_bytes != y->size_bytes)
        return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
    return (x->window > y->window) - (x->window < y->window);
}

int64_t mpg_path_results_sizes(const struct mpg_path_results *class, int64_t window,
                        struct mpg_path_cell **cell, struct mpg_error *err)
{
    size_t n = 0, kept = 0;
    struct mpg_path_cell *list = malloc((class->cells + 1) * sizeof *list);
    if (!list)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < class->cells; i++)
        if (class->cell[i].window == window)
            list[n++] = class->cell[i];
    if (n > 0)
        qsort(list, n, sizeof *list, compare_cells);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || compare_cells(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    *cell = list;
    return (int64_t)kept;
}

/* Formats a cell that did not reach the goal: message size, and in brackets the quantiles that missed the goal: "64KiB (p99)". */
static void format_cell(const struct mpg_path_results *class, const struct mpg_path_cell *cell,
                       char *text, size_t size)
{
    char bytes[32], pair[48] = "", window[48] = "";
    if (class->pairs > 1)
        snprintf(pair, sizeof pair, "pair %lld: ", (long long)cell->pair);
    if (cell->window > 1)
        snprintf(window, sizeof window, " window %lld", (long long)cell->window);
    snprintf(text, size, "%s%s%s%s%s (%s%s%s)", pair, class->operation_names ? class->operation_names[cell->operation] : "",
             class->operation_names ? " " : "",
             mpg_units_format_size(bytes, sizeof bytes, cell->size_bytes), window,
             cell->unmet.median ? "median" : "", cell->unmet.median && cell->unmet.tail ? ", " : "",
             cell->unmet.tail ? "p99" : "");
}

void mpg_path_results_unconverged(const struct mpg_path_results *class, char *text, size_t size)
{
    static const char more[] = "; and more";
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < class->cells; i++) {
        char unmet[192], item[200];
        if (!class->cell[i].unmet.median && !class->cell[i].unmet.tail)
            continue;
        format_cell(class, &class->cell[i], unmet, sizeof unmet);
        size_t length = (size_t)snprintf(item, sizeof item, "%s%s", used ? "; " : "", unmet);
        if (used + length + sizeof more > size) {
            snprintf(text + used, size - used, "%s", more);
            return;
        }
        memcpy(text + used, item, length + 1);
        used += length;
    }
}
