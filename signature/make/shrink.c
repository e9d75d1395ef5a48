/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digits and values that a signature can do without. */
#include "config.h"

#include "signature/make/shrink.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/json.h"

/* Digits of what is estimated from samples; a millionth is less than any of them tells. */
enum { DIGITS = 6, PLOT_DIGITS = 5 };
/* Of each core, without its detours' text: keys, brackets, counts. */
enum { CORE_BYTES = 256 };

static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return strtod(text, NULL);
}

/* ---- digits ---- */

/* The extremes stay exact. */
static void round_distribution(struct mpg_distribution *d)
{
    if (!d)
        return;
    double least = d->quantiles[0], most = d->quantiles[d->knots - 1];
    for (size_t i = 1; i + 1 < d->knots; i++)
        d->quantiles[i] = fmin(fmax(rounded(d->quantiles[i], DIGITS), least), most);
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
        s->most[i] = rounded(s->most[i], PLOT_DIGITS);
    }
}

/* ---- values ---- */

/* Every second quantile: again equally spaced, with both extremes. */
static void halve_quantiles(struct mpg_distribution *d)
{
    enum { LEAST_KNOTS = 9 };
    if (!d || (d->knots - 1) % 2 != 0 || d->knots < 2 * LEAST_KNOTS - 1)
        return;
    d->knots = (d->knots - 1) / 2 + 1;
    for (size_t i = 1; i < d->knots; i++)
        d->quantiles[i] = d->quantiles[2 * i];
}

/* The best MOST families. */
static void drop_fits(struct mpg_distribution *d, size_t most)
{
    for (; d && d->fits > most; d->fits--) {
        struct mpg_distribution_fit *fit = &d->fit[d->fits - 1];
        free(fit->family);
        free(fit->name[0]);
        free(fit->name[1]);
    }
}

/* Two steps become one. */
static void halve_series(struct mpg_noise_series *s)
{
    enum { LEAST_VALUES = 32 };
    if (s->n < 2 * LEAST_VALUES)
        return;
    size_t made = (s->n + 1) / 2;
    for (size_t i = 0; i < made; i++) {
        size_t a = 2 * i, b = a + 1 < s->n ? a + 1 : a;
        s->most[i] = fmax(s->most[a], s->most[b]);
        s->mean[i] = fmin((s->mean[a] + s->mean[b]) / 2, s->most[i]);
    }
    s->n = made;
    s->step *= 2;
}

typedef void change_function(struct mpg_distribution *d, size_t argument);

static void round_it(struct mpg_distribution *d, size_t argument)
{
    (void)argument;
    round_distribution(d);
}

/* Half the quantiles, and at most KEPT fits. */
static void thin_it(struct mpg_distribution *d, size_t kept)
{
    halve_quantiles(d);
    drop_fits(d, kept);
}

static void change_sizes(struct mpg_network_sizes *sizes, change_function *change, size_t argument)
{
    for (size_t i = 0; i < sizes->n; i++)
        change(sizes->size[i].time_ns, argument);
}

static void change_network(struct mpg_signature *sig, change_function *change, size_t argument)
{
    for (size_t i = 0; i < sig->paths; i++) {
        struct mpg_network_path *p = &sig->network[i];
        change_sizes(&p->latency, change, argument);
        change_sizes(&p->round_trip, change, argument);
        change_sizes(&p->bandwidth, change, argument);
        change_sizes(&p->sender, change, argument);
        change_sizes(&p->streaming, change, argument);
    }
    for (size_t i = 0; i < sig->collectives; i++)
        change(sig->collective[i].time_ns, argument);
}

static void change_cores(struct mpg_signature *sig, change_function *change, size_t argument)
{
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        change(c->gap_ns, argument);
        change(c->length_ns, argument);
        change(c->ftq.lost_ns, argument);
        change(c->fwq.lost_ns, argument);
    }
    for (size_t i = 0; i < sig->rates; i++)
        change(sig->rate[i].rate, argument);
}

static void round_all(struct mpg_signature *sig)
{
    change_network(sig, round_it, 0);
    change_cores(sig, round_it, 0);
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        round_series(&c->series);
        round_series(&c->spectrum);
        for (size_t k = 0; k < c->lags; k++)
            c->autocorrelation[k] = rounded(c->autocorrelation[k], PLOT_DIGITS);
    }
}

/* Halves what there is of each core for plots. */
static void thin_plots(struct mpg_signature *sig)
{
    for (size_t i = 0; i < sig->cores; i++) {
        struct mpg_noise_core *c = &sig->core[i];
        halve_series(&c->series);
        halve_series(&c->spectrum);
        c->lags = c->lags > 32 ? c->lags / 2 : c->lags;
    }
}

/* Step STEP of thinning; false after the last one. */
static bool thin(struct mpg_signature *sig, int step)
{
    enum { CORE_STEPS = 5, NETWORK_STEPS = 3 };
    static const size_t fits[CORE_STEPS] = {3, 2, 1, 1, 0};
    if (step >= CORE_STEPS + NETWORK_STEPS)
        return false;
    if (step < CORE_STEPS) {
        thin_plots(sig);
        change_cores(sig, thin_it, fits[step]);
    } else {
        change_network(sig, thin_it, 1);
    }
    return true;
}

/* ---- size ---- */

static ssize_t count_bytes(void *cookie, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)cookie += n;
    return (ssize_t)n;
}

/* How many bytes SIG's file has without its detours. */
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
    for (int step = 0; bytes > room / 2 && thin(sig, step); step++)
        if (measure(sig, &bytes, err) < 0)
            return -1;
    *left = bytes < room ? room - bytes : 0;
    return 0;
}
