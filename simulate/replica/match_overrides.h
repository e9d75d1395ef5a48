/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank's calls complete and receive in a replica that does otherwise than the trace (docs/MODEL.md, section
 * 6, In the trace of a replica). */
#ifndef MPG_DEEDS_H
#define MPG_DEEDS_H

#include "common/error.h"
#include "simulate/choice/watch.h"
#include "trace/reader.h"

struct mpg_deeds;

/* Of RANK of TRACE, which outlives it. Error: out of memory. */
struct mpg_deeds *mpg_deeds_new(const struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Makes of EVENT, the rank's next as a cursor gave it, what it is in the replica, N DEEDS being done in
 * it; its lists are then D's until the next call. 1; 0: it is not made; -1: out of memory. */
int mpg_deeds_do(struct mpg_deeds *d, struct mpg_event *event, const struct mpg_deed *deeds, uint32_t n,
                 struct mpg_error *err);
void mpg_deeds_free(struct mpg_deeds *d); /* NULL is allowed */

#endif
