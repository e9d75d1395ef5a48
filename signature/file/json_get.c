/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed members of JSON objects. Sizes are checked before memory is allocated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signature/file/json.h"

int mpg_json_get(const json_t *object, const char *key, json_type type, const json_t **member,
                 struct mpg_error *err)
{
    static const char *const names[] = {[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
                                        [JSON_STRING] = "a string"};
    *member = json_object_get(object, key);
    if (*member && json_typeof(*member) != type)
        return mpg_error_set(err, "%s is not %s", key, names[type]);
    return 0;
}

static int need(const json_t *object, const char *key, struct mpg_error *err)
{
    return json_object_get(object, key) ? 0 : mpg_error_set(err, "%s is missing", key);
}

int mpg_json_get_number(const json_t *object, const char *key, double *value,
                        struct mpg_error *err)
{
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_number(member))
        return mpg_error_set(err, "%s is not a number", key);
    if (member && !(fabs(json_number_value(member)) <= MPG_DISTRIBUTION_LIMIT))
        return mpg_error_set(err, "%s is %g, out of range", key, json_number_value(member));
    if (member)
        *value = json_number_value(member);
    return 0;
}

int mpg_json_need_number(const json_t *object, const char *key, double *value,
                         struct mpg_error *err)
{
    return need(object, key, err) < 0 ? -1 : mpg_json_get_number(object, key, value, err);
}

int mpg_json_get_integer(const json_t *object, const char *key, int64_t *value,
                         struct mpg_error *err)
{
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_integer(member))
        return mpg_error_set(err, "%s is not a whole number", key);
    if (member)
        *value = json_integer_value(member);
    return 0;
}

int mpg_json_need_integer(const json_t *object, const char *key, int64_t *value,
                          struct mpg_error *err)
{
    return need(object, key, err) < 0 ? -1 : mpg_json_get_integer(object, key, value, err);
}

int mpg_json_get_count(const json_t *object, const char *key, int min, int *value,
                       struct mpg_error *err)
{
    int64_t count = *value;
    if (mpg_json_get_integer(object, key, &count, err) < 0)
        return -1;
    if (json_object_get(object, key) && (count < min || count > INT32_MAX))
        return mpg_error_set(err, "%s is %lld, not within %d to %d", key, (long long)count, min,
                             INT32_MAX);
    *value = (int)count;
    return 0;
}

int mpg_json_need_count(const json_t *object, const char *key, int min, int *value,
                        struct mpg_error *err)
{
    return need(object, key, err) < 0 ? -1 : mpg_json_get_count(object, key, min, value, err);
}

int mpg_json_get_flag(const json_t *object, const char *key, bool *value, struct mpg_error *err)
{
    const json_t *member = json_object_get(object, key);
    if (member && !json_is_boolean(member))
        return mpg_error_set(err, "%s is neither true nor false", key);
    if (member)
        *value = json_is_true(member);
    return 0;
}

int mpg_json_get_text(const json_t *object, const char *key, char **text, struct mpg_error *err)
{
    const json_t *member;
    if (mpg_json_get(object, key, JSON_STRING, &member, err) < 0)
        return -1;
    if (!member)
        return 0;
    char *copy = strdup(json_string_value(member));
    if (!copy)
        return mpg_error_set(err, "out of memory");
    *text = copy;
    return 0;
}

int mpg_json_need_text(const json_t *object, const char *key, char **text, struct mpg_error *err)
{
    return need(object, key, err) < 0 ? -1 : mpg_json_get_text(object, key, text, err);
}

int mpg_json_get_numbers(const json_t *object, const char *key, size_t max, double **values,
                         size_t *n, struct mpg_error *err)
{
    const json_t *array;
    if (mpg_json_get(object, key, JSON_ARRAY, &array, err) < 0)
        return -1;
    size_t count = json_array_size(array);
    if (count > max)
        return mpg_error_set(err, "%s has %zu values, more than %zu", key, count, max);
    double *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers)
        return mpg_error_set(err, "out of memory for %zu values of %s", count, key);
    for (size_t i = 0; i < count; i++) {
        const json_t *element = json_array_get(array, i);
        if (!json_is_number(element)) {
            free(numbers);
            return mpg_error_set(err, "%s[%zu] is not a number", key, i);
        }
        numbers[i] = json_number_value(element);
    }
    *values = numbers;
    *n = count;
    return 0;
}

int mpg_json_get_facts(const json_t *object, const char *key, size_t max,
                       struct mpg_fact **fact, size_t *n, struct mpg_error *err)
{
    const json_t *member;
    if (mpg_json_get(object, key, JSON_OBJECT, &member, err) < 0)
        return -1;
    if (json_object_size(member) > max)
        return mpg_error_set(err, "%s has more than %zu entries", key, max);
    for (void *i = json_object_iter((json_t *)member); i;
         i = json_object_iter_next((json_t *)member, i)) {
        const char *text = json_string_value(json_object_iter_value(i));
        if (mpg_fact_add(fact, n, json_object_iter_key(i), text ? text : "", err) < 0)
            return mpg_error_prefix(err, "%s", key);
        if (!text)
            return mpg_error_set(err, "%s: %.80s is not a string", key, json_object_iter_key(i));
    }
    return 0;
}

int mpg_json_get_list(const json_t *object, const char *key, size_t max, size_t size,
                      struct mpg_json_list *list, struct mpg_error *err)
{
    *list = (struct mpg_json_list){0};
    if (mpg_json_get(object, key, JSON_ARRAY, &list->array, err) < 0)
        return -1;
    size_t n = json_array_size(list->array);
    if (n > max)
        return mpg_error_set(err, "%s has %zu elements, more than %zu", key, n, max);
    for (size_t i = 0; i < n; i++)
        if (!json_is_object(json_array_get(list->array, i)))
            return mpg_error_set(err, "%s[%zu] is not an object", key, i);
    if (n > 0 && !(list->memory = calloc(n, size)))
        return mpg_error_set(err, "out of memory for %zu elements of %s", n, key);
    list->n = n;
    return 0;
}

/* ---- distributions ---- */

static int parse_fit(const json_t *object, struct mpg_distribution_fit *fit, struct mpg_error *err)
{
    const json_t *parameters;
    fit->tail_fraction = 1;
    if (mpg_json_need_text(object, "family", &fit->family, err) < 0 ||
        mpg_json_get_number(object, "location", &fit->location, err) < 0 ||
        mpg_json_need_number(object, "distance", &fit->distance, err) < 0 ||
        mpg_json_get_number(object, "tail_fraction", &fit->tail_fraction, err) < 0 ||
        mpg_json_get(object, "parameters", JSON_ARRAY, &parameters, err) < 0)
        return -1;
    size_t n = json_array_size(parameters);
    if (n < 1 || n > 2)
        return mpg_error_set(err, "parameters has %zu elements, not 1 or 2", n);
    while (fit->parameters < (int)n) {
        int i = fit->parameters++;
        const json_t *parameter = json_array_get(parameters, (size_t)i);
        if (mpg_json_need_text(parameter, "name", &fit->name[i], err) < 0 ||
            mpg_json_need_number(parameter, "value", &fit->value[i], err) < 0 ||
            mpg_json_need_number(parameter, "low", &fit->low[i], err) < 0 ||
            mpg_json_need_number(parameter, "high", &fit->high[i], err) < 0)
            return mpg_error_prefix(err, "parameters[%d]", i);
    }
    return 0;
}

static int parse_interval(const json_t *object, struct mpg_quantile_interval *interval,
                          struct mpg_error *err)
{
    int launches = 1;
    *interval = (struct mpg_quantile_interval){.low = -INFINITY, .high = INFINITY};
    if (mpg_json_need_number(object, "probability", &interval->p, err) < 0 ||
        mpg_json_get_number(object, "low", &interval->low, err) < 0 ||
        mpg_json_get_number(object, "high", &interval->high, err) < 0 ||
        mpg_json_need_number(object, "independent", &interval->independent, err) < 0 ||
        mpg_json_need_number(object, "freedom", &interval->freedom, err) < 0 ||
        mpg_json_get_count(object, "launches", 1, &launches, err) < 0)
        return -1;
    interval->launches = (size_t)launches;
    return 0;
}

static int parse_intervals(const json_t *object, struct mpg_distribution *d,
                           struct mpg_error *err)
{
    struct mpg_json_list list;
    if (mpg_json_get_number(object, "rank_lag1", &d->rank_lag1, err) < 0 ||
        mpg_json_get_list(object, "intervals", MPG_DISTRIBUTION_MAX_INTERVALS,
                          sizeof *d->interval, &list, err) < 0)
        return -1;
    d->interval = list.memory;
    while (d->intervals < list.n) {
        size_t i = d->intervals++;
        if (parse_interval(json_array_get(list.array, i), &d->interval[i], err) < 0)
            return mpg_error_prefix(err, "intervals[%zu]", i);
    }
    return 0;
}

static int parse_distribution(const json_t *object, struct mpg_distribution *d,
                              struct mpg_error *err)
{
    int64_t n = 0;
    size_t probabilities = 0;
    struct mpg_json_list fits;
    if (mpg_json_need_integer(object, "n", &n, err) < 0 ||
        mpg_json_need_number(object, "mean", &d->mean, err) < 0 ||
        mpg_json_get_number(object, "sd", &d->sd, err) < 0 ||
        mpg_json_get_number(object, "lag1", &d->lag1, err) < 0)
        return -1;
    if (n < 1)
        return mpg_error_set(err, "n is %lld, less than 1", (long long)n);
    d->n = (size_t)n;
    if (mpg_json_get_numbers(object, "quantiles", MPG_DISTRIBUTION_MAX_KNOTS, &d->quantiles,
                             &d->knots, err) < 0 ||
        mpg_json_get_numbers(object, "probabilities", MPG_DISTRIBUTION_MAX_KNOTS,
                             &d->probabilities, &probabilities, err) < 0 ||
        mpg_json_get_list(object, "fits", MPG_DISTRIBUTION_MAX_FITS, sizeof *d->fit, &fits,
                          err) < 0)
        return -1;
    d->fit = fits.memory;
    if (!json_object_get(object, "probabilities")) { /* files before version 4 have no probabilities: quantiles at equal steps of
                                                      * probability */
        free(d->probabilities);
        d->probabilities = NULL;
    } else if (probabilities != d->knots) {
        return mpg_error_set(err, "quantiles has %zu values, probabilities has %zu", d->knots,
                             probabilities);
    }
    while (d->fits < fits.n) {
        size_t i = d->fits++;
        if (parse_fit(json_array_get(fits.array, i), &d->fit[i], err) < 0)
            return mpg_error_prefix(err, "fits[%zu]", i);
    }
    return parse_intervals(object, d, err);
}

int mpg_json_to_distribution(const json_t *object, struct mpg_distribution **distribution,
                             struct mpg_error *err)
{
    struct mpg_distribution *d = calloc(1, sizeof *d);
    if (!d)
        return mpg_error_set(err, "out of memory");
    if (parse_distribution(object, d, err) < 0 || mpg_distribution_check(d, err) < 0 ||
        mpg_distribution_prepare(d, err) < 0) {
        mpg_distribution_free(d);
        return -1;
    }
    *distribution = d;
    return 0;
}

int mpg_json_get_distribution(const json_t *object, const char *key,
                              struct mpg_distribution **distribution, struct mpg_error *err)
{
    const json_t *member;
    if (mpg_json_get(object, key, JSON_OBJECT, &member, err) < 0)
        return -1;
    if (member && mpg_json_to_distribution(member, distribution, err) < 0)
        return mpg_error_prefix(err, "%s", key);
    return 0;
}

int mpg_json_need_distribution(const json_t *object, const char *key,
                               struct mpg_distribution **distribution, struct mpg_error *err)
{
    return need(object, key, err) < 0 ? -1
                                      : mpg_json_get_distribution(object, key, distribution, err);
}
