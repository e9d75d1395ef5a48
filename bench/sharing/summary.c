/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary table of sharing. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/sharing/measure.h"
#include "common/units.h"
#include "statistics/order.h"

/* Collects the times of case C, sorted, into VALUE; returns the number of times. */
static size_t pick(const struct mpg_sharing_rows *rows, const struct mpg_sharing_case *c, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const double *row = rows->value + MPG_SHARING_COLUMNS * i;
        if ((int)row[0] == c->pairs && (int)row[1] == c->directions && (int64_t)row[2] == c->size_bytes)
            value[n++] = row[MPG_SHARING_TIME];
    }
    mpg_sort(value, n);
    return n;
}

static void print_case(const struct mpg_sharing_rows *rows, const struct mpg_sharing_case *c, double *value)
{
    char size[32], median[32];
    size_t n = pick(rows, c, value);
    double messages = (double)(c->pairs * c->directions * c->messages);
    static const char *const directions[] = {"one", "both", "opposite", "lead"};
    if (c->directions == MPG_SHARING_OPPOSITE)
        messages = 1;
    printf("%10s %9s %5d %9lld %8zu %6lld", mpg_units_format_size(size, sizeof size, c->size_bytes),
           directions[c->directions - 1], c->pairs, (long long)c->window, n, (long long)c->late);
    if (n > 0) {
        double time_ns = mpg_sorted_quantile(value, n, 0.5);
        printf(" %10s", mpg_units_format_time(median, sizeof median, time_ns));
        if (c->directions != MPG_SHARING_LEAD)
            printf(" %10.1f %12.0f", 1e3 * messages * (double)c->size_bytes / time_ns, 1e9 * messages / time_ns);
    }
    putchar('\n');
}

int mpg_sharing_print(const struct mpg_sharing_result *result, const struct mpg_sharing_cases *cases,
                      enum mpg_path path, struct mpg_error *err)
{
    const struct mpg_sharing_rows *rows = &result->rows[path];
    double *value = malloc((rows->n + 1) * sizeof *value);
    if (!value)
        return mpg_error_set(err, "out of memory");
    printf("%10s %9s %5s %9s %8s %6s %10s %10s %12s\n", "size", "direction", "pairs", "in flight", "samples", "late",
           "median", "MB/s", "messages/s");
    for (size_t i = 0; i < cases->n; i++)
        if (cases->item[i].path == path)
            print_case(rows, &cases->item[i], value);
    free(value);
    return 0;
}
