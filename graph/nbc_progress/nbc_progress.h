/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives in libraries that progress them inside MPI calls only: the completing call waits for calls
 * of other members, by the algorithm (docs/PROGRESS.md, Weak progress of nonblocking collectives). Observations from
 * the trace, and edges. */
#ifndef MPG_GRAPH_NBC_PROGRESS_H
#define MPG_GRAPH_NBC_PROGRESS_H

#include "graph/matching/weak_progress.h"
#include "graph/collectives/collectives.h"

struct nbc_progress;

/* LIMITS: as for mpg_graph_progress_init(). TABLE: algorithms of unobserved kinds. EAGER_LIMIT_BYTES: of the traced
 * machine, INT64_MAX: none. OBSERVES: collects observations. All pointers must outlive the result. Returns NULL: out
 * of memory. */
struct nbc_progress *mpg_graph_nbc_progress_new(struct progress *progress, struct collectives *collectives,
                                                const struct mpg_weak_progress *limits,
                                    const struct mpg_collective_table *table, int64_t eager_limit_bytes, bool observes,
                                                struct mpg_error *err);
void mpg_graph_nbc_progress_free(struct nbc_progress *nbc_progress); /* NULL is allowed */

/* CALL completes PART. If PART belongs to a weakly progressing nonblocking collective, CALL waits until all calls that the
 * other members begin before CALL's leave are known. Returns 0, or -1: out of memory. */
int mpg_graph_await_nbc_progress(struct nbc_progress *nbc_progress, const struct part *part, struct call *call,
                                 struct mpg_error *err);
/* Adds the edges from progress calls into CALL, before the other edges of PART. Returns 0, or -1: out of memory. */
int mpg_graph_nbc_edges(struct nbc_progress *nbc_progress, const struct part *part, const struct call *call,
                        struct mpg_error *err);
/* With OBSERVES: CALL is being left and has completed N requests; counts the observation. */
void mpg_graph_nbc_observe_call(struct nbc_progress *nbc_progress, const struct call *call, uint32_t n);
/* Adds the observed kinds to WEAK_PROGRESS. */
void mpg_graph_nbc_progress_found(const struct nbc_progress *nbc_progress, struct mpg_weak_progress *weak_progress);

#endif
