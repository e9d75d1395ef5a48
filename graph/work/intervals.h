/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time between two calls of a thread: computation, and recording by the tracer. */
#ifndef MPG_GRAPH_INTERVALS_H
#define MPG_GRAPH_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/reader.h"

/* The tracer's overhead of a rank, from the rank's facts; ps: picoseconds. */
struct tracer_overhead {
    int64_t call_ps; /* overhead of a recorded call */
    int64_t call_ns; /* overhead of a recorded call, in whole ns */
    int64_t sum_ps;  /* overhead of an aggregated call */
    int64_t cpu_ps;  /* CPU time that the tracer adds to an interval */
    bool knows_cpu;  /* cpu_ps is recorded */
    int32_t cpu;     /* index of the CPU time among an event's values; -1: none */
};

/* Sums since a thread's last call. Zero-initialised: nothing. */
struct interval_sums {
    /* time of flushes; recording time; CPU time of the recorded events; the part of this CPU time spent on recording */
    int64_t flushed_ns, tracer_ps, cpu_ns, cpu_tracer_ps;
    int64_t local_ns; /* time in local calls that are recorded individually */
    int64_t off_ns;   /* time off the CPU outside of flushes */
};

/* Returns whether E is a local call, which counts as part of the compute interval and does not split it (MPI_Comm_rank, for
 * example). */
static inline bool graph_is_computation(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return (kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL) && !e->failed;
}

/* Returns whether E has a CPU time. */
static inline bool graph_has_cpu(const struct tracer_overhead *r, const struct mpg_event *e)
{
    return r->cpu >= 0 && (uint32_t)r->cpu < e->value_number && !e->killed;
}

struct tracer_overhead mpg_graph_tracer_overhead_of(const struct mpg_trace *trace, int32_t rank);
/* Adds EVENT, which is not a node of the graph: a flush, a region mark, a local call, or aggregated local calls. */
void mpg_graph_interval_add(struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                            const struct mpg_event *event);
/* Returns the recording time within TRACED_NS between two calls; 0 .. TRACED_NS. */
int64_t mpg_graph_interval_tracer_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                     int64_t traced_ns);
/* Returns the time off the CPU up to the enter of CALL, in an interval of LENGTH_NS; 0 .. LENGTH_NS. OWN: CALL is made by the
 * interval's thread, not by another thread of the rank. */
int64_t mpg_graph_interval_off_ns(const struct interval_sums *interval_sums, const struct mpg_event *call, bool own,
                                  int64_t length_ns);
/* Returns the CPU time up to the enter of CALL, without recording; -1: not recorded. */
int64_t mpg_graph_interval_cpu_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                  const struct mpg_event *call);
/* Returns the CPU time up to the enter of CALL, with local calls and without recording: the work of the interval on an
 * undisturbed core. The overhead of a recorded call is overhead_cpu_ns, or, if this is unknown, the overhead of a recorded
 * call in wall-clock time. Returns -1: not recorded. */
int64_t mpg_graph_interval_work_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                   const struct mpg_event *call);
/* Returns the work, in ns, in the last TRACED_NS ns before EVENT, a mark or a call. *LENGTH_NS: time on the CPU without
 * flushes and recording. The work is the CPU time, if CPU time is recorded, smaller than *LENGTH_NS, and EVENT is of the
 * interval's thread (OWN); otherwise *LENGTH_NS. */
double mpg_graph_interval_work(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                               int64_t traced_ns,
                               const struct mpg_event *event, bool own, double *length_ns);

#endif
