/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which region of the program computation is in, as far as options and hypotheses name it: what share of an
 * interval has which ratio of compute times, and what is balanced. */
#ifndef MPG_GRAPH_REGIONS_H
#define MPG_GRAPH_REGIONS_H

#include "graph/graph.h"
#include "graph/work/intervals.h"
#include "graph/work/bound_hypotheses.h"

struct open_region;

/* The open regions of a thread; zero-initialised is none. */
struct regions {
    struct open_region *open; /* the innermost last */
    size_t depth, capacity;
    int64_t since_ns; /* what is before it is in what follows: */
    double scaled_ns; /* the integral of ratios; */
    /* with hypotheses, of the parts between marks: */
    struct interval_sums interval_sums;
    double length_ns, longer_ns; /* of computation, and what scaling adds to that, with ratios */
    double work_ns, more_ns;     /* the same of work, */
    double balanced_ns;          /* and what balancing adds; */
    int64_t begin_ns, flushed_ns; /* since when; flushes in the parts that are over */
    struct mpg_mark *mark;       /* of this interval, so many: */
    uint32_t mark_number, mark_capacity;
    size_t *visits;              /* of each hypothesis: so many of its region have begun */
};

/* What regions go by: those of options and hypotheses, for a thread. */
struct region_rules {
    const struct mpg_region_ratios *ratios;    /* NULL: 1 */
    const struct mpg_bound_hypotheses *bound;       /* NULL: none */
    uint64_t active;                          /* which hypotheses hold */
    const struct mpg_trace *trace;
    const struct tracer_overhead *tracer_overhead;
    int32_t rank;
    uint32_t thread;
    bool marks, by_work; /* marks are listed; by CPU time where that is recorded */
};

/* A call has been left at NOW_NS: an interval begins. */
void mpg_graph_regions_begin(struct regions *r, int64_t now_ns);
/* EVENT marks a region's begin or end, in a call's time or between two. Errors: out of memory. */
int mpg_graph_regions_mark(struct regions *r, const struct region_rules *of, const struct mpg_event *event,
                           struct mpg_error *err);
/* EVENT is another one between calls. */
void mpg_graph_regions_skip(struct regions *r, const struct region_rules *of, const struct mpg_event *event);
/* What becomes of the interval that began at BEGIN_NS and ends with EVENT, the thread's OWN or not. The ratio of an empty
 * one is that of its end; its marks are R's, until the next begins. */
struct mpg_change mpg_graph_regions_change(const struct regions *r, const struct region_rules *of, int64_t begin_ns,
                                           const struct mpg_event *event, bool own);
/* The name of the innermost open one, a string of the trace's; -1: none is open. */
int32_t mpg_graph_regions_innermost(const struct regions *r);
void mpg_graph_regions_clear(struct regions *r);

#endif
