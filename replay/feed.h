/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the events of a rank's thread ahead, as actions to perform. The caller fills the memory before the first action, and
 * continues during waits (mpg_feed_fill()). */
#ifndef MPG_REPLAY_FEED_H
#define MPG_REPLAY_FEED_H

#include "graph/work/bound_hypotheses.h"
#include "replay/changes.h"
#include "replay/interface.h"
#include "replay/tags.h"

struct mpg_feed;

/* Opens a feed of the events of RANK's thread NEEDS->thread[PLACE] (NEEDS is NULL: of the rank's only thread). The feed holds
 * at most about MEMORY bytes of actions. BOUND: hypotheses that change computation times; CHANGES: changes of calls; NULL:
 * none. TRACE and these objects must outlive the feed. MPI_Finalize, by whichever thread, ends the actions of each thread.
 * Returns a feed for mpg_feed_close(), or NULL with ERR. */
struct mpg_feed *mpg_feed_open(struct mpg_trace *trace, int32_t rank, const struct mpg_needs *needs, int place,
                               size_t memory,
                               const struct mpg_bound_hypotheses *bound, struct mpg_changes *changes,
                               struct mpg_error *err);
/* Renumbers the tags of all actions by TAGS, which must outlive the feed; NULL: tags stay as in the trace. To be called
 * before the first mpg_feed_fill(). */
void mpg_feed_rename(struct mpg_feed *feed, const struct mpg_tags *tags);
/* Reads some events. Returns false if the memory is full or no event is left. Damage in an event is reported by
 * mpg_feed_next() on reaching the event. */
bool mpg_feed_fill(struct mpg_feed *feed);
/* Returns the next action, valid until the next mpg_feed_next(), or NULL with ERR. */
const struct mpg_action *mpg_feed_next(struct mpg_feed *feed, struct mpg_error *err);
/* Returns the number of calls read so far that are not replayed, but only take the traced time. */
uint64_t mpg_feed_elapsed(const struct mpg_feed *feed);
void mpg_feed_close(struct mpg_feed *feed); /* Closes FEED, which may be NULL. */

/* Returns whether EVENT becomes an action. All remaining events only take the traced time, or belong to the computation
 * between calls (local calls, flushes). */
bool mpg_feed_replays(const struct mpg_event *event);

#endif
