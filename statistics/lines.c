/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians and Theil-Sen lines (statistics/rank.h). In a separate file, because mpgtrace must not need GSL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/order.h"
#include "statistics/rank.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static double middle_of(const double *ascending, size_t n)
{
    return n % 2 ? ascending[n / 2] : (ascending[n / 2 - 1] + ascending[n / 2]) / 2;
}

int mpg_median(const double *value, size_t n, double *median, struct mpg_error *err)
{
    double *copy = malloc(n * sizeof *copy);
    if (!copy)
        return out_of_memory(err);
    memcpy(copy, value, n * sizeof *copy);
    mpg_sort(copy, n);
    *median = middle_of(copy, n);
    free(copy);
    return 0;
}

/* Computes *SUM of t (t - 1) (2 t + 5) over all groups of equal values, t: number of values in the group. */
static int sum_ties(const double *value, size_t n, double *sum, struct mpg_error *err)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    if (!copy)
        return out_of_memory(err);
    memcpy(copy, value, n * sizeof *copy);
    mpg_sort(copy, n);
    *sum = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && copy[end] == copy[i]; end++)
            ;
        const double t = (double)(end - i);
        *sum += t * (t - 1) * (2 * t + 5);
    }
    free(copy);
    return 0;
}

/* Fills the 95 % interval of SLOPE. ASCENDING: the slopes of all pairs of points, sorted; VARIANCE: of Kendall's
 * statistic. */
static void find_bounds(struct mpg_slope *slope, const double *ascending, double variance)
{
    const double m = (double)slope->pairs, reach = 1.959963984540054 * sqrt(variance > 0 ? variance : 0);
    double low = nearbyint((m - reach) / 2) - 1, high = nearbyint((m + reach) / 2);
    low = low < 0 ? 0 : low > m - 1 ? m - 1 : low;
    high = high < 0 ? 0 : high > m - 1 ? m - 1 : high;
    slope->low = ascending[(size_t)low];
    slope->high = ascending[(size_t)high];
}

int mpg_theil_sen(const double *x, const double *y, size_t n, struct mpg_slope *slope, struct mpg_error *err)
{
    double ties_x, ties_y, middle_x, middle_y;
    double *slopes = malloc((n * n / 2 + 1) * sizeof *slopes);
    int status = slopes ? 0 : out_of_memory(err);
    *slope = (struct mpg_slope){.slope = NAN, .intercept = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; status == 0 && i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (x[i] != x[k])
                slopes[slope->pairs++] = (y[i] - y[k]) / (x[i] - x[k]);
    if (status == 0 && slope->pairs > 0) {
        mpg_sort(slopes, slope->pairs);
        if (sum_ties(x, n, &ties_x, err) < 0 || sum_ties(y, n, &ties_y, err) < 0 ||
            mpg_median(x, n, &middle_x, err) < 0 || mpg_median(y, n, &middle_y, err) < 0)
            status = -1;
        else {
            const double m = (double)n;
            slope->slope = middle_of(slopes, slope->pairs);
            slope->intercept = middle_y - slope->slope * middle_x;
            find_bounds(slope, slopes, (m * (m - 1) * (2 * m + 5) - ties_x - ties_y) / 18);
        }
    }
    free(slopes);
    return status;
}
