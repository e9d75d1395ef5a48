/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits of distribution families to samples of known distributions. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/fit.h"
#include "tests/tap.h"

static gsl_rng *rng;

static bool near(double got, double expected, double tolerance)
{
    bool same = fabs(got - expected) <= tolerance * fabs(expected);
    if (!same)
        printf("# got %.12g, expected %.12g\n", got, expected);
    return same;
}

static double *samples(size_t n)
{
    double *x = malloc(n * sizeof *x);
    if (!x) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
    return x;
}

static double draw(enum mpg_family family, double a, double b)
{
    switch (family) {
    case MPG_EXPONENTIAL:
        return gsl_ran_exponential(rng, a);
    case MPG_GAMMA:
        return gsl_ran_gamma(rng, a, b);
    case MPG_LOGNORMAL:
        return gsl_ran_lognormal(rng, a, b);
    case MPG_WEIBULL:
        return gsl_ran_weibull(rng, b, a);
    default:
        return gsl_ran_pareto(rng, a, b);
    }
}

static struct mpg_fits fit(const double *x, size_t n, double location)
{
    struct mpg_error err;
    struct mpg_fits fits;
    if (mpg_fit_all(x, n, location, &fits, &err) < 0) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return fits;
}

static const struct {
    enum mpg_family family;
    double a, b;
} truth[] = {
    {MPG_EXPONENTIAL, 237.1, 0}, {MPG_GAMMA, 0.5, 2.385},   {MPG_GAMMA, 3.1, 23.85},
    {MPG_LOGNORMAL, 4.7, 0.8},   {MPG_LOGNORMAL, -1.3, 0.3}, {MPG_WEIBULL, 0.6, 237.1},
    {MPG_WEIBULL, 1.7, 2.385},
};
enum { TRUTHS = sizeof truth / sizeof *truth };

/* The likelihood is the product of the densities, and no other parameters have a larger one. */
static double likelihood(enum mpg_family family, double a, double b, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(family == MPG_EXPONENTIAL ? gsl_ran_exponential_pdf(x[i], a)
                   : family == MPG_GAMMA     ? gsl_ran_gamma_pdf(x[i], a, b)
                   : family == MPG_LOGNORMAL ? gsl_ran_lognormal_pdf(x[i], a, b)
                                             : gsl_ran_weibull_pdf(x[i], b, a));
    return sum;
}

static void test_maximum(void)
{
    const double x[] = {2.385, 7.13, 11.9, 0.0625, 3.7, 0.91, 5.5, 4.4, 41.7};
    enum { N = sizeof x / sizeof *x };
    struct mpg_fits fits = fit(x, N, 0);
    ok(fits.n == N && near(fits.fit[MPG_EXPONENTIAL].value[0],
                           (2.385 + 7.13 + 11.9 + 0.0625 + 3.7 + 0.91 + 5.5 + 4.4 + 41.7) / 9,
                           1e-12),
       "exponential: the mean");
    for (int i = 0; i < MPG_PARETO; i++) {
        const struct mpg_fit *f = &fits.fit[i];
        double a = f->value[0], b = f->value[1], best = likelihood((enum mpg_family)i, a, b, x, N);
        bool good = f->n == N && near(f->log_likelihood, best, 1e-9);
        for (int j = 0; j < 4; j++)
            good = good && likelihood((enum mpg_family)i, a * (j == 0 ? 1.01 : j == 1 ? 0.99 : 1),
                                      b * (j == 2 ? 1.01 : j == 3 ? 0.99 : 1), x, N) <= best;
        double largest = 0;
        for (int j = 0; j < N; j++) { /* by counting in the unsorted samples */
            double below = 0, to = 0, cdf = mpg_fit_cdf((enum mpg_family)i, f, x[j]);
            for (int k = 0; k < N; k++) {
                below += x[k] < x[j];
                to += x[k] <= x[j];
            }
            largest = fmax(largest, fmax(cdf - below / N, to / N - cdf));
        }
        ok(good && near(f->ks, largest, 1e-12), "%s: maximum likelihood, and the distance %g",
           mpg_family_name((enum mpg_family)i), f->ks);
    }
    ok(fits.fit[MPG_PARETO].n == 0, "no tail in nine samples");
    ok(strcmp(mpg_family_parameter(MPG_WEIBULL, 1), "scale") == 0 &&
           !mpg_family_parameter(MPG_EXPONENTIAL, 1) && !mpg_family_parameter(MPG_GAMMA, 2),
       "names of parameters");
}

static void test_recognised(void)
{
    enum { N = 5000, SEEDS = 20 };
    double *x = samples(N);
    for (int t = 0; t < TRUTHS; t++) {
        int recognised = 0, shifted = 0;
        double worst = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            gsl_rng_set(rng, (unsigned long)(1000 * t + seed));
            for (int i = 0; i < N; i++)
                x[i] = draw(truth[t].family, truth[t].a, truth[t].b);
            struct mpg_fits fits = fit(x, N, 0);
            recognised += fits.best == truth[t].family;
            worst = fmax(worst, fits.fit[truth[t].family].ks);
            for (int i = 0; i < N; i++)
                x[i] += 1203.7;
            fits = fit(x, N, 1203.7);
            shifted += fits.best == truth[t].family;
        }
        ok(recognised == SEEDS && shifted == SEEDS && worst < 1.36 / sqrt(N),
           "%s %g %g: recognised %d times, shifted %d times of %d, distance at most %g",
           mpg_family_name(truth[t].family), truth[t].a, truth[t].b, recognised, shifted, SEEDS,
           worst);
    }
    free(x);
}

static void test_intervals(void)
{
    enum { TIMES = 400 };
    double *x = samples(1000);
    for (int t = 0; t < TRUTHS + 1; t++) {
        enum mpg_family family = t < TRUTHS ? truth[t].family : MPG_PARETO;
        double a = t < TRUTHS ? truth[t].a : 1.7, b = t < TRUTHS ? truth[t].b : 2.385;
        int inside[2] = {0}, parameters = 0, size = family == MPG_PARETO ? 1000 : 200;
        gsl_rng_set(rng, (unsigned long)(77 + t));
        for (int i = 0; i < TIMES; i++) {
            for (int k = 0; k < size; k++)
                x[k] = draw(family, a, b);
            struct mpg_fits fits = fit(x, (size_t)size, 0);
            const struct mpg_fit *f = &fits.fit[family];
            parameters = f->parameters;
            inside[0] += f->low[0] <= a && a <= f->high[0] && f->low[0] < f->value[0];
            inside[1] += f->low[1] <= b && b <= f->high[1];
        }
        for (int i = 0; i < parameters; i++) {
            /* With 400 repetitions, a coverage of 95 % lies outside of 0.92..0.98 once in 100. */
            double part = (double)inside[i] / TIMES;
            ok(part >= 0.92 && part <= 0.98,
               "%s: %s inside its interval in %.1f %%", mpg_family_name(family),
               mpg_family_parameter(family, i), 100 * part);
        }
    }
    free(x);
}

static void test_tail(void)
{
    enum { N = 20000 };
    double *x = samples(N);
    gsl_rng_set(rng, 5);
    for (int i = 0; i < N; i++) /* a tenth of the samples lies above 100 */
        x[i] = gsl_rng_uniform(rng) < 0.9 ? 100 * pow(gsl_rng_uniform(rng), 0.3)
                                          : gsl_ran_pareto(rng, 2.385, 100);
    struct mpg_fits fits = fit(x, N, 0);
    const struct mpg_fit *f = &fits.fit[MPG_PARETO];
    ok(near(f->threshold, 100, 0.15) && f->low[0] < 2.385 && f->high[0] > 2.385 &&
           near((double)f->n, 2000, 0.3) && fits.best != MPG_PARETO,
       "a tail from 100 on: exponent %.3f (%.3f to %.3f) above %.1f, %zu samples", f->value[0],
       f->low[0], f->high[0], f->threshold, f->n);
    ok(mpg_fit_cdf(MPG_PARETO, f, f->threshold) == 0 &&
           near(mpg_fit_cdf(MPG_PARETO, f, 3 * f->threshold), 1 - pow(3, -f->value[0]), 1e-12),
       "the tail's CDF starts at the threshold");
    free(x);
}

/* A clock with a coarse resolution, and samples equal to the location parameter. */
static void test_quantised(void)
{
    enum { N = 5000 };
    double *x = samples(N), *zeros = samples(N);
    int right = 0, close = 0;
    for (int seed = 0; seed < 10; seed++) {
        gsl_rng_set(rng, (unsigned long)seed);
        for (int i = 0; i < N; i++) {
            x[i] = 40 * round(gsl_ran_lognormal(rng, 6.5, 0.8) / 40);
            zeros[i] = round(gsl_ran_exponential(rng, 12.3)) + 250;
        }
        struct mpg_fits fits = fit(x, N, 0);
        right += fits.best == MPG_LOGNORMAL;
        close += fits.fit[MPG_LOGNORMAL].value[0] > 6.45 && fits.fit[MPG_LOGNORMAL].value[0] < 6.55;
        fits = fit(zeros, N, 250);
        close += fabs(fits.fit[MPG_EXPONENTIAL].value[0] / 12.3 - 1) < 0.05;
        for (int i = 0; i < MPG_PARETO; i++)
            close += isfinite(fits.fit[i].log_likelihood) && fits.fit[i].ks < 0.2;
    }
    ok(right == 10 && close == 60, "counted in whole units: %d recognised, %d near", right, close);
    double few[] = {1, 1, 1, 1, 1, 1, 1, 2};
    struct mpg_fits fits = fit(few, 8, 1);
    ok(fits.fit[MPG_GAMMA].n == 8 &&
           near(fits.fit[MPG_EXPONENTIAL].value[0], (7 * 0.5 + 1) / 8, 1e-12),
       "samples at the location count as half the resolution");
    for (int i = 0; i < N; i++)
        x[i] = 1e9 + (i % 100) * 50;
    fits = fit(x, N, 0);
    ok(fits.fit[MPG_GAMMA].n == 0 && fits.fit[MPG_WEIBULL].n == N && fits.fit[MPG_PARETO].n > 0,
       "nearly equal: no gamma");
    free(x);
    free(zeros);
}

static void test_wide(void)
{
    double x[400];
    for (int i = 0; i < 400; i++)
        x[i] = pow(10, i / 4 - 50);
    struct mpg_fits fits = fit(x, 400, 0);
    bool finite = true;
    for (int i = 0; i < MPG_FAMILIES; i++)
        finite = finite && fits.fit[i].n > 0 && isfinite(fits.fit[i].log_likelihood) &&
                 fits.fit[i].ks <= 1 && fits.fit[i].low[0] > -1e300 && fits.fit[i].high[0] < 1e300;
    ok(finite && fits.best == MPG_LOGNORMAL, "100 decades are fitted");
}

static void test_many(void)
{
    enum { N = 1000000 };
    double *x = samples(N);
    gsl_rng_set(rng, 3);
    for (int i = 0; i < N; i++)
        x[i] = gsl_ran_gamma(rng, 2.385, 100);
    struct mpg_fits fits = fit(x, N, 0);
    ok(fits.best == MPG_GAMMA && near(fits.fit[MPG_GAMMA].value[0], 2.385, 0.01) &&
           fits.fit[MPG_GAMMA].ks < 1.5e-3,
       "a million samples");
    for (int i = 0; i < N; i++)
        x[i] = floor(x[i] / 300);
    fits = fit(x, N, 0);
    ok(fits.fit[MPG_EXPONENTIAL].n == N, "a million, few different ones");
    free(x);
}

static void test_errors(void)
{
    struct mpg_error err;
    struct mpg_fits fits;
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ok(mpg_fit_all(x, 7, 0, &fits, &err) < 0, "few: %s", err.text);
    ok(mpg_fit_all(x, 8, 1.5, &fits, &err) < 0, "location: %s", err.text);
    ok(mpg_fit_all(x, 8, (double)NAN, &fits, &err) < 0, "location: %s", err.text);
    x[3] = INFINITY;
    ok(mpg_fit_all(x, 8, 0, &fits, &err) < 0, "infinite: %s", err.text);
    for (int i = 0; i < 8; i++)
        x[i] = 0.1;
    ok(mpg_fit_all(x, 8, 0, &fits, &err) < 0, "equal: %s", err.text);
    ok(mpg_fit_all(x, 8, 0.1, &fits, &err) < 0, "equal to the location: %s", err.text);
}

/* Returns how often the test accepts a power-law tail in N values. */
static int holds(size_t n, int times, double (*draw)(void))
{
    static double x[5000];
    int held = 0;
    for (int t = 0; t < times; t++) {
        struct mpg_error err;
        struct mpg_fits fits;
        double p;
        for (size_t i = 0; i < n; i++)
            x[i] = draw();
        held += mpg_fit_all(x, n, 0, &fits, &err) == 0 && fits.fit[MPG_PARETO].n > 0 &&
                mpg_fit_tail_probability(x, n, 0, &fits.fit[MPG_PARETO], &p, &err) == 0 &&
                p >= MPG_FIT_TAIL_PROBABILITY;
    }
    return held;
}

static double draw_pareto(void)
{
    return gsl_ran_pareto(rng, 2.385, 100);
}

/* Returns a value whose body is of no known family and whose tail is a power law. */
static double draw_tailed(void)
{
    return gsl_rng_uniform(rng) < 0.7 ? 100 * gsl_rng_uniform(rng) : gsl_ran_pareto(rng, 1.7, 100);
}

static double draw_uniform(void)
{
    return 100 + 100 * gsl_rng_uniform(rng);
}

static void test_goodness(void)
{
    enum { TIMES = 40 };
    gsl_rng_set(rng, 77);
    int pareto = holds(2000, TIMES, draw_pareto), tailed = holds(2000, TIMES, draw_tailed);
    ok(pareto >= 0.75 * TIMES, "power laws hold, nine in ten: %d of %d", pareto, TIMES);
    ok(tailed >= 0.75 * TIMES, "so do tails of other bodies: %d of %d", tailed, TIMES);
    int uniform = holds(5000, TIMES, draw_uniform);
    ok(uniform <= 0.25 * TIMES, "what ends has none: %d of %d hold", uniform, TIMES);
}

int main(void)
{
    gsl_set_error_handler_off();
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!rng)
        return 1;
    test_maximum();
    test_recognised();
    test_intervals();
    test_tail();
    test_goodness();
    test_quantised();
    test_wide();
    test_many();
    test_errors();
    gsl_rng_free(rng);
    return done();
}
