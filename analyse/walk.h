/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass of an evaluator over the steps of a trace's graph. */
#ifndef MPG_WALK_H
#define MPG_WALK_H

#include "common/error.h"
#include "graph/graph.h"

/* What is done with STEPS, of a WALKER: 0 on; 1: no more are wanted; -1 with ERR. */
typedef int mpg_walk_take(void *walker, const struct mpg_steps *steps, struct mpg_error *err);

struct mpg_walk {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    const struct mpg_graph_options *options;
    const char *label;    /* of the progress line */
    mpg_walk_take *take;  /* NULL: steps are only counted */
    void *walker;
};

/* Takes all steps of a graph, whose counts are then *COUNTS, if that is not NULL; the graph is *GRAPH, to be
 * closed by the caller even on failure, if that is not NULL. Errors: those of graphs and of what is done. */
int mpg_walk(const struct mpg_walk *walk, struct mpg_graph_counts *counts, struct mpg_graph **graph,
             struct mpg_error *err);

/* Clocks of TRACE as they are said to be, measured, or, in a pass more, bounded by its messages; *FOUND is NONE where
 * none of these compares them. The caller frees *FOUND even on failure. LENIENT as in graphs. */
int mpg_walk_clocks(struct mpg_trace *trace, bool lenient, struct mpg_clock_map **found, struct mpg_error *err);

#endif
