/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a history keeps of a command line. */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/trace_sum.h"
#include "simulate/options/arguments.h"

void mpg_arguments_note(void *arguments, const struct mpg_option *option, const char *text)
{
    struct mpg_arguments *a = arguments;
    struct mpg_error ignored;
    char *argument = NULL;
    if (!mpg_history_keeps(option->name))
        return;
    if (asprintf(&argument, "--%s%s%s", option->name, text ? "=" : "", text ? text : "") < 0 ||
        mpg_history_add_argument(&a->run, argument, &ignored) < 0)
        a->run_failed = true;
    free(argument);
}

/* Once in each role. */
static int add_input(void *to, const char *role, const char *path, struct mpg_error *err)
{
    struct mpg_history_run *run = to;
    char sum[40];
    for (size_t i = 0; i < run->inputs; i++)
        if (strcmp(run->input[i].role, role) == 0 && strcmp(run->input[i].path, path) == 0)
            return 0;
    mpg_history_sum(path, sum);
    return mpg_history_add_input(run, role, path, sum, err);
}

static int add_inputs(const struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_trace *trace,
                      const char *path, struct mpg_history_run *run, struct mpg_error *err)
{
    char sum[40];
    mpg_history_trace_sum(trace, path, sum);
    if (mpg_history_add_input(run, "trace", path, sum, err) < 0)
        return -1;
    return mpg_arguments_see_inputs(a, asked, add_input, run, err);
}

int mpg_arguments_run(struct mpg_arguments *a, const struct mpg_asked *asked, const struct mpg_trace *trace,
                      const char *path, struct mpg_error *err)
{
    struct mpg_history_run *run = &a->run;
    run->seed = a->seed;
    run->version = strdup(PACKAGE_VERSION);
    run->directory = getcwd(NULL, 0);
    if (!run->directory)
        run->directory = strdup(".");
    if (a->run_failed || !run->version || !run->directory)
        return mpg_error_set(err, "out of memory");
    return mpg_history_add_argument(run, path, err) < 0 ? -1 : add_inputs(a, asked, trace, path, run, err);
}
