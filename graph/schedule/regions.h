/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which region of the program computation is in: what share of an interval has which ratio of compute
 * times, as far as options name it, and which region is the innermost. */
#ifndef MPG_GRAPH_REGIONS_H
#define MPG_GRAPH_REGIONS_H

#include "graph/graph.h"

/* The open regions of a thread; zero-initialised is none. */
struct regions {
    struct region {
        double ratio; /* its own, or that of the one around it */
        int32_t name; /* a string of the trace's */
    } *open;          /* the innermost last */
    size_t depth, capacity;
    int64_t since_ns; /* what is before it is in SCALED_NS */
    double scaled_ns;
};

/* A call has been left at NOW_NS: an interval begins. */
void graph_regions_begin(struct regions *r, int64_t now_ns);
/* EVENT marks a region's begin or end, in a call's time or between two. RATIOS: NULL: none. Errors: out
 * of memory. */
int graph_regions_mark(struct regions *r, const struct mpg_region_ratios *ratios,
                       const struct mpg_trace *trace, const struct mpg_event *event,
                       struct mpg_error *err);
/* The mean ratio of the interval that began at BEGIN_NS and ends at NOW_NS; of an empty one that of
 * its end. */
double graph_regions_ratio(const struct regions *r, const struct mpg_region_ratios *ratios,
                           int64_t begin_ns, int64_t now_ns);
/* The name of the innermost open one; -1: none is open. */
int32_t graph_regions_innermost(const struct regions *r);
void graph_regions_clear(struct regions *r);

#endif
