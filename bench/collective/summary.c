/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary table of collective. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/collective/timing.h"
#include "common/units.h"
#include "statistics/order.h"

/* Collects the times of CASE, ascending, into VALUE; returns the number of times. */
static size_t pick(const struct mpg_timing_result *r, const struct mpg_case *c, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double *row = r->value + MPG_TIMING_COLUMNS * i;
        if ((int)row[0] == (int)c->operation && (int)row[1] == c->processes &&
            (int64_t)row[2] == c->size_bytes)
            value[n++] = row[3];
    }
    mpg_sort(value, n);
    return n;
}

int mpg_timing_print(const struct mpg_timing_result *result, const struct mpg_cases *cases,
                     int64_t launch, struct mpg_error *err)
{
    char size[32], min[32], median[32], tail[32];
    double *value = malloc((result->n + 1) * sizeof *value);
    if (!value)
        return mpg_error_set(err, "out of memory");
    printf("collective: launch %lld, times by operation, processes and size; late: discarded repetitions\n"
           "%-12s %9s %10s %8s %8s %10s %10s %10s\n", (long long)launch, "operation", "processes",
           "size", "samples", "late", "min", "median", "p99");
    for (size_t i = 0; i < cases->n; i++) {
        const struct mpg_case *c = &cases->item[i];
        size_t n = pick(result, c, value);
        printf("%-12s %9d %10s %8zu %8lld", mpg_operation_name(c->operation), c->processes,
               c->operation == MPG_OPERATION_BARRIER
                   ? "-" : mpg_units_format_size(size, sizeof size, c->size_bytes),
               n, (long long)c->invalid);
        if (n > 0)
            printf(" %10s %10s %10s", mpg_units_format_time(min, sizeof min, value[0]),
                   mpg_units_format_time(median, sizeof median,
                                         mpg_sorted_quantile(value, n, 0.5)),
                   mpg_units_format_time(tail, sizeof tail, mpg_sorted_quantile(value, n, 0.99)));
        putchar('\n');
    }
    free(value);
    return 0;
}
