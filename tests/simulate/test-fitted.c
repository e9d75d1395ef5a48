/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fitted families as distributions to draw from: choice of the family, quantiles compared with GSL's, means and
 * length-weighted draws compared with integrals of the quantiles. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "simulate/draws/fitted.h"
#include "tests/tap.h"

static const double probability[] = {1e-12, 1e-4, 0.0137, 0.25, 0.5, 0.632, 0.95, 0.9973, 1 - 1e-9};
enum { PROBABILITIES = sizeof probability / sizeof *probability, STEPS = 200000 };

static struct mpg_distribution_fit fit_of(const char *family, double location, const char *a,
                                          double x, const char *b, double y, double distance)
{
    return (struct mpg_distribution_fit){.family = (char *)family,
                                         .location = location,
                                         .parameters = b ? 2 : 1,
                                         .name = {(char *)a, (char *)b},
                                         .value = {x, y},
                                         .distance = distance,
                                         .tail_fraction = 1};
}

/* Chooses one of N fits to samples that are not all equal. Returns false and sets ERR on errors. */
static bool choose(struct mpg_distribution_fit *fit, size_t n, struct mpg_fitted *f,
                   struct mpg_error *err)
{
    double quantiles[] = {1, 3};
    struct mpg_distribution d = {.n = 2, .knots = 2, .quantiles = quantiles, .fits = n, .fit = fit};
    return mpg_fitted_choose(&d, f, err) == 0;
}

static struct mpg_fitted made(const char *family, double location, const char *a, double x,
                              const char *b, double y)
{
    struct mpg_distribution_fit fit = fit_of(family, location, a, x, b, y, 0.1);
    struct mpg_fitted f = {0};
    struct mpg_error err;
    ok(choose(&fit, 1, &f, &err), "%s: chosen", family);
    return f;
}

static double exponential(double u)
{
    return gsl_cdf_exponential_Pinv(u, 238.5);
}

static double gamma_of(double u)
{
    return u < 0.99 ? gsl_cdf_gamma_Pinv(u, 2.385, 91.25) : gsl_cdf_gamma_Qinv(1 - u, 2.385, 91.25);
}

static double lognormal(double u)
{
    return gsl_cdf_lognormal_Pinv(u, 4.76923, 0.78319);
}

static double weibull(double u)
{
    return gsl_cdf_weibull_Pinv(u, 117.5, 0.7125);
}

/* Returns the sum of the values below the P quantile, as a fraction of the sum of all values. */
static double length_below(const struct mpg_fitted *f, double p)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += mpg_fitted_quantile(f, p * (i + 0.5) / STEPS) * p / STEPS;
    return sum / mpg_fitted_mean(f);
}

static void test_biased(const struct mpg_fitted *f, const char *name)
{
    for (int k = 1; k < 10; k += 2) {
        double p = 0.1 * k, value = mpg_fitted_quantile(f, p), below = 0;
        for (int i = 0; i < STEPS; i++)
            below += mpg_fitted_biased(f, (i + 0.5) / STEPS) <= value;
        ok(fabs(below / STEPS - length_below(f, p)) < 2e-4,
           "%s: of the length, %.6f is in values up to the quantile at %g, by integral %.6f", name,
           below / STEPS, p, length_below(f, p));
    }
}

static void test_family(struct mpg_fitted f, const char *name, double (*beyond)(double))
{
    bool same = true;
    for (int i = 0; i < PROBABILITIES; i++) {
        double u = probability[i], expected = f.location + beyond(u);
        same = same && fabs(mpg_fitted_quantile(&f, u) - expected) <= 1e-9 * expected;
    }
    ok(same, "%s: quantiles", name);
    ok(mpg_fitted_quantile(&f, 0) == f.location, "%s: at 0 its location", name);
    ok(isfinite(mpg_fitted_quantile(&f, 1)), "%s: at 1 still finite", name);
    ok(fabs(length_below(&f, 1) - 1) < 2e-4, "%s: mean %.6g", name, mpg_fitted_mean(&f));
    test_biased(&f, name);
}

static void test_choice(void)
{
    struct mpg_distribution_fit fit[] = {
        fit_of("lognormal", 0, "mu", 1, "sigma", 2, 0.02), fit_of("weird", 0, "x", 1, NULL, 0, 0.001),
        fit_of("weibull", 5, "shape", 1, "scale", 2, 0.0125),
        fit_of("gamma", 7, "scale", 3, "shape", 2, 0.0125),
        fit_of("pareto tail", 0, "exponent", 2, "threshold", 9, 0.0005)};
    struct mpg_fitted f = {0};
    struct mpg_error err;
    fit[4].tail_fraction = 0.1;
    ok(choose(fit, 5, &f, &err) && f.family == MPG_FITTED_WEIBULL && f.location == 5,
       "the least distance, of equal ones the first; no tail, none unknown");
    ok(choose(fit + 3, 2, &f, &err) && f.a == 2 && f.b == 3, "parameters go by their names");
    fit[3].tail_fraction = 0.99;
    ok(!choose(fit + 3, 2, &f, &err) && strstr(err.text, "no family is fitted"),
       "no fit of all samples is an error: %s", err.text);
    double quantiles[] = {2.385, 2.385};
    struct mpg_distribution equal = {.n = 9, .knots = 2, .quantiles = quantiles};
    ok(mpg_fitted_choose(&equal, &f, &err) == 0 && mpg_fitted_quantile(&f, 0.9) == 2.385 &&
           mpg_fitted_mean(&f) == 2.385 && mpg_fitted_biased(&f, 0.9) == 2.385,
       "samples all equal are their own fit");
}

static void test_bad(const char *what, struct mpg_distribution_fit fit)
{
    struct mpg_fitted f;
    struct mpg_error err;
    ok(!choose(&fit, 1, &f, &err) && strstr(err.text, "out of range"), "%s: %s", what, err.text);
}

int main(void)
{
    test_family(made("exponential", 0, "mean", 238.5, NULL, 0), "exponential", exponential);
    test_family(made("exponential", 61.3, "mean", 238.5, NULL, 0), "exponential from 61.3 on",
                exponential);
    test_family(made("gamma", 0, "shape", 2.385, "scale", 91.25), "gamma", gamma_of);
    test_family(made("gamma", 500, "shape", 2.385, "scale", 91.25), "gamma from 500 on", gamma_of);
    test_family(made("lognormal", 12.5, "mu", 4.76923, "sigma", 0.78319), "lognormal", lognormal);
    test_family(made("weibull", 12.5, "shape", 0.7125, "scale", 117.5), "weibull", weibull);
    test_choice();
    test_bad("no mean", fit_of("exponential", 0, "middle", 3, NULL, 0, 0.1));
    test_bad("mean 0", fit_of("exponential", 0, "mean", 0, NULL, 0, 0.1));
    test_bad("shape below 0", fit_of("gamma", 0, "shape", -2, "scale", 3, 0.1));
    test_bad("scale 0", fit_of("weibull", 0, "shape", 2, "scale", 0, 0.1));
    test_bad("sigma below 0", fit_of("lognormal", 0, "mu", 2, "sigma", -1, 0.1));
    test_bad("a tail that no sum holds", fit_of("lognormal", 0, "mu", 2, "sigma", 40, 0.1));
    test_bad("nor this", fit_of("weibull", 0, "shape", 0.01, "scale", 1, 0.1));
    return done();
}
