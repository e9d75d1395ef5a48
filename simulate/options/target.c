/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parametric target: the target file, the effect of keys on options, and the reference run on one processor for speed-ups. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "common/input.h"
#include "simulate/options/configuration.h"

/* Error: the command line and the target's file both give a ratio outside of regions. */
static int use_ratio(struct mpg_config *c, struct mpg_error *err)
{
    if (!c->target.machine->mips_ratio)
        return 0;
    for (size_t i = 0; i < c->change.compute_ratio.n; i++)
        if (!strchr(c->change.compute_ratio.item[i], '@'))
            return mpg_error_set(err, "--compute-ratio=%s and MipsRatio = %s of %s exclude each other",
                                 c->change.compute_ratio.item[i], c->target.machine->mips_ratio, c->target.machine->name);
    if (c->change.compute_ratio.n == MPG_OPTION_LIST_MAX)
        return mpg_error_set(err, "--compute-ratio is given too often for MipsRatio");
    c->change.compute_ratio.item[c->change.compute_ratio.n++] = c->target.machine->mips_ratio;
    return 0;
}

bool mpg_config_target_has_messages(const struct mpg_config *c)
{
    return c->target.machine->of_messages || (!c->target.signature && c->change.latency.n == 0 && c->change.byte.n == 0);
}

/* Uses --map as the target's key Map, because with a parametric target a placement maps ranks to processors. */
static int use_map(struct mpg_config *c, struct mpg_error *err)
{
    char text[4096];
    if (!c->target.map || !mpg_config_target_has_messages(c))
        return 0;
    snprintf(text, sizeof text, "Map=%s", c->target.map);
    c->target.map = NULL;
    return mpg_parameters_set(c->target.machine, text, err) < 0 ? mpg_error_prefix(err, "--map") : 0;
}

static int check_policy(const struct mpg_config *c, struct mpg_error *err)
{
    const struct mpg_parameters *m = c->target.machine;
    const bool asks = m->policy == MPG_POLICY_INTERRUPT || m->policy == MPG_POLICY_POLL;
    if (asks && m->quantum_ns > 0) {
        mpg_error_set(err, "it and Policy = %s exclude each other", mpg_policy_name(m->policy));
        return mpg_parameters_set_key_error(m, "Quantum", err);
    }
    return mpg_parameters_check(m, err);
}

/* Returns the name of the option that needs to know through which calls a delay has passed, which is recorded only where calls
 * are evaluated in the order of the graph, not of time. NULL: no such option is given. */
static const char *option_needing_paths(const struct mpg_config *c)
{
    return c->question.where_tables > 0 ? "--where" : c->question.critical_path ? "--where=path" : NULL;
}

/* Decides whether steps are evaluated in the order of simulated time or in the order of the graph. Error: an option or key does
 * not work with the order. */
static int choose_engine(struct mpg_config *c, struct mpg_error *err)
{
    struct mpg_target_config *t = &c->target;
    const bool chosen = t->engine != MPG_ENGINE_DEFAULT;
    const char *followed = option_needing_paths(c);
    const bool in_graph_order = chosen ? t->engine == MPG_ENGINE_GRAPH : followed != NULL;
    const bool meets = t->machine->of_barrier || mpg_config_target_has_messages(c);
    const char *needs = in_graph_order ? mpg_parameters_need_events(t->machine, meets) : NULL;
    t->by_events = !in_graph_order;
    if (needs && chosen)
        return mpg_error_set(err, "--target=engine=graph: %s has %s, which only --target=engine=events simulates",
                             t->machine->name, needs);
    if (needs)
        return mpg_error_set(err, "%s: %s has %s, which needs --target=engine=events, where critical "
                                  "paths are not followed", followed, t->machine->name, needs);
    if (followed && t->by_events)
        return mpg_error_set(err, "%s and --target=engine=events exclude each other", followed);
    /* without choices, both orders give equal answers */
    c->model.deterministic = c->model.deterministic || (in_graph_order && !chosen);
    const char *by_events = t->gets                      ? "--target=get=blocking"
                            : t->against                 ? "--against"
                            : c->output.csv && !followed ? "--csv"
                                                         : NULL;
    return by_events && in_graph_order ? mpg_error_set(err, "%s and %s exclude each other",
                                                       chosen ? "--target=engine=graph" : followed,
                                              by_events)
                              : 0;
}

int mpg_config_read_target(struct mpg_config *c, struct mpg_error *err)
{
    struct mpg_target_config *t = &c->target;
    if (!t->name)
        return 0;
    if (!(t->machine = mpg_parameters_read(t->name, err)))
        return MPG_SPEC_UNREADABLE;
    if (t->signature && !t->machine->policy_given) /* no requests in graph order */
        t->machine->policy = t->engine == MPG_ENGINE_GRAPH ? MPG_POLICY_OFFLOAD : MPG_POLICY_CALLS;
    for (size_t i = 0; i < t->keys.n; i++)
        if (mpg_parameters_set(t->machine, t->keys.item[i], err) < 0)
            return mpg_error_prefix(err, "--%s=%s", i < t->given_keys ? "target" : "sweep", t->keys.item[i]);
    if (use_map(c, err) < 0)
        return -1;
    if (check_policy(c, err) < 0)
        return MPG_SPEC_UNREADABLE;
    return choose_engine(c, err) < 0 ? -1 : use_ratio(c, err);
}

/* --- the run on one processor --- */

/* Returns the run time in ANSWER, read from PATH, ns; 0 with ERR: ANSWER is not for one processor. */
static double run_of(const json_t *answer, const char *path, struct mpg_error *err)
{
    const char *format = json_string_value(json_object_get(answer, "format"));
    const char *mode = json_string_value(json_object_get(answer, "mode"));
    const json_t *processors = json_object_get(json_object_get(answer, "extrapolation"), "processors");
    const json_t *ranks = json_object_get(json_object_get(answer, "trace"), "ranks");
    const json_t *run = json_object_get(json_object_get(answer, "run_time_ns"), "mean");
    const json_int_t number = json_integer_value(processors ? processors : ranks);
    const double run_ns = json_number_value(run);
    if (!format || strcmp(format, "mpgsim-result") != 0 || !mode || strcmp(mode, "predict") != 0)
        mpg_error_set(err, "%s: not an answer of mpgsim --predict --json", path);
    else if (number != 1)
        mpg_error_set(err, "%s: an answer for %lld processors, not for one", path, (long long)number);
    else if (!(run_ns > 0))
        mpg_error_set(err, "%s: the run time is not above 0", path);
    else
        return run_ns;
    return 0;
}

int mpg_config_read_against(struct mpg_config *c, struct mpg_error *err)
{
    struct mpg_target_config *t = &c->target;
    json_error_t why;
    if (!t->against || t->against_ns > 0)
        return 0;
    FILE *stream = mpg_input_open(t->against);
    if (!stream) {
        mpg_error_errno(err, errno, "--against is a time, or an answer of one processor: %s", t->against);
        return MPG_SPEC_UNREADABLE;
    }
    json_t *answer = json_loadf(stream, JSON_REJECT_DUPLICATES, &why);
    fclose(stream);
    if (!answer)
        mpg_error_set(err, "%s:%d: %s", t->against, why.line, why.text);
    else
        t->against_ns = run_of(answer, t->against, err);
    json_decref(answer);
    return t->against_ns > 0 ? 0 : MPG_SPEC_UNREADABLE;
}
