/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits of parallel regions (OpenMP) within the compute intervals of a thread. */
#ifndef MPG_GRAPH_VISITS_H
#define MPG_GRAPH_VISITS_H

#include "graph/graph.h"
#include "trace/parallel.h"

/* Visits since the thread's last call. Zero-initialised: none. */
struct visits {
    struct mpg_visit *visit;
    uint32_t number, capacity;
    int64_t begin_ns; /* begin of the interval, on the rank's clock */
    const struct mpg_parallel_region *open; /* the region that the thread is in; NULL: none */
    int64_t from_ns;  /* begin of the visit of `open`, or of the interval if that is later, on the rank's clock */
    int32_t string;   /* name of the region looked up last, as 1 + string number of the trace; 0: none yet */
    const struct mpg_parallel_region *known; /* this region; NULL: no parallel region */
};

/* Begins an interval at NOW_NS. */
void mpg_graph_visits_begin(struct visits *v, int64_t now_ns);
/* Handles EVENT, a region mark, of a rank with the parallel regions P. Returns 0, or -1: no memory. */
int mpg_graph_visits_mark(struct visits *v, const struct mpg_parallel *p, const struct mpg_trace *trace,
                          const struct mpg_event *event, struct mpg_error *err);
/* Adds to V the visit that is still open at NOW_NS, the end of the interval, which goes on in the next interval. Returns 0, or
 * -1: no memory. */
int mpg_graph_visits_end(struct visits *v, int64_t now_ns, struct mpg_error *err);
void mpg_graph_visits_clear(struct visits *v);

#endif
