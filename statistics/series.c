/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of quantiles from cosine transforms of the indicator series and from launches. */
#include "statistics/series.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/order.h"

enum {
    BINS = 1024,       /* maximum number of bins; a bin holds the mean of successive samples */
    COSINES = 64,      /* maximum number of cosines */
    MIN_COSINES = 4,
    BINS_A_COSINE = 4, /* fewer bins would distort the highest cosine */
};
/* Significance level of the F test for more power in the lower cosines than in the others. */
#define EXCESS_LEVEL 0.3
/* Maximum effective sample size per sample; larger estimates come from chance. */
#define MAX_SIZE_PER_SAMPLE 8.0

/* ---- one series ---- */

/* The indicator series of the samples (1: below a limit, 0: above): its variance, and the means of its bins. */
struct binned {
    size_t n;
    double variance;
    double mean[BINS];
};

static double below(double value, double limit)
{
    return value < limit ? 1 : value == limit ? 0.5 : 0;
}

static void bin(const double *series, size_t n, double limit, struct binned *b)
{
    double sum = 0, squares = 0;
    b->n = n < BINS ? n : BINS;
    for (size_t k = 0, i = 0; k < b->n; k++) {
        size_t end = (size_t)((double)(k + 1) * (double)n / (double)b->n), first = i;
        double part = 0;
        for (end = k + 1 < b->n ? end : n; i < end; i++) {
            double y = below(series[i], limit);
            part += y;
            squares += y * y;
        }
        b->mean[k] = part / (double)(i - first);
        sum += part;
    }
    double mean = sum / (double)n;
    b->variance = fmax(squares / (double)n - mean * mean, 0);
}

/* Returns the squared coefficient of cosine J (DCT type II), scaled so that its expectation is the variance if values are
 * independent. */
static double power_at(const struct binned *b, size_t j)
{
    double angle = M_PI * (double)j / (double)b->n, twice = 2 * cos(angle);
    double before = cos(angle / 2), now = before, sum = 0;
    for (size_t i = 0; i < b->n; i++) { /* cos((i + 1/2) angle) by Chebyshev's recurrence */
        double next = twice * now - before;
        sum += b->mean[i] * now;
        before = now;
        now = next;
    }
    return 2 * sum * sum / (double)b->n;
}

/* Returns whether the first LOW of N powers have significantly more power than the rest; SUM[0..N]: cumulative
   powers. */
static bool has_excess_power(const double *sum, size_t low, size_t n)
{
    double first = sum[low] / (double)low, rest = (sum[n] - sum[low]) / (double)(n - low);
    return first > rest * gsl_cdf_fdist_Qinv(EXCESS_LEVEL, (double)low, (double)(n - low));
}

/* Returns the number of lowest cosines, at most N, with equal power on average. The mean of these powers estimates the spectral
 * density at frequency 0. */
static size_t choose_cosines(const double *sum, size_t n)
{
    while (n >= 2 * MIN_COSINES && (has_excess_power(sum, n / 2, n) || has_excess_power(sum, n / 4, n)))
        n /= 2;
    return n;
}

struct mpg_effective_size mpg_series_effective_size(const double *series, size_t n, double limit)
{
    struct binned b;
    double sum[COSINES + 1] = {0}, count = (double)n;
    bin(series, n, limit, &b);
    size_t cosines = MIN_COSINES;
    while (cosines < COSINES && 2 * cosines * BINS_A_COSINE <= b.n)
        cosines *= 2;
    if (cosines >= b.n)
        cosines = b.n - 1; /* N bins have N - 1 cosines */
    if (cosines == 0 || !(b.variance > 0))
        return (struct mpg_effective_size){count, fmax(count - 1, 1)};
    for (size_t j = 1; j <= cosines; j++)
        sum[j] = sum[j - 1] + power_at(&b, j);
    cosines = choose_cosines(sum, cosines);
    double of_mean = sum[cosines] / (double)cosines / (double)b.n;
    double samples = of_mean > 0 ? b.variance / of_mean : INFINITY;
    return (struct mpg_effective_size){fmax(fmin(samples, MAX_SIZE_PER_SAMPLE * count), 1), (double)cosines};
}

/* ---- quantiles ---- */

struct mpg_rank_bounds mpg_rank_bounds(const struct mpg_effective_size *size, size_t n, double p,
                                         double confidence)
{
    double beyond = (1 - confidence) / 2, count = (double)n;
    double wider = gsl_cdf_tdist_Qinv(beyond, size->freedom) / gsl_cdf_ugaussian_Qinv(beyond);
    double m = fmax(1, floor(size->samples / (wider * wider) + 1e-6)); /* 1e-6 allows for rounding errors */
    size_t low, high, max = (size_t)fmin(m, count);
    /* Even with negative dependence, N samples cannot bound a quantile outside their range. */
    mpg_order_interval(max, p, confidence, &low, &high);
    struct mpg_rank_bounds b = {0, n - 1, low < 1, high > max};
    if (m > count)
        mpg_order_interval((size_t)m, p, confidence, &low, &high);
    /* Scales the ranks from M effective samples to the N real samples, rounding outwards. */
    if (!b.low_open)
        b.low = (size_t)floor((double)(low - 1) * count / m);
    if (!b.high_open)
        b.high = (size_t)fmax(ceil((double)high * count / m) - 1, 0);
    b.high = b.high < n ? b.high : n - 1;
    return b;
}

/* ---- samples of several launches ---- */

/* Samples sorted by launch, and within a launch by stretch: a series of successive samples, for example of one pair of
 * ranks. */
struct ordered {
    size_t n, launches;
    double *value, *sorted, *work; /* arrays of N elements; WORK: scratch */
    size_t *launch_end;            /* end index of each launch */
    size_t stretches, *stretch_end;
    double *launch_quantile;       /* quantile of each launch, or its logarithm */
};

struct placed {
    uint32_t launch, stretch;
    size_t at;
};

static int compare_places(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    if (a->stretch != b->stretch)
        return a->stretch < b->stretch ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool is_in_order(const struct mpg_samples *s)
{
    for (size_t i = 1; s->launch && i < s->n; i++)
        if (s->launch[i] < s->launch[i - 1] ||
            (s->stretch && s->launch[i] == s->launch[i - 1] && s->stretch[i] < s->stretch[i - 1]))
            return false;
    return true;
}

/* Copies the samples to O, sorted by PLACE (NULL: already sorted), and records where each launch and stretch ends. */
static void find_ends(const struct mpg_samples *s, const struct placed *place, struct ordered *o)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t a = place ? place[i].at : i, b = 0;
        bool last = i + 1 == s->n;
        if (!last)
            b = place ? place[i + 1].at : i + 1;
        o->value[i] = s->value[a];
        bool launch_ends = last || (s->launch && s->launch[a] != s->launch[b]);
        if (launch_ends)
            o->launch_end[o->launches++] = i + 1;
        if (launch_ends || (s->stretch && s->stretch[a] != s->stretch[b]))
            o->stretch_end[o->stretches++] = i + 1;
    }
}

static void free_ordered(struct ordered *o)
{
    free(o->launch_quantile);
    free(o->stretch_end);
    free(o->launch_end);
    free(o->work);
    free(o->sorted);
    free(o->value);
}

static int put_in_order(const struct mpg_samples *s, struct ordered *o)
{
    struct placed *place = NULL;
    size_t n = s->n;
    *o = (struct ordered){.n = n};
    o->value = malloc(n * sizeof *o->value);
    o->sorted = malloc(n * sizeof *o->sorted);
    o->work = malloc(n * sizeof *o->work);
    o->launch_end = malloc(n * sizeof *o->launch_end);
    o->stretch_end = malloc(n * sizeof *o->stretch_end);
    o->launch_quantile = malloc(n * sizeof *o->launch_quantile);
    if (!o->value || !o->sorted || !o->work || !o->launch_end || !o->stretch_end ||
        !o->launch_quantile)
        return -1;
    if (!is_in_order(s)) {
        if (!(place = malloc(n * sizeof *place)))
            return -1;
        for (size_t i = 0; i < n; i++)
            place[i] = (struct placed){s->launch[i], s->stretch ? s->stretch[i] : 0, i};
        qsort(place, n, sizeof *place, compare_places);
    }
    find_ends(s, place, o);
    free(place);
    memcpy(o->sorted, o->value, n * sizeof *o->sorted);
    mpg_sort(o->sorted, n);
    return 0;
}

/* Returns the effective size for the P quantile, of value LIMIT, of all stretches together. The stretches are strata with fixed
 * shares of the samples, and variances add up. */
static struct mpg_effective_size size_within(const struct ordered *o, double limit, double p)
{
    double sum = 0, terms = 0;
    for (size_t k = 0, first = 0; k < o->stretches; first = o->stretch_end[k++]) {
        size_t n = o->stretch_end[k] - first;
        struct mpg_effective_size size = mpg_series_effective_size(o->value + first, n, limit);
        double share = (double)n / (double)o->n;
        double variance = share * share * p * (1 - p) / size.samples;
        sum += variance;
        terms += variance * variance / size.freedom;
    }
    return (struct mpg_effective_size){fmax(p * (1 - p) / sum, 1), sum * sum / terms};
}

/* Sets ESTIMATE to the P quantile with the interval that the scatter within launches gives. */
static void estimate_within(const struct ordered *o, double p, double confidence,
                        struct mpg_quantile_estimate *estimate)
{
    *estimate = (struct mpg_quantile_estimate){.value = mpg_sorted_quantile(o->sorted, o->n, p), .launches = 1};
    struct mpg_effective_size size = size_within(o, estimate->value, p);
    struct mpg_rank_bounds b = mpg_rank_bounds(&size, o->n, p, confidence);
    estimate->low = b.low_open ? -INFINITY : fmin(o->sorted[b.low], estimate->value);
    estimate->high = b.high_open ? INFINITY : fmax(o->sorted[b.high], estimate->value);
    estimate->independent = size.samples;
    estimate->freedom = size.freedom;
}

/* Returns the standard error of the mean of N values. */
static double error_of_mean(const double *value, size_t n)
{
    double mean = 0, squares = 0, count = (double)n;
    for (size_t i = 0; i < n; i++)
        mean += value[i] / count;
    for (size_t i = 0; i < n; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    return sqrt(squares / (count - 1) / count);
}

/* Returns VALUE plus STEPS, or with LOGARITHM, VALUE times e^STEPS. */
static double moved(double value, double steps, bool logarithm)
{
    return logarithm ? value * exp(steps) : value + steps;
}

static double apart(double from, double to, bool logarithm)
{
    return logarithm ? log(to / from) : to - from;
}

/* Widens ESTIMATE, an interval from the scatter within launches, to cover the differences between launches. */
static void widen_by_launches(struct ordered *o, double p, double confidence,
                              struct mpg_quantile_estimate *estimate)
{
    double beyond = (1 - confidence) / 2;
    bool logarithm = estimate->value > 0 && !(isfinite(estimate->low) && estimate->low <= 0);
    for (size_t l = 0, first = 0; l < o->launches; first = o->launch_end[l++]) {
        size_t n = o->launch_end[l] - first;
        memcpy(o->work, o->value + first, n * sizeof *o->work);
        mpg_sort(o->work, n);
        o->launch_quantile[l] = mpg_sorted_quantile(o->work, n, p);
        logarithm = logarithm && o->launch_quantile[l] > 0;
    }
    for (size_t l = 0; logarithm && l < o->launches; l++)
        o->launch_quantile[l] = log(o->launch_quantile[l]);
    double within_t = gsl_cdf_tdist_Qinv(beyond, estimate->freedom), freedom = (double)o->launches - 1;
    double between = gsl_cdf_tdist_Qinv(beyond, freedom) *
                     error_of_mean(o->launch_quantile, o->launches);
    if (isfinite(estimate->low))
        estimate->low = moved(estimate->value, -fmax(between, apart(estimate->low, estimate->value, logarithm) /
                                                          within_t), logarithm);
    if (isfinite(estimate->high))
        estimate->high = moved(estimate->value, fmax(between, apart(estimate->value, estimate->high, logarithm) /
                                                          within_t), logarithm);
    estimate->freedom = freedom;
    estimate->launches = o->launches;
}

/* ---- ranks ---- */

/* Returns twice the mean rank, counted from 0, of VALUE among the N values SORTED in ascending order. */
static double rank_of(const double *sorted, size_t n, double value)
{
    size_t low = 0, high = n, first;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    first = low;
    for (high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)(first + low) - 1;
}

static double rank_correlation(struct ordered *o)
{
    double middle = (double)o->n - 1, squares = 0, products = 0;
    for (size_t i = 0; i < o->n; i++) {
        o->work[i] = rank_of(o->sorted, o->n, o->value[i]) - middle;
        squares += o->work[i] * o->work[i];
    }
    for (size_t k = 0, i = 0; k < o->stretches; k++)
        for (size_t first = i; i < o->stretch_end[k]; i++)
            if (i > first)
                products += o->work[i - 1] * o->work[i];
    return squares > 0 ? products / squares : 0;
}

int mpg_estimate_quantiles(const struct mpg_samples *s, const double *p, size_t quantiles,
                     double confidence, struct mpg_quantile_estimate *estimate, double *rank_lag1)
{
    struct ordered o;
    int status = put_in_order(s, &o);
    for (size_t q = 0; status == 0 && q < quantiles; q++) {
        estimate_within(&o, p[q], confidence, &estimate[q]);
        if (o.launches > 1)
            widen_by_launches(&o, p[q], confidence, &estimate[q]);
    }
    if (status == 0 && rank_lag1)
        *rank_lag1 = rank_correlation(&o);
    free_ordered(&o);
    return status;
}
