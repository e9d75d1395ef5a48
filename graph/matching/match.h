/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matching: the n-th message on a channel matches the n-th receive posted for the channel (MPI-3.1 section 3.5,
 * non-overtaking; Sottile 2006, section 4.1). graph/matching/messages.h describes the consequences of a match. */
#ifndef MPG_GRAPH_MATCH_H
#define MPG_GRAPH_MATCH_H

#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/channel_table.h"

/* Numbers of partitioned sends (made[1]) and receives (made[0]) made so far for one source, destination, communicator and
 * tag. `number` stands for these four in channel names. */
struct channel_pairs {
    int32_t number, made[2];
};

struct channels {
    struct channel_table channel_table;
    struct mpg_pool channel_pool, message_pool;
    struct mpg_map pairs; /* channel name of the program -> struct channel_pairs * */
    struct mpg_pool pair_pool;
    int32_t pair_number;
};

/* HAS_MORE: messages have a struct more_of_message. */
void mpg_graph_channels_init(struct channels *channels, bool has_more);
/* Returns whether messages have a struct more_of_message. */
bool mpg_graph_channels_have_more(const struct channels *channels);
/* Converts NAME to a map key. */
void mpg_graph_channel_keys(const struct channel_name *name, uint64_t key[2]);
/* Returns the channel NAME, made on first use; NULL with ERR: out of memory. */
struct channel *mpg_graph_find_channel(struct channels *channels, const struct channel_name *name, struct mpg_error *err);
/* Returns a new message of the channel NAME that is in no channel; NULL with ERR: out of memory. */
struct message *mpg_graph_new_message(struct channels *channels, const struct channel_name *name, struct mpg_error *err);
/* Appends a new message to C. Returns NULL with ERR: out of memory. */
struct message *mpg_graph_append_message(struct channels *channels, struct channel *c, struct mpg_error *err);
/* Removes and returns the first message of C. */
static inline struct message *graph_take_first(struct channel *c)
{
    struct message *m = c->first;
    c->first = m->next;
    m->next = NULL;
    return m;
}
/* For a send (SENT) or a receive on C: removes and returns the first message that waits for this end; without a waiting
 * message, appends and returns a new one. Returns NULL with ERR: out of memory. */
static inline struct message *graph_match(struct channels *channels, struct channel *c, bool sent, struct mpg_error *err)
{
    return c->first && c->first->is_sent != sent ? graph_take_first(c) : mpg_graph_append_message(channels, c, err);
}
/* As graph_match() for the channel NAME, without making a channel for a single message. *C: the existing channel, or NULL. */
struct message *mpg_graph_match_named(struct channels *channels, const struct channel_name *name, bool sent, struct channel **c,
                                      struct mpg_error *err);
/* Frees channel C if C is empty and unreferenced, so that memory use follows messages in flight. */
void mpg_graph_drop_channel_if_empty(struct channels *channels, struct channel *c);
/* Releases the probes that wait for a message on C. */
void mpg_graph_wake_probers(struct channel *c);
/* Frees a message that is in no channel. */
void mpg_graph_free_message(struct channels *channels, struct message *message);
/* Returns the unmatched message with the lowest rank and call number, or NULL. *COUNT: number of unmatched messages, without
 * messages that --lenient has counted. Cancelled messages are left out of both. */
const struct message *mpg_graph_first_unmatched(const struct channels *channels, uint64_t *count);
void mpg_graph_channels_clear(struct channels *channels); /* frees every message */

#endif
