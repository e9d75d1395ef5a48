/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace of a replica (--output-trace), and the traced run with the median one as a timeline. */
#include <stdio.h>

#include "simulate/outputs/inquiry.h"
#include "common/printable.h"
#include "simulate/timeline/both.h"

/* Of longer traces no replica is written for a page's one picture. */
enum { MOST_EVENTS = 5000000 };

/* What a trace of a replica keeps of the traced one. */
static struct mpg_retrace_rules retrace_rules(const struct mpg_config *c, const struct mpg_perturbation *p)
{
    return (struct mpg_retrace_rules){.ratio = mpg_perturbation_rho(p),
                                      .delays = !c->target.predict,
                                      .same_machine = !c->target.predict && !p->target,
                                      .keeps_tracer = !c->target.predict && !p->without_tracer,
                                      .lenient = c->model.lenient};
}

int mpg_inquiry_begin_trace(struct mpg_inquiry *x, const struct mpg_watch **watch, struct mpg_error *err)
{
    const struct mpg_config *c = &x->at;
    if (!c->output.output_trace)
        return 0;
    const struct mpg_retrace_rules rules = retrace_rules(c, &x->setting.p);
    if (!(x->retrace = mpg_retrace_begin(x->files.trace, x->trace, c->output.output_trace, &rules, err)))
        return mpg_error_prefix(err, "--output-trace");
    *watch = mpg_retrace_watch(x->retrace);
    return 0;
}

static int end_trace(const struct mpg_config *c, const struct mpg_setting *setting,
                     struct mpg_retrace *retrace, struct mpg_error *err)
{
    const struct mpg_placement *places = &setting->places;
    const struct mpg_retrace_facts facts = {.signature = c->target.signature,
                                            .stored = mpg_config_signature_is_all(c),
                                            .seed = c->seed,
                                            .replica = c->first_replica,
                                            .places = places->ranks > 0 ? places : NULL};
    uint64_t swapped = 0;
    if (retrace && mpg_retrace_write(retrace, &facts, &swapped, err) < 0)
        return -1;
    if (swapped > 0)
        mpg_printable_tell("mpgsim: attention: %s: %llu calls of threads are there before those of "
                        "another thread that they came after: what they match may be another\n",
                c->output.output_trace, (unsigned long long)swapped);
    return 0;
}

/* The traced run and the median one as a timeline. */
static int write_timeline(const struct mpg_inquiry *x, struct mpg_error *err)
{
    const struct mpg_simulated what = mpg_inquiry_simulated(x);
    const struct mpg_retrace_rules rules = retrace_rules(&x->at, &x->setting.p);
    const struct mpg_retrace_facts facts = {.seed = x->at.seed};
    const struct mpg_timeline_wanted wanted = {.name = x->trace,
                                               .path = x->at.output.timeline,
                                               .part = &x->at.output.timeline_part,
                                               .rules = &rules,
                                               .facts = &facts};
    uint32_t replica;
    return x->at.output.timeline ? mpg_timeline_both(&what, &wanted, &replica, err) : 0;
}

/* --- the worst phase --- */

static int see_phase(void *who, const struct mpg_timeline_world world[2], struct mpg_error *err)
{
    const struct mpg_phase_world traced = {world[0].trace, world[0].clocks}, predicted = {world[1].trace, world[1].clocks};
    return mpg_worst_phase_find(who, &traced, &predicted, err);
}

/* NULL: a trace of a replica can be written. */
static const char *why_no_trace(const struct mpg_inquiry *x)
{
    for (size_t i = 0; i < x->at.change.hypotheses.n; i++)
        if (!mpg_hypothesis_is_of_work(&x->at.change.hypotheses.item[i]))
            return "a trace of the predicted run cannot be made of hypotheses about messages and calls";
    return x->at.target.by_events ? "a trace of the predicted run cannot be made in the order of simulated time"
           : mpg_trace_events(x->files.trace, -1) > MOST_EVENTS ? "the trace is too long to be written once more for this"
                                                                : NULL;
}

void mpg_inquiry_find_phase(struct mpg_inquiry *x)
{
    struct mpg_page_phase *phase = &x->page_phase;
    const char *why = why_no_trace(x);
    const struct mpg_simulated what = mpg_inquiry_simulated(x);
    const struct mpg_retrace_rules rules = retrace_rules(&x->at, &x->setting.p);
    const struct mpg_retrace_facts facts = {.seed = x->at.seed};
    const struct mpg_timeline_part all = {.lenient = x->at.model.lenient};
    const struct mpg_timeline_wanted wanted = {.name = x->trace, .part = &all, .rules = &rules, .facts = &facts};
    uint32_t replica = 0;
    if (!x->at.output.report)
        return;
    if (why)
        mpg_error_set(&phase->why, "%s", why);
    phase->none = why || mpg_timeline_show(&what, &wanted, see_phase, &phase->found, &replica, &phase->why) < 0;
    phase->found.replica = replica;
}

int mpg_inquiry_write_traces(struct mpg_inquiry *x, struct mpg_error *err)
{
    return end_trace(&x->at, &x->setting, x->retrace, err) < 0 ? -1 : write_timeline(x, err);
}
