/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line, all of it, as it is read. */
#include "simulate/options/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/rules.h"

enum { DEFAULT_REPLICAS = 64, DEFAULT_HORIZON = 65536 };

/* --waits is about one scenario's calls as the trace has them. */
static int parse_waits(struct mpg_arguments *a, struct mpg_error *err)
{
    const char *other = a->per_rank              ? "--per-rank"
                        : mpg_arguments_sweep(a) ? "several scenarios"
                                                 : NULL;
    a->waits_kind = a->waits_by ? mpg_waits_by_name(a->waits_by) : MPG_WAITS_BY_CALL;
    if (a->waits_by && !a->waits)
        return mpg_error_set(err, "--waits-by says nothing without --waits");
    if (a->waits_kind == MPG_WAITS_BYS)
        return mpg_error_set(err, "--waits-by: '%s' is not call, callsite, region or rank", a->waits_by);
    return a->waits && other ? mpg_error_set(err, "--waits and %s exclude each other", other) : 0;
}

/* What is read twice from standard input is empty the second time; so it is for all processes but one. */
static int check_standard_input(const struct mpg_arguments *a, const struct mpg_processes *processes, struct mpg_error *err)
{
    int n = 0;
    for (size_t i = 0; i < a->trace_number; i++)
        n += strcmp(a->traces[i], "-") == 0;
    for (size_t i = 0; i < a->targets.n; i++)
        n += strcmp(a->targets.item[i], "-") == 0;
    for (size_t i = 0; i < a->signatures.n; i++)
        n += strcmp(a->signatures.item[i], "-") == 0;
    n += a->source && strcmp(a->source, "-") == 0;
    n += a->collective_table && strcmp(a->collective_table, "-") == 0;
    for (size_t i = 0; i < a->hypothesis_files.n; i++)
        n += strcmp(a->hypothesis_files.item[i], "-") == 0;
    if (n > 0 && processes->size > 1)
        return mpg_error_set(err, "nothing can be - where there are %d processes: only one of them has "
                                  "standard input", processes->size);
    return n > 1 ? mpg_error_set(err, "only one of TRACE, --target, --signature, --source, "
                                      "--hypothesis and --collective-table can be -")
                 : 0;
}

static int read_hypotheses(struct mpg_arguments *a, struct mpg_error *err)
{
    for (size_t i = 0; i < a->hypothesis_files.n; i++)
        if (mpg_hypotheses_read(&a->hypotheses, a->hypothesis_files.item[i], err) < 0)
            return mpg_error_prefix(err, "--hypothesis");
    for (size_t i = 0; i < a->hypothesis_lines.n; i++)
        if (mpg_hypotheses_add(&a->hypotheses, a->hypothesis_lines.item[i], err) < 0)
            return mpg_error_prefix(err, "--suppose: '%s'", a->hypothesis_lines.item[i]);
    for (size_t i = 0; i < a->hypotheses.n && (a->output_trace || a->timeline); i++)
        if (!mpg_hypothesis_is_of_work(&a->hypotheses.item[i]))
            return mpg_error_set(err, "--%s: '%s': a trace is written with all that was sent",
                                 a->output_trace ? "output-trace" : "timeline", a->hypotheses.item[i].text);
    return mpg_hypotheses_check(&a->hypotheses, err);
}

/* Reads what was given into A, but for what it asks for. */
static int read_given(struct mpg_arguments *a, const struct mpg_processes *processes, struct mpg_error *err)
{
    a->signature = a->signatures.n > 0 ? a->signatures.item[0] : NULL;
    if (a->json && a->per_rank)
        return mpg_error_set(err, "--json and --per-rank exclude each other");
    if (a->without && mpg_rules_leave_out(a->without, err) < 0)
        return -1;
    if (mpg_arguments_parse_target(a, err) < 0 || mpg_arguments_parse_sweep(a, err) < 0 || mpg_arguments_check_sweep(a, err) < 0 ||
        mpg_arguments_check_designs(a, err) < 0 || parse_waits(a, err) < 0 || mpg_arguments_parse_where(a, err) < 0 || mpg_arguments_parse_timeline(a, err) < 0)
        return -1;
    return check_standard_input(a, processes, err) < 0 ? -1 : read_hypotheses(a, err);
}

static int read_scenario(struct mpg_arguments *a, struct mpg_processes *processes, struct mpg_arguments *at,
                         struct mpg_asked *asked, struct mpg_error *err)
{
    const int status = mpg_arguments_read_target(a, err);
    if (status < 0)
        return status;
    mpg_arguments_at(a, a->signature, 0, at);
    return mpg_arguments_ask(at, processes, NULL, asked, err);
}

/* The first is kept, all others are looked at. */
static int read_designs(struct mpg_arguments *a, struct mpg_processes *processes, struct mpg_arguments *at,
                        struct mpg_asked *asked, struct mpg_error *err)
{
    int status = mpg_arguments_design(a, 0, at, err);
    if (status == 0)
        status = mpg_arguments_ask(at, processes, NULL, asked, err);
    for (size_t i = 1; i < mpg_arguments_designs(a) && status == 0; i++) {
        struct mpg_arguments other;
        struct mpg_asked of_other = {.borrows = false};
        status = mpg_arguments_design(a, i, &other, err);
        if (status == 0)
            status = mpg_arguments_ask(&other, processes, asked, &of_other, err);
        mpg_asked_clear(&of_other);
        mpg_arguments_design_clear(&other);
    }
    return status;
}

const char *mpg_arguments_read(struct mpg_arguments *a, int argc, char **argv,
                               struct mpg_processes *processes, struct mpg_arguments *at,
                               struct mpg_asked *asked, struct mpg_error *err)
{
    *a = (struct mpg_arguments){.output = "-",
                                .polling_interval_ns = 10e3,
                                .replicas = DEFAULT_REPLICAS,
                                .seed = 1,
                                .horizon = DEFAULT_HORIZON};
    const struct mpg_program program = {
        .name = "mpgsim", .arguments = "TRACE [TRACE...]",
        .summary = "Say how the run time of TRACE (a folder, a file, mpgtext, or - for standard input) "
                   "changes under perturbations, or what it is on another machine.",
        .options = mpg_arguments_table(a), .min_arguments = 1, .max_arguments = -1,
        .note = mpg_arguments_note, .whom = a, .silent = !processes->speaks};
    a->traces = argv + mpg_option_parse(&program, argc, argv);
    a->trace_number = (size_t)(argv + argc - a->traces);
    const char *trace = *a->traces;
    const char *history = getenv("MPGKIT_HISTORY");
    if (!a->history && history && *history)
        a->history = history;
    if (read_given(a, processes, err) < 0)
        mpg_option_usage_error(&program, "%s", err->text);
    int status = mpg_arguments_read_against(a, err);
    if (status == 0)
        status = mpg_arguments_tabulates(a) ? read_designs(a, processes, at, asked, err)
                                            : read_scenario(a, processes, at, asked, err);
    if (status == MPG_SPEC_UNREADABLE)
        return NULL;
    if (status < 0)
        mpg_option_usage_error(&program, "%s", err->text);
    return trace;
}
