/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes the completions and receives of a rank's calls to those of a replica that matches messages differently than the
 * trace (docs/MODEL.md, section 6, In the trace of a replica). */
#ifndef MPG_MATCH_OVERRIDES_H
#define MPG_MATCH_OVERRIDES_H

#include "common/error.h"
#include "simulate/choice/observer.h"
#include "trace/reader.h"

struct mpg_match_overrides;

/* Returns the state for RANK of TRACE, which outlives the state; the caller frees the state. NULL with ERR: no memory. */
struct mpg_match_overrides *mpg_match_overrides_new(const struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Applies N OVERRIDES to EVENT, the next event of the rank. D owns the lists of EVENT until the next call. Returns 1; 0: the
 * replica does not make the call; -1 with ERR: no memory. */
int mpg_match_overrides_apply(struct mpg_match_overrides *d, struct mpg_event *event,
                              const struct mpg_match_override *overrides, uint32_t n,
                 struct mpg_error *err);
void mpg_match_overrides_free(struct mpg_match_overrides *d); /* NULL is allowed */

#endif
