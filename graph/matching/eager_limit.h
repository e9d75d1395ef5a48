/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages show of the traced machine's eager limit (docs/MODEL.md, section 3). Needs
 * nothing of others but their messages. */
#ifndef MPG_GRAPH_EVIDENCE_H
#define MPG_GRAPH_EVIDENCE_H

#include "common/map.h"
#include "graph/matching/message.h"

/* What was seen of standard sends; zero-initialised is nothing. */
struct eager_evidence {
    bool any_left;         /* before its receive was posted: */
    int64_t left_bytes;    /* the most of such a one */
    struct mpg_map waited; /* (bytes, of more; 0 or 1) -> how many waited for it; how long, in ns */
};

/* Takes MESSAGE, both of whose ends are over; without memory for another size it is not
 * counted. */
void mpg_graph_note_eager_evidence(struct eager_evidence *eager_evidence, const struct message *message);
/* Counts MESSAGE, both of whose ends are over, if its receiver waited for the call that completes the send
 * (mpg_graph_note_received(), mpg_graph_sender_edge()), and how long, in COUNTS. */
void mpg_graph_note_progress(struct mpg_graph_counts *counts, const struct message *message);
/* Fills waited_sends, waited_bytes, waited_ns of COUNTS. */
void mpg_graph_count_waits(const struct eager_evidence *eager_evidence, struct mpg_graph_counts *counts);
/* The source's eager limit, where the target's is TARGET_BYTES. */
int64_t mpg_graph_estimate_eager_limit(const struct eager_evidence *eager_evidence, int64_t target_bytes);

#endif
