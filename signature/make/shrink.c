/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduces digits and values of a signature to fit its size limit. */
#include "config.h"

#include "signature/make/shrink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/json.h"

/* Significant digits of values: estimates from samples are uncertain by more than a millionth. */
enum { DIGITS = 6, PLOT_DIGITS = 5 };
/* Bytes reserved for each core's detours in addition to the packed text: keys, brackets, counts. */
enum { CORE_BYTES = 256 };

static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

/* ---- digits ---- */

/* Rounds D's quantiles to DIGITS. Minimum and maximum stay exact. */
static void round_distribution(struct mpg_distribution *d)
{
    if (!d)
        return;
    double min = d->quantiles[0], max = d->quantiles[d->knots - 1];
    for (size_t i = 1; i + 1 < d->knots; i++)
        d->quantiles[i] = fmin(fmax(rounded(d->quantiles[i], DIGITS), min), max);
    for (size_t i = 0; i < d->fits; i++) {
        struct mpg_distribution_fit *fit = &d->fit[i];
        for (int p = 0; p < fit->parameters; p++) {
            fit->value[p] = rounded(fit->value[p], DIGITS);
            fit->low[p] = rounded(fit->low[p], DIGITS);
            fit->high[p] = rounded(fit->high[p], DIGITS);
        }
        fit->distance = rounded(fit->distance, DIGITS);
        fit->tail_fraction = rounded(fit->tail_fraction, DIGITS);
    }
}

static void round_series(struct mpg_noise_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        s->mean[i] = rounded(s->mean[i], PLOT_DIGITS);
        s->max[i] = rounded(s->max[i], PLOT_DIGITS);
    }
}

/* ---- values ---- */

/* Keeps half of the blocks: every other block, since blocks ascend in level. */
static int halve_rows(struct mpg_rows *rows, struct mpg_error *err)
{
    enum { MIN_BLOCKS = 4 };
    size_t n = rows->blocks / 2;
    if (n < MIN_BLOCKS)
        return 0;
    for (size_t b = 0; b < n; b++)
        memmove(rows->classes + b * rows->length,
                rows->classes + (2 * b + (b >= n / 2)) * rows->length, rows->length);
    rows->blocks = n;
    return mpg_rows_expand(rows, err);
}

static int halve_all_rows(struct mpg_signature *sig, struct mpg_error *err)
{
    for (size_t i = 0; i < sig->paths + sig->device_paths; i++) {
        struct mpg_network_sizes *sizes = &mpg_signature_each_path(sig, i)->latency;
        for (size_t k = 0; k < sizes->n; k++)
            if (halve_rows(&sizes->size[k].rows, err) < 0)
                return -1;
    }
    return 0;
}

/* Keeps the MAX >= 1 best families. The best family fitted to all samples is always kept: simulations draw from this family. */
static void drop_fits(struct mpg_distribution *d, size_t max)
{
    size_t i = 0;
    while (d && i < d->fits && d->fit[i].tail_fraction < 1)
        i++;
    if (d && i >= max && i < d->fits) {
        const struct mpg_distribution_fit moved = d->fit[i];
        d->fit[i] = d->fit[max - 1];
        d->fit[max - 1] = moved;
    }
    for (; d && d->fits > max; d->fits--) {
        struct mpg_distribution_fit *fit = &d->fit[d->fits - 1];
        free(fit->family);
        free(fit->name[0]);
        free(fit->name[1]);
    }
}

/* Halves the number of steps of S: two neighbours become one. */
static void halve_series(struct mpg_noise_series *s)
{
    enum { MIN_VALUES = 32 };
    if (s->n < 2 * MIN_VALUES)
        return;
    size_t made = (s->n + 1) / 2;
    for (size_t i = 0; i < made; i++) {
        size_t a = 2 * i, b = a + 1 < s->n ? a + 1 : a;
        s->max[i] = fmax(s->max[a], s->max[b]);
        s->mean[i] = fmin((s->mean[a] + s->mean[b]) / 2, s->max[i]);
    }
    s->n = made;
    s->step *= 2;
}

typedef int change_function(struct mpg_distribution *d, size_t argument, struct mpg_error *err);

static int round_it(struct mpg_distribution *d, size_t argument, struct mpg_error *err)
{
    (void)argument;
    (void)err;
    round_distribution(d);
    return 0;
}

/* Sets *FEWER to D with KNOTS knots or, if this changes D's mean, with the smallest number of 2 KNOTS, 4 KNOTS ... that preserves
 * the mean; NULL: no number below D's number of knots preserves the mean. */
static int find_fewer(const struct mpg_distribution *d, size_t knots, struct mpg_distribution **fewer,
                      struct mpg_error *err)
{
    const double tolerated = 0.01; /* relative error of the mean */
    for (*fewer = NULL; !*fewer && knots < d->knots; knots *= 2) {
        if (!(*fewer = mpg_distribution_thin(d, knots, err)))
            return -1;
        if (fabs(mpg_distribution_drawn_mean(*fewer) - d->mean) > tolerated * fabs(d->mean)) {
            mpg_distribution_free(*fewer);
            *fewer = NULL;
        }
    }
    return 0;
}

/* Reduces D to KNOTS knots, or more if the mean needs them, and to a fit for each 32 knots, at least 1. */
static int thin_points(struct mpg_distribution *d, size_t knots, struct mpg_error *err)
{
    if (!d)
        return 0;
    drop_fits(d, knots < 64 ? 1 : knots / 32);
    struct mpg_distribution *fewer;
    if (find_fewer(d, knots, &fewer, err) < 0)
        return -1;
    if (!fewer)
        return 0;
    struct mpg_distribution held = *d;
    d->knots = fewer->knots, d->probabilities = fewer->probabilities;
    d->quantiles = fewer->quantiles, d->cells = fewer->cells, d->guide = fewer->guide;
    d->piece = fewer->piece;
    fewer->probabilities = held.probabilities, fewer->quantiles = held.quantiles;
    fewer->guide = held.guide, fewer->piece = held.piece;
    mpg_distribution_free(fewer);
    round_distribution(d);
    return 0;
}

static int change_launches(struct mpg_launches *launches, change_function *change,
                           size_t argument, struct mpg_error *err)
{
    for (size_t i = 0; i < launches->n; i++)
        if (change(launches->ns[i], argument, err) < 0)
            return -1;
    return 0;
}

static int change_sizes(struct mpg_network_sizes *sizes, change_function *change, size_t argument,
                        struct mpg_error *err)
{
    for (size_t i = 0; i < sizes->n; i++)
        if (change(sizes->size[i].time_ns, argument, err) < 0 ||
            change_launches(&sizes->size[i].launches, change, argument, err) < 0)
            return -1;
    return 0;
}

static int change_collectives(struct mpg_collective_time *times, size_t n,
                              change_function *change, size_t argument, struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (change(times[i].time_ns, argument, err) < 0 ||
            change_launches(&times[i].launches, change, argument, err) < 0)
            return -1;
    return 0;
}

static int change_points(struct mpg_sharing_point *points, size_t n, change_function *change, size_t argument,
                         struct mpg_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (change(points[i].value, argument, err) < 0)
            return -1;
    return 0;
}

static int change_network(struct mpg_signature *sig, change_function *change, size_t argument,
                          struct mpg_error *err)
{
    for (size_t i = 0; i < sig->paths + sig->device_paths; i++) {
        struct mpg_network_sizes *all[MPG_NETWORK_LISTS];
        mpg_network_lists(mpg_signature_each_path(sig, i), all);
        for (size_t k = 0; k < MPG_NETWORK_LISTS; k++)
            if (change_sizes(all[k], change, argument, err) < 0)
                return -1;
    }
    if (change_collectives(sig->collective, sig->collectives, change, argument, err) < 0 ||
        change_points(sig->sharing, sig->sharings, change, argument, err) < 0 ||
        change_points(sig->opposite, sig->opposites, change, argument, err) < 0 ||
        change_points(sig->lead, sig->leads, change, argument, err) < 0)
        return -1;
    return change_collectives(sig->reduction, sig->reductions, change, argument, err);
}

static int change_cores(struct mpg_signature *sig, change_function *change, size_t argument,
                        struct mpg_error *err)
{
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        struct mpg_distribution *all[] = {c->gap_ns, c->length_ns, c->ftq.lost_ns, c->fwq.lost_ns};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k] && change(all[k], argument, err) < 0)
                return -1;
    }
    for (size_t i = 0; i < sig->rates; i++)
        if (change(sig->rate[i].rate, argument, err) < 0)
            return -1;
    return 0;
}

static void round_all(struct mpg_signature *sig)
{
    (void)change_network(sig, round_it, 0, NULL); /* cannot fail */
    (void)change_cores(sig, round_it, 0, NULL);
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        round_series(&c->series);
        round_series(&c->spectrum);
        for (size_t k = 0; k < c->lags; k++)
            c->autocorrelation[k] = rounded(c->autocorrelation[k], PLOT_DIGITS);
    }
}

/* Halves each core's series, spectrum and autocorrelation, which serve for plots only. */
static void thin_plots(struct mpg_signature *sig)
{
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        halve_series(&c->series);
        halve_series(&c->spectrum);
        c->lags = c->lags > 32 ? c->lags / 2 : c->lags;
    }
}

/* Drops the distributions of single launches of N collectives or reductions. */
static void drop_launches(struct mpg_collective_time *times, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct mpg_launches *launches = &times[i].launches;
        for (size_t k = 0; k < launches->n; k++)
            mpg_distribution_free(launches->ns[k]);
        free(launches->ns);
        *launches = (struct mpg_launches){0};
    }
}

/* The last step: thins collectives and reductions, which fill the signature if many process counts were measured. */
static int thin_collectives(struct mpg_signature *sig, struct mpg_error *err)
{
    enum { KNOTS = 16 };
    drop_launches(sig->collective, sig->collectives);
    drop_launches(sig->reduction, sig->reductions);
    if (change_collectives(sig->collective, sig->collectives, thin_points, KNOTS, err) < 0)
        return -1;
    return change_collectives(sig->reduction, sig->reductions, thin_points, KNOTS, err);
}

/* Performs thinning step STEP, from 0. Returns 1, or 0 after the last step; -1 with ERR. */
static int thin(struct mpg_signature *sig, int step, struct mpg_error *err)
{
    static const size_t core_knots[] = {128, 96, 64, 32, 16}, network_knots[] = {128, 64, 32};
    enum {
        CORE_STEPS = sizeof core_knots / sizeof *core_knots,
        NETWORK_STEPS = sizeof network_knots / sizeof *network_knots
    };
    int status;
    if (step > CORE_STEPS + NETWORK_STEPS)
        return 0;
    if (step == 0 && halve_all_rows(sig, err) < 0)
        return -1;
    if (step == CORE_STEPS + NETWORK_STEPS) {
        status = thin_collectives(sig, err);
    } else if (step < CORE_STEPS) {
        thin_plots(sig);
        status = change_cores(sig, thin_points, core_knots[step], err);
    } else {
        status = change_network(sig, thin_points, network_knots[step - CORE_STEPS], err);
    }
    return status < 0 ? -1 : 1;
}

/* ---- size ---- */

static ssize_t count_bytes(void *cookie, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)cookie += n;
    return (ssize_t)n;
}

/* Sets *BYTES to the size of SIG's file without detours. */
static int measure(const struct mpg_signature *sig, size_t *bytes, struct mpg_error *err)
{
    *bytes = 0;
    FILE *stream = fopencookie(bytes, "w", (cookie_io_functions_t){.write = count_bytes});
    if (!stream)
        return mpg_error_set(err, "out of memory");
    int status = mpg_signature_put(sig, stream, err);
    if (fclose(stream) != 0 && status == 0)
        status = mpg_error_set(err, "out of memory");
    *bytes += sig->cores * CORE_BYTES;
    return status;
}

static size_t count_nodes(const struct mpg_signature *sig)
{
    size_t nodes = 1;
    for (size_t i = 1; i < sig->cores; i++)
        nodes += strcmp(sig->core[i].host, sig->core[i - 1].host) != 0;
    return nodes;
}

int mpg_shrink(struct mpg_signature *sig, size_t *left, struct mpg_error *err)
{
    size_t bytes, room = count_nodes(sig) * MPG_SIGNATURE_NODE_BYTES;
    round_all(sig);
    if (measure(sig, &bytes, err) < 0)
        return -1;
    for (int step = 0, status = 1; bytes > room / 8 * 5 && status > 0; step++)
        if ((status = thin(sig, step, err)) < 0 || measure(sig, &bytes, err) < 0)
            return -1;
    *left = bytes < room ? room - bytes : 0;
    return 0;
}
