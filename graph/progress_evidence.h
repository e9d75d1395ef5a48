/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sends show whose receiver was in no call when they could start: whether they waited until it was (docs/PROGRESS.md,
 * Carried sends). */
#ifndef MPG_GRAPH_CARRIED_EVIDENCE_H
#define MPG_GRAPH_CARRIED_EVIDENCE_H

#include <stdbool.h>

#include "common/map.h"

enum { MPG_WAITED_OFTEN = 2 }; /* so many, such as sends of a size, have to have waited */

/* By size, how many waited, and for how many ns, all together, or did not; zero-initialised: none. */
struct progress_evidence {
    struct mpg_map waited, waited_ns, left;
};

/* Of the messages of collectives' trees: where their receiver was in no call before it came; where it was in one. */
struct tree_progress_evidence {
    struct progress_evidence *entering, *posted;
};

/* Whether it is shown that such calls wait, of which so many WAITED, and so many LEFT, while what they would have waited for
 * was still to come. */
bool mpg_graph_waits_are_evident(uint64_t waited, uint64_t left);
/* A send of BYTES, which waited so long; negative: it left. Without memory for another size it is not counted. */
void mpg_graph_evidence_count(struct progress_evidence *evidence, int64_t bytes, double waited_ns);
/* Sends of more bytes wait, of a size that does at least so OFTEN; INT64_MAX: none. */
int64_t mpg_graph_evidence_limit(const struct progress_evidence *evidence, uint64_t often);
/* The greatest size of which too many left to be carried; -1: none. */
int64_t mpg_graph_evidence_left(const struct progress_evidence *evidence);
/* How many waited all the same of sizes that are not carried, where that was more than one of a size, and *WAITED_NS, all
 * together. */
uint64_t mpg_graph_evidence_unexplained(const struct progress_evidence *evidence, double *waited_ns);
void mpg_graph_evidence_clear(struct progress_evidence *evidence);

#endif
