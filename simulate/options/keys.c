/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/options/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "simulate/options/sweep.h"

size_t mpg_key_sweep_place(const struct mpg_key_sweep *s, size_t i, size_t point)
{
    for (size_t k = s->axes - 1; k > i; k--)
        point /= s->axis[k].n;
    return point % s->axis[i].n;
}

void mpg_key_sweep_clear(struct mpg_key_sweep *s)
{
    for (size_t i = 0; i < s->axes; i++) {
        struct mpg_key_axis *x = &s->axis[i];
        for (size_t k = 0; x->value && k < x->n; k++)
            free(x->value[k]);
        free(x->value);
        free(x->number);
        free(x->key);
    }
    *s = (struct mpg_key_sweep){0};
}

/* What TEXT is as a number of UNIT. */
static int parse_number(const char *text, enum mpg_key_unit unit, double *number, struct mpg_error *err)
{
    int64_t whole = 0;
    int status;
    switch (unit) {
    case MPG_KEY_TIME:
        return mpg_units_parse_time(text, number, err);
    case MPG_KEY_NUMBER:
        return mpg_units_parse_real(text, number, err);
    case MPG_KEY_BYTES:
        status = mpg_units_parse_size(text, &whole, err);
        break;
    case MPG_KEY_COUNT:
        status = mpg_units_parse_int(text, &whole, err);
        break;
    default:
        return mpg_error_set(err, "'%s' is no number", text);
    }
    *number = (double)whole;
    return status;
}

static int reserve(struct mpg_key_axis *x, size_t n, struct mpg_error *err)
{
    x->value = calloc(n, sizeof *x->value);
    x->number = calloc(n, sizeof *x->number);
    return x->value && x->number ? 0 : mpg_error_set(err, "out of memory");
}

/* TEXT and NUMBER are X's next value. */
static int add_value(struct mpg_key_axis *x, const char *text, double number, struct mpg_error *err)
{
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(x->value[i], text) == 0)
            return mpg_error_set(err, "'%s' is there twice", text);
    if (!(x->value[x->n] = strdup(text)))
        return mpg_error_set(err, "out of memory");
    x->number[x->n++] = number;
    return 0;
}

/* V,V... cut into WORDS. */
static int parse_list(struct mpg_key_axis *x, char **word, size_t words, struct mpg_error *err)
{
    struct mpg_error no_number;
    if (reserve(x, words, err) < 0)
        return -1;
    for (size_t i = 0; i < words; i++) {
        double number = NAN;
        if (!*word[i])
            return mpg_error_set(err, "a value is missing");
        if (parse_number(word[i], x->unit, &number, &no_number) < 0)
            number = NAN;
        if (add_value(x, word[i], number, err) < 0)
            return -1;
    }
    return 0;
}

/* LO:HI:N[:log], cut into WORDS. */
static int parse_range(struct mpg_key_axis *x, char **word, size_t words, struct mpg_error *err)
{
    const bool is_log = words == 4 && strcmp(word[3], "log") == 0;
    const bool is_whole = x->unit == MPG_KEY_BYTES || x->unit == MPG_KEY_COUNT;
    double low, high;
    int64_t n;
    if (words < 3 || words > 4 || (words == 4 && !is_log))
        return mpg_error_set(err, "is neither LO:HI:N, LO:HI:N:log nor a list V,V...");
    if (parse_number(word[0], x->unit, &low, err) < 0 || parse_number(word[1], x->unit, &high, err) < 0 ||
        mpg_units_parse_int(word[2], &n, err) < 0 || mpg_sweep_check_range(low, high, n, is_log, "parameter", err) < 0 ||
        reserve(x, (size_t)n, err) < 0)
        return -1;
    for (size_t i = 0; i < (size_t)n; i++) {
        char text[40];
        double number = mpg_sweep_step(low, high, i, (size_t)n, is_log);
        number = is_whole ? round(number) : number;
        snprintf(text, sizeof text, "%.17g%s", number, x->unit == MPG_KEY_TIME ? "ns" : "");
        if (i > 0 && !(number > x->number[i - 1]))
            return mpg_error_set(err, "so many values between these are not all different");
        if (add_value(x, text, number, err) < 0)
            return -1;
    }
    return 0;
}

static int parse_values(struct mpg_key_axis *x, char *text, struct mpg_error *err)
{
    char *part[5];
    size_t most = 1;
    if (!strchr(text, ',') && x->unit != MPG_KEY_WORD)
        return parse_range(x, part, mpg_sweep_cut(text, ':', part, 5), err);
    for (const char *c = text; *c; c++)
        most += *c == ',';
    if (most < 2)
        return mpg_error_set(err, "one value is no sweep: --parameter says it");
    if (most > MPG_KEY_POINTS)
        return mpg_error_set(err, "more than %d values", MPG_KEY_POINTS);
    char **word = calloc(most, sizeof *word);
    const int status = word ? parse_list(x, word, mpg_sweep_cut(text, ',', word, most), err)
                            : mpg_error_set(err, "out of memory");
    free(word);
    return status;
}

static int add(struct mpg_key_sweep *s, char *text, struct mpg_error *err)
{
    char *equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    const enum mpg_key_unit unit = mpg_parameters_unit(text);
    if (!equals || unit == MPG_KEY_UNKNOWN)
        return mpg_error_set(err, "with --target a key of mpgtarget(5) is swept, as in CommStartupTime=1us,10us");
    for (size_t i = 0; i < s->axes; i++)
        if (strcmp(s->axis[i].key, text) == 0)
            return mpg_error_set(err, "%s is swept twice", text);
    if (s->axes == MPG_KEY_AXES)
        return mpg_error_set(err, "more than %d keys are swept", MPG_KEY_AXES);
    struct mpg_key_axis *x = &s->axis[s->axes++];
    *x = (struct mpg_key_axis){.key = strdup(text), .unit = unit};
    if (!x->key)
        return mpg_error_set(err, "out of memory");
    if (parse_values(x, equals + 1, err) < 0)
        return -1;
    if (x->n > MPG_KEY_POINTS / s->points)
        return mpg_error_set(err, "makes a grid of more than %d points", MPG_KEY_POINTS);
    s->points *= x->n;
    return 0;
}

int mpg_key_sweep_parse(struct mpg_key_sweep *s, const struct mpg_option_list *given, struct mpg_error *err)
{
    *s = (struct mpg_key_sweep){.points = 1};
    for (size_t i = 0; i < given->n; i++) {
        char *copy = strdup(given->item[i]);
        const int status = copy ? add(s, copy, err) : mpg_error_set(err, "out of memory");
        free(copy);
        if (status < 0)
            return mpg_error_prefix(err, "--sweep: '%s'", given->item[i]);
    }
    return 0;
}
