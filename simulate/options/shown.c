/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/options/shown.h"

#include "analyse/walk.h"

int64_t mpg_shown_limit(struct mpg_trace *trace, bool lenient)
{
    const struct mpg_graph_options options = {
        .lenient = lenient, .eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX};
    struct mpg_clock_map *clocks = NULL;
    struct mpg_error err;
    int64_t limit = INT64_MAX;
    if (mpg_walk_clocks(trace, lenient, &clocks, &err) == 0 && mpg_clock_map_source(clocks) != MPG_CLOCK_NONE) {
        const struct mpg_walk walk = {
            .trace = trace, .clocks = clocks, .options = &options, .label = "finding the eager limit"};
        struct mpg_graph *g = NULL;
        if (mpg_walk(&walk, NULL, &g, &err) == 0)
            limit = mpg_graph_source_eager_limit(g, INT64_MAX);
        mpg_graph_close(g);
    }
    mpg_clock_map_free(clocks);
    return limit;
}
