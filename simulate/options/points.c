/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the configurations for the points of a sweep, and for the machines of a table. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/options/configuration.h"

/* --- a sweep --- */

static bool is_given(void *change, enum mpg_swept what)
{
    const struct mpg_perturbation_config *x = change;
    return mpg_config_dists(change, what)->n > 0 || x->factor[what].given;
}

/* Error: the values of X exclude the texts GIVEN to the option with X's name, or are factors without anything to multiply. */
static int check_dists(struct mpg_config *c, const struct mpg_axis *x, const struct mpg_option_list *given,
                       struct mpg_error *err)
{
    const char *name = mpg_swept_name(x->what);
    const bool of_machine = c->target.signatures.n > 0;
    const struct mpg_factor *factor = &c->change.factor[x->what];
    if (factor->given)
        return x->unit == MPG_SWEEP_FACTOR ? 0
               : mpg_error_set(err, "%s: '%s' and --%s=x%.6g exclude each other (a plain number multiplies that option)",
                               x->option, x->text, name, factor->factor);
    if (x->unit == MPG_SWEEP_SCALE)
        return mpg_config_check_factor(c, x->what, err) < 0 ? mpg_error_prefix(err, "%s: '%s'", x->option, x->text) : 0;
    if (x->unit == MPG_SWEEP_TIME && given->n > 0)
        return mpg_error_set(err, "%s: '%s': times replace the value of --%s=%s, which is given, too (plain "
                                  "numbers multiply it)", x->option, x->text, name, given->item[0]);
    if (x->unit == MPG_SWEEP_FACTOR && x->what == MPG_SWEPT_NOISE && of_machine)
        return 0;
    if (x->unit == MPG_SWEEP_FACTOR && given->n == 0)
        return mpg_error_set(err, "%s: '%s': plain numbers multiply the value of --%s, which is "
                                  "not given (times have a unit: 5us)", x->option, x->text,
                             name);
    for (size_t i = 0; i < given->n; i++)
        if (x->what == MPG_SWEPT_CALL_NOISE && strcmp(given->item[i], "signature") == 0)
            return mpg_error_set(err, "%s: '%s': --call-noise=signature has no factor", x->option,
                                 x->text);
    return 0;
}

static int check_axis(struct mpg_config *c, const struct mpg_axis *x, struct mpg_error *err)
{
    const struct mpg_option_list *dists = mpg_config_dists(&c->change, x->what), *ratios = &c->change.compute_ratio;
    if (dists)
        return check_dists(c, x, dists, err);
    for (size_t i = 0; x->what == MPG_SWEPT_COMPUTE_RATIO && i < ratios->n; i++)
        if (!strchr(ratios->item[i], '@'))
            return mpg_error_set(err, "--compute-ratio and %s compute-ratio exclude each other", x->option);
    return x->what == MPG_SWEPT_COMPUTE_RATIO && ratios->n == MPG_OPTION_LIST_MAX
               ? mpg_error_set(err, "--compute-ratio is given too often for --sweep compute-ratio")
               : 0;
}

/* Error: a key of the target is both given and swept. */
static int check_keys(const struct mpg_config *c, struct mpg_error *err)
{
    const struct mpg_option_list *keys = &c->target.keys;
    for (size_t i = 0; i < c->question.keys.axes; i++) {
        const char *key = c->question.keys.axis[i].key;
        const size_t length = strlen(key);
        for (size_t k = 0; k < keys->n; k++)
            if (strncmp(keys->item[k], key, length) == 0 && keys->item[k][length] == '=')
                return mpg_error_set(err, "--target=%s and --sweep %s exclude each other", keys->item[k], key);
        if (c->target.map && strcmp(key, "Map") == 0)
            return mpg_error_set(err, "--map and --sweep Map exclude each other");
    }
    return keys->n + c->question.keys.axes > MPG_OPTION_LIST_MAX
               ? mpg_error_set(err, "--target=KEY=VALUE is given too often for --sweep")
               : 0;
}

int mpg_config_parse_sweep(struct mpg_config *c, struct mpg_error *err)
{
    struct mpg_question_config *q = &c->question;
    q->sweep.points = 1;
    if (c->target.name) /* the swept parameters are keys of the target */
        return mpg_sweep_parse(&q->keys, &q->sweeps, true, err) < 0 ? -1 : check_keys(c, err);
    const int status = q->tolerate ? mpg_sweep_tolerate(&q->sweep, q->tolerate, &q->tolerated, is_given, &c->change, err)
                                   : mpg_sweep_parse(&q->sweep, &q->sweeps, false, err);
    for (size_t i = 0; i < q->sweep.axes && status == 0; i++)
        if (check_axis(c, &q->sweep.axis[i], err) < 0)
            return -1;
    if (status == 0 && c->target.signatures.n > MPG_SWEEP_MAX_POINTS / q->sweep.points)
        return mpg_error_set(err, "--sweep: a grid of more than %d points, with the signatures", MPG_SWEEP_MAX_POINTS);
    return status;
}

static void add_item(struct mpg_option_list *list, const char *text)
{
    if (list->n < MPG_OPTION_LIST_MAX)
        list->item[list->n++] = text;
}

static void set_value(struct mpg_config *c, const struct mpg_axis *x, size_t place)
{
    char *text = c->swept[x->what];
    switch (x->unit) {
    case MPG_SWEEP_TIME:
        snprintf(text, sizeof c->swept[0], "const:%.17gns", x->value[place]);
        add_item(mpg_config_dists(&c->change, x->what), text);
        break;
    case MPG_SWEEP_SCALE:
        c->change.factor[x->what] = (struct mpg_factor){true, x->value[place]};
        break;
    case MPG_SWEEP_FACTOR: /* factors of distributions, which scenarios.c applies to each point */
        c->change.factor[x->what].factor *= x->value[place];
        break;
    case MPG_SWEEP_NUMBER: /* set by mpg_config_target_point() */
    case MPG_SWEEP_COUNT:
        break;
    case MPG_SWEEP_RATIO:
        snprintf(text, sizeof c->swept[0], "%.17g", x->value[place]);
        add_item(&c->change.compute_ratio, text);
        break;
    case MPG_SWEEP_SIZE:
        c->change.eager_limit = (int64_t)x->value[place];
        c->given.eager_limit = true;
        break;
    case MPG_SWEEP_WORD:
        if (x->what == MPG_SWEPT_MAP)
            c->target.map = x->word[place];
        else
            c->model.absorb = (int)x->value[place];
        break;
    }
}

void mpg_config_at(const struct mpg_config *c, const char *signature, size_t point, struct mpg_config *at)
{
    const struct mpg_sweep *sweep = &c->question.sweep;
    *at = *c;
    at->target.signature = signature;
    for (size_t i = 0; i < sweep->axes; i++)
        set_value(at, &sweep->axis[i], mpg_sweep_place(sweep, i, point));
    mpg_config_expand(at);
}

/* --- a table --- */

size_t mpg_config_target_points(const struct mpg_config *c)
{
    return c->target.names.n * c->question.keys.points;
}

bool mpg_config_tabulates(const struct mpg_config *c)
{
    return c->target.name && (mpg_config_target_points(c) > 1 || c->trace_number > 1);
}

int mpg_config_target_point(const struct mpg_config *c, size_t i, struct mpg_config *at, struct mpg_error *err)
{
    const struct mpg_sweep *keys = &c->question.keys;
    *at = *c;
    at->target.name = c->target.names.item[i / keys->points];
    for (size_t k = 0; k < keys->axes; k++) {
        const struct mpg_axis *x = &keys->axis[k];
        if (asprintf(&at->key_text[k], "%s=%s", x->key, x->word[mpg_sweep_place(keys, k, i % keys->points)]) < 0) {
            at->key_text[k] = NULL;
            return mpg_error_set(err, "out of memory");
        }
        at->target.keys.item[at->target.keys.n++] = at->key_text[k];
    }
    return mpg_config_read_target(at, err);
}

void mpg_config_target_point_clear(struct mpg_config *at)
{
    for (size_t k = 0; k < MPG_KEY_AXES; k++)
        free(at->key_text[k]);
    mpg_parameters_free(at->target.machine);
    memset(at->key_text, 0, sizeof at->key_text);
    at->target.machine = NULL;
}
