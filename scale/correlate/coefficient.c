/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scale/correlate/coefficient.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale/correlate/correlate.h"
#include "statistics/order.h"
#include "statistics/rank.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int mpg_scale_draws_make(struct scale_draws *draws, size_t n, uint64_t seed, struct mpg_error *err)
{
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    *draws = (struct scale_draws){n, malloc(SCALE_RESAMPLES * n * sizeof(uint32_t) + 1)};
    if (!draws->word)
        return out_of_memory(err);
    for (size_t b = 0; b < SCALE_RESAMPLES; b++)
        for (size_t i = 0; i < n; i++) {
            const philox4x32_ctr_t counter = {{(uint32_t)b, (uint32_t)i, 0, 0}};
            draws->word[b * n + i] = philox4x32(counter, key).v[0];
        }
    return 0;
}

void mpg_scale_draws_clear(struct scale_draws *draws)
{
    free(draws->word);
    draws->word = NULL;
}

/* ---- resampling ---- */

/* A series of points (x, y) as ranks. A resample replaces each point by a point of equal x: the ranks of x do not change. The
 * ranks of y follow from how often each value of y is drawn. */
struct resampling {
    size_t n, values;            /* number of points; number of different values of y */
    const struct scale_series *series;
    double *rank;                /* for each point: rank of the point's x minus the mean rank */
    size_t *first, *number;      /* for each point: the points of equal x are FIRST to FIRST + NUMBER - 1 */
    size_t *value, *drawn;       /* index of y among the different values: for each point; for each drawn point */
    size_t *times;               /* for each value of y: how often the value is drawn */
    double *middle;              /* for each value of y: rank of the value in the resample minus the mean rank */
    double spread;               /* sum of the squares of RANK */
};

/* Returns r_s of the current resample; NAN if all drawn points have equal y. */
static double coefficient(struct resampling *s)
{
    double sum = 0, squares = 0;
    const double mean = ((double)s->n + 1) / 2;
    size_t below = 0;
    for (size_t k = 0; k < s->values; k++) {
        s->middle[k] = (double)below + ((double)s->times[k] + 1) / 2 - mean;
        squares += (double)s->times[k] * s->middle[k] * s->middle[k];
        below += s->times[k];
    }
    for (size_t i = 0; i < s->n; i++)
        sum += s->rank[i] * s->middle[s->drawn[i]];
    return squares > 0 ? sum / sqrt(squares * s->spread) : NAN;
}

static double resample(struct resampling *s, const uint32_t *word)
{
    memset(s->times, 0, s->values * sizeof *s->times);
    for (size_t i = 0; i < s->n; i++) {
        s->drawn[i] = s->value[s->first[i] + (size_t)((uint64_t)word[i] * s->number[i] >> 32)];
        s->times[s->drawn[i]]++;
    }
    return coefficient(s);
}

/* Sets INTERVAL from the coefficients R of N resamples; sorts R. Leaves INTERVAL unset if fewer than half of the resamples
 * have a coefficient. */
static void bound(double *r, size_t n, struct scale_interval *interval)
{
    if (n * 2 < SCALE_RESAMPLES)
        return;
    mpg_sort(r, n);
    interval->low = mpg_sorted_quantile(r, n, 0.025);
    interval->high = mpg_sorted_quantile(r, n, 0.975);
}

/* Sets s->value and s->values: numbers the different values of y. Y_RANK: rank of each point's y; equal values have equal
 * ranks. */
static int number_values(struct resampling *s, const double *y_rank, struct mpg_error *err)
{
    double *sorted = malloc(s->n * sizeof *sorted);
    if (!sorted)
        return out_of_memory(err);
    memcpy(sorted, y_rank, s->n * sizeof *sorted);
    mpg_sort(sorted, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || sorted[i] != sorted[s->values - 1])
            sorted[s->values++] = sorted[i];
    for (size_t i = 0; i < s->n; i++)
        while (sorted[s->value[i]] != y_rank[i])
            s->value[i]++;
    free(sorted);
    return 0;
}

static int prepare(struct resampling *s, const double *x_rank, const double *y_rank, struct mpg_error *err)
{
    const size_t n = s->n;
    s->rank = malloc(n * sizeof *s->rank);
    s->middle = malloc(n * sizeof *s->middle);
    s->first = calloc(n, sizeof *s->first);
    s->number = calloc(n, sizeof *s->number);
    s->value = calloc(n, sizeof *s->value);
    s->drawn = calloc(n, sizeof *s->drawn);
    s->times = calloc(n, sizeof *s->times);
    if (!s->rank || !s->middle || !s->first || !s->number || !s->value || !s->drawn || !s->times)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++) {
        s->rank[i] = x_rank[i] - ((double)n + 1) / 2;
        s->spread += s->rank[i] * s->rank[i];
        s->first[i] = i > 0 && s->series->x[i] == s->series->x[i - 1] ? s->first[i - 1] : i;
        for (size_t k = 0; k < n; k++)
            s->number[i] += s->series->x[k] == s->series->x[i];
    }
    return number_values(s, y_rank, err);
}

static void clear(struct resampling *s)
{
    free(s->rank);
    free(s->middle);
    free(s->first);
    free(s->number);
    free(s->value);
    free(s->drawn);
    free(s->times);
}

static int find_interval(const struct scale_series *series, const struct scale_draws *draws, const double *x_rank,
                         const double *y_rank, struct scale_interval *interval, struct mpg_error *err)
{
    struct resampling s = {.n = series->n, .series = series};
    double *r = malloc(SCALE_RESAMPLES * sizeof *r);
    int status = r ? prepare(&s, x_rank, y_rank, err) : out_of_memory(err);
    size_t defined = 0;
    for (size_t b = 0; status == 0 && b < SCALE_RESAMPLES; b++) {
        const double one = resample(&s, draws->word + b * draws->n);
        if (!isnan(one))
            r[defined++] = one;
    }
    if (status == 0)
        bound(r, defined, interval);
    clear(&s);
    free(r);
    return status;
}

/* ---- coefficient and interval ---- */

static bool is_constant(const struct scale_series *series)
{
    bool constant = true;
    for (size_t i = 1; constant && i < series->n; i++)
        constant = series->y[i] == series->y[0];
    return constant;
}

static int measure(const struct scale_series *series, const struct scale_draws *draws, const double *x_rank,
                   const double *y_rank, struct scale_correlation *r, struct mpg_error *err)
{
    if (mpg_spearman(series->x, series->y, series->n, &r->r, err) < 0)
        return -1;
    r->r = r->r > 1 ? 1 : r->r < -1 ? -1 : r->r;
    r->exact = series->n <= MPG_RANK_EXACT;
    r->p = r->exact ? mpg_rank_permutations(x_rank, y_rank, series->n) : mpg_rank_student(r->r, series->n);
    r->q = r->p;
    return r->counts == r->runs || !draws ? 0 : find_interval(series, draws, x_rank, y_rank, &r->interval, err);
}

int mpg_scale_correlate(const struct scale_series *series, const struct scale_draws *draws,
                        struct scale_correlation *r, struct mpg_error *err)
{
    *r = (struct scale_correlation){.runs = series->n,
                                    .counts = mpg_scale_counts(series),
                                    .r = NAN,
                                    .p = NAN,
                                    .q = NAN,
                                    .interval = {NAN, NAN}};
    if (r->counts < SCALE_MIN_COUNTS)
        r->undefined = "fewer than 3 process counts";
    else if (is_constant(series))
        r->undefined = "constant";
    if (r->undefined)
        return 0;
    double *rank = malloc(2 * series->n * sizeof *rank);
    int status = rank ? 0 : out_of_memory(err);
    if (status == 0 && (mpg_midranks(series->x, series->n, rank, err) < 0 ||
                        mpg_midranks(series->y, series->n, rank + series->n, err) < 0))
        status = -1;
    if (status == 0)
        status = measure(series, draws, rank, rank + series->n, r, err);
    free(rank);
    return status;
}
