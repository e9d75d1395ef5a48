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
    uint32_t routes;              /* that keep it (routes.h) */
    struct channel_name name;
};

/* What waits under a name: a channel, or a message alone, as most do in programs that have many in flight; neither:
 * nothing. */
struct place_of_name {
    struct channel *channel;
    struct message *alone;
};

enum { PLACES_A_LINE = 5 };
struct line_of_places {
    void *what[PLACES_A_LINE]; /* NULL: nothing; of a message, with its least bit set */
    uint32_t hash[PLACES_A_LINE];
    uint32_t passed;           /* how many that belong here, or before here, stand behind */
};

/* Zero-initialised is empty. */
struct places {
    struct line_of_places *line;
    size_t lines, count; /* lines: a power of 2 */
};

/* What waits under NAME; *WHERE: for mpg_graph_change_place() and mpg_graph_remove_place(), until the table changes. */
struct place_of_name mpg_graph_find_place(const struct places *places, const struct channel_name *name, void ***where);
/* WHAT waits under NAME, under which nothing did; without memory -1. */
int mpg_graph_add_place(struct places *places, const struct channel_name *name, struct place_of_name what);
/* WHAT waits there in the place of what did. */
void mpg_graph_change_place(void **where, struct place_of_name what);
/* What stands there, under NAME, waits no more. */
void mpg_graph_remove_place(struct places *places, const struct channel_name *name, void **where);
/* The next of all, *I from 0 on; neither: there are no more. */
struct place_of_name mpg_graph_next_place(const struct places *places, size_t *i);
void mpg_graph_places_clear(struct places *places);

#endif
