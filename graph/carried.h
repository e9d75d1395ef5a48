/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sends show whose receiver was in no call when they could start: whether they waited until it was (docs/MODEL.md,
 * section 10, Carried sends). */
#ifndef MPG_GRAPH_CARRIED_EVIDENCE_H
#define MPG_GRAPH_CARRIED_EVIDENCE_H

#include <stdbool.h>

#include "common/map.h"

/* By size, how many waited, or did not; zero-initialised: none. */
struct carried_evidence {
    struct mpg_map waited, left;
};

/* A send of BYTES; without memory for another size it is not counted. */
void graph_carried_count(struct carried_evidence *evidence, int64_t bytes, bool has_waited);
/* Sends of more bytes wait; INT64_MAX: none. */
int64_t graph_carried_limit(const struct carried_evidence *evidence);
void graph_carried_forget(struct carried_evidence *evidence);

#endif
