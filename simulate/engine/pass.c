/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a graph, and asking for its steps. */
#include "simulate/engine/pass.h"

#include "common/progress.h"

int mpg_pass(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
             const struct mpg_graph_options *options, const char *label, mpg_take *take,
             void *context, struct mpg_passed *passed, struct mpg_error *err)
{
    struct mpg_graph *g = mpg_graph_open(trace, clocks, options, err);
    if (!g)
        return -1;
    struct mpg_progress progress;
    mpg_progress_start(&progress, label, (double)mpg_trace_events(trace, -1));
    const struct mpg_step *step = NULL;
    int more;
    uint32_t steps = 0;
    passed->expanded = 0;
    while ((more = mpg_graph_next(g, &step, err)) > 0) {
        if (step->kind == MPG_STEP_EXPAND && step->expanding->plan.size.p > passed->expanded)
            passed->expanded = step->expanding->plan.size.p;
        if (take(context, step, mpg_graph_slots(g), err) < 0) {
            more = -1;
            break;
        }
        if ((++steps & 0xfff) == 0)
            mpg_progress_update(&progress, (double)mpg_graph_counts(g).calls);
    }
    mpg_progress_end(&progress);
    passed->counts = mpg_graph_counts(g);
    passed->slots = mpg_graph_slots(g);
    if (more == 0)
        passed->evident_limit = mpg_graph_source_eager_limit(g, options->eager_limit_bytes);
    mpg_graph_close(g);
    return more;
}

int mpg_take_nothing(void *context, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    (void)context, (void)s, (void)slots, (void)err;
    return 0;
}

int mpg_pass_choices(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                     struct mpg_graph_options *options, uint64_t horizon, struct mpg_passed *passed,
                     struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &passed->counts;
    if (c->choices + c->open_receives == 0)
        return 0;
    options->horizon = horizon;
    options->choose = true;
    options->choose_sources = c->open_receives > 0 && !options->by_completion;
    if (mpg_pass(trace, clocks, options, "finding choices", mpg_take_nothing, NULL, passed, err) < 0)
        return -1;
    options->choose = c->followed + c->followed_receives + c->beyond_horizon > 0;
    return 0;
}
