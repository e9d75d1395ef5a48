/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash table from channel names to channels and single messages. Most look-ups read one cache line of the table. */
#ifndef MPG_GRAPH_CHANNEL_TABLE_H
#define MPG_GRAPH_CHANNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/matching/message.h"

/* Spaces of channel names. Messages of the program are told apart by communicator and tag; messages of neighbourhood
 * collectives by communicator and number of the persistent collective (as tag); messages of windows by window; partitioned
 * messages by pair of requests. */
enum space { SPACE_USER, SPACE_NEIGHBOR, SPACE_WINDOW, SPACE_PARTITIONED };

struct channel_name {
    enum space space;
    int32_t where;               /* communicator, window or pair number (partitioned.h) */
    int32_t source, destination; /* world ranks */
    int32_t tag;
};

/* The unmatched messages of one channel: either all are sent and not received, or all are posted (or taken by a matched
 * probe) and not sent. */
struct channel {
    struct message *first, *last;
    struct waiter *probe_waiters; /* linked by next */
    uint32_t probers;             /* number of probes that refer to the channel */
    uint32_t channel_cache;              /* number of cache entries that refer to the channel (channel_cache.h) */
    struct channel_name name;
};

/* The content of the table under a name: a channel; a single message without channel, which saves memory in programs with many
 * messages in flight; or neither. */
struct channel_entry {
    struct channel *channel;
    struct message *alone;
};

enum { BUCKET_ENTRIES = 5 };
struct channel_bucket {
    void *entry[BUCKET_ENTRIES]; /* NULL: empty; a pointer to a message has its least bit set */
    uint32_t hash[BUCKET_ENTRIES];
    uint32_t passed;           /* number of entries that hash to this or an earlier bucket and are stored in a later bucket */
};

enum { CHANNELS_AHEAD = 8 };

/* Zero-initialised: empty. */
struct channel_table {
    struct channel_bucket *line;
    size_t lines, count; /* number of buckets, 0 or a power of 2; number of entries in use */
    /* mpg_graph_channel_expect(): ranks of the last name; number of names so far; hashes of expected names, the name that comes
     * CHANNELS_AHEAD steps after the name with number N at index N modulo CHANNELS_AHEAD */
    int32_t last_source, last_destination;
    uint32_t at, ahead[CHANNELS_AHEAD];
};

uint32_t mpg_graph_channel_hash(const struct channel_name *name);
/* Returns the content under NAME, which has the HASH. *WHERE is the address of the content, for mpg_graph_channel_change() and
 * mpg_graph_channel_remove(), valid until the table changes. */
struct channel_entry mpg_graph_channel_find(const struct channel_table *channel_table, const struct channel_name *name,
                                            uint32_t hash, void ***where);
/* To be called before NAME is looked up. Prefetches entries that are probably looked up soon: ranks that exchange messages
 * with many ranks mostly go from rank to rank by equal steps. */
void mpg_graph_channel_expect(struct channel_table *channel_table, const struct channel_name *name);
/* Adds ENTRY under the unused name with HASH. Returns 0, or -1: out of memory. */
int mpg_graph_channel_add(struct channel_table *channel_table, uint32_t hash, struct channel_entry entry);
/* Replaces the content at WHERE by ENTRY. */
void mpg_graph_channel_change(void **where, struct channel_entry entry);
/* Removes the content at WHERE, under a name with HASH. */
void mpg_graph_channel_remove(struct channel_table *channel_table, uint32_t hash, void **where);
/* Iterates over the table: returns the next content; *I is 0 at first. A content with neither channel nor message is the end. */
struct channel_entry mpg_graph_channel_next(const struct channel_table *channel_table, size_t *i);
void mpg_graph_channel_table_clear(struct channel_table *channel_table);

#endif
