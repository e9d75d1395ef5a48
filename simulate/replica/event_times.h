/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New times of a rank's events, from those of its nodes.
 *
 * A call that is a node of the graph has that's times. What lies between two of them (regions'
 * marks, calls that involve nobody, sums of such) keeps its place there in proportion, flushes left
 * out; what comes before MPI_Init's leave or after the last node's enter, its distance. Flushes that
 * are kept take what they took. */
#ifndef MPG_RETIME_H
#define MPG_RETIME_H

#include "simulate/replica/node_times.h"

struct mpg_event_times;

struct mpg_event_times_rules {
    bool own_clock;    /* new times are of the rank's clock, on which MPI_Init is left when it was; */
    int64_t origin_ns; /* else it is left then */
    bool keeps_tracer; /* so do its flushes, and CPU times hold what it took */
};

/* Of RANK of TRACE. Errors: nodes cannot be read, out of memory. */
struct mpg_event_times *mpg_event_times_new(struct mpg_trace *trace, int32_t rank, struct mpg_node_times *nodes,
                                  const struct mpg_event_times_rules *rules, struct mpg_error *err);
/* Gives EVENT, the rank's next, its times, CPU time and sums, and what it completes; what it points to
 * is R's until the next call. 1, 0: it is to be left out, -1: nodes cannot be read, out of
 * memory. */
int mpg_event_times_event(struct mpg_event_times *r, struct mpg_event *event, struct mpg_error *err);
/* Measured offsets of the rank's clock: the I-th is at *NEW_NS of the new times; false beyond the
 * last. Valid once all events have been given their times. */
bool mpg_event_times_clock(const struct mpg_event_times *r, size_t i, int64_t *new_ns, int64_t *offset_ns);
/* When THREAD is at TRACED_NS, which is not before its last event. */
int64_t mpg_event_times_later(const struct mpg_event_times *r, uint32_t thread, int64_t traced_ns);
/* How many calls so far began, in the new times, before one of another thread that they came after. */
uint64_t mpg_event_times_swapped(const struct mpg_event_times *r);
void mpg_event_times_free(struct mpg_event_times *r); /* NULL is allowed */

#endif
