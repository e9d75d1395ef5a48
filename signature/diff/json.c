/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sigdiff --json: the whole comparison as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_stream.h"
#include "signature/diff/report.h"

static const char *unit_of(const struct mpg_parameter *item)
{
    switch (item->quantity) {
    case MPG_TIME_NS:
        return "ns";
    case MPG_PERCENT:
        return "%";
    case MPG_SIZE_BYTES:
        return "bytes";
    case MPG_PER_SECOND:
        break;
    }
    return item->unit;
}

/* Sets KEY to VALUE unless VALUE is NaN or infinite, which JSON lacks: an unknown value is absent. */
static void set_number(json_t *object, const char *key, double value)
{
    if (isfinite(value))
        json_object_set_new(object, key, json_real(value));
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static json_t *parameter_json(const struct mpg_parameter *item)
{
    static const char *const verdicts[] = {[MPG_VERDICT_SAME] = "same",
                                           [MPG_VERDICT_DIFFERS] = "differs",
                                           [MPG_VERDICT_BEYOND] = "beyond",
                                           [MPG_VERDICT_NONE] = "not comparable"};
    json_t *object = json_object();
    set_text(object, "name", item->name);
    set_text(object, "unit", unit_of(item));
    set_number(object, "a", item->a);
    set_number(object, "b", item->b);
    set_number(object, "ratio", item->ratio);
    set_number(object, "ratio_low", item->low);
    set_number(object, "ratio_high", item->high);
    set_number(object, "ks_distance", item->distance);
    set_number(object, "p_value", item->p);
    set_number(object, "p_value_beyond", item->p_beyond);
    set_text(object, "verdict", verdicts[item->verdict]);
    set_text(object, "reason", item->why);
    return object;
}

static json_t *header_json(const struct mpg_header_difference *fact)
{
    json_t *object = json_object();
    set_text(object, "key", fact->key);
    set_text(object, "a", fact->a);
    set_text(object, "b", fact->b);
    return object;
}

/* Returns the number of SIG's quality checks and the names of the failed checks; null if no check was made. */
static json_t *checks_json(const struct mpg_signature *sig)
{
    if (sig->checks == 0)
        return json_null();
    json_t *object = json_object(), *failed = json_array();
    for (size_t i = 0; i < sig->failures; i++)
        json_array_append_new(failed, json_string(sig->failure[i].check));
    json_object_set_new(object, "checks", json_integer(sig->checks));
    json_object_set_new(object, "failed", failed);
    return object;
}

/* Returns the results of conditions as an array, as mpg_condition_put_json() writes them; NULL: out of memory. */
static json_t *conditions_json(const struct diff_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    struct mpg_json j = mpg_json_to(memory, MPG_JSON_LINES);
    mpg_json_object(&j, NULL);
    mpg_condition_put_json(&j, results->result, results->n);
    mpg_json_close(&j);
    json_t *root = mpg_text_end(memory, &text) ? json_loads(text, 0, NULL) : NULL;
    json_t *conditions = json_incref(json_object_get(root, "conditions"));
    json_decref(root);
    free(text);
    return conditions;
}

int diff_report_json(const struct mpg_signature *a, const struct mpg_signature *b,
                     const struct mpg_difference *d, const struct mpg_compare_options *options,
                     const struct diff_results *results, struct mpg_error *err)
{
    json_t *root = json_object(), *headers = json_array(), *parameters = json_array();
    for (size_t i = 0; i < d->facts; i++)
        json_array_append_new(headers, header_json(&d->fact[i]));
    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(parameters, parameter_json(&d->item[i]));
    set_text(root, "format", "sigdiff");
    json_object_set_new(root, "version", json_integer(2));
    set_text(root, "a", a->path);
    set_text(root, "b", b->path);
    set_number(root, "tolerance", options->tolerance);
    if (options->repeats == 0)
        set_number(root, "spread", options->spread);
    json_object_set_new(root, "measurements_of_a", json_integer((json_int_t)options->repeats + 1));
    json_object_set_new(root, "checks_a", checks_json(a));
    json_object_set_new(root, "checks_b", checks_json(b));
    json_object_set_new(root, "few_launches", json_boolean(d->few_launches));
    json_t *conditions = results->n > 0 ? conditions_json(results) : json_null();
    if (results->n > 0 && conditions)
        json_object_set_new(root, "conditions", conditions);
    json_object_set_new(root, "headers", headers);
    json_object_set_new(root, "parameters", parameters);
    /* after a failed allocation jansson has left parts out: a missing parameter shows this */
    int status = json_array_size(json_object_get(root, "parameters")) == d->n && conditions &&
                         json_dumpf(root, stdout, JSON_INDENT(1)) == 0
                     ? 0
                     : mpg_error_set(err, "cannot write JSON to standard output");
    putchar('\n');
    json_decref(root);
    return ferror(stdout) ? 0 : status; /* mpg_stdout_close() reports the write error */
}
