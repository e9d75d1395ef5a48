/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a rank, or of one of its threads, as acts, read ahead of time: as many as fit into some memory before the
 * first is asked for, and more whenever there is time (mpg_feed_fill). */
#ifndef MPG_REPLAY_FEED_H
#define MPG_REPLAY_FEED_H

#include "graph/work/bound_hypotheses.h"
#include "replay/changes.h"
#include "replay/stage.h"
#include "replay/tags.h"

struct mpg_feed;

/* The events of RANK's thread (NEEDS, PLACE of it there; NULL: of the only one), of which MEMORY bytes are held, with
 * computation as SUPPOSED has it (NULL: as it was), and calls
 * as CHANGES (NULL: likewise). TRACE and these outlive it.
 * MPI_Finalize ends the acts of all threads, whichever made it. */
struct mpg_feed *mpg_feed_open(struct mpg_trace *trace, int32_t rank, const struct mpg_needs *needs, int place,
                               size_t memory,
                               const struct mpg_bound_hypotheses *supposed, struct mpg_changes *changes,
                               struct mpg_error *err);
/* Acts have other tags, as TAGS says, which outlives it (NULL: those of the trace): before any has been read. */
void mpg_feed_rename(struct mpg_feed *feed, const struct mpg_tags *tags);
/* Reads some more events: true, or false if there is no room, or nothing left. What fails is told when
 * mpg_feed_next() comes to it. */
bool mpg_feed_fill(struct mpg_feed *feed);
/* The next act, valid until the next call. NULL: there is none, or ERR. */
const struct mpg_act *mpg_feed_next(struct mpg_feed *feed, struct mpg_error *err);
/* What elapsed without being made, so far. */
uint64_t mpg_feed_elapsed(const struct mpg_feed *feed);
void mpg_feed_close(struct mpg_feed *feed); /* NULL is allowed */

/* Whether events of CALL become acts; else their time elapses (or is computation, of what involves nobody). */
bool mpg_feed_makes(const struct mpg_event *event);

#endif
