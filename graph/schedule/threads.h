/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and end of a rank's run and of its threads. */
#ifndef MPG_GRAPH_THREADS_H
#define MPG_GRAPH_THREADS_H

#include "graph/schedule/state.h"

/* Opens RANK's events. Returns 0, or -1 with ERR: as mpg_cursor_open(), out of memory. */
int mpg_graph_begin_run(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
/* Frees RANK's run. */
void mpg_graph_end_run(struct mpg_graph *g, int32_t rank);

/* Returns the stream of THREAD of RANK, made at the thread's first call; for threads other than the first. Thread 0's
 * stream number is the rank. Returns NULL: out of memory. */
struct stream *mpg_graph_further_stream(struct mpg_graph *g, int32_t rank, uint32_t thread, struct mpg_error *err);
/* While threads of the rank are still to begin, keeps the value of S, MPI_Init's thread, as their starting point.
 * Returns 0, or -1: out of memory. */
int mpg_graph_keep_fork(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
/* EVENT is the first of thread S, which continues from the last event of MPI_Init's thread before EVENT. Returns 0,
 * or -1: out of memory. */
int mpg_graph_begin_thread(struct mpg_graph *g, struct stream *s, const struct mpg_event *event, struct mpg_error *err);

/* Returns call and callsite of E. */
static inline struct mpg_call_site graph_call_site_of(const struct mpg_event *e)
{
    return (struct mpg_call_site){mpg_call_plain(e->call),
                              e->site == MPG_NO_SITE ? 0 : (uint32_t)e->site + 1};
}

#endif
