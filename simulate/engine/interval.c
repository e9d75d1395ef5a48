/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of replicas that share a measurement tell its part of the spread from the draws'. */
#include "simulate/engine/interval.h"

#include <math.h>

#include <gsl/gsl_statistics_double.h>

enum { LEAST_PAIRS = 3 };

double mpg_interval_shared(const double *values, size_t n, uint32_t first)
{
    size_t begin = first % 2, pairs = n > begin ? (n - begin) / 2 : 0;
    const double *v = values + begin;
    if (pairs < LEAST_PAIRS)
        return 0;
    double mean = gsl_stats_mean(v, 1, 2 * pairs), between = 0, within = 0;
    for (size_t i = 0; i < pairs; i++) {
        double middle = (v[2 * i] + v[2 * i + 1]) / 2, half = (v[2 * i] - v[2 * i + 1]) / 2;
        between += 2 * (middle - mean) * (middle - mean);
        within += 2 * half * half;
    }
    between /= (double)(pairs - 1);
    within /= (double)pairs;
    return between > within ? (between - within) / (between + within) : 0;
}

void mpg_interval_widen(struct mpg_summary *s, const double *values, const double *sorted, size_t n,
                        uint32_t first)
{
    double shared = mpg_interval_shared(values, n, first);
    double part = fmin(1, sqrt(shared + (1 - shared) * M_PI / 2 / (double)n));
    double p2 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.025);
    double p97 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.975);
    s->low = fmin(s->low, s->median - part * (s->median - p2));
    s->high = fmax(s->high, s->median + part * (p97 - s->median));
}
