/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over the steps of a trace's graph. */
#ifndef MPG_WALK_H
#define MPG_WALK_H

#include "common/error.h"
#include "graph/graph.h"

/* Takes STEPS. Returns 0 to go on; 1: no more steps are needed; -1 with ERR. */
typedef int mpg_walk_take(void *walker, const struct mpg_steps *steps, struct mpg_error *err);

struct mpg_walk {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    const struct mpg_graph_options *options;
    const char *label;    /* label of the progress line */
    mpg_walk_take *take;  /* NULL: steps are counted only */
    void *walker;
};

/* Makes the graph and passes all steps to the walk's function. *COUNTS (NULL: not needed) are the graph's counts; *GRAPH (NULL:
 * not needed) is the graph, which the caller closes, also on failure. Returns 0, or -1 with ERR: an error of the graph or of
 * the function. */
int mpg_walk(const struct mpg_walk *walk, struct mpg_graph_counts *counts, struct mpg_graph **graph,
             struct mpg_error *err);

/* Finds clocks of TRACE: shared clocks, measured clocks, or, by an additional pass, clocks bounded by messages. *FOUND has source
 * NONE if clocks are not comparable. LENIENT: calls without a partner are counted, not an error. The caller frees *FOUND, also on
 * failure. Returns 0, or -1 with ERR. */
int mpg_walk_clocks(struct mpg_trace *trace, bool lenient, struct mpg_clock_map **found, struct mpg_error *err);

#endif
