/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives in libraries that progress collectives inside MPI calls only: the completing call waits for calls of
 * other members, depending on the collective's algorithm (docs/PROGRESS.md, Weak progress of nonblocking collectives). Counts
 * observations in the trace, and adds edges for the waits. */
#ifndef MPG_GRAPH_NBC_PROGRESS_H
#define MPG_GRAPH_NBC_PROGRESS_H

#include "graph/matching/weak_progress.h"
#include "graph/collectives/collectives.h"

struct nbc_progress;

/* Returns the state of nonblocking collectives, freed by the caller. LIMITS: see mpg_graph_progress_init(). TABLE: algorithms
 * of kinds not observed. EAGER_LIMIT_BYTES: of the traced machine, INT64_MAX: none. OBSERVES: collect observations. The
 * pointers must stay valid until the state is freed. Returns NULL: out of memory. */
struct nbc_progress *mpg_graph_nbc_progress_new(struct progress *progress, struct collectives *collectives,
                                                const struct mpg_weak_progress *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                                struct mpg_error *err);
void mpg_graph_nbc_progress_free(struct nbc_progress *nbc_progress); /* NULL is allowed */

/* To be called when CALL completes PART. If PART belongs to a nonblocking collective with weak progress, makes CALL's waiter
 * wait until all calls begun by other members before CALL's leave are known. Returns 0, or -1: out of memory. */
int mpg_graph_await_nbc_progress(struct nbc_progress *nbc_progress, const struct part *part, struct call *call,
                                 struct mpg_error *err);
/* Adds the edges from the progress calls of other members into CALL's leave. Must be called before all further edges of PART
 * are added. Returns 0, or -1: out of memory. */
int mpg_graph_nbc_edges(struct nbc_progress *nbc_progress, const struct part *part, const struct call *call,
                        struct mpg_error *err);
/* With OBSERVES: to be called when CALL, which has completed N requests, is left; counts whether the call waited for calls of
 * other members. */
void mpg_graph_nbc_observe_call(struct nbc_progress *nbc_progress, const struct call *call, uint32_t n);
/* Adds the observed kinds to WEAK_PROGRESS. */
void mpg_graph_nbc_progress_found(const struct nbc_progress *nbc_progress, struct mpg_weak_progress *weak_progress);

#endif
