/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and leave of a call: starts operations, counts the events to wait for, and adds the edges into the leave. The
 * folders of graph/ for messages, collectives, requests and windows do the work. */
#ifndef MPG_GRAPH_CALLS_H
#define MPG_GRAPH_CALLS_H

#include "graph/schedule/state.h"

/* Starts the operations of the current call of S, and counts in the call's waiter the events to wait for. R: the run of S's
 * rank. Returns 0, or -1 with ERR. */
int mpg_graph_begin_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err);
/* Makes the edges into the leave of the current call of S, and the LEAVE step. Returns 0, or -1 with ERR. */
int mpg_graph_leave_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err);

/* Appends and returns a LEAVE step of CALL without edges and rare data. CLASS_BYTES: bytes for the call's size class.
 * Returns NULL: out of memory. */
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

/* Updates the counts C for ARRIVAL, the edge of a message received by a call that ends at LEAVE_NS (aligned). */
static inline void graph_note_arrival(struct mpg_graph_counts *c, const struct mpg_edge *arrival, double leave_ns)
{
    const double back_ns = arrival->sent_ns - leave_ns;
    c->largest_bytes = arrival->target_bytes > c->largest_bytes ? arrival->target_bytes : c->largest_bytes;
    c->backward += back_ns > 0;
    c->backward_ns = back_ns > c->backward_ns ? back_ns : c->backward_ns;
}

#endif
