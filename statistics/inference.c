/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution-free intervals, comparisons, stationarity and outliers. */
#include "statistics/inference.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/kolmogorov.h"
#include "statistics/order.h"

double mpg_chi_square_quantile(double p, double freedom)
{
    if (freedom <= 500)
        return gsl_cdf_chisq_Pinv(p, freedom);
    double part = 2 / (9 * freedom);
    return freedom * pow(1 - part + gsl_cdf_ugaussian_Pinv(p) * sqrt(part), 3);
}

double mpg_effective_samples(size_t n, double lag1)
{
    double count = (double)n, r = fmin(fmax(lag1, 0), 1);
    return fmax(count * (1 - r) / (1 + r), fmin(count, 1));
}

/* ---- quantiles ---- */

/* Order statistics that bound a quantile: their ranks, from 1, and the probability that the quantile lies between the
 * two. */
struct ranks {
    double low, high, coverage;
};

/* Returns the ranks of mpg_order_interval() for the P quantile of EFFECTIVE samples, limited to 1..EFFECTIVE, and their
 * coverage. */
static struct ranks find_ranks(double effective, double p, double confidence)
{
    unsigned int n = (unsigned int)effective;
    size_t first, last;
    mpg_order_interval(n, p, confidence, &first, &last);
    unsigned int low = (unsigned int)first, high = (unsigned int)last;
    double below = low > 0 ? gsl_cdf_binomial_P(low - 1, p, n) : gsl_cdf_binomial_P(0, p, n);
    double above = high <= n ? gsl_cdf_binomial_P(n - high, 1 - p, n)
                             : gsl_cdf_binomial_P(0, 1 - p, n);
    return (struct ranks){
        .low = fmax(low, 1), .high = fmin(high, n), .coverage = fmax(1 - below - above, 0)};
}

/* Returns the probability at which distribution D of N samples has the order statistic of RANK among EFFECTIVE samples. A
 * sample covers 1 / N of the probability; the middle of that range counts. */
static double position(double rank, double effective, size_t n)
{
    double part = effective > 1 ? (rank - 1) / (effective - 1) : 0.5;
    return (part * (double)(n - 1) + 0.5) / (double)n;
}

/* Returns the stored 95 % interval I of a quantile of D, rescaled to CONFIDENCE. */
static struct mpg_confidence stated(const struct mpg_distribution *d,
                                  const struct mpg_quantile_interval *i, double confidence)
{
    double value = mpg_distribution_quantile(d, i->p), min = d->quantiles[0];
    double scale = gsl_cdf_tdist_Qinv((1 - confidence) / 2, i->freedom) /
                   gsl_cdf_tdist_Qinv(0.025, i->freedom);
    int open = isinf(i->low) + isinf(i->high);
    double low = value - scale * (value - i->low), high = value + scale * (i->high - value);
    return (struct mpg_confidence){
        .value = value,
        .low = isinf(i->low) ? min : min >= 0 ? fmax(low, 0) : low,
        .high = isinf(i->high) ? d->quantiles[d->knots - 1] : high,
        .coverage = open ? confidence / 2 : confidence,
        .freedom = i->freedom,
        .launches = i->launches,
    };
}

int mpg_distribution_interval(const struct mpg_distribution *d, double p, double confidence,
                              struct mpg_confidence *interval, struct mpg_error *err)
{
    if (!(p > 0 && p < 1))
        return mpg_error_set(err, "quantile %g is not between 0 and 1", p);
    if (!(confidence > 0 && confidence < 1))
        return mpg_error_set(err, "confidence %g is not between 0 and 1", confidence);
    for (size_t i = 0; i < d->intervals; i++)
        if (d->interval[i].p == p) {
            *interval = stated(d, &d->interval[i], confidence);
            return 0;
        }
    /* A number of samples is an integer; 1e-6 allows for rounding errors. */
    double effective = floor(mpg_effective_samples(d->n, d->lag1) + 1e-6);
    effective = fmin(effective, MPG_INFERENCE_MAX_SAMPLES);
    struct ranks ranks = find_ranks(effective, p, confidence);
    *interval = (struct mpg_confidence){
        .value = mpg_distribution_quantile(d, p),
        .low = mpg_distribution_quantile(d, position(ranks.low, effective, d->n)),
        .high = mpg_distribution_quantile(d, position(ranks.high, effective, d->n)),
        .coverage = ranks.coverage,
        .freedom = INFINITY,
    };
    return 0;
}

/* ---- two distributions ---- */

static struct mpg_confidence difference_of(const struct mpg_confidence *a,
                                         const struct mpg_confidence *b)
{
    double value = b->value - a->value;
    return (struct mpg_confidence){
        .value = value,
        .low = value - hypot(b->value - b->low, a->high - a->value),
        .high = value + hypot(b->high - b->value, a->value - a->low),
        .coverage = fmin(a->coverage, b->coverage),
        .freedom = fmin(a->freedom, b->freedom),
    };
}

static struct mpg_confidence logarithm_of(const struct mpg_confidence *x)
{
    return (struct mpg_confidence){log(x->value), log(x->low), log(x->high), x->coverage,
                                 x->freedom, x->launches};
}

int mpg_compare_quantile(const struct mpg_distribution *a, const struct mpg_distribution *b,
                         double p, double confidence, struct mpg_comparison *comparison,
                         struct mpg_error *err)
{
    struct mpg_comparison c;
    if (mpg_distribution_interval(a, p, confidence, &c.a, err) < 0 ||
        mpg_distribution_interval(b, p, confidence, &c.b, err) < 0)
        return -1;
    c.difference = difference_of(&c.a, &c.b);
    c.ratio = (struct mpg_confidence){.value = NAN, .low = NAN, .high = NAN, .coverage = NAN};
    if (c.a.low > 0 && c.b.low > 0) {
        struct mpg_confidence log_a = logarithm_of(&c.a), log_b = logarithm_of(&c.b);
        struct mpg_confidence ratio = difference_of(&log_a, &log_b);
        c.ratio = (struct mpg_confidence){exp(ratio.value), exp(ratio.low), exp(ratio.high),
                                        ratio.coverage, ratio.freedom, ratio.launches};
    }
    *comparison = c;
    return 0;
}

/* ---- stationarity ---- */

static bool excludes_zero(const struct mpg_confidence *x)
{
    return x->low > 0 || x->high < 0;
}

int mpg_stationarity_test(const double *samples, size_t n, struct mpg_stationarity *result,
                          struct mpg_error *err)
{
    if (n < MPG_STATIONARITY_MIN_SAMPLES)
        return mpg_error_set(err, "a test of stationarity needs %d samples, not %zu",
                             (int)MPG_STATIONARITY_MIN_SAMPLES, n);
    struct mpg_stationarity r;
    int status = -1;
    struct mpg_distribution *second = NULL;
    struct mpg_distribution *first = mpg_distribution_from_samples(samples, n / 2, 4097, err);
    if (!first)
        goto out;
    second = mpg_distribution_from_samples(samples + n / 2, n - n / 2, 4097, err);
    if (!second || mpg_compare_quantile(first, second, 0.5, 0.99, &r.median, err) < 0 ||
        mpg_compare_quantile(first, second, 0.99, 0.99, &r.p99, err) < 0)
        goto out;
    r.distance = mpg_kolmogorov_two_sample(first, second, &r.probability);
    r.stationary = !(r.probability < 0.01 && (excludes_zero(&r.median.difference) ||
                                              excludes_zero(&r.p99.difference)));
    *result = r;
    status = 0;
out:
    mpg_distribution_free(second);
    mpg_distribution_free(first);
    return status;
}

/* ---- outliers ---- */

static double median_of(double *values, size_t n)
{
    mpg_sort(values, n);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static double lower_median_of(double *values, size_t n)
{
    mpg_sort(values, n);
    return mpg_sorted_quantile(values, n, 0.5);
}

/* Returns the modified z-score 0.6745 DISTANCE / SPREAD, limited to +-1e9 since SPREAD can be 0. */
static double score_of(double distance, double spread)
{
    return distance == 0 ? 0 : fmin(fmax(0.6745 * distance / spread, -1e9), 1e9);
}

/* An outlier test: how to compute location and scale. The scale is at least FLOOR |median| and at least MIN. */
struct rule {
    double (*median)(double *values, size_t n); /* the function may reorder the values */
    double floor, min;
};

static int judge(const double *values, size_t k, const struct rule *rule, double *score,
                 bool *outlier, struct mpg_error *err)
{
    if (k == 0)
        return mpg_error_set(err, "no values, no outliers");
    for (size_t i = 0; i < k; i++)
        if (!isfinite(values[i]))
            return mpg_error_set(err, "value %zu is %g", i, values[i]);
    double *work = malloc(k * sizeof *work);
    if (!work)
        return mpg_error_set(err, "out of memory for %zu values", k);
    memcpy(work, values, k * sizeof *work);
    double median = rule->median(work, k);
    for (size_t i = 0; i < k; i++)
        work[i] = fabs(values[i] - median);
    double min = fmax(rule->floor * fabs(median), rule->min);
    double spread = fmax(rule->median(work, k), min);
    free(work);
    int found = 0;
    for (size_t i = 0; i < k; i++) {
        score[i] = score_of(values[i] - median, spread);
        outlier[i] = k >= MPG_OUTLIERS_MIN_VALUES && fabs(score[i]) > MPG_OUTLIERS_SCORE;
        found += outlier[i];
    }
    return found;
}

int mpg_outliers(const double *values, size_t k, double floor, double *score, bool *outlier,
                 struct mpg_error *err)
{
    if (!(floor >= 0))
        return mpg_error_set(err, "floor %g is negative", floor);
    const struct rule rule = {median_of, floor, 0};
    return judge(values, k, &rule, score, outlier, err);
}

int mpg_outliers_of_ratios(const double *logarithms, size_t k, double min, double *score,
                           bool *outlier, struct mpg_error *err)
{
    if (!(min >= 0))
        return mpg_error_set(err, "least spread %g is negative", min);
    const struct rule rule = {lower_median_of, 0, min};
    return judge(logarithms, k, &rule, score, outlier, err);
}
