/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass for hypotheses about messages. */
#include "graph/graph.h"
#include "graph/work/supposed.h"

int mpg_graph_learn(struct mpg_trace *trace, const struct mpg_graph_options *options, struct mpg_error *err)
{
    struct mpg_graph_options leaves = *options; /* nobody looks at the steps */
    leaves.wanted = MPG_STEPS_LEAVES;
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(trace, err);
    struct mpg_graph *graph = clocks ? mpg_graph_open(trace, clocks, &leaves, err) : NULL;
    struct mpg_steps steps;
    int more = graph ? 1 : -1;
    mpg_supposed_learn(options->supposed, true);
    while (more > 0)
        more = mpg_graph_next(graph, &steps, err);
    mpg_supposed_learn(options->supposed, false);
    mpg_graph_close(graph);
    mpg_clock_map_free(clocks);
    return more < 0 ? mpg_trace_blame_call(trace, err) : mpg_supposed_check(options->supposed, err);
}
