/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/options/observed.h"

#include "analyse/walk.h"

/* Returns true if CLOCKS are precise enough to show which ranks were inside a call at the same time; false for clocks with
 * bounded offsets. */
static bool shows_progress(const struct mpg_clock_map *clocks)
{
    return mpg_clock_map_source(clocks) == MPG_CLOCK_SHARED || mpg_clock_map_source(clocks) == MPG_CLOCK_MEASURED;
}

struct mpg_observed mpg_observed_find(struct mpg_trace *trace, const struct mpg_collective_table *table, bool lenient)
{
    const struct mpg_graph_options options = {.lenient = lenient,
                                              .eager_limit_bytes = INT64_MAX,
                                              .source_eager_limit_bytes = INT64_MAX,
                                              .observes_progress = true,
                                              .expand = table,
                                              .expand_some = true,
                                              .nonblocking_table = table};
    struct mpg_observed observed = {INT64_MAX, mpg_no_weak_progress};
    struct mpg_clock_map *clocks = NULL;
    struct mpg_error err;
    if (mpg_walk_clocks(trace, lenient, &clocks, &err) == 0 && mpg_clock_map_source(clocks) != MPG_CLOCK_NONE) {
        const struct mpg_walk walk = {
            .trace = trace, .clocks = clocks, .options = &options, .label = "finding how sends wait"};
        struct mpg_graph *g = NULL;
        const bool is_placed = mpg_walk(&walk, NULL, &g, &err) == 0;
        if (is_placed)
            observed.limit_bytes = mpg_graph_source_eager_limit(g, INT64_MAX);
        if (is_placed && shows_progress(clocks))
            observed.weak = mpg_graph_weak_progress(g);
        mpg_graph_close(g);
    }
    mpg_clock_map_free(clocks);
    return observed;
}
