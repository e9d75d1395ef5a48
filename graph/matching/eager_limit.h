/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence for the traced machine's eager limit (docs/MODEL.md, section 3), from messages alone. */
#ifndef MPG_GRAPH_EAGER_LIMIT_H
#define MPG_GRAPH_EAGER_LIMIT_H

#include "common/map.h"
#include "graph/matching/message.h"

/* Observations of standard sends. Zero-initialised: no observations. */
struct eager_evidence {
    bool any_left;         /* a send completed before the receive was posted */
    int64_t left_bytes;    /* size of the largest of these sends */
    int64_t below_bytes;   /* all standard sends are shorter than this; 0: there are none */
    struct mpg_map waited; /* (bytes, 0) -> number of sends that waited for the receive; (bytes, 1) -> sum of waits in ns */
};

/* Takes MESSAGE into account once both ends are complete. A new size is not counted if memory runs out. */
void mpg_graph_note_eager_evidence(struct eager_evidence *eager_evidence, const struct message *message);
/* Counts MESSAGE and the receiver's wait in COUNTS if the receiver waited until the sender entered the call that completes
 * the send (noted by mpg_graph_note_received() and mpg_graph_sender_edge()). Both ends are complete. */
void mpg_graph_note_progress(struct mpg_graph_counts *counts, const struct message *message);
/* Sets waited_sends, waited_bytes and waited_ns of COUNTS. */
void mpg_graph_count_waits(const struct eager_evidence *eager_evidence, struct mpg_graph_counts *counts);
/* Returns the traced machine's eager limit in bytes: TARGET_BYTES, the limit of the target machine, unless the evidence
 * contradicts this limit. */
int64_t mpg_graph_estimate_eager_limit(const struct eager_evidence *eager_evidence, int64_t target_bytes);

#endif
