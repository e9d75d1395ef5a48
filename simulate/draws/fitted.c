/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects a fit, and computes its quantiles (families and parameters: mpgsig(5), Fit). */
#include "simulate/draws/fitted.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#pragma GCC diagnostic error "-Wswitch-enum"

/* Largest value: stays finite when multiplied by 1e15 bytes, summed 1e12 times and squared. */
static const double MAX_MAGNITUDE = 1e100;
/* The largest probability that draws give (simulate/draws/draws.h). */
static const double LARGEST_U = 1 - 0x1p-53;

static const struct {
    const char *name;
    enum mpg_fitted_family family;
    const char *a, *b; /* parameter names; b NULL: the family has one parameter */
} families[] = {{"exponential", MPG_FITTED_EXPONENTIAL, "mean", NULL},
                {"gamma", MPG_FITTED_GAMMA, "shape", "scale"},
                {"lognormal", MPG_FITTED_LOGNORMAL, "mu", "sigma"},
                {"weibull", MPG_FITTED_WEIBULL, "shape", "scale"}};

enum { FAMILIES = sizeof families / sizeof *families };

/* Returns the index of FIT's family in `families`; FAMILIES: the family is unknown, or FIT describes only the tail of a
 * distribution. */
static size_t find_family(const struct mpg_distribution_fit *fit)
{
    size_t i = 0;
    while (i < FAMILIES && strcmp(families[i].name, fit->family) != 0)
        i++;
    return fit->tail_fraction < 1 ? FAMILIES : i;
}

static const struct mpg_distribution_fit *find_nearest(const struct mpg_distribution *d)
{
    const struct mpg_distribution_fit *nearest = NULL;
    for (size_t i = 0; i < d->fits; i++)
        if (find_family(&d->fit[i]) < FAMILIES &&
            (!nearest || d->fit[i].distance < nearest->distance))
            nearest = &d->fit[i];
    return nearest;
}

/* Returns FIT's parameter NAME; NAN: it has none. */
static double parameter(const struct mpg_distribution_fit *fit, const char *name)
{
    for (int i = 0; i < fit->parameters; i++)
        if (strcmp(fit->name[i], name) == 0)
            return fit->value[i];
    return NAN;
}

static bool derive(struct mpg_fitted *f)
{
    bool shaped = f->family == MPG_FITTED_GAMMA || f->family == MPG_FITTED_WEIBULL;
    if (!isfinite(f->a) || !isfinite(f->b) || !isfinite(f->location))
        return false;
    if (f->family == MPG_FITTED_LOGNORMAL ? f->b < 0 : !(f->a > 0) || (shaped && !(f->b > 0)))
        return false;
    if (f->family == MPG_FITTED_GAMMA)
        f->gamma = mpg_gamma_make(f->a);
    if (f->family != MPG_FITTED_LOGNORMAL)
        f->biased = mpg_gamma_make(f->family == MPG_FITTED_GAMMA     ? f->a + 1
                                 : f->family == MPG_FITTED_WEIBULL ? 1 + 1 / f->a
                                                                   : 2);
    return fabs(mpg_fitted_quantile(f, LARGEST_U)) <= MAX_MAGNITUDE && fabs(mpg_fitted_mean(f)) <= MAX_MAGNITUDE;
}

int mpg_fitted_choose(const struct mpg_distribution *d, struct mpg_fitted *f, struct mpg_error *err)
{
    const struct mpg_distribution_fit *fit = find_nearest(d);
    if (d->quantiles[0] == d->quantiles[d->knots - 1]) {
        *f = (struct mpg_fitted){.location = d->quantiles[0]};
        return 0;
    }
    if (!fit)
        return mpg_error_set(err, "no family is fitted to it in this signature");
    size_t i = find_family(fit);
    *f = (struct mpg_fitted){.family = families[i].family,
                             .location = fit->location,
                             .a = parameter(fit, families[i].a),
                             .b = families[i].b ? parameter(fit, families[i].b) : 0};
    return derive(f) ? 0
                     : mpg_error_set(err, "the parameters of the fitted family '%s' are out of range",
                                     families[i].name);
}

double mpg_fitted_quantile(const struct mpg_fitted *f, double u)
{
    u = u < LARGEST_U ? u : LARGEST_U;
    if (!(u > 0))
        return f->location;
    switch (f->family) {
    case MPG_FITTED_CONSTANT:
        return f->location;
    case MPG_FITTED_EXPONENTIAL:
        return f->location - f->a * log1p(-u);
    case MPG_FITTED_GAMMA:
        return f->location + f->b * mpg_gamma_quantile(&f->gamma, u);
    case MPG_FITTED_LOGNORMAL:
        return f->location + exp(f->a + f->b * gsl_cdf_ugaussian_Pinv(u));
    case MPG_FITTED_WEIBULL:
        return f->location + f->b * pow(-log1p(-u), 1 / f->a);
    }
    return 0;
}

/* Returns the mean of the part beyond the location. */
static double mean_beyond(const struct mpg_fitted *f)
{
    switch (f->family) {
    case MPG_FITTED_CONSTANT:
        return 0;
    case MPG_FITTED_EXPONENTIAL:
        return f->a;
    case MPG_FITTED_GAMMA:
        return f->a * f->b;
    case MPG_FITTED_LOGNORMAL:
        return exp(f->a + f->b * f->b / 2);
    case MPG_FITTED_WEIBULL:
        return f->b * tgamma(1 + 1 / f->a);
    }
    return 0;
}

double mpg_fitted_mean(const struct mpg_fitted *f)
{
    return f->location + mean_beyond(f);
}

/* Returns a length-biased value of the part beyond the location. */
static double biased_beyond(const struct mpg_fitted *f, double v)
{
    v = fmin(fmax(v, 0x1p-53), LARGEST_U);
    switch (f->family) {
    case MPG_FITTED_EXPONENTIAL:
        return f->a * mpg_gamma_quantile(&f->biased, v);
    case MPG_FITTED_GAMMA:
        return f->b * mpg_gamma_quantile(&f->biased, v);
    case MPG_FITTED_LOGNORMAL:
        return exp(f->a + f->b * f->b + f->b * gsl_cdf_ugaussian_Pinv(v));
    case MPG_FITTED_WEIBULL: /* (x / scale)^shape has a gamma distribution */
        return f->b * pow(mpg_gamma_quantile(&f->biased, v), 1 / f->a);
    case MPG_FITTED_CONSTANT:
        break;
    }
    return 0;
}

double mpg_fitted_biased(const struct mpg_fitted *f, double v)
{
    double part = f->location / mpg_fitted_mean(f);
    if (v < part)
        return mpg_fitted_quantile(f, v / part);
    return f->location + biased_beyond(f, (v - part) / (1 - part));
}
