/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writers for facts and distributions, which several parts of a signature contain. */
#include "signature/file/json.h"

#include <math.h>

void mpg_json_put_facts(struct mpg_json *out, const char *key, const struct mpg_fact *fact,
                        size_t n)
{
    mpg_json_object(out, key);
    for (size_t i = 0; i < n; i++) {
        mpg_json_break(out);
        mpg_json_text(out, fact[i].key, fact[i].value);
    }
    mpg_json_close_line(out);
}

static void put_fit(struct mpg_json *out, const struct mpg_distribution_fit *fit)
{
    mpg_json_object(out, NULL);
    mpg_json_text(out, "family", fit->family);
    mpg_json_number(out, "location", fit->location);
    mpg_json_array(out, "parameters");
    for (int i = 0; i < fit->parameters; i++) {
        mpg_json_object(out, NULL);
        mpg_json_text(out, "name", fit->name[i]);
        mpg_json_number(out, "value", fit->value[i]);
        mpg_json_number(out, "low", fit->low[i]);
        mpg_json_number(out, "high", fit->high[i]);
        mpg_json_close(out);
    }
    mpg_json_close(out);
    mpg_json_number(out, "distance", fit->distance);
    mpg_json_number(out, "tail_fraction", fit->tail_fraction);
    mpg_json_close(out);
}

/* Returns true if D's probabilities are equidistant and need not be written. */
static bool equal_steps(const struct mpg_distribution *d)
{
    for (size_t i = 0; i < d->knots; i++)
        if (d->probabilities[i] != (double)i / (double)(d->knots - 1))
            return false;
    return true;
}

/* Puts the intervals of D. An infinite bound is omitted. */
static void put_intervals(struct mpg_json *out, const struct mpg_distribution *d)
{
    if (d->intervals == 0)
        return;
    mpg_json_number(out, "rank_lag1", d->rank_lag1);
    mpg_json_array(out, "intervals");
    for (size_t i = 0; i < d->intervals; i++) {
        const struct mpg_quantile_interval *interval = &d->interval[i];
        mpg_json_object(out, NULL);
        mpg_json_number(out, "probability", interval->p);
        if (isfinite(interval->low))
            mpg_json_number(out, "low", interval->low);
        if (isfinite(interval->high))
            mpg_json_number(out, "high", interval->high);
        mpg_json_number(out, "independent", interval->independent);
        mpg_json_number(out, "freedom", interval->freedom);
        mpg_json_integer(out, "launches", (int64_t)interval->launches);
        mpg_json_close(out);
    }
    mpg_json_close(out);
}

void mpg_json_put_distribution(struct mpg_json *out, const char *key,
                               const struct mpg_distribution *d)
{
    if (!d)
        return;
    mpg_json_object(out, key);
    mpg_json_integer(out, "n", (int64_t)d->n);
    mpg_json_number(out, "mean", d->mean);
    mpg_json_number(out, "sd", d->sd);
    mpg_json_number(out, "lag1", d->lag1);
    if (!equal_steps(d))
        mpg_json_numbers(out, "probabilities", d->probabilities, d->knots);
    mpg_json_numbers(out, "quantiles", d->quantiles, d->knots);
    if (d->fits > 0) {
        mpg_json_array(out, "fits");
        for (size_t i = 0; i < d->fits; i++) {
            mpg_json_break(out);
            put_fit(out, &d->fit[i]);
        }
        mpg_json_close(out);
    }
    put_intervals(out, d);
    mpg_json_close(out);
}
