/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New times of a rank's events, from the times of the rank's nodes (node_times.h).
 *
 * A call that is a node of the graph has the times of the node. Events between two nodes (marks of regions, calls without
 * partners, sums of calls) keep the relative position in the interval, without flushes. Events before the leave of MPI_Init
 * keep the distance to this leave, and events after the enter of the last node keep the distance to this enter. Flushes kept
 * in the new trace have the traced length. */
#ifndef MPG_EVENT_TIMES_H
#define MPG_EVENT_TIMES_H

#include "simulate/replica/node_times.h"

struct mpg_event_times;

struct mpg_event_times_rules {
    bool own_clock;    /* new times are on the rank's own clock, on which the rank leaves MPI_Init at the traced time */
    int64_t origin_ns; /* without own_clock: new time of the leave of MPI_Init */
    bool keeps_tracer; /* flushes are kept, and CPU times include the tracer's time */
};

/* Returns the new times of RANK of TRACE, which the caller frees; TRACE and NODES outlive the result. NULL with ERR: nodes
 * cannot be read; no memory. */
struct mpg_event_times *mpg_event_times_new(struct mpg_trace *trace, int32_t rank, struct mpg_node_times *nodes,
                                  const struct mpg_event_times_rules *rules, struct mpg_error *err);
/* Sets the times, CPU time, sums and completions of EVENT, the rank's next event, to the new values. R owns the arrays of
 * EVENT until the next call. Returns 1; 0: EVENT is left out; -1 with ERR: nodes cannot be read; no memory. */
int mpg_event_times_event(struct mpg_event_times *r, struct mpg_event *event, struct mpg_error *err);
/* Sets *OFFSET_NS to offset I, from 0, of the measured offsets of the rank's clock, and *NEW_NS to the new time of this
 * measurement; to be called after the last event. Returns false beyond the last offset. */
bool mpg_event_times_clock(const struct mpg_event_times *r, size_t i, int64_t *new_ns, int64_t *offset_ns);
/* Returns the new time of THREAD for TRACED_NS, which is not before the last event of THREAD. */
int64_t mpg_event_times_later(const struct mpg_event_times *r, uint32_t thread, int64_t traced_ns);
/* Returns the number of calls so far that follow a call of another thread in the trace, but begin before this call in the new
 * times. */
uint64_t mpg_event_times_swapped(const struct mpg_event_times *r);
void mpg_event_times_free(struct mpg_event_times *r); /* NULL is allowed */

#endif
