/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of a rank's calls by hypotheses about messages and collectives (docs/MODEL.md, section 10). Each process
 * derives the changes from the whole trace, so that both ends of a message and all members of a collective agree. */
#ifndef MPG_REPLAY_CHANGES_H
#define MPG_REPLAY_CHANGES_H

#include "graph/work/bound_hypotheses.h"
#include "replay/interface.h"
#include "trace/reader.h"

struct mpg_changes;

/* A changed call. */
struct mpg_changed {
    struct mpg_event event; /* new sizes; MPG_PROC_NULL for a dropped half of a send-receive */
    bool drops;             /* the call is removed */
    /* of a call that starts several requests: for each request its new bytes, or MPG_STARTED_AS_WAS (unchanged),
     * MPG_STARTED_DROPPED; NULL: all unchanged */
    const int64_t *started;
};

/* Collects the changes of RANK's calls by the hypotheses BOUND, at least one of which is about messages.
 * Returns a new object for mpg_changes_free(), or NULL with ERR. Errors: of the trace or the hypotheses; members
 * would disagree on the size of a collective; a new size that replay cannot express (persistent collective,
 * Scatterv with bytes=). */
struct mpg_changes *mpg_changes_new(struct mpg_trace *trace, int32_t rank, struct mpg_bound_hypotheses *bound,
                                    struct mpg_error *err);
void mpg_changes_rewind(struct mpg_changes *changes);
/* Returns a copy of ALL with its own position, at the beginning. The copy shares ALL's data and must be freed
   before ALL. Returns NULL if ALL is NULL, or with ERR if memory runs out. */
struct mpg_changes *mpg_changes_copy(const struct mpg_changes *all, struct mpg_error *err);
/* Stores the changed form of EVENT, the rank's call NUMBER (from 0, never descending between calls), in *CHANGED,
 * whose lists are valid until the next lookup. Returns false if the call is unchanged or CHANGES is NULL. */
bool mpg_changes_find(struct mpg_changes *changes, uint64_t number, const struct mpg_event *event,
                      struct mpg_changed *changed);
void mpg_changes_free(struct mpg_changes *changes); /* CHANGES may be NULL */

#endif
