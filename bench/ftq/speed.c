/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The undisturbed rate, followed. */
#include "config.h"

#include "bench/ftq/speed.h"

#include <math.h>
#include <string.h>

#include "statistics/order.h"

enum { BLOCK = 64 };
#define UNDISTURBED 0.75
#define LEAST_SPEED 0.7

void mpg_speed_follow(const double *rate, size_t n, double *reference)
{
    double best = 0;
    for (size_t k = 0; k < n; k++)
        best = fmax(best, rate[k]);
    for (size_t first = 0, length; first < n; first += length) {
        double sorted[2 * BLOCK];
        length = n - first < 2 * BLOCK ? n - first : BLOCK; /* the last one may be longer */
        memcpy(sorted, rate + first, length * sizeof *sorted);
        mpg_sort(sorted, length);
        double speed = mpg_sorted_quantile(sorted, length, UNDISTURBED);
        if (speed < LEAST_SPEED * best)
            speed = fmax(sorted[length - 1], LEAST_SPEED * best);
        for (size_t k = first; k < first + length; k++)
            reference[k] = speed;
    }
}

double mpg_speed_range(double *reference, size_t n)
{
    mpg_sort(reference, n);
    double slow = mpg_sorted_quantile(reference, n, 0.05);
    double fast = mpg_sorted_quantile(reference, n, 0.95);
    return fast > 0 ? (fast - slow) / fast : 0;
}
