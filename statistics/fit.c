/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maximum-likelihood fits of the families and their Kolmogorov-Smirnov distances. */
#include "statistics/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>

#include "statistics/distribution.h"
#include "statistics/inference.h"
#include "statistics/kolmogorov.h"

enum { TAIL_THRESHOLDS = 64 };
/* Probability beyond either end of the interval of a tail's exponent. 0.025 would be too large: the same samples also
 * chose the threshold, so that a nominal 98 % interval covers 95 %. */
static const double TAIL_BEYOND = 0.01;
static const double LARGEST_SHAPE = 1e6;

/* Samples to fit: ascending, > 0. */
struct data {
    size_t n;
    double *x, *log; /* LOG: of x / mean, which is accurate even if all x are nearly equal */
    double mean, mean_log, mean_log_square; /* mean and variance of LOG */
};

const char *mpg_family_name(enum mpg_family family)
{
    static const char *const name[MPG_FAMILIES] = {"exponential", "gamma", "lognormal", "weibull",
                                                   "pareto tail"};
    return name[family];
}

const char *mpg_family_parameter(enum mpg_family family, int parameter)
{
    static const char *const name[MPG_FAMILIES][MPG_FIT_PARAMETERS] = {
        {"mean", NULL}, {"shape", "scale"}, {"mu", "sigma"}, {"shape", "scale"}, {"exponent", NULL},
    };
    return parameter >= 0 && parameter < MPG_FIT_PARAMETERS ? name[family][parameter] : NULL;
}

double mpg_fit_cdf(enum mpg_family family, const struct mpg_fit *fit, double distance)
{
    const double *v = fit->value;
    if (!(distance > fit->threshold))
        return 0;
    switch (family) {
    case MPG_EXPONENTIAL:
        return -expm1(-distance / v[0]);
    case MPG_GAMMA:
        return gsl_cdf_gamma_P(distance, v[0], v[1]);
    case MPG_LOGNORMAL:
        return gsl_cdf_ugaussian_P((log(distance) - v[0]) / v[1]);
    case MPG_WEIBULL:
        return -expm1(-pow(distance / v[1], v[0]));
    default:
        return -expm1(-v[0] * log(distance / fit->threshold));
    }
}

/* The fitted distribution that mpg_kolmogorov_one_sample() compares with the samples. */
struct fitted {
    enum mpg_family family;
    const struct mpg_fit *fit;
};

static double fitted_cdf(const void *context, double x)
{
    const struct fitted *fitted = context;
    return mpg_fit_cdf(fitted->family, fitted->fit, x);
}

static double ks_distance(enum mpg_family family, const struct mpg_fit *fit, const double *x,
                          size_t n)
{
    struct fitted fitted = {family, fit};
    return mpg_kolmogorov_one_sample(x, n, fitted_cdf, &fitted);
}

/* ---- the families ---- */

static void set_interval(struct mpg_fit *fit, int i, double value, double low, double high)
{
    fit->value[i] = value;
    fit->low[i] = low;
    fit->high[i] = high;
}

/* Sets the 95 % interval of parameter I, whose logarithm is normally distributed with standard error RELATIVE_ERROR. */
static void set_log_interval(struct mpg_fit *fit, int i, double value, double relative_error)
{
    double factor = exp(gsl_cdf_ugaussian_Pinv(0.975) * relative_error);
    set_interval(fit, i, value, value / factor, value * factor);
}

/* Sets LOW..HIGH to the interval of an estimate with 2 n (estimate / truth) chi-square distributed with 2 n degrees of freedom;
 * probability BEYOND outside either end. */
static void exact_scale(double estimate, double n, double beyond, double *low, double *high)
{
    *low = estimate * 2 * n / mpg_chi_square_quantile(1 - beyond, 2 * n);
    *high = estimate * 2 * n / mpg_chi_square_quantile(beyond, 2 * n);
}

static void fit_exponential(const struct data *d, struct mpg_fit *fit)
{
    double n = (double)d->n;
    fit->parameters = 1;
    fit->value[0] = d->mean;
    exact_scale(d->mean, n, 0.025, &fit->low[0], &fit->high[0]);
    fit->log_likelihood = -n * (log(d->mean) + 1);
    fit->n = d->n;
}

/* Returns the shape, by Newton's method on 1 / shape (Minka, equation 20). S: ln mean - mean ln. */
static double gamma_shape(double s)
{
    double shape = (3 - s + sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
    for (int i = 0; i < 100; i++) {
        double wrong = log(shape) - gsl_sf_psi(shape) - s;
        double slope = shape - shape * shape * gsl_sf_psi_1(shape);
        double next = 1 / (1 / shape + wrong / slope);
        if (!(next > 0 && isfinite(next)))
            break;
        double change = fabs(next - shape);
        shape = next;
        if (change <= 1e-13 * shape)
            break;
    }
    return shape;
}

static void fit_gamma(const struct data *d, struct mpg_fit *fit)
{
    double n = (double)d->n, s = -d->mean_log;
    fit->parameters = 2;
    if (!(s > 0.5 / LARGEST_SHAPE))
        return;
    double shape = gamma_shape(s), scale = d->mean / shape, psi = gsl_sf_psi_1(shape);
    double determinant = shape * psi - 1;
    if (!(determinant > 0))
        return;
    set_log_interval(fit, 0, shape, sqrt(1 / (shape * determinant * n)));
    set_log_interval(fit, 1, scale, sqrt(psi / (determinant * n)));
    fit->log_likelihood = n * ((shape - 1) * (d->mean_log + log(d->mean)) - shape -
                               shape * log(scale) - gsl_sf_lngamma(shape));
    fit->n = d->n;
}

static void fit_lognormal(const struct data *d, struct mpg_fit *fit)
{
    double n = (double)d->n, mu = d->mean_log + log(d->mean), low, high;
    double sigma = sqrt(d->mean_log_square), sd = sigma * sqrt(n / (n - 1));
    double half = gsl_cdf_tdist_Pinv(0.975, n - 1) * sd / sqrt(n);
    fit->parameters = 2;
    set_interval(fit, 0, mu, mu - half, mu + half);
    exact_scale(sd * sd, (n - 1) / 2, 0.025, &low, &high);
    set_interval(fit, 1, sigma, sqrt(low), sqrt(high));
    fit->log_likelihood = -n * (mu + log(sigma) + 0.5 * log(2 * M_PI) + 0.5);
    fit->n = d->n;
}

/* Returns in SUM the sums of y^shape, y^shape l and y^shape l^2, y = x / mean, l = ln y, all divided by the largest
 * y^shape. */
static void weibull_sums(const struct data *d, double shape, double sum[3])
{
    double largest = d->log[d->n - 1];
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; i < d->n; i++) {
        double power = exp(shape * (d->log[i] - largest));
        sum[0] += power;
        sum[1] += power * d->log[i];
        sum[2] += power * d->log[i] * d->log[i];
    }
}

/* The likelihood equation sum y^k l / sum y^k - 1 / k = mean l increases with the shape k: Newton steps, kept within
 * LOW..HIGH, which contains the solution. */
static double weibull_shape(const struct data *d)
{
    double shape = M_PI / sqrt(6 * d->mean_log_square), low = 0, high = INFINITY, sum[3];
    for (int i = 0; i < 200; i++) {
        weibull_sums(d, shape, sum);
        double mean = sum[1] / sum[0], wrong = mean - 1 / shape - d->mean_log;
        double slope = sum[2] / sum[0] - mean * mean + 1 / (shape * shape);
        if (wrong > 0)
            high = shape;
        else
            low = shape;
        double next = shape - wrong / slope;
        if (!(next > low && next < high))
            next = isfinite(high) ? (low + high) / 2 : 2 * shape;
        double change = fabs(next - shape);
        shape = next;
        if (change <= 1e-12 * shape)
            break;
    }
    return shape;
}

static void fit_weibull(const struct data *d, struct mpg_fit *fit)
{
    double n = (double)d->n, shape = weibull_shape(d), sum[3];
    weibull_sums(d, shape, sum);
    double log_scale = log(sum[0] / n) / shape + d->log[d->n - 1];
    /* Variances of the estimates of ln shape and of shape ln scale, times n, from the inverse Fisher information: 6 /
     * pi^2 and 1 + 6 (1 - Euler)^2 / pi^2. */
    double first = 6 / (M_PI * M_PI), second = 1 + first * (1 - M_EULER) * (1 - M_EULER);
    fit->parameters = 2;
    set_log_interval(fit, 0, shape, sqrt(first / n));
    set_log_interval(fit, 1, d->mean * exp(log_scale), sqrt(second / n) / shape);
    fit->log_likelihood = n * (log(shape) - shape * log_scale + (shape - 1) * d->mean_log - 1 -
                               log(d->mean));
    fit->n = d->n;
}

/* Fits a power law by Hill's estimate to the tail from sample FIRST on; LOGS: the sum of the tail's logarithms. */
static void fit_tail(const struct data *d, size_t first, double logs, struct mpg_fit *fit)
{
    double n = (double)(d->n - first), excess = logs - n * d->log[first];
    *fit = (struct mpg_fit){.parameters = 1, .threshold = d->x[first]};
    if (!(excess > 1e-12 * n))
        return;
    double exponent = n / excess, low, high;
    exact_scale(1 / exponent, n, TAIL_BEYOND, &low, &high);
    set_interval(fit, 0, exponent, 1 / high, 1 / low);
    fit->log_likelihood = n * (log(exponent) - log(fit->threshold)) - (exponent + 1) * excess;
    fit->ks = ks_distance(MPG_PARETO, fit, d->x + first, d->n - first);
    fit->n = d->n - first;
}

static void fit_pareto(const struct data *d, struct mpg_fit *best)
{
    best->parameters = 1;
    if (d->n < 2 * MPG_FIT_MIN_TAIL)
        return;
    double ratio = pow((double)MPG_FIT_MIN_TAIL / (double)(d->n / 2), 1.0 / (TAIL_THRESHOLDS - 1));
    double logs = 0, tail = (double)(d->n / 2) * pow(ratio, TAIL_THRESHOLDS - 1);
    size_t summed = d->n;
    for (int i = 0; i < TAIL_THRESHOLDS; i++, tail /= ratio) {
        size_t first = d->n - (size_t)fmin(round(tail), (double)(d->n / 2));
        /* All samples equal to the threshold belong to the tail. */
        while (first > 0 && d->x[first - 1] == d->x[first])
            first--;
        while (summed > first)
            logs += d->log[--summed];
        struct mpg_fit fit;
        fit_tail(d, first, logs, &fit);
        if (fit.n > 0 && (best->n == 0 || fit.ks < best->ks))
            *best = fit;
    }
}

/* ---- all families ---- */

static int fill_data(const double *samples, size_t n, double location, struct data *d,
                     struct mpg_error *err)
{
    double sum = 0, min = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(samples[i]) <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "sample %zu is %g, which no family has", i, samples[i]);
        if (samples[i] < location)
            return mpg_error_set(err, "sample %zu is %g, below the location %g", i, samples[i],
                                 location);
        d->x[i] = samples[i] - location;
        if (d->x[i] > 0)
            min = fmin(min, d->x[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (!(d->x[i] > 0))
            d->x[i] = min / 2;
        sum += d->x[i];
    }
    d->n = n;
    d->mean = sum / (double)n;
    gsl_sort(d->x, 1, n);
    if (!isfinite(min) || !(d->x[n - 1] - d->x[0] > 1e-6 * d->x[n - 1]))
        return mpg_error_set(err, "all %zu samples are equal", n);
    double logs = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double ratio = d->x[i] / d->mean;
        d->log[i] = ratio < 0.5 ? log(ratio) : log1p((d->x[i] - d->mean) / d->mean);
        logs += d->log[i];
    }
    d->mean_log = logs / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (d->log[i] - d->mean_log) * (d->log[i] - d->mean_log);
    d->mean_log_square = squares / (double)n;
    return 0;
}

static double bayes_criterion(const struct mpg_fit *fit)
{
    return fit->parameters * log((double)fit->n) - 2 * fit->log_likelihood;
}

static enum mpg_family choose(const struct mpg_fits *fits)
{
    double min = INFINITY, criterion = INFINITY;
    enum mpg_family best = MPG_EXPONENTIAL;
    for (int i = 0; i < MPG_PARETO; i++)
        if (fits->fit[i].n > 0)
            min = fmin(min, fits->fit[i].ks);
    for (int i = 0; i < MPG_PARETO; i++) {
        const struct mpg_fit *fit = &fits->fit[i];
        if (fit->n > 0 && fit->ks <= min + 0.5 / sqrt((double)fits->n) &&
            bayes_criterion(fit) < criterion) {
            best = (enum mpg_family)i;
            criterion = bayes_criterion(fit);
        }
    }
    return best;
}

int mpg_fit_all(const double *samples, size_t n, double location, struct mpg_fits *fits,
                struct mpg_error *err)
{
    static void (*const function[MPG_FAMILIES])(const struct data *, struct mpg_fit *) = {
        fit_exponential, fit_gamma, fit_lognormal, fit_weibull, fit_pareto,
    };
    if (n < MPG_FIT_MIN_SAMPLES)
        return mpg_error_set(err, "a fit needs %d samples, not %zu", (int)MPG_FIT_MIN_SAMPLES, n);
    if (!(fabs(location) <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "location %g is not a number", location);
    struct data d = {.x = malloc(n * sizeof *d.x), .log = malloc(n * sizeof *d.log)};
    int status = -1;
    if (!d.x || !d.log) {
        mpg_error_set(err, "out of memory for %zu samples", n);
        goto out;
    }
    if (fill_data(samples, n, location, &d, err) < 0)
        goto out;
    *fits = (struct mpg_fits){.n = n, .location = location};
    for (int i = 0; i < MPG_FAMILIES; i++) {
        struct mpg_fit *fit = &fits->fit[i];
        function[i](&d, fit);
        if (fit->n > 0 && i != MPG_PARETO)
            fit->ks = ks_distance((enum mpg_family)i, fit, d.x, n);
    }
    fits->best = choose(fits);
    status = 0;
out:
    free(d.log);
    free(d.x);
    return status;
}

/* ---- goodness of fit of a tail ---- */

enum { TAIL_REPLICATES = 100, TAIL_ENOUGH = 10 };
/* A distance times sqrt(n) above this is far beyond chance: no replicate would reach such a distance. */
static const double HOPELESS = 1.3;

/* Draws AGAIN, a replicate of D, for the bootstrap: tail samples from the distribution FIT, further samples from the samples
 * before FIRST. */
static void draw_replicate(gsl_rng *rng, const struct data *d, size_t first, const struct mpg_fit *fit,
                           struct data *again)
{
    double part = (double)(d->n - first) / (double)d->n;
    for (size_t i = 0; i < d->n; i++)
        again->x[i] = first == 0 || gsl_rng_uniform(rng) < part
                          ? fit->threshold * pow(gsl_rng_uniform_pos(rng), -1 / fit->value[0])
                          : d->x[gsl_rng_uniform_int(rng, first)];
    gsl_sort(again->x, 1, d->n);
    for (size_t i = 0; i < d->n; i++)
        again->log[i] = log(again->x[i]);
}

/* Returns the fraction of replicates whose distance from the replicate's fit is at least FIT's distance. */
static double replicate(gsl_rng *rng, const struct data *d, const struct mpg_fit *fit,
                        struct data *again)
{
    size_t first = 0;
    int larger = 0, r = 0;
    while (first < d->n && d->x[first] < fit->threshold)
        first++;
    for (; r < TAIL_REPLICATES && larger < TAIL_ENOUGH; r++) {
        struct mpg_fit best = {0};
        draw_replicate(rng, d, first, fit, again);
        fit_pareto(again, &best);
        larger += best.n > 0 && best.ks >= fit->ks;
    }
    return (double)larger / r;
}

int mpg_fit_tail_probability(const double *samples, size_t n, double location,
                             const struct mpg_fit *fit, double *probability,
                             struct mpg_error *err)
{
    struct data d = {.x = malloc(n * sizeof *d.x), .log = malloc(n * sizeof *d.log)};
    struct data again = {.n = n, .x = malloc(n * sizeof *d.x), .log = malloc(n * sizeof *d.log)};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus);
    int status = -1;
    *probability = 0;
    if (!d.x || !d.log || !again.x || !again.log || !rng)
        mpg_error_set(err, "out of memory for %zu samples", n);
    else if (fit->ks * sqrt((double)fit->n) > HOPELESS)
        status = 0;
    else if ((status = fill_data(samples, n, location, &d, err)) == 0)
        *probability = replicate(rng, &d, fit, &again);
    if (rng)
        gsl_rng_free(rng);
    free(again.log);
    free(again.x);
    free(d.log);
    free(d.x);
    return status;
}
