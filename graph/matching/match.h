/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching: the n-th message on a channel meets the n-th receive that named it (MPI-3.1
 * section 3.5, non-overtaking; Sottile 2006, section 4.1). Needs nothing of the rest of
 * the graph: what a match means is said in graph/matching/messages.h. */
#ifndef MPG_GRAPH_MATCH_H
#define MPG_GRAPH_MATCH_H

#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/message.h"

/* Channels of different spaces never meet: a user's messages go by communicator
 * and tag, those between neighbours by communicator (and which persistent collective it
 * is, as the tag), those of windows by window, partitioned ones by pair of requests. */
enum space { SPACE_USER, SPACE_NEIGHBOR, SPACE_WINDOW, SPACE_PARTITIONED };

struct channel_name {
    enum space space;
    int32_t where;               /* communicator, window or pairs (partitioned.h) */
    int32_t source, destination; /* world ranks */
    int32_t tag;
};

/* The messages of one channel that wait for their other end: all of them sent, or
 * all of them posted (or taken by a matched probe). */
struct channel {
    struct message *first, *last;
    struct waiter *probe_waiters; /* linked by next */
    uint32_t probers;             /* calls that look at it */
    uint32_t routes;              /* that keep it (routes.h) */
};

/* Partitioned sends (made[1]) and receives (made[0]) that were made so far for one source,
 * destination, communicator and tag; number: of these four. */
struct channel_pairs {
    int32_t number, made[2];
};

struct channels {
    struct mpg_map map;
    struct mpg_pool channel_pool, message_pool;
    struct mpg_map pairs; /* channel of the user -> struct channel_pairs * */
    struct mpg_pool pair_pool;
    int32_t pair_number;
};

void graph_channels_init(struct channels *channels);
/* NAME as a key for a map. */
void graph_channel_keys(const struct channel_name *name, uint64_t key[2]);
/* The channel called NAME, made if there is none; NULL with ERR when out of memory. */
struct channel *graph_find_channel(struct channels *channels, const struct channel_name *name,
                                   struct mpg_error *err);
/* Takes out the first message of C, the channel called NAME, that still lacks its other
 * end, or appends a new one. SENT: the side that asks. NULL with ERR when out of memory. */
struct message *graph_match(struct channels *channels, struct channel *c,
                            const struct channel_name *name, bool sent, struct mpg_error *err);
/* Forgets a channel that holds nothing and that nobody keeps, so that memory follows messages in flight. */
void graph_drop_channel_if_empty(struct channels *channels, struct channel *c,
                                 const struct channel_name *name);
/* Those who wait for a message on C to look at wait no more. */
void graph_wake_probers(struct channel *c);
/* Gives back a message that is in no channel. */
void graph_free_message(struct channels *channels, struct message *message);
/* Of the messages that never met their other end, and that nobody asked to be cancelled,
 * the first by rank and call number, or NULL; COUNT: of those that nobody has given up. */
const struct message *graph_first_unmatched(const struct channels *channels, uint64_t *count);
void graph_channels_clear(struct channels *channels); /* with every message */

#endif
