/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence for weak progress: whether sends that could start while the receiver was outside MPI waited until the
 * receiver entered MPI (docs/PROGRESS.md, Weak progress of sends). */
#ifndef MPG_GRAPH_PROGRESS_EVIDENCE_H
#define MPG_GRAPH_PROGRESS_EVIDENCE_H

#include <stdbool.h>

#include "common/map.h"

enum { MPG_WAITED_OFTEN = 2 }; /* minimum number of waits, in one message size or kind of operation, that counts as evidence */

/* By message size: number of sends that waited, sum of the waits in ns, and number of sends without wait. Zero-initialised: no
 * sends. */
struct progress_evidence {
    struct mpg_map waited, waited_ns, left;
};

/* Evidence about messages in trees of collectives. `entering`: from the time when the message could start to the receiver's
 * enter of the collective, the receiver was outside MPI; `posted`: in between, the receiver was in another call that makes
 * progress. */
struct tree_progress_evidence {
    struct progress_evidence *entering, *posted;
};

/* Returns whether WAITED calls that waited for the peer rank, and LEFT calls that did not wait, are evidence that calls wait:
 * at least MPG_WAITED_OFTEN waited, and LEFT is at most a tenth of WAITED. */
bool mpg_graph_waits_are_evident(uint64_t waited, uint64_t left);
/* Counts a send of BYTES that waited for WAITED_NS; negative: the send did not wait. If memory runs out, a size seen for the
 * first time is not counted. */
void mpg_graph_evidence_count(struct progress_evidence *evidence, int64_t bytes, double waited_ns);
/* Returns the weak-progress limit in bytes: larger sends wait. The limit is one less than the smallest size, above
 * mpg_graph_evidence_left(), with at least OFTEN sends that waited. INT64_MAX: no such size. */
int64_t mpg_graph_evidence_limit(const struct progress_evidence *evidence, uint64_t often);
/* Returns the largest size, in bytes, with too many sends that did not wait (left * 10 > waited); -1: none. */
int64_t mpg_graph_evidence_left(const struct progress_evidence *evidence);
/* Returns the number of sends that waited although the size is not above mpg_graph_evidence_limit(), for sizes with more than
 * one wait. *WAITED_NS: sum of these waits. */
uint64_t mpg_graph_evidence_unexplained(const struct progress_evidence *evidence, double *waited_ns);
void mpg_graph_evidence_clear(struct progress_evidence *evidence);

#endif
