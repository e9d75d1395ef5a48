/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of the program that options and hypotheses name: the factor on compute times of an interval, and balancing. */
#ifndef MPG_GRAPH_REGIONS_H
#define MPG_GRAPH_REGIONS_H

#include "graph/graph.h"
#include "graph/work/intervals.h"
#include "graph/work/bound_hypotheses.h"

struct open_region;
struct region_time;

/* The open regions of a thread. Zero-initialised: none. */
struct regions {
    struct open_region *open; /* innermost last */
    size_t depth, capacity;
    int64_t since_ns; /* time up to which the sums below are complete */
    double scaled_ns; /* integral of ratios over time */
    /* with hypotheses: sums over the parts between marks */
    struct interval_sums interval_sums;
    double length_ns, longer_ns; /* computation, and its increase by scaling, with ratios */
    double work_ns, more_ns;     /* likewise for work */
    double balanced_ns;          /* increase by balancing */
    int64_t begin_ns, flushed_ns; /* begin of the part; flushes in complete parts */
    struct mpg_mark *mark;       /* region marks of this interval */
    uint32_t mark_number, mark_capacity;
    size_t *visits;              /* by hypothesis: number of begins of its region */
    struct region_time *time;    /* time of this interval in each region that a mark has ended or interrupted */
    uint32_t times, time_capacity;
};

/* Ratios and hypotheses for a thread. */
struct region_rules {
    const struct mpg_region_ratios *ratios;    /* NULL: 1 */
    const struct mpg_bound_hypotheses *bound;       /* NULL: none */
    uint64_t active;                          /* bit i: hypothesis i holds */
    const struct mpg_trace *trace;
    const struct tracer_overhead *tracer_overhead;
    int32_t rank;
    uint32_t thread;
    bool marks, by_work; /* list marks; in CPU time, if recorded */
};

/* A call was left at NOW_NS: an interval begins. */
void mpg_graph_regions_begin(struct regions *r, int64_t now_ns);
/* EVENT is a region mark, within a call's time or between calls. Returns 0, or -1: out of memory. */
int mpg_graph_regions_mark(struct regions *r, const struct region_rules *of, const struct mpg_event *event,
                           struct mpg_error *err);
/* EVENT is another event between calls. */
void mpg_graph_regions_skip(struct regions *r, const struct region_rules *of, const struct mpg_event *event);
/* Returns the change of the interval that began at BEGIN_NS and ends with EVENT (OWN: of the same thread). The ratio
 * of an empty interval is the ratio at its end. The marks are owned by R, until the next interval begins. */
struct mpg_change mpg_graph_regions_change(const struct regions *r, const struct region_rules *of, int64_t begin_ns,
                                           const struct mpg_event *event, bool own);
/* Returns the innermost open region, as a string number of the trace; -1: none. */
int32_t mpg_graph_regions_innermost(const struct regions *r);
/* Returns the innermost region with most of the time of the interval that ends at NOW_NS, as a string number of the trace; -1:
 * most of it is outside of regions. Of equally long regions the last one counts. */
int32_t mpg_graph_regions_longest(const struct regions *r, int64_t now_ns);
void mpg_graph_regions_clear(struct regions *r);

#endif
