/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hypotheses about messages and collectives make of a rank's calls (docs/MODEL.md, section 10). Each process learns
 * it from the whole trace by itself, so that both ends of a message, and all members, say the same. */
#ifndef MPG_REPLAY_CHANGES_H
#define MPG_REPLAY_CHANGES_H

#include "graph/work/bound_hypotheses.h"
#include "replay/stage.h"
#include "trace/reader.h"

struct mpg_changes;

/* A call as it is to be. */
struct mpg_changed {
    struct mpg_event event; /* sizes, and MPG_PROC_NULL for the half of an exchange that is dropped */
    bool drops;             /* nothing of it is left */
    const int64_t *started; /* of a start of several: bytes of each, or MPG_STARTED_...; NULL: as they were */
};

/* For RANK, by SUPPOSED, some of which are about messages. Errors: the trace's; theirs; that all members would not
 * agree on a collective's size; what cannot be had: a persistent collective, or a Scatterv's bytes=, of other size. */
struct mpg_changes *mpg_changes_new(struct mpg_trace *trace, int32_t rank, struct mpg_bound_hypotheses *supposed,
                                    struct mpg_error *err);
void mpg_changes_rewind(struct mpg_changes *changes);
/* The same once more, at its beginning; ALL outlives it. NULL: of NULL, or out of memory with ERR. */
struct mpg_changes *mpg_changes_again(const struct mpg_changes *all, struct mpg_error *err);
/* EVENT, the rank's call NUMBER (from 0; not less than the last one asked for), into *CHANGED, whose lists are valid
 * until the next; false: it is as it was. NULL is allowed. */
bool mpg_changes_find(struct mpg_changes *changes, uint64_t number, const struct mpg_event *event,
                      struct mpg_changed *changed);
void mpg_changes_free(struct mpg_changes *changes); /* NULL is allowed */

#endif
