/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing and inversion of distributions (GSL reference manual, chapter 20). */
#include "simulate/draws/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "common/input.h"
#include "common/nearest.h"
#include "simulate/draws/lane_code.h"

#pragma GCC diagnostic error "-Wswitch-enum"

enum { MAX_SAMPLES = 100000000 };

static const double MAX_SAMPLE_NS = 1e18;
/* Largest draw: stays finite when multiplied by 1e15 bytes, summed 1e12 times and squared. */
static const double MAX_DRAW_NS = 1e100;
/* The largest probability that draws give (simulate/draws/draws.h). */
static const double LARGEST_U = 1 - 0x1p-53;

static const struct {
    const char *name;
    enum mpg_spec_family family;
    int parameters;
    const char *usage;
} families[] = {{"const", MPG_FAMILY_CONST, 1, "const:TIME"},
                {"exp", MPG_FAMILY_EXP, 1, "exp:MEAN"},
                {"normal", MPG_FAMILY_NORMAL, 2, "normal:MEAN,SD"},
                {"gamma", MPG_FAMILY_GAMMA, 2, "gamma:MEAN,SD"},
                {"lognormal", MPG_FAMILY_LOGNORMAL, 2, "lognormal:MEAN,SD"},
                {"pareto", MPG_FAMILY_PARETO, 2, "pareto:MINIMUM,SHAPE"}};

/* Converts VALUE in UNIT, as in "2us", to ns. Returns false if UNIT is unknown. */
static bool take_unit(double *value, const char *unit)
{
    char one[8];
    double factor;
    struct mpg_error ignored;
    snprintf(one, sizeof one, "1%s", unit);
    if (mpg_units_parse_time(one, &factor, &ignored) < 0)
        return false;
    *value *= factor;
    return true;
}

/* Reads samples from PATH: numbers, in ns, or times with units. */
static int read_samples(const char *path, struct mpg_spec *spec, struct mpg_error *err)
{
    FILE *stream = mpg_input_open(path);
    if (!stream)
        return mpg_error_errno(err, errno, "%s", path);
    double *samples = NULL, value;
    size_t n = 0, capacity = 0;
    int status = -1, got;
    char unit[4];
    while ((got = fscanf(stream, "%lf%3[a-z]", &value, unit)) >= 1) {
        if (got == 2 && !take_unit(&value, unit))
            break;
        if (!(fabs(value) <= MAX_SAMPLE_NS) || n == MAX_SAMPLES) {
            mpg_error_set(err, "%s: sample %zu is %s", path, n + 1,
                          n == MAX_SAMPLES ? "one too many"
                          : isfinite(value) ? "more than 31 years" : "not finite");
            goto out;
        }
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            double *grown = realloc(samples, capacity * sizeof *samples);
            if (!grown) {
                mpg_error_set(err, "out of memory");
                goto out;
            }
            samples = grown;
        }
        samples[n++] = value;
    }
    if (ferror(stream)) {
        mpg_error_errno(err, errno, "%s", path);
        goto out;
    }
    if (got != EOF || n == 0) {
        mpg_error_set(err, "%s: %s", path,
                      got == EOF ? "holds no numbers" : "holds other text than numbers (in ns) and times");
        goto out;
    }
    spec->samples = mpg_distribution_from_samples(samples, n, MPG_DISTRIBUTION_KNOTS, err);
    spec->times = 1;
    status = spec->samples ? 0 : -1;
out:
    free(samples);
    (void)fclose(stream);
    return status;
}

static int derive(struct mpg_spec *s, struct mpg_error *err)
{
    bool ok = true;
    switch (s->family) {
    case MPG_FAMILY_EXP:
        ok = s->a >= 0;
        break;
    case MPG_FAMILY_NORMAL:
        ok = s->b >= 0;
        break;
    case MPG_FAMILY_GAMMA:
        ok = s->a > 0 && s->b > 0;
        if (ok && s->a / s->b > 1e15) /* the standard deviation is too small for the computation below */
            s->family = MPG_FAMILY_CONST;
        s->gamma = mpg_gamma_make(ok ? s->a / s->b * (s->a / s->b) : 1);
        s->scale = ok ? s->b / s->a * s->b : 0;
        break;
    case MPG_FAMILY_LOGNORMAL: {
        ok = s->a > 0 && s->b >= 0;
        double ratio = ok ? s->b / s->a : 0;
        s->scale = sqrt(log1p(ratio * ratio));                /* sigma */
        s->shape = ok ? log(s->a) - s->scale * s->scale / 2 : 0; /* mu */
        break;
    }
    case MPG_FAMILY_PARETO:
        ok = s->a > 0 && s->b > 0;
        break;
    case MPG_FAMILY_NONE:
    case MPG_FAMILY_CONST:
    case MPG_FAMILY_FILE:
        break;
    }
    if (!ok)
        return mpg_error_set(err, "a parameter is out of range");
    if (!(fabs(mpg_spec_quantile(s, LARGEST_U)) <= MAX_DRAW_NS))
        return mpg_error_set(err, "with these parameters values are too large to add up");
    return 0;
}

/* Parses a value: mpg_units_parse_time(), or mpg_units_parse_real() for plain numbers. */
typedef int parse_value(const char *text, double *value, struct mpg_error *err);

/* Parses "A" or "A,B": values by PARSE, except for the shape of a Pareto distribution. */
static int parse_parameters(char *text, int count, parse_value *parse, struct mpg_spec *s, struct mpg_error *err)
{
    char *comma = strchr(text, ',');
    if ((count == 2) != (comma != NULL))
        return mpg_error_set(err, "needs %d parameter%s", count, count == 1 ? "" : "s");
    if (comma)
        *comma++ = '\0';
    if (parse(text, &s->a, err) < 0)
        return -1;
    if (!comma)
        return 0;
    return s->family == MPG_FAMILY_PARETO ? mpg_units_parse_real(comma, &s->b, err) : parse(comma, &s->b, err);
}

/* Parses TEXT, a value, as the distribution that always draws this value. */
static int parse_constant(const char *text, parse_value *parse, struct mpg_spec *s, struct mpg_error *err)
{
    s->family = MPG_FAMILY_CONST;
    if (!*text || !strchr("+-.0123456789", *text))
        return mpg_error_set(err, "is neither a time like 100ns nor FAMILY:PARAMETERS like exp:2us");
    return parse(text, &s->a, err) < 0 ? -1 : derive(s, err);
}

static int parse_family(char *text, parse_value *parse, struct mpg_spec *s, struct mpg_error *err)
{
    char *parameters = strchr(text, ':');
    if (!parameters)
        return parse_constant(text, parse, s, err);
    *parameters++ = '\0';
    struct mpg_nearest nearest = {text, strlen(text), NULL, 0};
    mpg_nearest_try(&nearest, "file");
    if (strcmp(text, "file") == 0) {
        s->family = MPG_FAMILY_FILE;
        if (!*parameters)
            return mpg_error_set(err, "file:PATH needs a PATH");
        return read_samples(parameters, s, err) < 0 ? MPG_SPEC_UNREADABLE : 0;
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        mpg_nearest_try(&nearest, families[i].name);
        if (strcmp(families[i].name, text) != 0)
            continue;
        s->family = families[i].family;
        if (parse_parameters(parameters, families[i].parameters, parse, s, err) < 0 || derive(s, err) < 0)
            return mpg_error_prefix(err, "%s", families[i].usage);
        return 0;
    }
    return mpg_error_set(err, "unknown distribution '%s' (const, exp, normal, gamma, lognormal, pareto, file)%s%s%s", text,
                         nearest.word ? "; did you mean " : "", nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

static int parse_spec(const char *text, parse_value *parse, struct mpg_spec *spec, struct mpg_error *err)
{
    struct mpg_spec s = {.text = text};
    char *copy = strdup(text);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    char *at = strrchr(copy, '@');
    int status = 0;
    if (at) {
        *at++ = '\0';
        status = mpg_rank_set_parse(at, &s.ranks, err);
    }
    if (status == 0)
        status = parse_family(copy, parse, &s, err);
    free(copy);
    if (status < 0) {
        mpg_spec_clear(&s);
        mpg_error_prefix(err, "'%s'", text);
        return status;
    }
    *spec = s;
    return 0;
}

int mpg_spec_parse(const char *text, struct mpg_spec *spec, struct mpg_error *err)
{
    return parse_spec(text, mpg_units_parse_time, spec, err);
}

int mpg_spec_parse_numbers(const char *text, struct mpg_spec *spec, struct mpg_error *err)
{
    return parse_spec(text, mpg_units_parse_real, spec, err);
}

double mpg_spec_quantile(const struct mpg_spec *s, double u)
{
    switch (s->family) {
    case MPG_FAMILY_NONE:
        return 0;
    case MPG_FAMILY_CONST:
        return s->a;
    case MPG_FAMILY_EXP:
        return -s->a * log1p(-u);
    case MPG_FAMILY_NORMAL:
        return s->a + s->b * gsl_cdf_ugaussian_Pinv(u);
    case MPG_FAMILY_GAMMA:
        return s->scale * mpg_gamma_quantile(&s->gamma, u);
    case MPG_FAMILY_LOGNORMAL:
        return exp(s->shape + s->scale * gsl_cdf_ugaussian_Pinv(u));
    case MPG_FAMILY_PARETO:
        return s->a * pow(1 - u, -1 / s->b);
    case MPG_FAMILY_FILE:
        return s->times * mpg_distribution_quantile(s->samples, u);
    }
    return 0;
}

bool mpg_spec_is_random(const struct mpg_spec *s)
{
    return s->family != MPG_FAMILY_NONE && s->family != MPG_FAMILY_CONST;
}

bool mpg_spec_can_be_negative(const struct mpg_spec *s)
{
    return (s->family == MPG_FAMILY_CONST && s->a < 0) || s->family == MPG_FAMILY_NORMAL ||
           (s->family == MPG_FAMILY_FILE && s->samples->quantiles[0] < 0);
}

char *mpg_spec_file(const struct mpg_spec *s)
{
    if (s->family != MPG_FAMILY_FILE)
        return NULL;
    const char *path = strchr(s->text, ':') + 1, *at = strrchr(path, '@');
    return strndup(path, at ? (size_t)(at - path) : strlen(path));
}

void mpg_spec_clear(struct mpg_spec *s)
{
    if (!s->borrows)
        mpg_distribution_free(s->samples);
    free(s->scaled);
    mpg_rank_set_clear(&s->ranks);
    *s = (struct mpg_spec){0};
}

/* --- multiplication by a factor --- */

/* Writes the text of S with its values multiplied by FACTOR, such as "exp:3000ns@0,4-7"; WHO is "@0,4-7" or "". */
static void format_scaled(const struct mpg_spec *s, double factor, const char *who, char *text, size_t size)
{
    const double a = factor * s->a, b = factor * s->b;
    const char *name = "const";
    int parameters = 1;
    for (size_t i = 0; factor > 0 && i < sizeof families / sizeof *families; i++)
        if (families[i].family == s->family) {
            name = families[i].name;
            parameters = families[i].parameters;
        }
    if (parameters == 1)
        snprintf(text, size, "%s:%.17gns%s", name, factor > 0 ? a : 0, who);
    else if (s->family == MPG_FAMILY_PARETO)
        snprintf(text, size, "%s:%.17gns,%.17g%s", name, a, s->b, who);
    else
        snprintf(text, size, "%s:%.17gns,%.17gns%s", name, a, b, who);
}

/* Scales S into SCALED, which shares the sorted samples of S. */
static int scale_samples(const struct mpg_spec *s, double factor, const char *who, struct mpg_spec *scaled,
                         struct mpg_error *err)
{
    const size_t size = strlen(s->text) + 64;
    char *text = malloc(size);
    if (!text)
        return mpg_error_set(err, "out of memory");
    snprintf(text, size, "%.17g x %s", factor, s->text);
    *scaled = (struct mpg_spec){.family = MPG_FAMILY_FILE, .samples = s->samples, .borrows = true,
                                .times = factor * s->times};
    scaled->text = scaled->scaled = text;
    if (*who && mpg_rank_set_parse(who + 1, &scaled->ranks, err) < 0)
        return -1;
    return fabs(mpg_spec_quantile(scaled, LARGEST_U)) <= MAX_DRAW_NS
               ? 0
               : mpg_error_set(err, "%s: values are too large to add up", text);
}

static int scale(const struct mpg_spec *s, double factor, struct mpg_spec *scaled, struct mpg_error *err)
{
    const char *who = strrchr(s->text, '@');
    who = who ? who : "";
    *scaled = (struct mpg_spec){0};
    if (s->family == MPG_FAMILY_FILE && factor > 0) {
        int status = scale_samples(s, factor, who, scaled, err);
        if (status < 0)
            mpg_spec_clear(scaled);
        return status;
    }
    const size_t size = strlen(who) + 128;
    char *text = malloc(size);
    if (!text)
        return mpg_error_set(err, "out of memory");
    format_scaled(s, factor, who, text, size);
    int status = mpg_spec_parse(text, scaled, err);
    if (status == 0)
        scaled->scaled = text;
    else
        free(text);
    return status;
}

int mpg_specs_scale(const struct mpg_specs *specs, double factor, struct mpg_specs *scaled,
                    struct mpg_error *err)
{
    *scaled = (struct mpg_specs){.spec = calloc(specs->n ? specs->n : 1, sizeof *scaled->spec)};
    if (!scaled->spec)
        return mpg_error_set(err, "out of memory");
    for (; scaled->n < specs->n; scaled->n++)
        if (scale(&specs->spec[scaled->n], factor, &scaled->spec[scaled->n], err) < 0)
            return -1;
    return 0;
}

/* --- sums of distributions --- */

int mpg_specs_add(struct mpg_specs *specs, const char *text, struct mpg_error *err)
{
    struct mpg_spec s;
    int status = mpg_spec_parse(text, &s, err);
    if (status < 0)
        return status;
    struct mpg_spec *grown = realloc(specs->spec, (specs->n + 1) * sizeof *grown);
    if (!grown) {
        mpg_spec_clear(&s);
        return mpg_error_set(err, "out of memory");
    }
    specs->spec = grown;
    specs->spec[specs->n++] = s;
    return 0;
}

int mpg_specs_check(const struct mpg_specs *specs, int32_t ranks, struct mpg_error *err)
{
    for (size_t i = 0; i < specs->n; i++) {
        const struct mpg_rank_set *set = &specs->spec[i].ranks;
        for (size_t k = 0; k < set->count; k++)
            if (set->ranges[k].last >= ranks)
                return mpg_error_set(err, "'%s' names rank %d, and the trace has ranks 0 to %d",
                                     specs->spec[i].text, set->ranges[k].last, ranks - 1);
    }
    return 0;
}

static bool any(const struct mpg_specs *specs, bool (*is)(const struct mpg_spec *))
{
    for (size_t i = 0; i < specs->n; i++)
        if (is(&specs->spec[i]))
            return true;
    return false;
}

bool mpg_specs_are_random(const struct mpg_specs *specs)
{
    return any(specs, mpg_spec_is_random);
}

bool mpg_specs_can_be_negative(const struct mpg_specs *specs)
{
    return any(specs, mpg_spec_can_be_negative);
}

static bool is_for_some(const struct mpg_spec *s)
{
    return s->ranks.count > 0;
}

bool mpg_specs_are_for_all(const struct mpg_specs *specs)
{
    return !any(specs, is_for_some);
}

void mpg_specs_format(const struct mpg_specs *specs, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < specs->n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " + " : "",
                                 specs->spec[i].text);
}

/* Adds FACTOR times a draw of SPEC, which is the K-th distribution that applies to the rank, for N replicas from FIRST on. */
static void add_spec(const struct mpg_spec *spec, uint32_t k, const struct mpg_address *address,
                     double factor, uint32_t first, uint32_t n, double *value_ns)
{
    if (spec->family == MPG_FAMILY_CONST) {
        for (uint32_t w = 0; w < n; w++)
            value_ns[w] += factor * spec->a;
        return;
    }
    struct mpg_address own = *address;
    own.seed = mpg_seed_of(address->seed, k);
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, m; done < n; done += m) {
        m = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        mpg_draw_lanes(&own, first + done, m, u);
        for (uint32_t w = 0; w < m; w++)
            value_ns[done + w] += factor * mpg_spec_quantile(spec, u[w]);
    }
}

void mpg_specs_draw(const struct mpg_specs *specs, const struct mpg_address *address,
                    double factor, uint32_t first, uint32_t n, double *value_ns)
{
    for (size_t i = 0, k = 0; i < specs->n; i++)
        if (mpg_rank_set_contains(&specs->spec[i].ranks, address->rank))
            add_spec(&specs->spec[i], (uint32_t)k++, address, factor, first, n, value_ns);
}

void mpg_specs_clear(struct mpg_specs *specs)
{
    for (size_t i = 0; i < specs->n; i++)
        mpg_spec_clear(&specs->spec[i]);
    free(specs->spec);
    *specs = (struct mpg_specs){0};
}
