/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who sends how much to whom in a trace: messages by their pair of ranks and by their size. An evaluator of a graph's
 * steps.
 *
 * A message is what a send, a partitioned send or a neighbourhood collective starts, received or not, but not to
 * MPI_PROC_NULL or to other worlds, and not what windows' epochs tell each other. A collective's messages are those of
 * its algorithm (docs/MODEL.md, Expanded collectives), kept apart or put to the others; constructors have none.
 * One-sided transfers are no messages. */
#ifndef MPG_MESSAGES_H
#define MPG_MESSAGES_H

#include "common/error.h"
#include "graph/graph.h"

struct mpg_message_sum {
    uint64_t messages;
    double bytes; /* whole ones: exact up to 2^53 */
};

struct mpg_message_pair {
    int32_t from, to; /* world ranks */
    struct mpg_message_sum sum;
};

/* Size class 0: no bytes; k: 2^(k-1) to 2^k - 1. */
enum { MPG_MESSAGE_CLASSES = 65 };

struct mpg_message_options {
    bool lenient;           /* what cannot be placed is counted */
    bool with_collectives;  /* their messages are put to the others */
    const char *table;      /* file that says their algorithms, mpgcollectives(5); NULL: the built-in one */
};

struct mpg_messages {
    int32_t ranks;
    struct mpg_message_sum all;   /* of the pairs */
    uint32_t pairs;
    struct mpg_message_pair *pair; /* that there are, by FROM, then TO */
    struct mpg_message_sum size[MPG_MESSAGE_CLASSES];
    struct {
        uint64_t number;            /* of collectives */
        struct mpg_message_sum sum; /* of their messages */
    } collective[MPG_COLLECTIVES];
    uint64_t transfers;           /* one-sided, that are in none of it */
};

/* Fills FOUND, which is to be cleared even on failure. Errors: those of graphs and of tables of collectives. */
int mpg_messages_find(struct mpg_trace *trace, const struct mpg_message_options *options,
                      struct mpg_messages *found, struct mpg_error *err);
/* Puts the pairs with the most bytes first, of equal ones those with the most messages. */
void mpg_messages_sort(struct mpg_messages *messages);
void mpg_messages_clear(struct mpg_messages *found);

#endif
