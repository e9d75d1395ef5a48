/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the messages and collectives wholly in an excerpt. Private to trace/excerpt/.
 *
 * Matching needs order only (docs/MODEL.md, section 1): the n-th send on a channel meets the n-th receive, and the n-th
 * collectives of a communicator's members are one collective. So counting, for each rank, the operations before and in the
 * excerpt suffices. */
#ifndef MPG_EXCERPT_CROSSINGS_H
#define MPG_EXCERPT_CROSSINGS_H

#include "common/error.h"
#include "common/map.h"
#include "trace/reader.h"

/* One end of a channel: operations before the excerpt, operations in the excerpt, and operations in the excerpt met by the
 * writing pass. */
struct mpg_channel_end {
    uint64_t before, inside, met;
};
struct mpg_channel {
    struct mpg_channel_end sends, receives;
    uint32_t sender_inits, receiver_inits; /* partitioned requests already made in this pass, on either side */
};

/* A sequence of collectives: of a communicator, of a window, or the starts of a persistent collective. */
struct mpg_meeting {
    int32_t expected, seen;               /* members of this job; members counted */
    uint64_t latest_begin, first_end;     /* numbers of the collectives in the excerpt on all members: begin, end */
    uint64_t first_begin, latest_end;     /* numbers of the collectives in the excerpt on any member */
    uint64_t inside;                      /* sum of the members' collectives in the excerpt */
};

struct mpg_crossings {
    struct mpg_map channel_index, meeting_index; /* name -> 1 + index */
    struct mpg_channel *channels;
    struct mpg_meeting *meetings;
    size_t channel_count, channel_capacity, meeting_count, meeting_capacity;
};

/* The sequences of collectives, as in docs/MODEL.md, section 1: constructors by group are not called by all members of the old
 * communicator, and are a sequence of the new communicator. */
enum mpg_sequence { MPG_SEQUENCE_COMM, MPG_SEQUENCE_GROUP, MPG_SEQUENCE_WINDOW, MPG_SEQUENCE_PERSISTENT };

/* Sets *CHANNEL to the index of the channel of communicator COMM from world rank SOURCE to DESTINATION with TAG. Returns 0, or
 * -1: out of memory. */
int mpg_crossings_channel(struct mpg_crossings *c, int32_t comm, int32_t source, int32_t destination, int32_t tag,
                          uint32_t *channel, struct mpg_error *err);
/* Sets *CHANNEL to the index of the channel of the N-th pair of partitioned requests on channel PAIRED. */
int mpg_crossings_pair(struct mpg_crossings *c, uint32_t paired, uint32_t n, uint32_t *channel, struct mpg_error *err);
/* Sets *MEETING to the index of a sequence of collectives, with EXPECTED members of this job. WHERE: a communicator or window;
 * WHICH: the number of the persistent collective of WHERE, else 0. */
int mpg_crossings_meeting(struct mpg_crossings *c, enum mpg_sequence sequence, int32_t where, uint32_t which, int32_t expected,
                          uint32_t *meeting, struct mpg_error *err);
/* Counts a member with BEFORE collectives before the excerpt and INSIDE in the excerpt. */
void mpg_meeting_count(struct mpg_meeting *meeting, uint64_t before, uint64_t inside);
/* Returns whether all members have collective NUMBER, from 0, in the excerpt. */
bool mpg_meeting_is_whole(const struct mpg_meeting *meeting, uint64_t number);
/* Returns whether the next operation of END in the excerpt has the partner at OTHER in the excerpt. */
bool mpg_channel_is_whole(const struct mpg_channel_end *end, const struct mpg_channel_end *other);
/* Sets *MESSAGES and *COLLECTIVES to the numbers of messages and collectives with some, but not all, parts in the excerpt. */
void mpg_crossings_sum(const struct mpg_crossings *c, uint64_t *messages, uint64_t *collectives);
/* Forgets the requests made, before a second pass. */
void mpg_crossings_restart(struct mpg_crossings *c);
void mpg_crossings_clear(struct mpg_crossings *c);

#endif
