/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage: measures how often confidence intervals of quantiles contain the true value: for synthetic series
 * with known quantiles, at the sizes that benchmarks measure, and for parts of a real record, which should
 * contain the quantiles of the whole. Has no pass or fail criterion.
 *
 *     coverage            synthetic series
 *     coverage FILE...    records: lines of numbers, one sample each, in the order of measurement */
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "statistics/order.h"
#include "statistics/series.h"
#include "tests/statistics/series.h"

static const double p[] = {0.5, 0.99};

struct held {
    double times, median, p99, ends, width;
};

static void *need(void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "coverage: out of memory\n");
    exit(1);
}

static void hold(const double *x, size_t n, const double truth[2], struct held *held)
{
    struct mpg_quantile_estimate estimate[2];
    if (mpg_estimate_quantiles(&(struct mpg_samples){.n = n, .value = x}, p, 2, 0.95, estimate, NULL) < 0)
        need(NULL);
    held->times++;
    held->median += estimate[0].low <= truth[0] && truth[0] <= estimate[0].high;
    held->p99 += estimate[1].low <= truth[1] && truth[1] <= estimate[1].high;
    if (isinf(estimate[0].low) || isinf(estimate[0].high))
        return;
    held->ends++;
    held->width += (estimate[0].high - estimate[0].low) / truth[0];
}

static void show_head(const char *what)
{
    printf("%-28s %9s %6s  %7s %7s  %9s %9s\n", what, "samples", "times", "median", "p99",
           "two ends", "width");
}

static void show(const char *name, size_t n, const struct held *held)
{
    printf("%-28s %9zu %6.0f  %5.1f %% %5.1f %%  %7.1f %% %7.1f %%\n", name, n, held->times,
           100 * held->median / held->times, 100 * held->p99 / held->times,
           100 * held->ends / held->times,
           held->ends > 0 ? 100 * held->width / held->ends : INFINITY);
}

/* ---- synthetic series ---- */

static void cover_series(void)
{
    static const struct {
        size_t n;
        int times;
    } size[] = {{250, 4000}, {1000, 4000}, {10000, 1000}, {100000, 200}, {1000000, 40}};
    gsl_rng *rng = need(gsl_rng_alloc(gsl_rng_mt19937));
    double *x = need(malloc(1000000 * sizeof *x));
    show_head("made-up series");
    for (int kind = 0; kind < SERIES_KINDS; kind++) {
        double truth[2] = {series_quantile((enum series_kind)kind, p[0]),
                           series_quantile((enum series_kind)kind, p[1])};
        for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
            struct held held = {0};
            for (int t = 0; t < size[s].times; t++) {
                series_draw(rng, (enum series_kind)kind, x, size[s].n);
                hold(x, size[s].n, truth, &held);
            }
            show(series_name[kind], size[s].n, &held);
            fflush(stdout);
        }
    }
    clock_t begun = clock();
    struct held held = {0};
    hold(x, 1000000, p, &held);
    printf("An interval each of the median and p99 of a million samples: %.2f s\n",
           (double)(clock() - begun) / CLOCKS_PER_SEC);
    free(x);
    gsl_rng_free(rng);
}

/* ---- records ---- */

static double *read_numbers(const char *path, size_t *n)
{
    double *x = NULL, value;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    *n = 0;
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fscanf(file, "%lf", &value) == 1) {
        if (*n == room)
            x = need(realloc(x, (room = 2 * room + 1024) * sizeof *x));
        x[(*n)++] = value;
    }
    fclose(file);
    return x;
}

enum { PARTS = 4 };
static const size_t part_size[PARTS] = {250, 500, 1000, 2000};

/* Counts how often parts of the N values X contain the quantiles of all values. */
static void cover_record(const double *x, size_t n, struct held held[PARTS])
{
    double truth[2], *sorted = need(malloc(n * sizeof *sorted));
    memcpy(sorted, x, n * sizeof *sorted);
    mpg_sort(sorted, n);
    for (int q = 0; q < 2; q++)
        truth[q] = mpg_sorted_quantile(sorted, n, p[q]);
    free(sorted);
    for (int s = 0; s < PARTS; s++)
        for (size_t k = 0; n >= 5 * part_size[s] && (k + 1) * part_size[s] <= n; k++)
            hold(x + k * part_size[s], part_size[s], truth, &held[s]);
}

int main(int argc, char **argv)
{
    struct held all[PARTS] = {{0}};
    gsl_set_error_handler_off();
    if (argc < 2)
        cover_series();
    else
        show_head("parts of records");
    for (int i = 1; i < argc; i++) {
        size_t n;
        double *x = read_numbers(argv[i], &n);
        if (n > 0)
            cover_record(x, n, all);
        free(x);
    }
    for (int s = 0; s < PARTS; s++)
        if (all[s].times > 0)
            show("all records", part_size[s], &all[s]);
    return 0;
}
