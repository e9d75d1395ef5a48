/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of machines with one or several measurements each. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signature/diff/compare_private.h"

/* Spread of noise and 99th percentiles between measurements of one machine, relative to the spread of medians. */
static const double varies_factor = 3;
static const double normal_95 = 1.959963984540054;
/* minimum number of measurements of a's machine, besides A, to estimate the spread */
enum { MIN_REPEATS = 2 };

/* The comparisons of B with each further measurement of a's machine. */
struct others {
    struct mpg_difference *difference;
    size_t n;
};

static const struct mpg_parameter *find(const struct mpg_difference *d, size_t near,
                                        const char *name)
{
    for (size_t k = 0; k < d->n; k++) { /* the parameter is usually at the same index in both comparisons */
        const struct mpg_parameter *item = &d->item[(near + k) % d->n];
        if (strcmp(item->name, name) == 0)
            return item;
    }
    return NULL;
}

/* Returns the distance of R, the logarithm of b / a, from the tolerated ratios 1 - TOLERANCE to 1 + TOLERANCE; 0: inside. */
static double outside(double r, double tolerance)
{
    return r > 0 ? fmax(0, r - log1p(tolerance)) : fmax(0, log1p(-tolerance) - r);
}

/* If ITEM exists in at least MIN_REPEATS of OTHERS: replaces item->a by the geometric mean over all measurements of a's machine.
 * Replaces item->log_variance by the variance of a new measurement about this mean, if larger. */
static void use_repeats(struct mpg_parameter *item, size_t at, const struct others *others)
{
    double value[MPG_COMPARE_MAX_REPEATS + 1], mean = 0, squares = 0, n = 1;
    value[0] = log(item->a);
    for (size_t k = 0; k < others->n; k++) {
        const struct mpg_parameter *other = find(&others->difference[k], at, item->name);
        if (other && other->a > 0)
            value[(size_t)n++] = log(other->a);
    }
    if (n < MIN_REPEATS + 1)
        return;
    for (size_t k = 0; k < (size_t)n; k++)
        mean += value[k] / n;
    for (size_t k = 0; k < (size_t)n; k++)
        squares += (value[k] - mean) * (value[k] - mean);
    double variance = squares / (n - 1) * (1 + 1 / n);
    item->a = exp(mean);
    item->ratio = item->b / item->a;
    if (variance > item->log_variance) {
        item->log_variance = variance;
        item->freedom = n - 1;
    }
}

static void judge_machines(struct mpg_parameter *item, double tolerance)
{
    double r = log(item->ratio), freedom = item->freedom;
    double t = isfinite(freedom) ? gsl_cdf_tdist_Pinv(0.975, freedom) : normal_95;
    item->low = exp(r - t * sqrt(item->log_variance));
    item->high = exp(r + t * sqrt(item->log_variance));
    item->p_beyond = mpg_diff_t_test(outside(r, tolerance), item->log_variance, freedom);
}

/* Sets p_beyond of a parameter that is 0 in one signature: whether the other value exceeds 0 by more than the difference between
 * measurements of one machine (SPREAD). */
static void judge_above_zero(struct mpg_parameter *item, double spread)
{
    if (isnan(item->log_above_zero))
        return;
    double beyond = mpg_diff_t_test(fmax(item->log_above_zero, 0), 2 * spread * spread, INFINITY);
    item->p_beyond = fmax(item->p, isinf(item->log_above_zero) ? 0 : beyond);
}

int mpg_diff_machines(struct comparison *c, const struct mpg_compare_options *options, struct mpg_error *err)
{
    struct others others = {calloc(options->repeats + 1, sizeof *others.difference), 0};
    int status = others.difference ? 0 : mpg_error_set(err, "out of memory");
    while (status == 0 && others.n < options->repeats) {
        struct comparison other = {.a = options->repeat[others.n], .b = c->b,
                                  .tolerance = c->tolerance,
                                  .result = &others.difference[others.n]};
        others.n++;
        status = mpg_diff_all(&other, err);
    }
    for (size_t i = 0; status == 0 && i < c->result->n; i++) {
        struct mpg_parameter *item = &c->result->item[i];
        double spread = options->spread * (item->varies ? varies_factor : 1);
        if (isnan(item->log_variance)) {
            judge_above_zero(item, spread);
            continue;
        }
        if (options->repeats >= MIN_REPEATS) {
            use_repeats(item, i, &others);
        } else if (options->spread > 0 && c->a != c->b) {
            struct estimate e = {.log_variance = item->log_variance, .freedom = item->freedom};
            mpg_diff_add_variance(&e, 2 * spread * spread, INFINITY);
            item->log_variance = e.log_variance;
            item->freedom = e.freedom;
        }
        judge_machines(item, c->tolerance);
    }
    for (size_t k = 0; k < others.n; k++)
        mpg_difference_clear(&others.difference[k]);
    free(others.difference);
    return status;
}
