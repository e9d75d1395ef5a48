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
    /* these change no answer */
    static const char *const others[] = {"history", "output", "output-trace", "timeline", "timeline-calls",
                                         "timeline-ranks", "floors", "threads", "plot", "keep"};
    struct mpg_arguments *a = arguments;
    struct mpg_error ignored;
    char *argument = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(option->name, others[i]) == 0)
            return;
    if (asprintf(&argument, "--%s%s%s", option->name, text ? "=" : "", text ? text : "") < 0 ||
        mpg_history_add_argument(&a->run, argument, &ignored) < 0)
        a->run_failed = true;
    free(argument);
}

static int add_file(struct mpg_history_run *run, const char *role, const char *path, struct mpg_error *err)
{
    char sum[40];
    if (!path)
        return 0;
    mpg_history_sum(path, sum);
    return mpg_history_add_input(run, role, path, sum, err);
}

static int add_inputs(const struct mpg_arguments *a, const struct mpg_trace *trace, const char *path,
                      struct mpg_history_run *run, struct mpg_error *err)
{
    const struct mpg_option_list *dists[] = {&a->noise, &a->call_noise, &a->latency, &a->byte};
    char sum[40];
    mpg_history_trace_sum(trace, path, sum);
    if (mpg_history_add_input(run, "trace", path, sum, err) < 0)
        return -1;
    for (size_t i = 0; i < a->signatures.n; i++)
        if (add_file(run, "signature", a->signatures.item[i], err) < 0)
            return -1;
    if (add_file(run, "source", mpg_arguments_source(a), err) < 0 ||
        add_file(run, "target", a->target, err) < 0 || add_file(run, "table", a->collective_table, err) < 0)
        return -1;
    const char *const machine[] = {a->target, a->machine ? a->machine->map : NULL};
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) /* of those that are no files there are names */
        if (machine[i] && access(machine[i], R_OK) == 0 && add_file(run, "target", machine[i], err) < 0)
            return -1;
    for (size_t i = 0; i < a->hypothesis_files.n; i++)
        if (add_file(run, "hypothesis", a->hypothesis_files.item[i], err) < 0)
            return -1;
    for (size_t d = 0; d < sizeof dists / sizeof *dists; d++)
        for (size_t i = 0; i < dists[d]->n; i++) {
            const char *text = dists[d]->item[i];
            char *name = strncmp(text, "file:", 5) == 0 ? strndup(text + 5, strcspn(text + 5, "@")) : NULL;
            const int status = add_file(run, "samples", name, err);
            free(name);
            if (status < 0)
                return -1;
        }
    return 0;
}

int mpg_arguments_run(struct mpg_arguments *a, const struct mpg_trace *trace, const char *path,
                      struct mpg_error *err)
{
    struct mpg_history_run *run = &a->run;
    run->seed = a->seed;
    run->version = strdup(PACKAGE_VERSION);
    run->directory = getcwd(NULL, 0);
    if (!run->directory)
        run->directory = strdup(".");
    if (a->run_failed || !run->version || !run->directory)
        return mpg_error_set(err, "out of memory");
    return mpg_history_add_argument(run, path, err) < 0 ? -1 : add_inputs(a, trace, path, run, err);
}
