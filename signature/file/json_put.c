/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON as a stream, one line an array, so that a signature stays readable and
 * compares by line. */
#include "signature/file/json.h"

#include <math.h>
#include <stdlib.h>

static void start_line(struct mpg_json_out *out)
{
    fprintf(out->stream, "\n%*s", 2 * out->depth, "");
}

static void put_quoted(struct mpg_json_out *out, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (quoted) {
        fputs(quoted, out->stream);
    } else {
        out->failed = true;
        mpg_error_set(&out->why, "out of memory");
    }
    free(quoted);
}

/* What stands before a member or an element. */
static void put_key(struct mpg_json_out *out, const char *key)
{
    if (!out->empty)
        putc(',', out->stream);
    if (out->line)
        start_line(out);
    else if (!out->empty)
        putc(' ', out->stream);
    out->empty = out->line = false;
    if (!key)
        return;
    put_quoted(out, key);
    fputs(": ", out->stream);
}

void mpg_json_begin(struct mpg_json_out *out, const char *key, char bracket)
{
    put_key(out, key);
    putc(bracket, out->stream);
    out->depth++;
    out->empty = true;
}

void mpg_json_end(struct mpg_json_out *out, char bracket, bool line)
{
    out->depth--;
    if (line && !out->empty)
        start_line(out);
    putc(bracket, out->stream);
    out->empty = out->line = false;
}

void mpg_json_line(struct mpg_json_out *out)
{
    out->line = true;
}

static void put_double(FILE *stream, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value + 0.0); /* no -0 */
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, stream);
}

void mpg_json_put_number(struct mpg_json_out *out, const char *key, double value)
{
    put_key(out, key);
    put_double(out->stream, value);
}

void mpg_json_put_integer(struct mpg_json_out *out, const char *key, int64_t value)
{
    put_key(out, key);
    fprintf(out->stream, "%lld", (long long)value);
}

void mpg_json_put_flag(struct mpg_json_out *out, const char *key, bool value)
{
    put_key(out, key);
    fputs(value ? "true" : "false", out->stream);
}

void mpg_json_put_text(struct mpg_json_out *out, const char *key, const char *text)
{
    if (!text)
        return;
    put_key(out, key);
    put_quoted(out, text);
}

void mpg_json_put_letters(struct mpg_json_out *out, const char *key, const char *letters, size_t n)
{
    put_key(out, key);
    fprintf(out->stream, "\"%.*s\"", (int)n, letters);
}

void mpg_json_put_numbers(struct mpg_json_out *out, const char *key, const double *values,
                          size_t n)
{
    mpg_json_line(out);
    put_key(out, key);
    putc('[', out->stream);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', out->stream);
        put_double(out->stream, values[i]);
    }
    putc(']', out->stream);
    mpg_json_line(out);
}

void mpg_json_put_facts(struct mpg_json_out *out, const char *key, const struct mpg_fact *fact,
                        size_t n)
{
    mpg_json_begin(out, key, '{');
    for (size_t i = 0; i < n; i++) {
        mpg_json_line(out);
        mpg_json_put_text(out, fact[i].key, fact[i].value);
    }
    mpg_json_end(out, '}', true);
}

static void put_fit(struct mpg_json_out *out, const struct mpg_distribution_fit *fit)
{
    mpg_json_begin(out, NULL, '{');
    mpg_json_put_text(out, "family", fit->family);
    mpg_json_put_number(out, "location", fit->location);
    mpg_json_begin(out, "parameters", '[');
    for (int i = 0; i < fit->parameters; i++) {
        mpg_json_begin(out, NULL, '{');
        mpg_json_put_text(out, "name", fit->name[i]);
        mpg_json_put_number(out, "value", fit->value[i]);
        mpg_json_put_number(out, "low", fit->low[i]);
        mpg_json_put_number(out, "high", fit->high[i]);
        mpg_json_end(out, '}', false);
    }
    mpg_json_end(out, ']', false);
    mpg_json_put_number(out, "distance", fit->distance);
    mpg_json_put_number(out, "tail_fraction", fit->tail_fraction);
    mpg_json_end(out, '}', false);
}

/* Whether D's probabilities need not be said. */
static bool equal_steps(const struct mpg_distribution *d)
{
    for (size_t i = 0; i < d->knots; i++)
        if (d->probabilities[i] != (double)i / (double)(d->knots - 1))
            return false;
    return true;
}

/* An end that is open is left out. */
static void put_intervals(struct mpg_json_out *out, const struct mpg_distribution *d)
{
    if (d->intervals == 0)
        return;
    mpg_json_put_number(out, "rank_lag1", d->rank_lag1);
    mpg_json_begin(out, "intervals", '[');
    for (size_t i = 0; i < d->intervals; i++) {
        const struct mpg_quantile_interval *interval = &d->interval[i];
        mpg_json_begin(out, NULL, '{');
        mpg_json_put_number(out, "probability", interval->p);
        if (isfinite(interval->low))
            mpg_json_put_number(out, "low", interval->low);
        if (isfinite(interval->high))
            mpg_json_put_number(out, "high", interval->high);
        mpg_json_put_number(out, "independent", interval->independent);
        mpg_json_put_number(out, "freedom", interval->freedom);
        mpg_json_put_integer(out, "launches", (int64_t)interval->launches);
        mpg_json_end(out, '}', false);
    }
    mpg_json_end(out, ']', false);
}

void mpg_json_put_distribution(struct mpg_json_out *out, const char *key,
                               const struct mpg_distribution *d)
{
    if (!d)
        return;
    mpg_json_begin(out, key, '{');
    mpg_json_put_integer(out, "n", (int64_t)d->n);
    mpg_json_put_number(out, "mean", d->mean);
    mpg_json_put_number(out, "sd", d->sd);
    mpg_json_put_number(out, "lag1", d->lag1);
    if (!equal_steps(d))
        mpg_json_put_numbers(out, "probabilities", d->probabilities, d->knots);
    mpg_json_put_numbers(out, "quantiles", d->quantiles, d->knots);
    if (d->fits > 0) {
        mpg_json_begin(out, "fits", '[');
        for (size_t i = 0; i < d->fits; i++) {
            mpg_json_line(out);
            put_fit(out, &d->fit[i]);
        }
        mpg_json_end(out, ']', false);
    }
    put_intervals(out, d);
    mpg_json_end(out, '}', false);
}
