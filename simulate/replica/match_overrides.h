/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank's calls complete and receive in a replica that does otherwise than the trace (docs/MODEL.md, section
 * 6, In the trace of a replica). */
#ifndef MPG_MATCH_OVERRIDES_H
#define MPG_MATCH_OVERRIDES_H

#include "common/error.h"
#include "simulate/choice/observer.h"
#include "trace/reader.h"

struct mpg_match_overrides;

/* Of RANK of TRACE, which outlives it. Error: out of memory. */
struct mpg_match_overrides *mpg_match_overrides_new(const struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Makes of EVENT, the rank's next as a cursor gave it, what it is in the replica, N OVERRIDES being done in
 * it; its lists are then D's until the next call. 1; 0: it is not made; -1: out of memory. */
int mpg_match_overrides_apply(struct mpg_match_overrides *d, struct mpg_event *event,
                              const struct mpg_match_override *overrides, uint32_t n,
                 struct mpg_error *err);
void mpg_match_overrides_free(struct mpg_match_overrides *d); /* NULL is allowed */

#endif
