/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New times of a rank's events, from those of its nodes.
 *
 * A call that is a node of the graph has that's times. What lies between two of them (regions'
 * marks, calls that involve nobody, sums of such) keeps its place there in proportion, flushes left
 * out; what comes before MPI_Init's leave or after the last node's enter, its distance. */
#ifndef MPG_RETIME_H
#define MPG_RETIME_H

#include "simulate/retrace/nodes.h"

struct mpg_retime;

/* Of RANK of TRACE, whose MPI_Init is left at ORIGIN_NS of the new times. Errors: nodes cannot be
 * read, out of memory. */
struct mpg_retime *mpg_retime_new(struct mpg_trace *trace, int32_t rank, struct mpg_nodes *nodes,
                                  int64_t origin_ns, struct mpg_error *err);
/* Gives EVENT, the rank's next, its times, CPU time and sums; what its values point to is R's until
 * the next call. 1, 0: it is to be left out, -1: nodes cannot be read, out of memory. */
int mpg_retime_event(struct mpg_retime *r, struct mpg_event *event, struct mpg_error *err);
/* When THREAD is at TRACED_NS, which is not before its last event. */
int64_t mpg_retime_later(const struct mpg_retime *r, uint32_t thread, int64_t traced_ns);
/* How many calls so far began, in the new times, before one of another thread that they came after. */
uint64_t mpg_retime_swapped(const struct mpg_retime *r);
void mpg_retime_free(struct mpg_retime *r); /* NULL is allowed */

#endif
