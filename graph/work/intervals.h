/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies between two calls of a thread: computation, and what the tracer put there. */
#ifndef MPG_GRAPH_INTERVALS_H
#define MPG_GRAPH_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/reader.h"

/* What recording took of a rank's time, in picoseconds, as its facts say, of: */
struct tracer_overhead {
    int64_t call_ps; /* an event that is recorded, */
    int64_t call_ns; /* in whole ones, */
    int64_t sum_ps;  /* a call that is summed up */
    int64_t cpu_ps;  /* CPU time that an interval has without anything in it */
    bool knows_cpu;  /* which is said */
    int32_t cpu;     /* which of an event's values is the CPU time; -1: none */
};

/* Since a thread's last call: zero-initialised is nothing. */
struct interval_sums {
    int64_t flushed_ns, tracer_ps, cpu_ns, cpu_tracer_ps;
    int64_t local_ns; /* in calls that involve nobody, each recorded */
    int64_t off_ns;   /* off the CPU, but for flushes */
};

/* Whether E, a call, involves nobody else: it is part of a compute interval (a program that asks for its
 * rank twice has no second one). */
static inline bool graph_is_computation(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return (kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL) && !e->failed;
}

/* Whether E says how much CPU time there was. */
static inline bool graph_has_cpu(const struct tracer_overhead *r, const struct mpg_event *e)
{
    return r->cpu >= 0 && (uint32_t)r->cpu < e->value_number && !e->killed;
}

struct tracer_overhead mpg_graph_tracer_overhead_of(const struct mpg_trace *trace, int32_t rank);
/* Adds EVENT, which is no node of the graph: a flush, a region's mark, a call that involves
 * nobody, or a sum of such. */
void mpg_graph_interval_add(struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                            const struct mpg_event *event);
/* Of TRACED_NS between two calls, what of it the tracer took (never more than that). */
int64_t mpg_graph_interval_tracer_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                     int64_t traced_ns);
/* Time off the CPU up to the enter of CALL, the thread's OWN or not, of LENGTH_NS; 0 .. LENGTH_NS. */
int64_t mpg_graph_interval_off_ns(const struct interval_sums *interval_sums, const struct mpg_event *call, bool own,
                                  int64_t length_ns);
/* CPU time up to the enter of CALL, the tracer's taken out; -1: not recorded. */
int64_t mpg_graph_interval_cpu_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                  const struct mpg_event *call);
/* The same with what calls that involve nobody took: the work, had the thread its core for itself. Of a record the
 * tracer's part is overhead_cpu_ns, or overhead_call_ns where that alone is known. -1: not recorded. */
int64_t mpg_graph_interval_work_ns(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                                   const struct mpg_event *call);
/* Work in TRACED_NS that ended with EVENT, a mark or a call: time on the CPU that is neither flushes nor the tracer's,
 * which goes to *LENGTH_NS, or the CPU time in it, where that is recorded, is less, and EVENT is the thread's OWN. */
double mpg_graph_interval_work(const struct interval_sums *interval_sums, const struct tracer_overhead *tracer_overhead,
                               int64_t traced_ns,
                               const struct mpg_event *event, bool own, double *length_ns);

#endif
