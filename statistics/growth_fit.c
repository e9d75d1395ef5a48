/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit of a shape to values, and the choice between shapes. */
#include <math.h>

#include "statistics/growth_private.h"

enum { STEPS = 3 };
/* minimum fraction of the model that the term must reach at one N at least, as in Extra-P */
static const double MIN_TERM = 0.0005;
static const double ALIKE = 1e-10;

/* Weighted regression of the targets on the term, with the sums needed for leave-one-out predictions. */
struct line {
    double constant, coefficient, mean_term, weight, spread;
};

static struct line regress(const double *term, const double *target, const double *weight,
                           size_t counts)
{
    struct line l = {0};
    double mean = 0, both = 0;
    for (size_t k = 0; k < counts; k++) {
        l.weight += weight[k];
        l.mean_term += weight[k] * term[k];
        mean += weight[k] * target[k];
    }
    l.mean_term /= l.weight;
    mean /= l.weight;
    for (size_t k = 0; k < counts; k++) {
        const double from_mean = weight[k] * (term[k] - l.mean_term);
        l.spread += from_mean * (term[k] - l.mean_term);
        both += from_mean * (target[k] - mean);
    }
    l.coefficient = both / l.spread;
    l.constant = mean - l.coefficient * l.mean_term;
    return l;
}

/* Weighted regression through the origin: without a constant. */
static struct line regress_origin(const double *term, const double *target, const double *weight,
                                  size_t counts)
{
    struct line l = {0};
    double both = 0;
    for (size_t k = 0; k < counts; k++) {
        l.spread += weight[k] * term[k] * term[k];
        both += weight[k] * term[k] * target[k];
    }
    l.coefficient = both / l.spread;
    return l;
}

/* Predicts the value at one N by the line fitted without this N: target - residual / (1 - leverage) (Belsley, Kuh and
 * Welsch, Regression Diagnostics, 2.1). Returns false if the line is undetermined without this N. */
static bool left_out(const struct line *l, double term, double target, double weight,
                     double *predicted)
{
    const double from_mean = term - l->mean_term;
    const double leverage =
        weight * ((l->weight > 0 ? 1 / l->weight : 0) + from_mean * from_mean / l->spread);
    if (!(1 - leverage > 1e-12))
        return false;
    const double residual = target - l->constant - l->coefficient * term;
    *predicted = target - residual / (1 - leverage);
    return true;
}

static double unlike(double predicted, double value)
{
    return predicted > 0 ? 2 * fabs(predicted - value) / (predicted + value) : 2;
}

static bool fit_constant(const struct growth_design *d, const double *log, struct mpg_growth_fit *fit)
{
    double mean = 0;
    *fit = (struct mpg_growth_fit){.model = {.shape = MPG_GROWTH_CONSTANT}};
    for (size_t k = 0; k < d->counts; k++)
        mean += d->weight[k] * log[k] / d->values;
    for (size_t k = 0; k < d->counts; k++) {
        const double rest = d->weight[k] / d->values;
        fit->squares += d->weight[k] * (log[k] - mean) * (log[k] - mean);
        fit->error += rest * unlike(exp((mean - rest * log[k]) / (1 - rest)), exp(log[k]));
    }
    fit->model.constant = exp(mean);
    return isfinite(fit->model.constant);
}

/* Sets targets f (1 + ln(y / f)) and weights 1 / f^2 of the next Gauss-Newton step, for the residuals ln(y / f); f: value
 * of the present LINE, y: VALUE. */
static void linearise(const struct growth_design *d, const struct line *l, const double *term,
                      const double *value, double *target, double *weight)
{
    for (size_t k = 0; k < d->counts; k++) {
        double f = l->constant + l->coefficient * term[k];
        f = fmin(fmax(f, value[k] / 8), 8 * value[k]);
        target[k] = f * (1 + log(value[k] / f));
        weight[k] = d->weight[k] / (f * f);
    }
}

bool mpg_growth_fit(const struct growth_design *d, int shape, const double *log_value, double *work, struct mpg_growth_fit *fit)
{
    if (shape == MPG_GROWTH_CONSTANT)
        return fit_constant(d, log_value, fit);
    const double *term = d->term + (size_t)shape * d->counts;
    double *value = work, *target = value + d->counts, *weight = target + d->counts;
    struct line l;
    bool origin = false;
    for (size_t k = 0; k < d->counts; k++) {
        target[k] = value[k] = exp(log_value[k]);
        weight[k] = d->weight[k] / (value[k] * value[k]);
    }
    for (int step = 0;; step++) {
        l = regress(term, target, weight, d->counts);
        if (!(l.coefficient > 0))
            return false;
        origin = shape >= MPG_GROWTH_RISING && l.constant < 0;
        if (origin)
            l = regress_origin(term, target, weight, d->counts);
        if (step == STEPS)
            break;
        linearise(d, &l, term, value, target, weight);
    }
    *fit = (struct mpg_growth_fit){.model = {shape, l.constant, l.coefficient / d->scale[shape]}};
    double largest = 0;
    for (size_t k = 0; k < d->counts; k++) {
        const double f = l.constant + l.coefficient * term[k];
        double predicted;
        if (!(f > 0) || !left_out(&l, term[k], target[k], weight[k], &predicted))
            return false;
        const double residual = log_value[k] - log(f);
        largest = fmax(largest, l.coefficient * term[k] / f);
        fit->squares += d->weight[k] * residual * residual;
        fit->error += d->weight[k] / d->values * unlike(predicted, value[k]);
    }
    return largest >= MIN_TERM && isfinite(fit->squares) && isfinite(fit->model.coefficient);
}

bool mpg_growth_choose(const struct growth_design *d, int first, int last, const double *log_value, double *work,
                       struct mpg_growth_fit *best, double *squares)
{
    bool any = false;
    for (int s = first; s < last; s++) {
        struct mpg_growth_fit fit;
        if (!mpg_growth_fit(d, s, log_value, work, &fit))
            continue;
        *squares = any ? fmin(*squares, fit.squares) : fit.squares;
        if (!any || fit.error < best->error - ALIKE)
            *best = fit;
        any = true;
    }
    return any;
}
