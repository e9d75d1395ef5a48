/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/walk.h"

#include "common/progress.h"

static int take_all(const struct mpg_walk *walk, struct mpg_graph *g, struct mpg_progress *progress,
                    struct mpg_error *err)
{
    enum { STEPS_A_LOOK = 4096 };
    struct mpg_steps steps;
    int more;
    for (uint64_t n = 0; (more = mpg_graph_next(g, &steps, err)) > 0; n++) {
        const int status = walk->take ? walk->take(walk->walker, &steps, err) : 0;
        if (status != 0)
            return status < 0 ? -1 : 0;
        if (n % STEPS_A_LOOK == 0)
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
