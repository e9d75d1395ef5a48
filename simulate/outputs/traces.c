/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of replicas: --output-trace, and the traced run beside the median replica for --timeline and for a page. */
#include <stdio.h>

#include "common/printable.h"
#include "simulate/outputs/session.h"

/* Maximum number of events of a trace for which a replica is written only for the picture in a page. */
enum { MAX_EVENTS = 5000000 };

/* Returns the rules by which the trace of a replica differs from the recorded trace. */
static struct mpg_replica_trace_rules retrace_rules(const struct mpg_config *c, const struct mpg_perturbation *p)
{
    return (struct mpg_replica_trace_rules){.ratio = mpg_perturbation_rho(p),
                                      .delays = !c->target.predict,
                                      .same_machine = !c->target.predict && !p->target,
                                      .format = MPG_EXPORT_NATIVE,
                                      .keeps_tracer = !c->target.predict && !p->without_tracer,
                                      .lenient = c->model.lenient};
}

int mpg_session_begin_trace(struct mpg_session *x, const struct mpg_observer **observer, struct mpg_error *err)
{
    const struct mpg_config *c = &x->at;
    if (!c->output.output_trace)
        return 0;
    struct mpg_replica_trace_rules rules = retrace_rules(c, &x->setting.p);
    rules.format = c->output.trace_format_given ? c->output.trace_format : mpg_export_format_of(c->output.output_trace);
    if (rules.format == MPG_EXPORT_FORMATS)
        rules.format = MPG_EXPORT_NATIVE;
    if (!(x->retrace = mpg_replica_trace_begin(x->files.trace, x->trace, c->output.output_trace, &rules, err)))
        return mpg_error_prefix(err, "--output-trace");
    *observer = mpg_replica_trace_watch(x->retrace);
    return 0;
}

static int end_trace(const struct mpg_config *c, const struct mpg_setting *setting,
                     struct mpg_replica_trace *retrace, struct mpg_error *err)
{
    const struct mpg_placement *placement = &setting->placement;
    const struct mpg_replica_trace_facts facts = {.signature = c->target.signature,
                                            .stored = mpg_config_signature_is_all(c),
                                            .seed = c->seed,
                                            .replica = c->first_replica,
                                            .placement = placement->ranks > 0 ? placement : NULL};
    uint64_t swapped = 0;
    if (retrace && mpg_replica_trace_write(retrace, &facts, &swapped, err) < 0)
        return -1;
    if (retrace)
        mpg_left_out_print(mpg_replica_trace_left_out(retrace), "mpgsim", stderr);
    if (swapped > 0)
        mpg_printable_print_error("mpgsim: attention: %s: %llu calls of threads stand before calls of "
                        "another thread that they followed: they may match other messages\n",
                c->output.output_trace, (unsigned long long)swapped);
    return 0;
}

/* Evaluates and writes the traced run and the median replica, once for all outputs that show both. */
static int open_runs(struct mpg_session *x, struct mpg_error *err)
{
    const struct mpg_simulated what = mpg_session_simulated(x);
    const struct mpg_replica_trace_rules rules = retrace_rules(&x->at, &x->setting.p);
    return mpg_run_pair_open(&x->runs, &what, x->trace, &rules, x->at.seed, err);
}

int mpg_session_write_traces(struct mpg_session *x, struct mpg_error *err)
{
    const struct mpg_output_config *o = &x->at.output;
    if (end_trace(&x->at, &x->setting, x->retrace, err) < 0)
        return -1;
    if (o->timeline &&
        (open_runs(x, err) < 0 || mpg_run_pair_write_timeline(&x->runs, &o->timeline_part, o->timeline, err) < 0))
        return mpg_error_prefix(err, "--timeline");
    return 0;
}

/* --- the worst phase --- */

/* Returns the reason why no trace of a replica can be written; NULL: possible. */
static const char *why_no_trace(const struct mpg_session *x)
{
    for (size_t i = 0; i < x->at.change.hypotheses.n; i++)
        if (!mpg_hypothesis_is_of_work(&x->at.change.hypotheses.item[i]))
            return "a trace of the predicted run cannot be made of hypotheses about messages and calls";
    return x->at.target.by_events ? "a trace of the predicted run cannot be made in the order of simulated time"
           : mpg_trace_events(x->files.trace, -1) > MAX_EVENTS ? "the trace is too long to be written once more for this"
                                                                : NULL;
}

void mpg_session_find_phase(struct mpg_session *x)
{
    const struct mpg_timeline_run *run = x->runs.run;
    const char *why = why_no_trace(x);
    if (!x->at.output.report)
        return;
    if (why)
        mpg_error_set(&x->why_no_phase, "%s", why);
    else if (open_runs(x, &x->why_no_phase) == 0) {
        const struct mpg_phase_run traced = {run[0].trace, run[0].clocks}, predicted = {run[1].trace, run[1].clocks};
        if (mpg_worst_phase_find(&x->phase, &traced, &predicted, &x->why_no_phase) == 0)
            x->page.phase = &x->phase;
    }
    x->phase.replica = x->runs.replica;
    x->page.why_no_phase = x->why_no_phase.text;
}
