/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all input files except the trace, for the check of outputs and for the history; and the command-line arguments
 * stored in a history. */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/trace_checksum.h"
#include "simulate/options/inputs.h"

struct seeing {
    mpg_input_see *see;
    void *context;
    struct mpg_error *err;
};

/* Passes PATH to the caller's function, unless it is NULL. */
static int see(const struct seeing *s, const char *role, const char *path)
{
    return path ? s->see(s->context, role, path, s->err) : 0;
}

/* Passes WORD to the caller's function, unless WORD names something built-in. */
static int see_file(const struct seeing *s, const char *role, const char *word)
{
    struct stat st;
    return word && stat(word, &st) == 0 && S_ISREG(st.st_mode) ? see(s, role, word) : 0;
}

static int see_list(const struct seeing *s, const char *role, const struct mpg_option_list *list)
{
    int status = 0;
    for (size_t i = 0; i < list->n && status == 0; i++)
        status = see(s, role, list->item[i]);
    return status;
}

/* Passes the files of samples of N distributions to the caller's function. */
static int see_samples(const struct seeing *s, const struct mpg_spec *spec, size_t n)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        char *path = mpg_spec_file(&spec[i]);
        status = see(s, "samples", path);
        free(path);
    }
    return status;
}

/* Passes the files and maps of the other machines of a table to the caller's function. */
static int see_machines(const struct seeing *s, const struct mpg_config *c)
{
    int status = 0;
    for (size_t i = 0; i < c->target.names.n && status == 0; i++)
        status = see_file(s, "target", c->target.names.item[i]);
    for (size_t i = 0; i < c->question.keys.axes; i++) {
        const struct mpg_axis *x = &c->question.keys.axis[i];
        for (size_t k = 0; k < x->n && status == 0 && strcmp(x->key, "Map") == 0; k++)
            status = see_file(s, "target", x->word[k]);
    }
    return status;
}

/* Passes the files of placements to the caller's function. */
static int see_places(const struct seeing *s, const struct mpg_config *c)
{
    const struct mpg_axis *swept = mpg_sweep_find(&c->question.sweep, MPG_SWEPT_MAP);
    int status = see_file(s, "map", c->target.map);
    for (size_t i = 0; swept && i < swept->n && status == 0; i++)
        status = see_file(s, "map", swept->word[i]);
    return status < 0 ? -1 : see_file(s, "source-map", c->source.map);
}

int mpg_config_see_inputs(const struct mpg_config *c, const struct mpg_setting *setting, mpg_input_see *to, void *context,
                             struct mpg_error *err)
{
    const struct seeing s = {to, context, err};
    const struct mpg_perturbation *p = &setting->p;
    const struct mpg_specs *const specs[] = {&p->noise, &p->call_noise, &p->latency, &p->byte};
    if (see_list(&s, "signature", &c->target.signatures) < 0 || see(&s, "source", c->source.file) < 0 ||
        see(&s, "table", c->model.collective_table) < 0 || see_machines(&s, c) < 0 ||
        see_file(&s, "against", c->target.against) < 0 ||
        (c->target.machine && (see_file(&s, "target", c->target.machine->map) < 0 ||
                        see_samples(&s, c->target.machine->time, MPG_PARAMETERS) < 0)) ||
        see_list(&s, "hypothesis", &c->change.files) < 0 || see_places(&s, c) < 0)
        return -1;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if (see_samples(&s, specs[i]->spec, specs[i]->n) < 0)
            return -1;
    return 0;
}

/* --- a history --- */

void mpg_config_note(void *config, const struct mpg_option *option, const char *text)
{
    struct mpg_config *c = config;
    struct mpg_error ignored;
    char *argument = NULL;
    if (!mpg_history_stores_option(option->name))
        return;
    if (asprintf(&argument, "--%s%s%s", option->name, text ? "=" : "", text ? text : "") < 0 ||
        mpg_history_add_argument(&c->run, argument, &ignored) < 0)
        c->run_failed = true;
    free(argument);
}

/* Adds a file to the list of inputs, at most once in each role. */
static int add_input(void *to, const char *role, const char *path, struct mpg_error *err)
{
    struct mpg_history_run *run = to;
    char sum[40];
    for (size_t i = 0; i < run->inputs; i++)
        if (strcmp(run->input[i].role, role) == 0 && strcmp(run->input[i].path, path) == 0)
            return 0;
    mpg_history_checksum(path, sum);
    return mpg_history_add_input(run, role, path, sum, err);
}

static int add_inputs(const struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_trace *trace,
                      const char *path, struct mpg_history_run *run, struct mpg_error *err)
{
    char sum[40];
    mpg_history_trace_checksum(trace, path, sum);
    if (mpg_history_add_input(run, "trace", path, sum, err) < 0)
        return -1;
    return mpg_config_see_inputs(c, setting, add_input, run, err);
}

int mpg_config_run(struct mpg_config *c, const struct mpg_setting *setting, const struct mpg_trace *trace,
                      const char *path, struct mpg_error *err)
{
    struct mpg_history_run *run = &c->run;
    run->seed = c->seed;
    run->version = strdup(PACKAGE_VERSION);
    run->directory = getcwd(NULL, 0);
    if (!run->directory)
        run->directory = strdup(".");
    if (c->run_failed || !run->version || !run->directory)
        return mpg_error_set(err, "out of memory");
    return mpg_history_add_argument(run, path, err) < 0 ? -1 : add_inputs(c, setting, trace, path, run, err);
}
