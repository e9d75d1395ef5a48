/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/core_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the rates measured with exactly AT_ONCE busy cores. */
static struct mpg_core_rates measured_rates(const struct mpg_signature *sig, const char *kernel, int at_once)
{
    struct mpg_core_rates x = {0};
    size_t n = 0;
    for (size_t i = 0; i < sig->rates; i++) {
        if (strcmp(sig->rate[i].kernel, kernel) != 0 || sig->rate[i].cores_at_once != at_once)
            continue;
        const double rate = sig->rate[i].rate->mean; /* long computation has the mean rate; a median jumps between speeds */
        x.min = n == 0 ? rate : fmin(x.min, rate);
        x.max = fmax(x.max, rate);
        for (size_t k = 0; k < sig->rate[i].launches; k++) {
            x.min = fmin(x.min, sig->rate[i].launch_mean[k]);
            x.max = fmax(x.max, sig->rate[i].launch_mean[k]);
        }
        x.mean += rate;
        n++;
    }
    x.mean = n > 0 ? x.mean / (double)n : 0;
    return x;
}

/* Returns the rate between A and B with linearly interpolated time per unit of work: PART 0 yields A, 1 yields B. */
static double between(double a, double b, double part)
{
    return a > 0 && b > 0 ? 1 / ((1 - part) / a + part / b) : 0;
}

int mpg_core_rates_most(const struct mpg_signature *sig, const char *kernel)
{
    int most = 0;
    for (size_t i = 0; i < sig->rates; i++)
        if (strcmp(sig->rate[i].kernel, kernel) == 0 && sig->rate[i].cores_at_once > most)
            most = sig->rate[i].cores_at_once;
    return most;
}

struct mpg_core_rates mpg_core_rates_of(const struct mpg_signature *sig, const char *kernel, int busy)
{
    int below = 0, above = 0; /* measured numbers of cores at once; 0: none */
    for (size_t i = 0; i < sig->rates; i++) {
        const int n = sig->rate[i].cores_at_once;
        if (strcmp(sig->rate[i].kernel, kernel) != 0)
            continue;
        below = n <= busy && n > below ? n : below;
        above = n >= busy && (above == 0 || n < above) ? n : above;
    }
    if (busy == 0 || above == 0)
        return measured_rates(sig, kernel, mpg_core_rates_most(sig, kernel));
    const struct mpg_core_rates b = measured_rates(sig, kernel, above);
    if (below == 0 || below == above)
        return b;
    const struct mpg_core_rates a = measured_rates(sig, kernel, below);
    const double part = (double)(busy - below) / (above - below);
    return (struct mpg_core_rates){between(a.mean, b.mean, part), between(a.min, b.min, part), between(a.max, b.max, part)};
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int mpg_busy_cores_of(const int32_t *node, int32_t n)
{
    int32_t *sorted = n > 0 ? malloc((size_t)n * sizeof *sorted) : NULL;
    int most = 0, run = 0;
    if (!sorted)
        return 0;
    memcpy(sorted, node, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int32_t i = 0; i < n; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    free(sorted);
    return most;
}
