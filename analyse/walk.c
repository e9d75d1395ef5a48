/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/walk.h"

#include "common/progress.h"

static int take_all(const struct mpg_walk *walk, struct mpg_graph *g, struct mpg_progress *progress,
                    struct mpg_error *err)
{
    enum { STEPS_A_LOOK = 4096 };
    struct mpg_steps steps;
    int more;
    size_t n = 0;
    while ((more = mpg_graph_next(g, &steps, err)) > 0) {
        const int status = walk->take ? walk->take(walk->walker, &steps, err) : 0;
        if (status != 0)
            return status < 0 ? -1 : 0;
        n += steps.n;
        if (n < STEPS_A_LOOK)
            continue;
        n = 0;
        mpg_progress_update(progress, (double)mpg_graph_counts(g).calls);
    }
    return more;
}

int mpg_walk(const struct mpg_walk *walk, struct mpg_graph_counts *counts, struct mpg_graph **graph,
             struct mpg_error *err)
{
    struct mpg_progress progress;
    struct mpg_graph *g = mpg_graph_open(walk->trace, walk->clocks, walk->options, err);
    if (graph)
        *graph = g;
    if (!g)
        return -1;
    mpg_progress_start(&progress, walk->label, (double)mpg_trace_events(walk->trace, -1));
    const int status = take_all(walk, g, &progress, err);
    mpg_progress_end(&progress);
    if (counts)
        *counts = mpg_graph_counts(g);
    if (!graph)
        mpg_graph_close(g);
    return status;
}

static int bound(void *bounds, const struct mpg_steps *steps, struct mpg_error *err)
{
    return mpg_clock_bounds_take(bounds, steps, err);
}

int mpg_walk_clocks(struct mpg_trace *trace, bool lenient, struct mpg_clock_map **found, struct mpg_error *err)
{
    if (!(*found = mpg_clock_map_from_trace(trace, err)))
        return -1;
    if (mpg_clock_map_source(*found) != MPG_CLOCK_NONE || mpg_trace_ranks(trace) == 1)
        return 0;
    const struct mpg_graph_options options = {
        .lenient = lenient, .eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX};
    struct mpg_clock_bounds *bounds = mpg_clock_bounds_new(mpg_trace_ranks(trace), err);
    const struct mpg_walk walk = {.trace = trace,
                                  .clocks = *found,
                                  .options = &options,
                                  .label = "bounding the clocks",
                                  .take = bound,
                                  .walker = bounds};
    int status = bounds ? mpg_walk(&walk, NULL, NULL, err) : -1;
    if (status == 0)
        status = mpg_clock_map_bound(*found, bounds, err);
    mpg_clock_bounds_free(bounds);
    return status < 0 ? -1 : 0;
}
