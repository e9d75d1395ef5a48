/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Gaussian autoregression with the autocorrelation of the quanta (Durbin-Levinson; Brockwell and Davis 1991, Time Series,
 * proposition 5.2.1). The autoregression is a weighted sum of innovations with separate random draws: quanta can be drawn in any
 * order. The probability of each value selects the quantile of a quantum's loss. */
#include "simulate/noise/quanta.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "simulate/draws/draws.h"

enum { MAX_LAGS = 256, MAX_MEMORY = 512 };

static const double SIGNIFICANT = 3;   /* in standard errors: larger autocorrelations are significant */
static const double NEGLIGIBLE = 1e-4; /* share of the response's variance that may be cut off */

struct mpg_quanta {
    double length_ns;
    const struct mpg_distribution *lost_ns;
    size_t weights; /* number of weights; 1: quanta are independent */
    double weight[MAX_MEMORY]; /* weight of the innovation i quanta earlier; the sum of squares is 1 */
};

/* Returns the largest lag with a significant autocorrelation. */
static size_t find_order(const struct mpg_noise_core *core)
{
    double bound = SIGNIFICANT / sqrt((double)core->ftq.lost_ns->n);
    size_t order = core->lags < MAX_LAGS ? core->lags : MAX_LAGS;
    while (order > 0 && fabs(core->autocorrelation[order - 1]) <= bound)
        order--;
    return order;
}

/* Computes the coefficients A of the autoregression with autocorrelations R. Returns the order of the autoregression, below ORDER
 * if R is not positive definite. */
static size_t solve(const double *r, size_t order, double *a)
{
    double before[MAX_LAGS], variance = 1;
    for (size_t n = 0; n < order; n++) {
        double sum = r[n];
        for (size_t j = 0; j < n; j++)
            sum -= a[j] * r[n - 1 - j];
        double last = sum / variance;
        if (!(fabs(last) < 1))
            return n;
        for (size_t j = 0; j < n; j++)
            before[j] = a[j];
        for (size_t j = 0; j < n; j++)
            a[j] = before[j] - last * before[n - 1 - j];
        a[n] = last;
        variance *= 1 - last * last;
    }
    return order;
}

/* Sets the weights to the response to one innovation, cut off where negligible, and scaled to variance 1. */
static void fill_weights(struct mpg_quanta *q, const double *a, size_t order)
{
    double total = 0, sum = 0;
    for (size_t k = 0; k < MAX_MEMORY; k++) {
        q->weight[k] = k == 0;
        for (size_t j = 0; j < order && j < k; j++)
            q->weight[k] += a[j] * q->weight[k - 1 - j];
        total += q->weight[k] * q->weight[k];
    }
    for (q->weights = 0; q->weights < MAX_MEMORY && sum < (1 - NEGLIGIBLE) * total; q->weights++)
        sum += q->weight[q->weights] * q->weight[q->weights];
    for (size_t k = 0; k < q->weights; k++)
        q->weight[k] /= sqrt(sum);
}

struct mpg_quanta *mpg_quanta_new(const struct mpg_noise_core *core, struct mpg_error *err)
{
    double a[MAX_LAGS];
    if (core->ftq.lost_ns->mean >= core->ftq.quantum_ns ||
        core->ftq.lost_ns->quantiles[0] >= core->ftq.quantum_ns) {
        mpg_error_set(err, "core %d: the quanta leave no time for work", core->core);
        return NULL;
    }
    struct mpg_quanta *q = calloc(1, sizeof *q);
    if (!q) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    q->length_ns = core->ftq.quantum_ns;
    q->lost_ns = core->ftq.lost_ns;
    fill_weights(q, a, solve(core->autocorrelation, find_order(core), a));
    return q;
}

void mpg_quanta_free(struct mpg_quanta *q)
{
    free(q);
}

double mpg_quanta_length_ns(const struct mpg_quanta *q)
{
    return q->length_ns;
}

size_t mpg_quanta_memory(const struct mpg_quanta *q)
{
    return q->weights - 1;
}

double mpg_quanta_lost(const struct mpg_quanta *q, uint64_t seed, int32_t rank, uint64_t number,
                       uint32_t replica)
{
    struct mpg_address a = {
        .seed = seed, .rank = rank, .call = number + MAX_MEMORY, .purpose = MPG_DRAW_QUANTUM};
    double u = mpg_draw(&a, replica);
    if (q->weights > 1) {
        double x = q->weight[0] * gsl_cdf_ugaussian_Pinv(u);
        for (size_t k = 1; k < q->weights; k++) {
            a.call--;
            x += q->weight[k] * gsl_cdf_ugaussian_Pinv(mpg_draw(&a, replica));
        }
        u = gsl_cdf_ugaussian_P(x);
    }
    return fmin(fmax(mpg_distribution_quantile(q->lost_ns, u), 0), q->length_ns);
}

double mpg_quanta_time_for(const struct mpg_quanta *q, uint64_t seed, int32_t rank,
                           uint32_t replica, double t_ns, double work_ns)
{
    double number = floor(t_ns / q->length_ns), at_ns = t_ns;
    for (;; number++) {
        double rate =
            1 - mpg_quanta_lost(q, seed, rank, (uint64_t)number, replica) / q->length_ns;
        double left_ns = fmax(0, (number + 1) * q->length_ns - at_ns);
        if (work_ns <= rate * left_ns) /* at rate 0 no work is left */
            return at_ns + (work_ns > 0 ? work_ns / rate : 0) - t_ns;
        work_ns -= rate * left_ns;
        at_ns = (number + 1) * q->length_ns;
    }
}

double mpg_quanta_work_in(const struct mpg_quanta *q, uint64_t seed, int32_t rank, uint32_t replica,
                          double t_ns, double interval_ns)
{
    double number = floor(t_ns / q->length_ns), end_ns = t_ns + interval_ns, work_ns = 0;
    for (; t_ns < end_ns; number++) {
        double rate =
            1 - mpg_quanta_lost(q, seed, rank, (uint64_t)number, replica) / q->length_ns;
        double next_ns = fmax(t_ns, fmin(end_ns, (number + 1) * q->length_ns));
        work_ns += rate * (next_ns - t_ns);
        t_ns = next_ns;
    }
    return work_ns;
}
