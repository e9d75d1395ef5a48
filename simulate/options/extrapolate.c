/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target of parameters, and what goes with it. */
#include "simulate/options/arguments.h"

#include <stdio.h>
#include <string.h>

/* What A has of scenarios, or of looking on, that events do not. */
static int check_excluded(const struct mpg_arguments *a, struct mpg_error *err)
{
    const char *target = a->ideal ? "--ideal" : "--target";
    const struct {
        const char *name;
        bool given;
        const char *why;
    } list[] = {
        {"--tolerate", a->tolerate != NULL, "it is about the traced run's slowdown (--sweep KEY=... is about this one's)"},
        {"several --signature", a->signatures.n > 1, "a target takes what its file does not say from one"},
        {"--waits", a->waits, "a trace of the predicted run has them: --output-trace=FOLDER, then mpgtrace waits FOLDER"},
        {"--timeline", a->timeline != NULL,
         "a trace of the predicted run has it: --output-trace=FOLDER, then mpgtrace timeline FOLDER"},
        {"--collectives=expand", a->collectives && strcmp(a->collectives, "expand") == 0,
         "all collectives but barriers are rounds there"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].given)
            return mpg_error_set(err, "%s and %s exclude each other: %s", list[i].name, target, list[i].why);
    return 0;
}

int mpg_arguments_parse_target(struct mpg_arguments *a, struct mpg_error *err)
{
    const struct {
        const char *name;
        bool given;
    } needing[] = {{"--parameter", a->parameters.n > 0},
                   {"--blocking-get", a->blocking_get},
                   {"--wall", a->wall},
                   {"--against", a->against != NULL},
                   {"--engine", a->engine != NULL}};
    if (mpg_arguments_parse_against(a, err) < 0)
        return -1;
    if (a->ideal && a->targets.n > 0)
        return mpg_error_set(err, "--ideal and --target exclude each other: it is --target=ideal");
    if (a->ideal)
        a->targets.item[a->targets.n++] = "ideal";
    a->target = a->targets.n > 0 ? a->targets.item[0] : NULL;
    a->given_parameters = a->parameters.n;
    for (size_t i = 0; i < sizeof needing / sizeof *needing && !a->target; i++)
        if (needing[i].given)
            return mpg_error_set(err, "%s says nothing without --target", needing[i].name);
    if (a->trace_number > 1 && !a->target)
        return mpg_error_set(err, "several TRACEs are a table of --target");
    if (a->target && check_excluded(a, err) < 0)
        return -1;
    if (a->engine && strcmp(a->engine, "events") != 0 && strcmp(a->engine, "lanes") != 0)
        return mpg_error_set(err, "--engine: '%s' is not events or lanes", a->engine);
    a->predict = a->predict || a->target;
    return 0;
}

/* The command line's ratio outside of regions and the file's exclude each other. */
static int use_ratio(struct mpg_arguments *a, struct mpg_error *err)
{
    if (!a->machine->mips_ratio)
        return 0;
    for (size_t i = 0; i < a->compute_ratio.n; i++)
        if (!strchr(a->compute_ratio.item[i], '@'))
            return mpg_error_set(err, "--compute-ratio=%s and MipsRatio = %s of %s exclude each other",
                                 a->compute_ratio.item[i], a->machine->mips_ratio, a->machine->name);
    if (a->compute_ratio.n == MPG_OPTION_LIST_MAX)
        return mpg_error_set(err, "--compute-ratio is given too often for MipsRatio");
    a->compute_ratio.item[a->compute_ratio.n++] = a->machine->mips_ratio;
    return 0;
}

/* Whether the target's messages are parameters. */
static bool has_messages(const struct mpg_arguments *a)
{
    return a->machine->of_messages || (!a->signature && a->latency.n == 0 && a->byte.n == 0);
}

/* Where ranks are is said of processors, where these are all that there is. */
static int use_map(struct mpg_arguments *a, struct mpg_error *err)
{
    char text[4096];
    if (!a->map || !has_messages(a))
        return 0;
    snprintf(text, sizeof text, "Map=%s", a->map);
    a->map = NULL;
    return mpg_parameters_set(a->machine, text, err) < 0 ? mpg_error_prefix(err, "--map") : 0;
}

static int check_policy(const struct mpg_arguments *a, struct mpg_error *err)
{
    const struct mpg_parameters *m = a->machine;
    const bool asks = m->policy == MPG_POLICY_INTERRUPT || m->policy == MPG_POLICY_POLL;
    if (asks && m->quantum_ns > 0) {
        mpg_error_set(err, "it and Policy = %s exclude each other", mpg_policy_name(m->policy));
        return mpg_parameters_blame(m, "Quantum", err);
    }
    return mpg_parameters_check(m, err);
}

/* What needs an order of all ranks: NULL: nothing. */
static const char *needs_events(const struct mpg_arguments *a)
{
    const struct mpg_parameters *m = a->machine;
    const bool meets = m->of_barrier || has_messages(a);
    return m->policy != MPG_POLICY_OFFLOAD       ? "a Policy other than offload"
           : m->contention > 0                   ? "Contention"
           : m->processors > 0 || m->map         ? "Processors or a Map"
           : meets && m->barrier != MPG_BARRIER_ROUNDS ? "a BarrierAlgorithm other than rounds"
                                                 : NULL;
}

int mpg_arguments_read_target(struct mpg_arguments *a, struct mpg_error *err)
{
    if (!a->target)
        return 0;
    if (!(a->machine = mpg_parameters_read(a->target, err)))
        return MPG_SPEC_UNREADABLE;
    if (a->signature && !a->machine->policy_given) /* lanes know of no requests */
        a->machine->policy = a->engine && strcmp(a->engine, "lanes") == 0 ? MPG_POLICY_OFFLOAD : MPG_POLICY_CALLS;
    for (size_t i = 0; i < a->parameters.n; i++)
        if (mpg_parameters_set(a->machine, a->parameters.item[i], err) < 0)
            return mpg_error_prefix(err, "--%s=%s", i < a->given_parameters ? "parameter" : "sweep", a->parameters.item[i]);
    if (use_map(a, err) < 0)
        return -1;
    if (check_policy(a, err) < 0)
        return MPG_SPEC_UNREADABLE;
    const char *followed = a->where ? "--where" : a->critical_path ? "--critical-path" : NULL;
    const bool lanes = a->engine ? strcmp(a->engine, "lanes") == 0 : followed != NULL;
    const char *needs = lanes ? needs_events(a) : NULL;
    a->by_events = !lanes;
    if (needs && a->engine)
        return mpg_error_set(err, "--engine=lanes: %s has %s, which only events know", a->machine->name, needs);
    if (needs)
        return mpg_error_set(err, "%s: %s has %s: what ranks wait for is found there in the order of simulated time, in which no paths "
                             "are followed", followed, a->machine->name, needs);
    if (followed && a->by_events)
        return mpg_error_set(err, "%s and --engine=events exclude each other", followed);
    a->deterministic = a->deterministic || (lanes && !a->engine); /* the answer is that of events */
    const char *by_events = a->blocking_get ? "--blocking-get" : a->against ? "--against" : a->csv && !followed ? "--csv" : NULL;
    if (by_events && !a->by_events)
        return mpg_error_set(err, "%s and %s exclude each other", a->engine ? "--engine=lanes" : followed, by_events);
    return use_ratio(a, err);
}

int mpg_arguments_use_target(const struct mpg_arguments *a, struct mpg_perturbation *p, struct mpg_error *err)
{
    if (!a->machine)
        return 0;
    p->work_alone = true;
    if (!has_messages(a))
        return 0;
    if (a->latency.n > 0 || a->byte.n > 0)
        return mpg_error_set(err, "--%s: %s says what messages take", a->latency.n > 0 ? "latency" : "byte",
                             a->machine->name);
    p->parameters = a->machine;
    p->calls_cost_nothing = true;
    return 0;
}
