/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines of a table as command lines of their own: targets, each with all that is swept of their keys. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/options/arguments.h"

size_t mpg_arguments_designs(const struct mpg_arguments *a)
{
    return a->targets.n * a->keys.points;
}

bool mpg_arguments_tabulates(const struct mpg_arguments *a)
{
    return a->target && (mpg_arguments_designs(a) > 1 || a->trace_number > 1);
}

/* Nothing is said twice. */
static int check_parameters(const struct mpg_arguments *a, struct mpg_error *err)
{
    for (size_t i = 0; i < a->keys.axes; i++) {
        const char *key = a->keys.axis[i].key;
        const size_t length = strlen(key);
        for (size_t k = 0; k < a->parameters.n; k++)
            if (strncmp(a->parameters.item[k], key, length) == 0 && a->parameters.item[k][length] == '=')
                return mpg_error_set(err, "--parameter=%s and --sweep %s exclude each other", a->parameters.item[k], key);
        if (a->map && strcmp(key, "Map") == 0)
            return mpg_error_set(err, "--map and --sweep Map exclude each other");
    }
    return a->parameters.n + a->keys.axes > MPG_OPTION_LIST_MAX
               ? mpg_error_set(err, "--parameter is given too often for --sweep")
               : 0;
}

int mpg_arguments_check_designs(const struct mpg_arguments *a, struct mpg_error *err)
{
    const struct {
        const char *name;
        bool given;
        const char *why;
    } list[] = {{"--output-trace", a->output_trace != NULL, "it is of one run"},
                {"--per-rank", a->per_rank, "it is of one run (--json has all)"},
                {"--history", a->history && a->history != getenv("MPGKIT_HISTORY"), "it keeps answers about one run"},
                {"--report", a->report != NULL, "a page is of one run"},
                {"--where", a->where != NULL, "it is of one run"},
                {"--critical-path", a->critical_path, "it is of one run"},
                {"--engine=lanes", a->engine && strcmp(a->engine, "lanes") == 0, "only events know what processors do"}};
    if (!mpg_arguments_tabulates(a))
        return 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].given)
            return mpg_error_set(err, "%s and a table of traces and targets exclude each other: %s", list[i].name,
                                 list[i].why);
    for (size_t i = 0; i < a->targets.n; i++)
        if (strcmp(a->targets.item[i], "-") == 0)
            return mpg_error_set(err, "--target=-: a table reads its targets more than once");
    return check_parameters(a, err);
}

int mpg_arguments_design(const struct mpg_arguments *a, size_t i, struct mpg_arguments *at, struct mpg_error *err)
{
    const struct mpg_key_sweep *keys = &a->keys;
    *at = *a;
    at->target = a->targets.item[i / keys->points];
    for (size_t k = 0; k < keys->axes; k++) {
        const struct mpg_key_axis *x = &keys->axis[k];
        if (asprintf(&at->key_text[k], "%s=%s", x->key, x->value[mpg_key_sweep_place(keys, k, i % keys->points)]) < 0) {
            at->key_text[k] = NULL;
            return mpg_error_set(err, "out of memory");
        }
        at->parameters.item[at->parameters.n++] = at->key_text[k];
    }
    return mpg_arguments_read_target(at, err);
}

void mpg_arguments_design_clear(struct mpg_arguments *at)
{
    for (size_t k = 0; k < MPG_KEY_AXES; k++)
        free(at->key_text[k]);
    mpg_parameters_free(at->machine);
    memset(at->key_text, 0, sizeof at->key_text);
    at->machine = NULL;
}
