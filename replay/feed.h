/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read-ahead of a rank's or thread's events as actions. The caller fills the memory before the first action and
 * continues during waits (mpg_feed_fill). */
#ifndef MPG_REPLAY_FEED_H
#define MPG_REPLAY_FEED_H

#include "graph/work/bound_hypotheses.h"
#include "replay/changes.h"
#include "replay/interface.h"
#include "replay/tags.h"

struct mpg_feed;

/* Opens a feed of the events of RANK's thread NEEDS->thread[PLACE] (NEEDS is NULL: the only thread). The feed
 * holds at most about MEMORY bytes of actions. BOUND changes computation times, CHANGES changes calls; NULL:
 * unchanged. TRACE and these objects must outlive the feed. MPI_Finalize of any thread ends the actions of all
 * threads. Returns a feed for mpg_feed_close(), or NULL with ERR. */
struct mpg_feed *mpg_feed_open(struct mpg_trace *trace, int32_t rank, const struct mpg_needs *needs, int place,
                               size_t memory,
                               const struct mpg_bound_hypotheses *bound, struct mpg_changes *changes,
                               struct mpg_error *err);
/* Renumbers the tags of all actions by TAGS, which must outlive the feed; NULL: the trace's tags. To be called
   before the first read. */
void mpg_feed_rename(struct mpg_feed *feed, const struct mpg_tags *tags);
/* Reads some events ahead. Returns false if the memory is full or no event is left. mpg_feed_next() reports a read
 * error when it reaches the damaged event. */
bool mpg_feed_fill(struct mpg_feed *feed);
/* Returns the next action, valid until the next call, or NULL with ERR. */
const struct mpg_action *mpg_feed_next(struct mpg_feed *feed, struct mpg_error *err);
/* The number of calls read so far that are not replayed but only take their time. */
uint64_t mpg_feed_elapsed(const struct mpg_feed *feed);
void mpg_feed_close(struct mpg_feed *feed); /* FEED may be NULL */

/* Returns true if EVENT becomes an action. Other calls only take their time, or count as computation if they are
   local. */
bool mpg_feed_replays(const struct mpg_event *event);

#endif
