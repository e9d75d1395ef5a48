/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of the program named in options and hypotheses: the factor on compute times of an interval, and balancing. */
#ifndef MPG_GRAPH_REGIONS_H
#define MPG_GRAPH_REGIONS_H

#include "graph/graph.h"
#include "graph/work/intervals.h"
#include "graph/work/bound_hypotheses.h"

struct open_region;
struct region_time;

/* The open regions of a thread. Zero-initialised: none. */
struct regions {
    struct open_region *open; /* the open regions, innermost last */
    size_t depth, capacity;
    int64_t since_ns; /* time up to which the sums below are complete, on the rank's clock */
    double scaled_ns; /* integral of the factor on compute time over the interval, ns */
    /* with hypotheses: sums since the last mark */
    struct interval_sums interval_sums;
    /* computation so far in the interval, and the increase by the factors of options and hypotheses, ns */
    double length_ns, longer_ns;
    double work_ns, more_ns;     /* work (CPU time) so far in the interval, and the increase by these factors, ns */
    double balanced_ns;          /* increase of the computation by balancing, ns */
    int64_t begin_ns, flushed_ns; /* begin of the part since the last mark; time of flushes in the parts before this part */
    struct mpg_mark *mark;       /* region marks of this interval */
    uint32_t mark_number, mark_capacity;
    size_t *visits;              /* index: hypothesis; number of begins of the hypothesis's region */
    struct region_time *time;    /* time of this interval in each region ended or interrupted by a mark */
    uint32_t times, time_capacity;
};

/* The options and hypotheses that change the computation of a thread. */
struct region_rules {
    const struct mpg_region_ratios *ratios;    /* NULL: all factors are 1 */
    const struct mpg_bound_hypotheses *bound;       /* NULL: none */
    uint64_t active;                          /* bit i: hypothesis i is applied */
    const struct mpg_trace *trace;
    const struct tracer_overhead *tracer_overhead;
    int32_t rank;
    uint32_t thread;
    bool marks, by_work; /* marks: list region marks; by_work: measure in CPU time, if recorded */
};

/* To be called when a call is left at NOW_NS: begins an interval. */
void mpg_graph_regions_begin(struct regions *r, int64_t now_ns);
/* Handles EVENT, a region mark, within a call's time or between calls. Returns 0, or -1: out of memory. */
int mpg_graph_regions_mark(struct regions *r, const struct region_rules *of, const struct mpg_event *event,
                           struct mpg_error *err);
/* Handles EVENT, between calls and not a region mark. */
void mpg_graph_regions_skip(struct regions *r, const struct region_rules *of, const struct mpg_event *event);
/* Returns the change of the interval that began at BEGIN_NS and ends with EVENT (OWN: an event of the interval's thread). The
 * ratio of an empty interval is the ratio at the end. The marks are owned by R, until the next interval begins. */
struct mpg_change mpg_graph_regions_change(const struct regions *r, const struct region_rules *of, int64_t begin_ns,
                                           const struct mpg_event *event, bool own);
/* Returns the innermost open region, as a string number of the trace; -1: none. */
int32_t mpg_graph_regions_innermost(const struct regions *r);
/* Returns the innermost region in which the thread spends most of the interval that ends at NOW_NS, as a string number of the
 * trace; -1: most of the interval is outside of regions. Of equally long regions, the innermost region at NOW_NS counts, then
 * the first. */
int32_t mpg_graph_regions_longest(const struct regions *r, int64_t now_ns);
void mpg_graph_regions_clear(struct regions *r);

#endif
