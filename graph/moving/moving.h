/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives of a library that moves them in its own calls only: completing one waits for calls of other
 * members, by its algorithm (docs/PROGRESS.md, Collectives moved in calls). What the trace shows of that, and the
 * edges. Of others it needs passages of ranks (graph/matching/carried.h), and collectives. */
#ifndef MPG_GRAPH_MOVING_H
#define MPG_GRAPH_MOVING_H

#include "graph/matching/carried.h"
#include "graph/meetings/collectives.h"

struct moving;

/* LIMITS as with carrying; OBSERVES: finds them. TABLE: what is not shown goes by it. EAGER_LIMIT_BYTES: the traced machine's,
 * INT64_MAX: none. NULL: out of memory. All outlive it. */
struct moving *mpg_graph_moving_new(struct carrying *carrying, struct meetings *meetings, const struct mpg_carried *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                    struct mpg_error *err);
void mpg_graph_moving_free(struct moving *moving); /* NULL is allowed */

/* CALL completes PART: it waits until what others do meanwhile is known, if PART is a collective of that kind. Error: out of
 * memory. */
int mpg_graph_await_moved(struct moving *moving, const struct part *part, struct call *call, struct mpg_error *err);
/* Its edges, before the others of PART. Error: out of memory. */
int mpg_graph_moved_edges(struct moving *moving, const struct part *part, const struct call *call, struct mpg_error *err);
/* CALL is being left, and has completed N requests: what it shows, while it observes, is counted. */
void mpg_graph_moved_note(struct moving *moving, const struct call *call, uint32_t n);
/* What was observed, put into CARRIED. */
void mpg_graph_moved_found(const struct moving *moving, struct mpg_carried *carried);

#endif
