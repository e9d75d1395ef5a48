/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where what waits under a channel's name is found: a hash table of which a look-up reads one cache line, mostly, beside
 * what it finds. */
#ifndef MPG_GRAPH_PLACES_H
#define MPG_GRAPH_PLACES_H

#include <stdbool.h>
#include <stddef.h>

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
    uint32_t channel_cache;              /* that keep it (routes.h) */
    struct channel_name name;
};

/* What waits under a name: a channel, or a message alone, as most do in programs that have many in flight; neither:
 * nothing. */
struct channel_entry {
    struct channel *channel;
    struct message *alone;
};

enum { BUCKET_ENTRIES = 5 };
struct channel_bucket {
    void *what[BUCKET_ENTRIES]; /* NULL: nothing; of a message, with its least bit set */
    uint32_t hash[BUCKET_ENTRIES];
    uint32_t passed;           /* how many that belong here, or before here, stand behind */
};

/* Zero-initialised is empty. */
struct channel_table {
    struct channel_bucket *line;
    size_t lines, count; /* lines: a power of 2 */
};

/* What waits under NAME; *WHERE: for mpg_graph_channel_change() and mpg_graph_channel_remove(), until the table changes. */
struct channel_entry mpg_graph_channel_find(const struct channel_table *channel_table, const struct channel_name *name,
                                            void ***where);
/* WHAT waits under NAME, under which nothing did; without memory -1. */
int mpg_graph_channel_add(struct channel_table *channel_table, const struct channel_name *name, struct channel_entry what);
/* WHAT waits there in the place of what did. */
void mpg_graph_channel_change(void **where, struct channel_entry what);
/* What stands there, under NAME, waits no more. */
void mpg_graph_channel_remove(struct channel_table *channel_table, const struct channel_name *name, void **where);
/* The next of all, *I from 0 on; neither: there are no more. */
struct channel_entry mpg_graph_channel_next(const struct channel_table *channel_table, size_t *i);
void mpg_graph_channel_table_clear(struct channel_table *channel_table);

#endif
