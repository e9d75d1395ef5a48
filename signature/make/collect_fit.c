/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits of parametric families to times. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/fit.h"

/* Maximum number of samples in a fit: enough to distinguish families with distances that differ by a hundredth. */
#define FITTED 10000

/* Returns whether family A comes before B in a signature: the best family first, then by distance, the Pareto tail
 * last. */
static bool is_better(const struct mpg_fits *fits, enum mpg_family a, enum mpg_family b)
{
    if ((a == MPG_PARETO) != (b == MPG_PARETO))
        return b == MPG_PARETO;
    if ((a == fits->best) != (b == fits->best))
        return a == fits->best;
    return fits->fit[a].ks < fits->fit[b].ks;
}

static int copy_fit(const struct mpg_fits *fits, enum mpg_family family,
                    struct mpg_distribution_fit *to, struct mpg_error *err)
{
    const struct mpg_fit *fit = &fits->fit[family];
    bool tail = family == MPG_PARETO;
    *to = (struct mpg_distribution_fit){
        .location = fits->location, .parameters = fit->parameters, .distance = fit->ks,
        .tail_fraction = (double)fit->n / (double)fits->n};
    for (int p = 0; p < fit->parameters; p++) {
        to->name[p] = strdup(mpg_family_parameter(family, p));
        to->value[p] = fit->value[p];
        to->low[p] = fit->low[p];
        to->high[p] = fit->high[p];
    }
    if (tail) { /* the threshold is chosen, not estimated: no interval */
        to->parameters = 2;
        to->name[1] = strdup("threshold");
        to->value[1] = to->low[1] = to->high[1] = fit->threshold;
    }
    to->family = strdup(tail ? "pareto tail" : mpg_family_name(family));
    if (!to->family || !to->name[0] || (to->parameters > 1 && !to->name[1]))
        return mpg_collect_no_memory(err);
    return 0;
}

static int copy_fits(const struct mpg_fits *fits, struct mpg_distribution *d,
                     struct mpg_error *err)
{
    bool done[MPG_FAMILIES] = {false};
    if (!(d->fit = calloc(MPG_FAMILIES, sizeof *d->fit)))
        return mpg_collect_no_memory(err);
    for (;;) {
        int next = -1;
        for (int f = 0; f < MPG_FAMILIES; f++)
            if (!done[f] && fits->fit[f].n > 0 &&
                (next < 0 || is_better(fits, (enum mpg_family)f, (enum mpg_family)next)))
                next = f;
        if (next < 0)
            return 0;
        done[next] = true;
        if (copy_fit(fits, (enum mpg_family)next, &d->fit[d->fits++], err) < 0)
            return -1;
    }
}

/* Fits the families to times that start at 0, and again to times that start just below the minimum MIN. Keeps the second fits
 * only if the best family of the second fits is nearer to the samples by more than the sampling error. The second fits start
 * below MIN by the expected minimum of n exponentially distributed times. */
static int fit_located(const double *samples, size_t n, double min, struct mpg_fits *fits)
{
    struct mpg_fits from_min;
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += samples[i] / (double)n;
    double location = fmax(0, min - (mean - min) / (double)n);
    int from_0 = mpg_fit_all(samples, n, 0, fits, NULL);
    if (location == 0 || mpg_fit_all(samples, n, location, &from_min, NULL) < 0)
        return from_0;
    if (from_0 < 0 || from_min.fit[from_min.best].ks <
                          fits->fit[fits->best].ks - 0.5 / sqrt((double)n))
        *fits = from_min;
    return 0;
}

/* Removes the Pareto tail from FITS if the goodness-of-fit test rejects the tail. */
static int drop_tail(const double *samples, size_t n, struct mpg_fits *fits,
                     struct mpg_error *err)
{
    struct mpg_fit *tail = &fits->fit[MPG_PARETO];
    double probability = 0;
    if (tail->n > 0 && mpg_fit_tail_probability(samples, n, fits->location, tail, &probability,
                                                err) < 0)
        return -1;
    if (probability < MPG_FIT_TAIL_PROBABILITY)
        tail->n = 0;
    return 0;
}

int mpg_collect_fit(const double *samples, size_t n, struct mpg_distribution *d,
                    struct mpg_error *err)
{
    size_t step = (n + FITTED - 1) / FITTED, taken = 0;
    double *some = malloc((n / step + 1) * sizeof *some);
    struct mpg_fits fits;
    if (!some)
        return mpg_collect_no_memory(err);
    double min = INFINITY;
    for (size_t i = 0; i < n; i += step) {
        some[taken++] = samples[i];
        min = fmin(min, samples[i]);
    }
    /* A fit can fail (too few samples, or all equal): the distribution then has no families. */
    int status = 0;
    if (fit_located(some, taken, min, &fits) == 0) {
        status = drop_tail(some, taken, &fits, err);
        if (status == 0)
            status = copy_fits(&fits, d, err);
    }
    free(some);
    return status;
}

int mpg_collect_samples(const struct mpg_samples *s, bool fit, struct mpg_distribution **d,
                        struct mpg_error *err)
{
    *d = mpg_distribution_from_samples(s->value, s->n, MPG_DISTRIBUTION_KNOTS, err);
    if (!*d || mpg_collect_intervals(*d, s, 1, err) < 0)
        return -1;
    return fit ? mpg_collect_fit(s->value, s->n, *d, err) : 0;
}

int mpg_collect_distribution(const double *samples, size_t n, bool fit,
                             struct mpg_distribution **d, struct mpg_error *err)
{
    return mpg_collect_samples(&(struct mpg_samples){.n = n, .value = samples}, fit, d, err);
}
