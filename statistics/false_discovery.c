/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The false discovery rate of several tests (statistics/rank.h). In a separate file, because mpgtrace must not need GSL. */
#include <stdlib.h>
#include <string.h>

#include "statistics/order.h"
#include "statistics/rank.h"

/* Returns the index of the last of N ascending values that is at most VALUE. VALUE is one of the values. */
static size_t last_at_most(const double *ascending, size_t n, double value)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (ascending[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int mpg_false_discovery(const double *p, size_t n, double *q, struct mpg_error *err)
{
    double *ascending = malloc((2 * n + 1) * sizeof *ascending), *rate = ascending + n;
    if (!ascending)
        return mpg_error_set(err, "out of memory");
    memcpy(ascending, p, n * sizeof *p);
    mpg_sort(ascending, n);
    double min = 1;
    for (size_t i = n; i-- > 0;) {
        const double now = ascending[i] * (double)n / (double)(i + 1);
        rate[i] = min = now < min ? now : min;
    }
    for (size_t i = 0; i < n; i++)
        q[i] = rate[last_at_most(ascending, n, p[i])];
    free(ascending);
    return 0;
}
