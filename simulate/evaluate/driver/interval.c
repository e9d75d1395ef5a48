/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separates the uncertainty of the measurement from the randomness of the draws, by comparing replicas that have a benchmark
 * launch, or blocks of a noise record, in common. */
#include "simulate/evaluate/driver/interval.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "signature/signature.h"
#include "simulate/draws/draws.h"
#include "simulate/noise/resampled.h"
#include "statistics/order.h"

enum { MIN_GROUPS = 3 };

/* The values of replicas, and the measurements used by each replica. */
struct sample {
    const struct mpg_resampling *r;
    const double *value;
    size_t n;
    uint32_t first;
    double centre[MPG_SIGNATURE_MAX_LAUNCHES]; /* by launch: median of the launch's replicas; NAN: the launch has no replica */
};

static uint32_t launch_of(const struct sample *x, size_t w)
{
    if (x->r->launches < 2)
        return 0;
    const struct mpg_address address = {.seed = x->r->seed, .purpose = MPG_DRAW_LAUNCH};
    const double v = mpg_draw(&address, (x->first + (uint32_t)w) / 2);
    return (uint32_t)(v * x->r->launches);
}

/* Sets x->centre to the medians of the values of each launch. SCRATCH: memory for x->n doubles. */
static void find_centres(struct sample *x, double *scratch)
{
    for (uint32_t k = 0; k < x->r->launches; k++) {
        size_t n = 0;
        for (size_t w = 0; w < x->n; w++)
            if (launch_of(x, w) == k)
                scratch[n++] = x->value[w];
        mpg_sort(scratch, n);
        x->centre[k] = n > 0 ? gsl_stats_median_from_sorted_data(scratch, 1, n) : NAN;
    }
}

/* Writes Student's interval of the mean of the launches' medians to LOW and HIGH; computed from logarithms if all medians are
 * above 0. Returns false if fewer than two launches were drawn. */
static bool find_student(const struct sample *x, double *low, double *high)
{
    double mean = 0, squares = 0, min = INFINITY;
    uint32_t drawn = 0;
    for (uint32_t k = 0; k < x->r->launches; k++)
        min = fmin(min, x->centre[k]);     /* fmin() ignores NAN */
    for (uint32_t k = 0; k < x->r->launches; k++)
        if (!isnan(x->centre[k])) {
            const double y = min > 0 ? log(x->centre[k]) : x->centre[k], step = y - mean;
            mean += step / ++drawn;
            squares += step * (y - mean);
        }
    if (drawn < 2)
        return false;
    const double error = sqrt(squares / (drawn - 1) / drawn) * gsl_cdf_tdist_Pinv(0.975, drawn - 1);
    *low = min > 0 ? exp(mean - error) : mean - error;
    *high = min > 0 ? exp(mean + error) : mean + error;
    return true;
}

/* Returns the share of the variance around the launches' medians due to the blocks of noise records. */
static double share_of_noise(const struct sample *x)
{
    double sum[MPG_MEASUREMENTS] = {0}, total = 0, between = 0, within = 0, squares = 0;
    size_t count[MPG_MEASUREMENTS] = {0}, groups = 0;
    for (size_t w = 0; w < x->n; w++) {
        const uint32_t m = mpg_measurement_of(x->first + (uint32_t)w);
        const double e = x->value[w] - x->centre[launch_of(x, w)];
        sum[m] += e;
        count[m]++;
        total += e;
    }
    for (uint32_t m = 0; m < MPG_MEASUREMENTS; m++)
        if (count[m] > 0) {
            const double step = sum[m] / (double)count[m] - total / (double)x->n;
            between += (double)count[m] * step * step;
            squares += (double)count[m] * (double)count[m];
            groups++;
        }
    if (groups < MIN_GROUPS || x->n < groups + MIN_GROUPS)
        return 0;
    for (size_t w = 0; w < x->n; w++) {
        const uint32_t m = mpg_measurement_of(x->first + (uint32_t)w);
        const double e = x->value[w] - x->centre[launch_of(x, w)] - sum[m] / (double)count[m];
        within += e * e;
    }
    between /= (double)(groups - 1);
    within /= (double)(x->n - groups);
    const double shared = (between - within) * (double)(groups - 1) / ((double)x->n - squares / (double)x->n);
    return shared > 0 ? shared / (shared + within) : 0;
}

void mpg_interval_widen(struct mpg_summary *s, const struct mpg_resampling *r, const double *values, double *sorted, size_t n,
                        uint32_t first)
{
    struct sample x = {.r = r, .value = values, .n = n, .first = first, .centre = {s->median}};
    const double least = sorted[0];
    double low, high;
    if (r->launches > 1)
        find_centres(&x, sorted);
    if (r->launches > 1 && find_student(&x, &low, &high)) {
        s->low = fmin(s->low, low);
        s->high = fmax(s->high, high);
    }
    const double shared = r->noise ? share_of_noise(&x) : 0;
    for (size_t w = 0; w < n; w++)
        sorted[w] = shared > 0 ? values[w] - x.centre[launch_of(&x, w)] : values[w];
    mpg_sort(sorted, n);
    if (!(shared > 0))
        return;
    /* An interval by a bootstrap of B blocks is too narrow by the factor sqrt(1 - 1 / B), and the spread is as uncertain as
     * the spread of B values. */
    const double parts = MPG_BOOTSTRAP_BLOCKS;
    const double part = sqrt(shared * parts / (parts - 1)) * gsl_cdf_tdist_Pinv(0.975, parts - 1) / gsl_cdf_ugaussian_Pinv(0.975);
    const double less = part * mpg_interpolated_quantile(sorted, n, 0.025);
    const double more = part * mpg_interpolated_quantile(sorted, n, 0.975);
    s->low = s->median - hypot(s->median - s->low, less);
    if (least >= 0)
        s->low = fmax(s->low, 0);
    s->high = s->median + hypot(s->high - s->median, more);
    for (size_t w = 0; w < n; w++)
        sorted[w] = values[w];
    mpg_sort(sorted, n);
}
