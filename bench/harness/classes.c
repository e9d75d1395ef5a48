/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a path class. */
#include "config.h"

#include "bench/harness/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "statistics/order.h"

int mpg_class_reserve(struct mpg_class *class, size_t rows, size_t cells, struct mpg_error *err)
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
    struct mpg_couple *couple =
        realloc(class->couple, (size_t)(class->pairs + 1) * sizeof *couple);
    if (couple)
        class->couple = couple;
    struct mpg_class_cell *cell = realloc(class->cell, (class->cells + cells) * sizeof *cell);
    if (cell)
        class->cell = cell;
    return couple && cell ? 0 : mpg_error_set(err, "out of memory");
}

void mpg_class_clear(struct mpg_class *class)
{
    free(class->row);
    free(class->couple);
    free(class->cell);
    *class = (struct mpg_class){0};
}

int64_t mpg_class_values(const struct mpg_class *class, int64_t size_bytes, int64_t window,
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
    const struct mpg_class_cell *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
    return (x->window > y->window) - (x->window < y->window);
}

int64_t mpg_class_sizes(const struct mpg_class *class, int64_t window,
                        struct mpg_class_cell **cell, struct mpg_error *err)
{
    size_t n = 0, kept = 0;
    struct mpg_class_cell *list = malloc((class->cells + 1) * sizeof *list);
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

/* Formats a cell without convergence: "64KiB (p99)". */
static void print_lack(const struct mpg_class *class, const struct mpg_class_cell *cell,
                       char *text, size_t size)
{
    char bytes[32], pair[48] = "", window[48] = "";
    if (class->pairs > 1)
        snprintf(pair, sizeof pair, "pair %lld: ", (long long)cell->pair);
    if (cell->window > 1)
        snprintf(window, sizeof window, " window %lld", (long long)cell->window);
    snprintf(text, size, "%s%s%s (%s%s%s)", pair,
             mpg_units_format_size(bytes, sizeof bytes, cell->size_bytes), window,
             cell->lack.median ? "median" : "", cell->lack.median && cell->lack.tail ? ", " : "",
             cell->lack.tail ? "p99" : "");
}

void mpg_class_lacks(const struct mpg_class *class, char *text, size_t size)
{
    static const char more[] = "; and more";
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < class->cells; i++) {
        char lack[192], item[200];
        if (!class->cell[i].lack.median && !class->cell[i].lack.tail)
            continue;
        print_lack(class, &class->cell[i], lack, sizeof lack);
        size_t length = (size_t)snprintf(item, sizeof item, "%s%s", used ? "; " : "", lack);
        if (used + length + sizeof more > size) {
            snprintf(text + used, size - used, "%s", more);
            return;
        }
        memcpy(text + used, item, length + 1);
        used += length;
    }
}
