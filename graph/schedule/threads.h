/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank while it is under way, and its threads: how they come and go. */
#ifndef MPG_GRAPH_THREADS_H
#define MPG_GRAPH_THREADS_H

#include "graph/schedule/state.h"

/* Opens RANK's events. Errors: as mpg_cursor_open() has, out of memory. */
int mpg_graph_begin_run(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
/* Gives back what RANK has while it is under way. */
void mpg_graph_end_run(struct mpg_graph *g, int32_t rank);

/* The stream of THREAD of RANK, which is not the first of those that have made calls, or makes its first: new
 * then. Thread 0's number is the rank's. NULL with ERR when out of memory. */
struct stream *mpg_graph_further_stream(struct mpg_graph *g, int32_t rank, uint32_t thread, struct mpg_error *err);
/* While a rank has threads that are to come, where they may begin is kept: where S, that of MPI_Init, is. Error: out of
 * memory. */
int mpg_graph_keep_fork(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
/* EVENT is the first of thread S: it goes on from the last thing that the thread of MPI_Init did before. Error: out of
 * memory. */
int mpg_graph_begin_thread(struct mpg_graph *g, struct stream *s, const struct mpg_event *event, struct mpg_error *err);

/* Which call E is, and from where. */
static inline struct mpg_call_site graph_place_of(const struct mpg_event *e)
{
    return (struct mpg_call_site){mpg_call_plain(e->call),
                              e->site == MPG_NO_SITE ? 0 : (uint32_t)e->site + 1};
}

#endif
