/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a trace by pair of ranks and by size. An evaluator of a graph's steps. Messages of sends, partitioned sends and
 * neighbourhood collectives are counted whether received or not. Not counted: messages to MPI_PROC_NULL, to other jobs, or for
 * the synchronization of RMA epochs; one-sided transfers. Messages of a collective follow the collective's algorithm
 * (docs/MODEL.md, Expanded collectives), and are counted separately or with all messages; constructors of communicators have no
 * messages. */
#ifndef MPG_MESSAGES_H
#define MPG_MESSAGES_H

#include "common/error.h"
#include "graph/graph.h"

struct mpg_message_sum {
    uint64_t messages;
    double bytes; /* whole bytes, exact up to 2^53 */
};

struct mpg_message_pair {
    int32_t from, to; /* world ranks */
    struct mpg_message_sum sum;
};

/* Size class 0: no bytes; k: 2^(k-1) to 2^k - 1. */
enum { MPG_MESSAGE_CLASSES = 65 };

struct mpg_message_options {
    bool lenient;           /* calls without a partner are counted, not an error */
    bool with_collectives;  /* messages of collectives are included in all sums */
    const char *table;      /* file of algorithms, mpgcollectives(5); NULL: the built-in table */
};

struct mpg_messages {
    int32_t ranks;
    struct mpg_message_sum all;   /* over all pairs */
    uint32_t pairs;
    struct mpg_message_pair *pair; /* pairs with messages, by FROM, then TO */
    struct mpg_message_sum size[MPG_MESSAGE_CLASSES];
    struct {
        uint64_t number;            /* number of collectives */
        struct mpg_message_sum sum; /* sum of the collectives' messages */
    } collective[MPG_COLLECTIVES];
    uint64_t transfers;           /* number of one-sided transfers, not counted as messages */
};

/* Counts the messages of TRACE into FOUND, which the caller clears, also on failure. Returns 0, or -1 with ERR: an error of
 * the graph or of the table. */
int mpg_messages_find(struct mpg_trace *trace, const struct mpg_message_options *options,
                      struct mpg_messages *found, struct mpg_error *err);
/* Sorts pairs by bytes, then by messages, both descending. */
void mpg_messages_sort(struct mpg_messages *messages);
void mpg_messages_clear(struct mpg_messages *found);

#endif
