/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages show of the traced machine's eager limit (docs/MODEL.md, section 3). Needs
 * nothing of others but their messages. */
#ifndef MPG_GRAPH_EVIDENCE_H
#define MPG_GRAPH_EVIDENCE_H

#include "common/map.h"
#include "graph/matching/message.h"

/* Sizes of standard sends, and what was seen of each; zero-initialised is none. */
struct evidence {
    struct mpg_map sizes; /* bytes -> of those that left before their receive was posted,
                             and those that waited for it */
};

/* Takes MESSAGE, both of whose ends are over; without memory for another size it is not
 * counted. */
void graph_note_evidence(struct evidence *evidence, const struct message *message);
/* The source's eager limit, where the target's is TARGET_BYTES. */
int64_t graph_evident_limit(const struct evidence *evidence, int64_t target_bytes);

#endif
