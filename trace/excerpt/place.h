/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an event lies before, in or after an excerpt. Private to trace/excerpt/. */
#ifndef MPG_EXCERPT_PLACE_H
#define MPG_EXCERPT_PLACE_H

#include "trace/excerpt/crossings.h"
#include "trace/excerpt/edges.h"
#include "trace/excerpt/operations.h"

enum mpg_place { MPG_BEFORE, MPG_INSIDE, MPG_AFTER };

/* An event ending after the begin and starting before the end is in the excerpt: a call in progress at an edge is cut there. A
 * mark of a region at an edge is outside. */
static inline enum mpg_place mpg_place_of(const struct mpg_edges *edges, const struct mpg_event *e)
{
    if (e->enter_ns >= edges->end_ns)
        return MPG_AFTER;
    return e->leave_ns > edges->begin_ns ? MPG_INSIDE : MPG_BEFORE;
}

/* Returns whether the messages of E, an event in the excerpt, count as before the excerpt. On a rank with several threads a call
 * in progress at the begin may be older than ended calls of other threads; the messages of a channel in the excerpt would then
 * not be consecutive. */
static inline bool mpg_messages_are_before(const struct mpg_edges *edges, const struct mpg_event *e, uint32_t threads)
{
    return threads > 1 && e->enter_ns < edges->begin_ns;
}

/* Counts the operations of all ranks before and in the excerpt. *CALLS: number of calls in the excerpt, besides MPI_Init.
 * *LAST_NS: the longest time from a rank's MPI_Init to the rank's last event read. Returns 0, or -1 with ERR. */
int mpg_excerpt_count(struct mpg_trace *trace, const struct mpg_edges *edges, struct mpg_crossings *crossings, uint64_t *calls,
                      int64_t *last_ns, struct mpg_error *err);
/* Writes the excerpt to FD, named NAME in errors, after the count. Returns 0, or -1 with ERR. */
int mpg_excerpt_write(struct mpg_trace *trace, const struct mpg_edges *edges, struct mpg_crossings *crossings,
                      const char *fact, int fd, const char *name, struct mpg_error *err);

#endif
