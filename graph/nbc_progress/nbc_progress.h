/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives of a library that moves them in its own calls only: completing one waits for calls of other
 * members, by its algorithm (docs/PROGRESS.md, Collectives moved in calls). What the trace shows of that, and the
 * edges. Of others it needs passages of ranks (graph/matching/weak_progress.h), and collectives. */
#ifndef MPG_GRAPH_MOVING_H
#define MPG_GRAPH_MOVING_H

#include "graph/matching/weak_progress.h"
#include "graph/collectives/collectives.h"

struct nbc_progress;

/* LIMITS as with carrying; OBSERVES: finds them. TABLE: what is not shown goes by it. EAGER_LIMIT_BYTES: the traced machine's,
 * INT64_MAX: none. NULL: out of memory. All outlive it. */
struct nbc_progress *mpg_graph_nbc_progress_new(struct progress *progress, struct collectives *collectives,
                                                const struct mpg_weak_progress *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                                struct mpg_error *err);
void mpg_graph_nbc_progress_free(struct nbc_progress *nbc_progress); /* NULL is allowed */

/* CALL completes PART: it waits until what others do meanwhile is known, if PART is a collective of that kind. Error: out of
 * memory. */
int mpg_graph_await_nbc_progress(struct nbc_progress *nbc_progress, const struct part *part, struct call *call,
                                 struct mpg_error *err);
/* Its edges, before the others of PART. Error: out of memory. */
int mpg_graph_nbc_edges(struct nbc_progress *nbc_progress, const struct part *part, const struct call *call,
                        struct mpg_error *err);
/* CALL is being left, and has completed N requests: what it shows, while it observes, is counted. */
void mpg_graph_nbc_observe_call(struct nbc_progress *nbc_progress, const struct call *call, uint32_t n);
/* What was observed, put into CARRIED. */
void mpg_graph_nbc_progress_found(const struct nbc_progress *nbc_progress, struct mpg_weak_progress *carried);

#endif
