/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of a rank changed by hypotheses about messages and collectives (docs/MODEL.md, section 10). Each process derives
 * the changes from the whole trace: both ends of a message and all members of a collective agree. */
#ifndef MPG_REPLAY_CHANGES_H
#define MPG_REPLAY_CHANGES_H

#include "graph/work/bound_hypotheses.h"
#include "replay/interface.h"
#include "trace/reader.h"

struct mpg_changes;

/* A call as changed by hypotheses. */
struct mpg_changed {
    struct mpg_event event; /* new sizes; MPG_PROC_NULL for a dropped half of a send-receive */
    bool drops;             /* the call is removed */
    /* of a call that starts several requests: for each request the new bytes, or MPG_STARTED_AS_WAS (unchanged),
     * MPG_STARTED_DROPPED; NULL: all unchanged */
    const int64_t *started;
};

/* Finds the calls of RANK changed by the hypotheses BOUND, of which at least one is about messages. Returns a new object for
 * mpg_changes_free(), or NULL with ERR: error in the trace or the hypotheses; the members of a collective would disagree about
 * its size; replay cannot express a new size (persistent collective, MPI_Scatterv with bytes=). */
struct mpg_changes *mpg_changes_new(struct mpg_trace *trace, int32_t rank, struct mpg_bound_hypotheses *bound,
                                    struct mpg_error *err);
void mpg_changes_rewind(struct mpg_changes *changes);
/* Returns a copy of ALL, for another reader of the rank's calls: lookups begin at the first call again. The copy shares
 * ALL's data and must be freed before ALL. Returns NULL if ALL is NULL, or with ERR if memory runs out. */
struct mpg_changes *mpg_changes_copy(const struct mpg_changes *all, struct mpg_error *err);
/* Sets *CHANGED to the changed form of EVENT, the rank's call NUMBER (from 0). Lookups must come in ascending order of
 * NUMBER. The lists in *CHANGED are valid until the next lookup. Returns false if the call is unchanged or CHANGES is
 * NULL. */
bool mpg_changes_find(struct mpg_changes *changes, uint64_t number, const struct mpg_event *event,
                      struct mpg_changed *changed);
void mpg_changes_free(struct mpg_changes *changes); /* Frees CHANGES, which may be NULL. */

#endif
