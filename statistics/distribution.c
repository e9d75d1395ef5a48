/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Empirical distributions: makes, checks and evaluates them. */
#include "statistics/distribution.h"

#include <float.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"

static int check_knots(size_t knots, struct mpg_error *err)
{
    if (knots < 2 || knots > MPG_DISTRIBUTION_MAX_KNOTS)
        return mpg_error_set(err, "a distribution has 2 to %d knots, not %zu",
                             (int)MPG_DISTRIBUTION_MAX_KNOTS, knots);
    return 0;
}

static int check_samples(const double *samples, size_t n, struct mpg_error *err)
{
    if (n == 0)
        return mpg_error_set(err, "a distribution needs at least one sample");
    for (size_t i = 0; i < n; i++)
        if (!(fabs(samples[i]) <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "sample %zu is %g, too large for a distribution", i,
                                 samples[i]);
    return 0;
}

/* Computes mean, standard deviation and autocorrelation. For equal samples, rounding of the mean would give a tiny
 * variance instead of 0, hence the special case. */
static void fill_moments(struct mpg_distribution *d, const double *samples)
{
    double min = d->quantiles[0], max = d->quantiles[d->knots - 1];
    if (min == max) {
        d->mean = min;
        return;
    }
    double mean = gsl_stats_mean(samples, 1, d->n);
    d->mean = fmin(fmax(mean, min), max);
    d->sd = gsl_stats_sd_m(samples, 1, d->n, mean);
    double lag1 = gsl_stats_lag1_autocorrelation_m(samples, 1, d->n, mean);
    d->lag1 = isfinite(lag1) ? fmin(fmax(lag1, -1), 1) : 0;
}

struct mpg_distribution *mpg_distribution_from_pieces(const struct mpg_pieces *pieces,
                                                      size_t knots, struct mpg_error *err)
{
    if (check_knots(knots, err) < 0)
        return NULL;
    struct mpg_distribution *d = calloc(1, sizeof *d);
    if (!d) {
        mpg_error_set(err, "out of memory for a distribution");
        return NULL;
    }
    d->n = pieces->samples;
    if (mpg_knots_choose(pieces, knots, &d->knots, &d->probabilities, &d->quantiles, err) < 0 ||
        mpg_distribution_prepare(d, err) < 0) {
        mpg_distribution_free(d);
        return NULL;
    }
    return d;
}

struct mpg_distribution *mpg_distribution_from_samples(const double *samples, size_t n,
                                                       size_t knots, struct mpg_error *err)
{
    if (check_samples(samples, n, err) < 0)
        return NULL;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted) {
        mpg_error_set(err, "out of memory for %zu samples", n);
        return NULL;
    }
    memcpy(sorted, samples, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    struct mpg_pieces pieces = {.n = n, .from = sorted, .to = sorted, .samples = n};
    struct mpg_distribution *d = mpg_distribution_from_pieces(&pieces, knots, err);
    if (d)
        fill_moments(d, samples);
    free(sorted);
    return d;
}

struct mpg_distribution *mpg_distribution_thin(const struct mpg_distribution *d,
                                                     size_t knots, struct mpg_error *err)
{
    double *from = malloc(3 * d->knots * sizeof *from);
    if (!from) {
        mpg_error_set(err, "out of memory for %zu knots", d->knots);
        return NULL;
    }
    struct mpg_pieces pieces = {0, from, from + d->knots, from + 2 * d->knots, d->n};
    for (size_t i = 1; i < d->knots; i++)
        if (d->probabilities[i - 1] < d->probabilities[i]) {
            from[pieces.n] = d->quantiles[i - 1];
            from[d->knots + pieces.n] = d->quantiles[i];
            from[2 * d->knots + pieces.n++] = d->probabilities[i];
        }
    struct mpg_distribution *made = mpg_distribution_from_pieces(&pieces, knots, err);
    if (made) {
        made->mean = d->mean;
        made->sd = d->sd;
        made->lag1 = d->lag1;
    }
    free(from);
    return made;
}

/* Fills GUIDE with the last knot at or below each multiple of 1 / CELLS; a look-up between two multiples searches few
 * knots. */
static void fill_guide(struct mpg_distribution *d, size_t cells, uint16_t *guide)
{
    for (size_t i = 0, knot = 0; i <= cells; i++) {
        while (knot + 2 < d->knots && d->probabilities[knot + 1] <= (double)i / (double)cells)
            knot++;
        guide[i] = (uint16_t)knot; /* a distribution has at most 65537 knots */
    }
    free(d->guide);
    d->guide = guide;
    d->cells = (double)cells;
}

/* Returns the slope of the line from value MIN at probability FROM to value MAX at TO. The slope is lowered until
 * rounding cannot lift a point of the line above MAX. */
static double slope_of(double from, double to, double min, double max)
{
    double slope = to > from ? fmin((max - min) / (to - from), DBL_MAX) : 0;
    while (min + (to - from) * slope > max)
        slope = nextafter(slope, 0);
    return slope;
}

static void fill_pieces(struct mpg_distribution *d, struct mpg_distribution_piece *piece)
{
    for (size_t i = 0; i + 1 < d->knots; i++)
        piece[i] = (struct mpg_distribution_piece){.from = d->probabilities[i],
                                                   .to = d->probabilities[i + 1],
                                                   .min = d->quantiles[i],
                                                   .slope = slope_of(d->probabilities[i],
                                                                     d->probabilities[i + 1],
                                                                     d->quantiles[i],
                                                                     d->quantiles[i + 1])};
    free(d->piece);
    d->piece = piece;
}

int mpg_distribution_prepare(struct mpg_distribution *d, struct mpg_error *err)
{
    enum { MAX_CELLS = 65536 };
    size_t last = d->knots - 1, cells = 1;
    while (cells < 8 * d->knots && cells < MAX_CELLS)
        cells *= 2;
    uint16_t *guide = malloc((cells + 1) * sizeof *guide);
    struct mpg_distribution_piece *piece = malloc(last * sizeof *piece);
    double *steps = d->probabilities ? NULL : malloc(d->knots * sizeof *steps);
    if (!guide || !piece || (!d->probabilities && !steps)) {
        free(guide);
        free(piece);
        free(steps);
        return mpg_error_set(err, "out of memory for %zu knots", d->knots);
    }
    for (size_t i = 0; steps && i <= last; i++)
        steps[i] = (double)i / (double)last;
    if (steps)
        d->probabilities = steps;
    fill_guide(d, cells, guide);
    fill_pieces(d, piece);
    return 0;
}

double mpg_distribution_quantile(const struct mpg_distribution *d, double u)
{
    size_t low = 0, high = d->knots - 1; /* invariant: probabilities[low] <= u < probabilities[high] */
    if (!(u > 0))
        return d->quantiles[0];
    if (u >= 1)
        return d->quantiles[high];
    if (d->cells > 0) { /* cells is a power of 2, so the product is exact */
        size_t cell = (size_t)(u * d->cells);
        low = d->guide[cell];
        high = (size_t)d->guide[cell + 1] + 1;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->probabilities[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    double from = d->probabilities[low], to = d->probabilities[high];
    double min = d->quantiles[low], max = d->quantiles[high];
    if (u == from && low > 0 && d->probabilities[low - 1] == u) /* two knots with this probability: the values jump */
        return d->quantiles[low - 1] + (min - d->quantiles[low - 1]) * (1 - u);
    return min + (u - from) * (d->piece ? d->piece[low].slope : slope_of(from, to, min, max));
}

static int check_name(const char *name, const char *key, struct mpg_error *err)
{
    if (!name || !*name)
        return mpg_error_set(err, "%s is missing", key);
    if (!mpg_text_is_line(name) || strlen(name) > MPG_LINE_MAX_BYTES)
        return mpg_error_set(err, "%s is not one short line of text", key);
    return 0;
}

static int check_fit(const struct mpg_distribution_fit *fit, struct mpg_error *err)
{
    if (check_name(fit->family, "family", err) < 0)
        return -1;
    if (!(fabs(fit->location) <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "location is %g, out of range", fit->location);
    if (fit->parameters < 1 || fit->parameters > 2)
        return mpg_error_set(err, "there are %d parameters, not 1 or 2", fit->parameters);
    for (int i = 0; i < fit->parameters; i++) {
        if (check_name(fit->name[i], "name", err) < 0)
            return mpg_error_prefix(err, "parameters[%d]", i);
        if (!isfinite(fit->value[i]) || !isfinite(fit->low[i]) || !isfinite(fit->high[i]) ||
            fit->low[i] > fit->high[i])
            return mpg_error_set(err, "parameters[%d]: %g, %g to %g, is no confidence interval", i,
                                 fit->value[i], fit->low[i], fit->high[i]);
    }
    if (!(fit->distance >= 0 && fit->distance <= 1))
        return mpg_error_set(err, "distance is %g, not within 0 to 1", fit->distance);
    if (!(fit->tail_fraction > 0 && fit->tail_fraction <= 1))
        return mpg_error_set(err, "tail_fraction is %g, not above 0 and at most 1",
                             fit->tail_fraction);
    return 0;
}

static int check_interval(const struct mpg_quantile_interval *i, struct mpg_error *err)
{
    if (!(i->p > 0 && i->p < 1))
        return mpg_error_set(err, "probability is %g, not between 0 and 1", i->p);
    if (!(i->low <= i->high) || i->low == INFINITY || i->high == -INFINITY)
        return mpg_error_set(err, "%g to %g is no confidence interval", i->low, i->high);
    if (!(i->independent >= 1 && isfinite(i->independent)))
        return mpg_error_set(err, "independent is %g, not at least 1", i->independent);
    if (!(i->freedom >= 1 && isfinite(i->freedom)))
        return mpg_error_set(err, "freedom is %g, not at least 1", i->freedom);
    if (i->launches < 1)
        return mpg_error_set(err, "launches is 0");
    return 0;
}

static int check_intervals(const struct mpg_distribution *d, struct mpg_error *err)
{
    if (!(d->rank_lag1 >= -1 && d->rank_lag1 <= 1))
        return mpg_error_set(err, "rank_lag1 is %g, not within -1 to 1", d->rank_lag1);
    if (d->intervals > MPG_DISTRIBUTION_MAX_INTERVALS)
        return mpg_error_set(err, "there are %zu intervals, more than %d", d->intervals,
                             (int)MPG_DISTRIBUTION_MAX_INTERVALS);
    for (size_t i = 0; i < d->intervals; i++) {
        if (check_interval(&d->interval[i], err) < 0)
            return mpg_error_prefix(err, "intervals[%zu]", i);
        if (i > 0 && !(d->interval[i].p > d->interval[i - 1].p))
            return mpg_error_set(err, "intervals[%zu]: probability %g does not ascend", i,
                                 d->interval[i].p);
    }
    return 0;
}

static int check_probabilities(const struct mpg_distribution *d, struct mpg_error *err)
{
    const double *p = d->probabilities;
    size_t last = d->knots - 1;
    if (!p)
        return 0;
    if (p[0] != 0 || p[last] != 1)
        return mpg_error_set(err, "probabilities do not begin with 0 and end with 1");
    for (size_t i = 1; i <= last; i++) {
        if (!(p[i] >= p[i - 1]))
            return mpg_error_set(err, "probabilities[%zu] is %g, below the %g before it", i, p[i],
                                 p[i - 1]);
        bool end = p[i] == 0 || p[i - 1] == 1;
        if (p[i] == p[i - 1] && (end || (i > 1 && p[i] == p[i - 2])))
            return mpg_error_set(err, "probabilities[%zu] is %g again, which only a jump within"
                                      " 0 to 1 may, once", i, p[i]);
    }
    return 0;
}

double mpg_distribution_drawn_mean(const struct mpg_distribution *d)
{
    double mean = 0;
    for (size_t i = 1; i < d->knots; i++)
        mean += (d->probabilities[i] - d->probabilities[i - 1]) * (d->quantiles[i] + d->quantiles[i - 1]) / 2;
    return mean;
}

int mpg_distribution_check(const struct mpg_distribution *d, struct mpg_error *err)
{
    if (d->n == 0)
        return mpg_error_set(err, "n is 0");
    if (d->knots < 2 || d->knots > MPG_DISTRIBUTION_MAX_KNOTS)
        return mpg_error_set(err, "quantiles has %zu values, not 2 to %d", d->knots,
                             (int)MPG_DISTRIBUTION_MAX_KNOTS);
    if (check_probabilities(d, err) < 0)
        return -1;
    for (size_t i = 0; i < d->knots; i++) {
        if (!(fabs(d->quantiles[i]) <= MPG_DISTRIBUTION_LIMIT))
            return mpg_error_set(err, "quantiles[%zu] is %g, out of range", i, d->quantiles[i]);
        if (i > 0 && d->quantiles[i] < d->quantiles[i - 1])
            return mpg_error_set(err, "quantiles[%zu] is %g, below the %g before it", i,
                                 d->quantiles[i], d->quantiles[i - 1]);
    }
    double min = d->quantiles[0], max = d->quantiles[d->knots - 1];
    double tolerance = 1e-9 * fmax(fabs(min), fabs(max));
    if (!(d->mean >= min - tolerance && d->mean <= max + tolerance))
        return mpg_error_set(err, "mean is %g, outside the quantiles' %g to %g", d->mean, min,
                             max);
    if (!(d->sd >= 0 && d->sd <= 2 * MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "sd is %g, not a standard deviation", d->sd);
    if (!(d->lag1 >= -1 && d->lag1 <= 1))
        return mpg_error_set(err, "lag1 is %g, not within -1 to 1", d->lag1);
    if (d->fits > MPG_DISTRIBUTION_MAX_FITS)
        return mpg_error_set(err, "there are %zu fits, more than %d", d->fits,
                             (int)MPG_DISTRIBUTION_MAX_FITS);
    for (size_t i = 0; i < d->fits; i++)
        if (check_fit(&d->fit[i], err) < 0)
            return mpg_error_prefix(err, "fits[%zu]", i);
    return check_intervals(d, err);
}

void mpg_distribution_free(struct mpg_distribution *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->fits; i++) {
        free(d->fit[i].family);
        free(d->fit[i].name[0]);
        free(d->fit[i].name[1]);
    }
    free(d->interval);
    free(d->fit);
    free(d->guide);
    free(d->piece);
    free(d->probabilities);
    free(d->quantiles);
    free(d);
}
