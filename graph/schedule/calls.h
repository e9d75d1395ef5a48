/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call: what it starts, what it waits for, the edges into its leave. Gives each kind
 * of call to the part of the graph that it is about. */
#ifndef MPG_GRAPH_CALLS_H
#define MPG_GRAPH_CALLS_H

#include "graph/schedule/state.h"

/* Starts what S's call starts and counts, in its waiter, what it has to wait for. R is its
 * rank's. */
int mpg_graph_begin_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err);
/* The edges into its leave, and the leave. */
int mpg_graph_leave_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err);

/* A new last step, the leave of CALL, whose size class goes by CLASS_BYTES, without edges and without anything
 * that few calls say; NULL when out of memory. */
static inline struct mpg_step *graph_emit_leave(struct steps *steps, const struct call *call, double class_bytes)
{
    struct mpg_step *step = graph_emit(steps, MPG_STEP_LEAVE, call);
    if (!step)
        return NULL;
    step->duration_ns = call->event->leave_ns - call->event->enter_ns;
    step->enter_ns = call->enter_ns;
    step->leave_ns = call->leave_ns;
    step->call_off_ns = call->event->off_in_ns;
    step->bytes = class_bytes;
    step->transfer = &mpg_no_transfer;
    step->alternatives = &mpg_no_alternatives;
    return step;
}

/* What is worth telling of ARRIVAL, of a message that the call left at LEAVE_NS receives. */
static inline void graph_note_arrival(struct mpg_graph_counts *c, const struct mpg_edge *arrival, double leave_ns)
{
    const double back_ns = arrival->sent_ns - leave_ns;
    c->largest_bytes = arrival->target_bytes > c->largest_bytes ? arrival->target_bytes : c->largest_bytes;
    c->backward += back_ns > 0;
    c->backward_ns = back_ns > c->backward_ns ? back_ns : c->backward_ns;
}

#endif
