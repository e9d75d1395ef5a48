/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Robust comparison of the pairs of a class, and a map of pairs. */
#include "config.h"

#include "bench/harness/outliers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/inference.h"
#include "statistics/order.h"

enum { SHORT, LONG, KINDS, MAP_RANKS = 24 };
#define SHORT_BYTES 4096

/* A pair compared with its class. */
struct figure {
    double ratio[KINDS]; /* logarithm of the pair's times relative to its class (mpg_outliers_print()); NAN: the pair has no
                            short (or long) messages */
    double z[KINDS];     /* robust z-score if the pair is an outlier; else 0 */
};

static double median_of(double *value, size_t n)
{
    mpg_sort(value, n);
    return mpg_sorted_quantile(value, n, 0.5);
}

static int compare_cells(const void *a, const void *b)
{
    const struct mpg_path_cell *x = a, *y = b;
    if (x->operation != y->operation)
        return (x->operation > y->operation) - (x->operation < y->operation);
    if (x->size_bytes != y->size_bytes)
        return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
    if (x->window != y->window)
        return (x->window > y->window) - (x->window < y->window);
    return (x->median_ns > y->median_ns) - (x->median_ns < y->median_ns);
}

static bool same_cell(const struct mpg_path_cell *a, const struct mpg_path_cell *b)
{
    return a->operation == b->operation && a->size_bytes == b->size_bytes && a->window == b->window;
}

/* Replaces the median of each of the N cells SORTED (in compare_cells() order) by the median over all pairs of the class. */
static void find_medians(struct mpg_path_cell *sorted, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && same_cell(&sorted[first], &sorted[end]); end++) {
        }
        double median_ns = sorted[first + (end - first - 1) / 2].median_ns;
        for (size_t i = first; i < end; i++)
            sorted[i].median_ns = median_ns;
    }
}

static double class_median(const struct mpg_path_cell *sorted, size_t n,
                           const struct mpg_path_cell *cell)
{
    size_t low = 0, high = n; /* invariant: the first element of SORTED that does not precede CELL is in low..high */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct mpg_path_cell probe = *cell;
        probe.median_ns = -1; /* the probe sorts before all equal cells, to find the first of the equal cells */
        if (compare_cells(&sorted[middle], &probe) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return sorted[low].median_ns;
}

/* Sets FIGURE[pair].ratio for each pair of CLASS and each kind of message size: the median, over the pair's sizes and windows, of
 * ln(median time of the pair / median time of all pairs). A cell of CLASS has the median time of one pair at one size and
 * window; cells are sorted by pair. Returns 0, or -1 with ERR: out of memory. */
static int find_ratios(const struct mpg_path_results *class, struct figure *figure,
                       struct mpg_error *err)
{
    int64_t limit_bytes = class->eager_limit_bytes > 0 ? class->eager_limit_bytes : SHORT_BYTES;
    struct mpg_path_cell *sorted = malloc(class->cells * sizeof *sorted);
    double *ratio = malloc(class->cells * sizeof *ratio);
    int status = sorted && ratio ? 0 : mpg_error_set(err, "out of memory");
    if (status == 0) {
        memcpy(sorted, class->cell, class->cells * sizeof *sorted);
        qsort(sorted, class->cells, sizeof *sorted, compare_cells);
        find_medians(sorted, class->cells);
    }
    for (size_t first = 0, end; first < class->cells && status == 0; first = end) {
        int64_t pair = class->cell[first].pair;
        for (end = first; end < class->cells && class->cell[end].pair == pair; end++) {
        }
        for (int k = 0; k < KINDS; k++) {
            size_t n = 0;
            for (size_t i = first; i < end; i++) {
                const struct mpg_path_cell *cell = &class->cell[i];
                double all_ns = class_median(sorted, class->cells, cell);
                if ((cell->size_bytes > limit_bytes) == (k == LONG) && cell->median_ns > 0 &&
                    all_ns > 0)
                    ratio[n++] = log(cell->median_ns / all_ns);
            }
            figure[pair].ratio[k] = n > 0 ? median_of(ratio, n) : NAN;
        }
    }
    free(sorted);
    free(ratio);
    return status;
}

/* Computes figure[].z of the outlying pairs for messages of KIND (SHORT or LONG). */
static int judge(const struct mpg_path_results *class, int kind, double floor, struct figure *figure,
                 struct mpg_error *err)
{
    size_t pairs = (size_t)class->pairs, n = 0;
    double *ratio = malloc(pairs * sizeof *ratio), *score = malloc(pairs * sizeof *score);
    bool *outlier = malloc(pairs * sizeof *outlier);
    int found = ratio && score && outlier ? 0 : mpg_error_set(err, "out of memory");
    for (size_t p = 0; p < pairs && found == 0; p++)
        if (!isnan(figure[p].ratio[kind]))
            ratio[n++] = figure[p].ratio[kind];
    if (found == 0 && n > 0)
        found = mpg_outliers_of_ratios(ratio, n, floor, score, outlier, err);
    n = 0;
    for (size_t p = 0; p < pairs && found > 0; p++)
        if (!isnan(figure[p].ratio[kind])) {
            figure[p].z[kind] = outlier[n] ? score[n] : 0;
            n++;
        }
    free(outlier);
    free(score);
    free(ratio);
    return found < 0 ? -1 : 0;
}

/* Returns how a pair compares with its class: 'S': slower, 'F': faster, '.': as expected. */
static char mark_of(const struct figure *figure)
{
    double worst = fabs(figure->z[SHORT]) > fabs(figure->z[LONG]) ? figure->z[SHORT]
                                                                  : figure->z[LONG];
    return worst > 0 ? 'S' : worst < 0 ? 'F' : '.';
}

static void print_outlier(const struct mpg_path_results *class, const struct mpg_ranks *ranks,
                          int64_t pair, const struct figure *figure)
{
    static const char *const kind[] = {"short", "long"};
    const struct mpg_rank_pair *c = &class->rank_pair[pair];
    const struct mpg_rank_location *a = &ranks->location[c->a], *b = &ranks->location[c->b];
    for (int k = 0; k < KINDS; k++)
        if (figure->z[k] != 0)
            printf("outlier: ranks %d and %d (%s core %s, %s core %s), %s, %s messages: %+.0f %%"
                   " (z %.1f)\n",
                   c->a, c->b, a->host, a->cores, b->host, b->cores, mpg_path_name(class->path),
                   kind[k], 100 * expm1(figure->ratio[k]), figure->z[k]);
}

/* Enters the marks of the class's pairs into MAP (ranks x ranks characters). Returns the number of outlying pairs. */
static int64_t mark_class(const struct mpg_path_results *class, const struct mpg_ranks *ranks,
                          const struct figure *figure, char *map)
{
    size_t n = (size_t)ranks->ranks;
    int64_t outliers = 0;
    for (int64_t p = 0; p < class->pairs; p++) {
        char mark = mark_of(&figure[p]);
        size_t a = (size_t)class->rank_pair[p].a, b = (size_t)class->rank_pair[p].b;
        outliers += mark != '.';
        if (n <= MAP_RANKS)
            map[a * n + b] = map[b * n + a] = mark;
        if (mark != '.')
            print_outlier(class, ranks, p, &figure[p]);
    }
    return outliers;
}

static int print_class(const struct mpg_path_results *class, const struct mpg_ranks *ranks,
                       double floor, char *map, int64_t *outliers, struct mpg_error *err)
{
    size_t pairs = (size_t)class->pairs;
    struct figure *figure = calloc(pairs, sizeof *figure);
    int status = figure ? find_ratios(class, figure, err) : mpg_error_set(err, "out of memory");
    for (int k = 0; k < KINDS && status == 0; k++)
        status = judge(class, k, floor, figure, err);
    if (status == 0)
        *outliers += mark_class(class, ranks, figure, map);
    free(figure);
    return status;
}

static void print_map(const struct mpg_ranks *ranks, const char *map)
{
    int n = ranks->ranks;
    printf("map of pairs (. as expected, S slower, F faster, blank: not measured):\n     ");
    for (int b = 0; b < n; b++)
        printf(" %2d", b);
    for (int a = 0; a < n; a++) {
        printf("\n%4d ", a);
        for (int b = 0; b < n; b++)
            printf(" %2c", map[a * n + b]);
        printf("  %s core %s", ranks->location[a].host, ranks->location[a].cores);
    }
    putchar('\n');
}

int mpg_outliers_print(const struct mpg_path_results class[MPG_PATHS], const struct mpg_ranks *ranks,
                       double floor, struct mpg_error *err)
{
    size_t cells = ranks->ranks <= MAP_RANKS ? (size_t)ranks->ranks * (size_t)ranks->ranks : 1;
    char *map = malloc(cells);
    int64_t outliers = 0;
    int status = map ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < cells && map; i++)
        map[i] = ' ';
    for (int p = 0; p < MPG_PATHS && status == 0; p++)
        if (class[p].pairs > 0)
            status = print_class(&class[p], ranks, floor, map, &outliers, err);
    if (status == 0 && outliers == 0)
        printf("outliers: none (robust z within %.1f in each class of %d pairs or more)\n",
               MPG_OUTLIERS_SCORE, MPG_OUTLIERS_MIN_VALUES);
    if (status == 0 && ranks->ranks <= MAP_RANKS)
        print_map(ranks, map);
    free(map);
    return status;
}
