/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth of a quantity with the number of processes: significance, choice of the model, confidence intervals. */
#include "statistics/growth.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "statistics/growth_private.h"
#include "statistics/order.h"

static const double SCATTER_LEVEL = 0.05, BEYOND = 0.025;
/* Number of parameters of a model: constant, coefficient, and the shape, which is chosen from the values. */
static const double PARAMETERS = 3;
/* Limit of a drawn logarithm's deviation from the model: with a single degree of freedom deviations are unbounded. */
static const double FARTHEST = 30;

/* The values of one analysis. */
struct analysis {
    struct growth_design design;
    double *log;         /* mean logarithm of the values at each number of processes N */
    double within;       /* sum of squared deviations of the logarithms from LOG at their N */
    double *work, *again;
};

struct pair {
    double n, value;
};

static int ascending(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    if (p->n != q->n)
        return p->n < q->n ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

static void analysis_free(struct analysis *a)
{
    mpg_growth_design_free(&a->design);
    free(a->log);
    free(a->work);
    free(a->again);
}

static int analysis_make(struct pair *pair, size_t values, struct analysis *a)
{
    double *n = malloc(values * sizeof *n);
    *a = (struct analysis){0};
    for (size_t i = 0; n && i < values; i++)
        n[i] = pair[i].n;
    if (!n || mpg_growth_design_make(n, values, &a->design) < 0) {
        free(n);
        return -1;
    }
    free(n);
    const size_t counts = a->design.counts;
    a->log = calloc(counts, sizeof *a->log);
    a->again = malloc(counts * sizeof *a->again);
    a->work = malloc(4 * counts * sizeof *a->work);
    if (!a->log || !a->again || !a->work) {
        analysis_free(a);
        return -1;
    }
    for (size_t k = 0, i = 0; k < counts; i += (size_t)a->design.weight[k], k++) {
        const size_t end = i + (size_t)a->design.weight[k];
        for (size_t e = i; e < end; e++)
            a->log[k] += log(pair[e].value) / a->design.weight[k];
        for (size_t e = i; e < end; e++)
            a->within += pow(log(pair[e].value) - a->log[k], 2);
    }
    return 0;
}

/* Returns whether the means at each N deviate from a model more than the scatter of the values at equal N explains.
 * BETWEEN: residual sum of squares of the means about the model, which has PARAMETERS parameters. */
static bool scatters(const struct analysis *a, double between, double parameters)
{
    const double freedom = (double)a->design.counts - parameters;
    const double freedom_within = a->design.values - (double)a->design.counts;
    if (freedom_within < 1 || freedom < 1)
        return false;
    if (!(a->within > 0))
        return between > 0;
    return gsl_cdf_fdist_Q(between / freedom / (a->within / freedom_within), freedom,
                           freedom_within) < SCATTER_LEVEL;
}

/* Returns the p-value of the best fit among shapes FIRST..LAST-1, which leaves UNEXPLAINED = 1 - R^2 of the variance of
 * VALUES values: the smaller of the tube bound and the Bonferroni bound over the shapes. */
static double by_chance(const struct analysis *a, int first, int last, double unexplained,
                        double values)
{
    const double d = values - 1;
    const double rest = fmin(fmax(unexplained, 0), 1);
    const double one = rest > 0 ? gsl_cdf_beta_P(rest, (d - 1) / 2, 0.5) / 2 : 0;
    const double tube = mpg_growth_path(&a->design, first, last) / (2 * M_PI) * pow(rest, (d - 2) / 2) + one;
    return fmin(fmin(tube, (last - first + 1) * one), 1);
}

struct direction {
    bool fits, by_counts;
    double probability;
    struct mpg_growth_fit best;
};

static struct direction test_direction(struct analysis *a, int first, int last, double constant_squares)
{
    struct direction chosen = {.probability = 1};
    double min = 0;
    chosen.fits = mpg_growth_choose(&a->design, first, last, a->log, a->work, &chosen.best, &min);
    if (!chosen.fits)
        return chosen;
    chosen.by_counts = scatters(a, min, 2);
    const double within = chosen.by_counts ? 0 : a->within;
    chosen.probability =
        by_chance(a, first, last, (min + within) / (constant_squares + within),
                  chosen.by_counts ? (double)a->design.counts : a->design.values);
    return chosen;
}

/* Fits the regression line of ln(value) over ln N. */
static void line_of_logs(const struct analysis *a, struct mpg_growth *g)
{
    const struct growth_design *d = &a->design;
    double xx = 0, xy = 0, squares = 0;
    g->mean_log_n = g->mean_log = 0;
    for (size_t k = 0; k < d->counts; k++) {
        g->mean_log_n += d->weight[k] * log(d->n[k]) / d->values;
        g->mean_log += d->weight[k] * a->log[k] / d->values;
    }
    for (size_t k = 0; k < d->counts; k++) {
        const double x = log(d->n[k]) - g->mean_log_n;
        xx += d->weight[k] * x * x;
        xy += d->weight[k] * x * (a->log[k] - g->mean_log);
    }
    g->slope = xy / xx;
    for (size_t k = 0; k < d->counts; k++)
        squares += d->weight[k] * pow(a->log[k] - g->mean_log - g->slope * (log(d->n[k]) - g->mean_log_n), 2);
    const bool apart = scatters(a, squares, 2);
    const double freedom = (apart ? (double)d->counts : d->values) - 2;
    const double variance = (squares + (apart ? 0 : a->within)) / freedom;
    g->slope_error = sqrt(variance / xx);
    g->mean_error = sqrt(variance / d->values);
    g->quantile = gsl_cdf_tdist_Qinv(BEYOND, freedom);
}

static void set_constant(const struct analysis *a, const struct mpg_growth_fit *constant, struct mpg_growth *g)
{
    g->verdict = MPG_GROWTH_NONE;
    g->model = constant->model;
    g->error = constant->error;
    g->by_counts = scatters(a, constant->squares, 1);
    g->freedom = (g->by_counts ? (double)g->counts : (double)g->values) - 1;
    g->spread = sqrt((constant->squares + (g->by_counts ? 0 : a->within)) / g->freedom);
    g->order = (struct mpg_growth_interval){g->slope, g->slope - g->quantile * g->slope_error,
                                            g->slope + g->quantile * g->slope_error};
    g->support = 1;
    if (g->order.high >= 1 || g->order.low <= -1)
        g->verdict = MPG_GROWTH_INCONCLUSIVE;
}

static double order_of(const struct mpg_growth_model *m, double n)
{
    const struct mpg_growth_shape *s = mpg_growth_shape(m->shape);
    return s ? (double)s->numerator / s->denominator + s->logs / log(n) : 0;
}

static double model_at(const struct mpg_growth_model *m, double n)
{
    return m->constant + m->coefficient * mpg_growth_term(m->shape, n);
}

/* Parametric bootstrap: draws REPLICA of the values from G's model and scatter, and fits the best shape to the draws: MODEL. */
static void draw_model(struct analysis *a, const struct mpg_growth *g, uint32_t replica,
                       mpg_growth_draw *draw, void *context, struct mpg_growth_model *model)
{
    const struct growth_design *d = &a->design;
    const bool rises = g->model.shape < MPG_GROWTH_RISING;
    const double chi = gsl_cdf_chisq_Pinv(draw(context, replica, 0), g->freedom);
    const double spread = g->spread * sqrt(g->freedom / chi);
    for (size_t k = 0; k < d->counts; k++) {
        const double unit = gsl_cdf_ugaussian_Pinv(draw(context, replica, (uint32_t)k + 1));
        const double off = spread * unit / sqrt(d->weight[k]);
        a->again[k] = log(model_at(&g->model, d->n[k])) + fmin(fmax(off, -FARTHEST), FARTHEST);
    }
    struct mpg_growth_fit best = {.error = 0};
    double unused;
    if (!mpg_growth_choose(d, rises ? 0 : MPG_GROWTH_RISING, rises ? MPG_GROWTH_RISING : MPG_GROWTH_SHAPES, a->again, a->work,
                           &best, &unused))
        (void)mpg_growth_fit(d, MPG_GROWTH_CONSTANT, a->again, a->work, &best);
    *model = best.model;
}

/* Returns VALUE with its 95 % interval: quantiles of the RESAMPLE values, which are sorted in place. */
static struct mpg_growth_interval interval(double value, double *resample, size_t resamples)
{
    struct mpg_growth_interval i = {value, value, value};
    if (resamples > 0) {
        mpg_sort(resample, resamples);
        i.low = fmin(value, mpg_sorted_quantile(resample, resamples, BEYOND));
        i.high = fmax(value, mpg_sorted_quantile(resample, resamples, 1 - BEYOND));
    }
    return i;
}

static int resample(struct analysis *a, size_t resamples, mpg_growth_draw *draw, void *context,
                    struct mpg_growth *g, struct mpg_error *err)
{
    double *order = malloc((resamples + 1) * sizeof *order);
    size_t same = 0;
    g->resample = malloc((resamples + 1) * sizeof *g->resample);
    if (!order || !g->resample) {
        free(order);
        return mpg_error_set(err, "out of memory");
    }
    g->resamples = resamples;
    for (size_t r = 0; r < resamples; r++) {
        draw_model(a, g, (uint32_t)r, draw, context, &g->resample[r]);
        order[r] = order_of(&g->resample[r], g->max_n);
        same += g->resample[r].shape == g->model.shape;
    }
    g->order = interval(order_of(&g->model, g->max_n), order, resamples);
    if (g->verdict == MPG_GROWTH_PERHAPS_RISES)
        g->order.low = fmin(g->order.low, 0);
    if (g->verdict == MPG_GROWTH_PERHAPS_FALLS)
        g->order.high = fmax(g->order.high, 0);
    g->support = resamples > 0 ? (double)same / (double)resamples : 1;
    free(order);
    return 0;
}

static int decide(struct analysis *a, size_t resamples, mpg_growth_draw *draw, void *context,
                  struct mpg_growth *g, struct mpg_error *err)
{
    struct mpg_growth_fit constant;
    (void)mpg_growth_fit(&a->design, MPG_GROWTH_CONSTANT, a->log, a->work, &constant);
    g->error_constant = constant.error;
    line_of_logs(a, g);
    g->probability = 1;
    set_constant(a, &constant, g);
    if (!(constant.squares > 0))
        return 0;
    struct direction up = test_direction(a, 0, MPG_GROWTH_RISING, constant.squares);
    struct direction down = test_direction(a, MPG_GROWTH_RISING, MPG_GROWTH_SHAPES, constant.squares);
    const bool rises = up.probability <= down.probability;
    const struct direction *chosen = rises ? &up : &down;
    g->probability = chosen->probability;
    const bool sloping = g->order.low > 0 || g->order.high < 0;
    if (!chosen->fits || (g->probability > MPG_GROWTH_DOUBTFUL && !(sloping && (g->order.low > 0) == rises)))
        return 0;
    const bool sure = g->probability <= MPG_GROWTH_LEVEL;
    g->verdict = rises ? (sure ? MPG_GROWTH_RISES : MPG_GROWTH_PERHAPS_RISES)
                       : (sure ? MPG_GROWTH_FALLS : MPG_GROWTH_PERHAPS_FALLS);
    g->model = chosen->best.model;
    g->error = chosen->best.error;
    g->by_counts = chosen->by_counts;
    g->freedom = fmax((chosen->by_counts ? (double)g->counts : (double)g->values) - PARAMETERS, 1);
    g->spread = sqrt((chosen->best.squares + (chosen->by_counts ? 0 : a->within)) / g->freedom);
    return resample(a, resamples, draw, context, g, err);
}

static int check(const double *n, const double *value, size_t values, struct mpg_error *err)
{
    for (size_t i = 0; i < values; i++) {
        if (!isfinite(n[i]) || !(n[i] >= 1) || n[i] > 1e9)
            return mpg_error_set(err, "%g processes: not within 1..1e9", n[i]);
        if (!isfinite(value[i]) || fabs(value[i]) > 1e100)
            return mpg_error_set(err, "a value at %g processes is no number or too large", n[i]);
    }
    return 0;
}

/* Returns the reason for which VALUES values, sorted by N, have no model; NULL: a model exists. */
static const char *without(const struct pair *pair, size_t values)
{
    size_t counts = values > 0;
    bool positive = true, same = true;
    for (size_t i = 0; i < values; i++) {
        counts += i > 0 && pair[i].n != pair[i - 1].n;
        positive = positive && pair[i].value > 1e-100;
        same = same && pair[i].value == pair[0].value;
    }
    if (counts < MPG_GROWTH_MIN_COUNTS)
        return "fewer than 3 process counts";
    if (counts > MPG_GROWTH_MAX_COUNTS)
        return "more than 1000 process counts";
    return positive || same ? NULL : "a value is not above 0";
}

int mpg_growth_analyse(const double *n, const double *value, size_t values, size_t resamples,
                  mpg_growth_draw *draw, void *context, struct mpg_growth *growth,
                  const char **why, struct mpg_error *err)
{
    struct analysis a;
    struct pair *pair = malloc((values + 1) * sizeof *pair);
    int status = -1;
    *growth = (struct mpg_growth){.values = values};
    if (!pair)
        return mpg_error_set(err, "out of memory");
    if (check(n, value, values, err) < 0)
        goto out;
    for (size_t i = 0; i < values; i++)
        pair[i] = (struct pair){n[i], value[i]};
    qsort(pair, values, sizeof *pair, ascending);
    *why = without(pair, values);
    status = 0;
    if (*why)
        goto out;
    const double only = pair[0].value;
    const bool zero = !(only > 1e-100); /* all values are 0: analyses values 1 instead, because 0 has no logarithm */
    for (size_t i = 0; zero && i < values; i++)
        pair[i].value = 1;
    growth->min_n = pair[0].n;
    growth->max_n = pair[values - 1].n;
    if (analysis_make(pair, values, &a) < 0) {
        status = mpg_error_set(err, "out of memory");
        goto out;
    }
    growth->counts = a.design.counts;
    status = decide(&a, resamples, draw, context, growth, err) < 0 ? -1 : 1;
    analysis_free(&a);
    if (zero)
        growth->model.constant = only;
    if (status < 0)
        mpg_growth_free(growth);
out:
    free(pair);
    return status;
}

void mpg_growth_free(struct mpg_growth *growth)
{
    free(growth->resample);
    growth->resample = NULL;
}

struct mpg_growth_interval mpg_growth_predict(const struct mpg_growth *g, double n)
{
    const double value = model_at(&g->model, n);
    if (g->model.shape != MPG_GROWTH_CONSTANT) {
        double *again = malloc((g->resamples + 1) * sizeof *again);
        struct mpg_growth_interval i = {value, -INFINITY, INFINITY};
        for (size_t r = 0; again && r < g->resamples; r++)
            again[r] = model_at(&g->resample[r], n);
        if (again && g->resamples > 0)
            i = interval(value, again, g->resamples);
        free(again);
        return i;
    }
    if (!(value > 0))
        return (struct mpg_growth_interval){value, value, value};
    const double x = log(n) - g->mean_log_n;
    const double middle = g->mean_log + g->slope * x;
    const double half = g->quantile * hypot(g->mean_error, g->slope_error * x);
    return (struct mpg_growth_interval){value, fmin(value, exp(middle - half)),
                                        fmax(value, exp(middle + half))};
}
