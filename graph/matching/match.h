/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching: the n-th message on a channel meets the n-th receive that named it (MPI-3.1
 * section 3.5, non-overtaking; Sottile 2006, section 4.1). Needs nothing of the rest of
 * the graph: what a match means is said in graph/matching/messages.h. */
#ifndef MPG_GRAPH_MATCH_H
#define MPG_GRAPH_MATCH_H

#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/channel_table.h"

/* Partitioned sends (made[1]) and receives (made[0]) that were made so far for one source,
 * destination, communicator and tag; number: of these four. */
struct channel_pairs {
    int32_t number, made[2];
};

struct channels {
    struct channel_table channel_table;
    struct mpg_pool channel_pool, message_pool;
    struct mpg_map pairs; /* channel of the user -> struct channel_pairs * */
    struct mpg_pool pair_pool;
    int32_t pair_number;
};

/* HAS_MORE: messages have (struct more_of_message). */
void mpg_graph_channels_init(struct channels *channels, bool has_more);
/* Whether they have. */
bool mpg_graph_says_more(const struct channels *channels);
/* NAME as a key for a map. */
void mpg_graph_channel_keys(const struct channel_name *name, uint64_t key[2]);
/* The channel called NAME, made if there is none; NULL with ERR when out of memory. */
struct channel *mpg_graph_find_channel(struct channels *channels, const struct channel_name *name, struct mpg_error *err);
/* Appends a new message to C; NULL with ERR when out of memory. */
struct message *mpg_graph_append_message(struct channels *channels, struct channel *c, struct mpg_error *err);
/* Takes the first message out of C. */
static inline struct message *graph_take_first(struct channel *c)
{
    struct message *m = c->first;
    c->first = m->next;
    m->next = NULL;
    return m;
}
/* Takes out the first message of C that still lacks its other end, or appends a new one. SENT: the side that asks. NULL
 * with ERR when out of memory. */
static inline struct message *graph_match(struct channels *channels, struct channel *c, bool sent, struct mpg_error *err)
{
    return c->first && c->first->is_sent != sent ? graph_take_first(c) : mpg_graph_append_message(channels, c, err);
}
/* The same of what is called NAME: no channel is made for one message. *C: the channel that there is, or NULL. */
struct message *mpg_graph_match_named(struct channels *channels, const struct channel_name *name, bool sent, struct channel **c,
                                      struct mpg_error *err);
/* Forgets a channel that holds nothing and that nobody keeps, so that memory follows messages in flight. */
void mpg_graph_drop_channel_if_empty(struct channels *channels, struct channel *c);
/* Those who wait for a message on C to look at wait no more. */
void mpg_graph_wake_probers(struct channel *c);
/* Gives back a message that is in no channel. */
void mpg_graph_free_message(struct channels *channels, struct message *message);
/* Of the messages that never met their other end, and that nobody asked to be cancelled,
 * the first by rank and call number, or NULL; COUNT: of those that nobody has given up. */
const struct message *mpg_graph_first_unmatched(const struct channels *channels, uint64_t *count);
void mpg_graph_channels_clear(struct channels *channels); /* with every message */

#endif
