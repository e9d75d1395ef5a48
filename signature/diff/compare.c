/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of signatures: estimates, tests, verdicts. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/diff/compare_private.h"
#include "statistics/inference.h"
#include "statistics/kolmogorov.h"

/* False discovery rate: the expected share of equal parameters among the parameters reported as different is at most this. */
static const double level = 0.05;
static const double normal_95 = 1.959963984540054;

/* ---- parameters ---- */

struct mpg_parameter *mpg_diff_add_parameter(struct comparison *c, struct mpg_error *err,
                                   enum mpg_quantity quantity, const char *format, ...)
{
    struct mpg_difference *result = c->result;
    va_list args;
    char *name = NULL;
    struct mpg_parameter *grown = realloc(result->item, (result->n + 1) * sizeof *grown);
    if (grown)
        result->item = grown;
    va_start(args, format);
    int length = grown ? vasprintf(&name, format, args) : -1;
    va_end(args);
    if (length < 0) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    struct mpg_parameter *item = &grown[result->n++];
    *item = (struct mpg_parameter){.name = name,
                                   .quantity = quantity,
                                   .a = NAN,
                                   .b = NAN,
                                   .log_variance = NAN,
                                   .log_above_zero = NAN,
                                   .ratio = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .distance = NAN,
                                   .p = NAN,
                                   .p_beyond = NAN};
    return item;
}

void mpg_difference_clear(struct mpg_difference *difference)
{
    for (size_t i = 0; i < difference->n; i++)
        free(difference->item[i].name);
    free(difference->item);
    free(difference->fact);
    *difference = (struct mpg_difference){0};
}

int mpg_diff_untested(struct comparison *c, const char *name, enum mpg_quantity quantity,
                 const char *unit, double a, double b, const char *why, struct mpg_error *err)
{
    struct mpg_parameter *item = mpg_diff_add_parameter(c, err, quantity, "%s", name);
    if (!item)
        return -1;
    item->unit = unit;
    item->a = a;
    item->b = b;
    item->verdict = MPG_VERDICT_NONE;
    item->why = why;
    return 0;
}

/* ---- estimates ---- */

struct launches mpg_diff_launches(const struct mpg_network_path *path)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; path && i < path->launches; i++)
        if (path->launch[i].median_ns > 0) {
            sum += log(path->launch[i].median_ns);
            n++;
        }
    if (n < 3)
        return (struct launches){0, INFINITY};
    for (size_t i = 0; i < path->launches; i++)
        if (path->launch[i].median_ns > 0)
            squares += gsl_pow_2(log(path->launch[i].median_ns) - sum / n);
    return (struct launches){squares / (n - 1) / n, n - 1};
}

void mpg_diff_add_variance(struct estimate *e, double log_variance, double freedom)
{
    double sum = e->log_variance + log_variance;
    if (sum > 0)
        e->freedom = sum * sum / (e->log_variance * e->log_variance / e->freedom +
                                  log_variance * log_variance / freedom);
    e->log_variance = sum;
}

/* If *LOW and *HIGH are equal, the values of D were rounded and may be off by half a step: moves *LOW and *HIGH half
 * way to the next smaller and next larger value of D. */
static void widen_step(const struct mpg_distribution *d, double *low, double *high)
{
    double value = *low;
    size_t i = 0;
    while (i < d->knots && d->quantiles[i] < value)
        i++;
    if (i > 0)
        *low = (d->quantiles[i - 1] + value) / 2;
    while (i < d->knots && d->quantiles[i] <= value)
        i++;
    if (i < d->knots)
        *high = (d->quantiles[i] + value) / 2;
}

/* Stores the estimate of D's quantile U and its uncertainty in *E. E->freedom is 0 if D has too few samples for a 95
 * % interval. */
static int quantile(const struct mpg_distribution *d, double u, struct estimate *e,
                    struct mpg_error *err)
{
    struct mpg_confidence i;
    if (mpg_distribution_interval(d, u, 0.95, &i, err) < 0)
        return -1;
    *e = (struct estimate){.value = mpg_distribution_quantile(d, u)};
    if (i.coverage < 0.95)
        return 0;
    if (i.low == i.high)
        widen_step(d, &i.low, &i.high);
    double t = isfinite(i.freedom) ? gsl_cdf_tdist_Pinv(0.975, i.freedom) : normal_95;
    double width = i.low > 0 ? log(i.high / i.low) / (2 * t)
                             : e->value > 0 ? log(i.high / e->value) / t : 0;
    e->log_variance = width * width;
    e->freedom = i.freedom;
    e->launches = i.launches;
    e->error = i.high / t;
    return 0;
}

double mpg_diff_t_test(double distance, double variance, double freedom)
{
    if (!(distance > 0))
        return 1;
    if (!(variance > 0))
        return 0;
    double t = distance / sqrt(variance);
    return isfinite(freedom) ? 2 * gsl_cdf_tdist_Q(t, freedom) : 2 * gsl_cdf_ugaussian_Q(t);
}

/* Compares ITEM's two values if only OTHER is above 0: both have no ratio. Tests whether OTHER is significantly greater than
 * ZERO, the value that is 0. Returns OTHER's degrees of freedom. */
static double compare_to_zero(struct mpg_parameter *item, const struct estimate *zero,
                              const struct estimate *other)
{
    double variance = gsl_pow_2(other->value) * other->log_variance + gsl_pow_2(zero->error);
    item->p = mpg_diff_t_test(other->value, variance, other->freedom);
    item->log_above_zero = zero->error > 0 ? log(other->value / zero->error) : INFINITY;
    return other->freedom;
}

double mpg_diff_estimates(struct mpg_parameter *item, const struct estimate *a,
                          const struct estimate *b)
{
    item->a = a->value;
    item->b = b->value;
    if (a->freedom == 0 || b->freedom == 0) {
        item->verdict = MPG_VERDICT_NONE;
        item->detail = true;
        item->why = "too few samples";
        return INFINITY;
    }
    if (a->value == b->value && !(a->value > 0)) {
        item->ratio = 1;
        return INFINITY;
    }
    if (!(a->value > 0) || !(b->value > 0))
        return compare_to_zero(item, a->value > 0 ? b : a, a->value > 0 ? a : b);
    struct estimate both = *a;
    mpg_diff_add_variance(&both, b->log_variance, b->freedom);
    double r = log(b->value / a->value), freedom = both.freedom;
    item->ratio = exp(r);
    item->log_variance = both.log_variance;
    item->freedom = freedom;
    item->p = mpg_diff_t_test(fabs(r), both.log_variance, freedom);
    return freedom;
}

/* ---- distributions ---- */

/* Combines ITEM's t-test with a test of the whole distributions A and B; the smaller P of the two tests is doubled (Bonferroni).
 * NA and NB: effective numbers of samples, estimated with FREEDOM degrees of freedom. Since NA and NB are estimates, P is from
 * Student's distribution instead of the normal distribution. */
static void test_distributions(struct mpg_parameter *item, const struct mpg_distribution *a,
                               const struct mpg_distribution *b, double na, double nb,
                               double freedom)
{
    struct mpg_distribution fewer_a = *a, fewer_b = *b; /* shallow copies: the arrays of quantiles are shared with A and B */
    double p;
    fewer_a.n = (size_t)na;
    fewer_b.n = (size_t)nb;
    fewer_a.lag1 = fewer_b.lag1 = 0;
    item->distance = mpg_kolmogorov_two_sample(&fewer_a, &fewer_b, &p);
    if (isfinite(freedom) && p > 0 && p < 1)
        p = 2 * gsl_cdf_tdist_Q(gsl_cdf_ugaussian_Qinv(p / 2), freedom);
    item->p = isnan(item->p) ? p : fmin(1, 2 * fmin(p, item->p));
}

/* Returns the fraction of D's values at or below X; values equal to X count half. */
static double part_below(const struct mpg_distribution *d, double x)
{
    double low[2] = {0, 0}, high[2] = {1, 1}; /* [0]: bounds of the probability at which D reaches X; [1]: at which D exceeds X */
    for (int exceed = 0; exceed < 2; exceed++)
        for (int i = 0; i < 40; i++) {
            double middle = (low[exceed] + high[exceed]) / 2;
            double value = mpg_distribution_quantile(d, middle);
            if (exceed ? value <= x : value < x)
                low[exceed] = middle;
            else
                high[exceed] = middle;
        }
    return (low[0] + low[1]) / 2;
}

/* Returns the number of independent samples of D whose median would have the variance of E, from the fraction of D within one
 * standard error of the median. */
static double independent_samples(const struct mpg_distribution *d, const struct estimate *e)
{
    double n = d->intervals > 0 ? d->interval[0].independent
                                : mpg_effective_samples(d->n, d->lag1);
    double step = exp(sqrt(e->log_variance));
    double part = (part_below(d, e->value * step) - part_below(d, e->value / step)) / 2;
    return fmax(part > 0 ? fmin(n, 0.25 / (part * part)) : n, 2);
}

int mpg_diff_samples(struct comparison *c, const char *name, enum mpg_quantity quantity,
                     const char *unit, const struct mpg_distribution *a,
                     const struct mpg_distribution *b,
                     const struct launches *launches_a, const struct launches *launches_b,
                     struct mpg_error *err)
{
    static const struct {
        const char *name;
        double u;
    } shown[] = {{"median", 0.5}, {"99 %", 0.99}};
    for (int i = 0; i < 2; i++) {
        struct estimate qa, qb;
        if (quantile(a, shown[i].u, &qa, err) < 0 || quantile(b, shown[i].u, &qb, err) < 0)
            return -1;
        struct mpg_parameter *item = mpg_diff_add_parameter(c, err, quantity, "%s, %s", name, shown[i].name);
        if (!item)
            return -1;
        item->unit = unit;
        if (qa.freedom > 0 && qa.launches == 0) /* in signatures before version 4 the interval lacks differences between
                                                   launches */
            mpg_diff_add_variance(&qa, launches_a->log_variance, launches_a->freedom);
        if (qb.freedom > 0 && qb.launches == 0)
            mpg_diff_add_variance(&qb, launches_b->log_variance, launches_b->freedom);
        item->varies = shown[i].u > 0.5;
        double freedom = mpg_diff_estimates(item, &qa, &qb);
        if (i == 0)
            test_distributions(item, a, b, independent_samples(a, &qa), independent_samples(b, &qb), freedom);
    }
    return 0;
}

/* ---- verdicts ---- */

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Returns the limit for the N p-values P, which it sorts: tests with P at most the limit are discoveries, with a false discovery
 * rate of at most 5 %; negative: no discovery. The procedure of Benjamini and Yekutieli holds under any dependence between tests,
 * as between the message sizes of one launch. */
static double discovery_limit(double *p, size_t n)
{
    double limit = -1, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += 1 / (double)(i + 1);
    qsort(p, n, sizeof *p, ascending);
    for (size_t i = 0; i < n; i++)
        if (p[i] <= level * (double)(i + 1) / (double)n / sum)
            limit = p[i];
    return limit;
}

static int direction_of(const struct comparison *c, const struct mpg_parameter *item)
{
    return c->direction ? c->direction(item) : 0;
}

static int judge(struct comparison *c, struct mpg_error *err)
{
    struct mpg_difference *result = c->result;
    double *p = malloc((result->n + 1) * sizeof *p);
    size_t n = 0;
    if (!p)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < result->n; i++)
        if (!isnan(result->item[i].p))
            p[n++] = result->item[i].p;
    double differs = discovery_limit(p, n), beyond[MPG_COMPARE_DIRECTIONS];
    for (int d = 0; d < MPG_COMPARE_DIRECTIONS; d++) { /* in each all parameters are tested */
        n = 0;
        for (size_t i = 0; i < result->n; i++)
            if (!isnan(result->item[i].p_beyond))
                p[n++] = direction_of(c, &result->item[i]) == d ? result->item[i].p_beyond : 1;
        beyond[d] = discovery_limit(p, n);
    }
    free(p);
    for (size_t i = 0; i < result->n; i++) {
        struct mpg_parameter *item = &result->item[i];
        bool outside_all = isnan(item->ratio) || item->low > 1 + c->tolerance ||
                           item->high < 1 - c->tolerance;
        if (!isnan(item->p) && item->p <= differs)
            item->verdict = MPG_VERDICT_DIFFERS;
        if (!isnan(item->p_beyond) && item->p_beyond <= beyond[direction_of(c, item)] && outside_all)
            item->verdict = MPG_VERDICT_BEYOND;
        result->count[item->verdict]++;
    }
    return 0;
}

static int compare_headers(struct comparison *c, struct mpg_error *err)
{
    static const char *const keys[] = {"host", "cpu", "kernel", "virtualisation", "scheduling",
                                       "clock", "mpi", "ranks", "binding", "other_load"};
    enum { KEYS = sizeof keys / sizeof *keys };
    struct mpg_difference *result = c->result;
    if (!(result->fact = calloc(KEYS, sizeof *result->fact)))
        return mpg_error_set(err, "out of memory");
    for (int k = 0; k < KEYS; k++) {
        const char *a = mpg_fact_find(c->a->fact, c->a->facts, keys[k]);
        const char *b = mpg_fact_find(c->b->fact, c->b->facts, keys[k]);
        if ((a || b) && !(a && b && strcmp(a, b) == 0))
            result->fact[result->facts++] = (struct mpg_header_difference){keys[k], a, b};
    }
    return 0;
}

int mpg_diff_all(struct comparison *c, struct mpg_error *err)
{
    if (mpg_diff_noise(c, err) < 0)
        return -1;
    for (size_t i = 0; i < c->result->n; i++)
        c->result->item[i].varies = true;
    return mpg_diff_network(c, err) < 0 || mpg_diff_sharing(c, err) < 0 ? -1 : mpg_diff_compute(c, err);
}

int mpg_compare(const struct mpg_signature *a, const struct mpg_signature *b,
                const struct mpg_compare_options *options, struct mpg_difference *result,
                struct mpg_error *err)
{
    struct comparison c = {.a = a, .b = b, .tolerance = options->tolerance, .direction = options->direction,
                           .result = result};
    *result = (struct mpg_difference){0};
    if (compare_headers(&c, err) < 0 || mpg_diff_all(&c, err) < 0 ||
        mpg_diff_machines(&c, options, err) < 0 || judge(&c, err) < 0) {
        mpg_difference_clear(result);
        return -1;
    }
    return 0;
}
