/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begin and end of a rank's run and threads. */
#ifndef MPG_GRAPH_THREADS_H
#define MPG_GRAPH_THREADS_H

#include "graph/schedule/state.h"

/* Opens the events of RANK. Returns 0, or -1 with ERR: as mpg_cursor_open(), out of memory. */
int mpg_graph_begin_run(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
/* Frees the run of RANK. */
void mpg_graph_end_run(struct mpg_graph *g, int32_t rank);

/* Returns the stream of THREAD of RANK, made at the thread's first call. (The first thread's stream number is the rank.)
 * Returns NULL: out of memory. */
struct stream *mpg_graph_further_stream(struct mpg_graph *g, int32_t rank, uint32_t thread, struct mpg_error *err);
/* Stores the value of S, the thread of MPI_Init, as the starting value of threads that begin later. Returns 0, or -1: out
 * of memory. */
int mpg_graph_keep_fork(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
/* Begins thread S with EVENT, the thread's first. S continues from the last event of the thread of MPI_Init before EVENT.
 * Returns 0, or -1: out of memory. */
int mpg_graph_begin_thread(struct mpg_graph *g, struct stream *s, const struct mpg_event *event, struct mpg_error *err);

/* Returns call and callsite of E. */
static inline struct mpg_call_site graph_call_site_of(const struct mpg_event *e)
{
    return (struct mpg_call_site){mpg_call_plain(e->call),
                              e->site == MPG_NO_SITE ? 0 : (uint32_t)e->site + 1};
}

#endif
