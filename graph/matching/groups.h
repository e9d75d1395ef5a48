/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that a call receives together: those of its neighbours (MPI-3.1 section 7.6:
 * each of the topology's edges is a message, matched in order), and those of a window's
 * members. Needs calls and matching. */
#ifndef MPG_GRAPH_GROUPS_H
#define MPG_GRAPH_GROUPS_H

#include "graph/matching/messages.h"

struct group {
    uint32_t count;
    struct message *messages[];
};

/* Room for COUNT messages, without any; the caller frees it. NULL with ERR. */
struct group *mpg_graph_new_group(uint32_t count, struct mpg_error *err);
/* Sends what CALL, a neighbourhood collective, sends, and posts its receives: *GROUP, which
 * is the caller's, also on failure. */
int mpg_graph_neighbors(struct matching *matching, const struct call *call, struct group **group, struct mpg_error *err);
/* The same of a persistent one, the WHICH-th of its communicator, that CALL starts and WHAT
 * made; INDEX: of its first message among what the call starts. */
int mpg_graph_start_neighbors(struct matching *matching, const struct call *call, const struct mpg_event *what, uint32_t which,
                              uint32_t index, struct group **group, struct mpg_error *err);
/* WAITER waits for those of GROUP (or NULL) that have not arrived. */
void mpg_graph_await_group(struct waiter *waiter, struct group *group);
/* The first that has not arrived; NULL: none. */
const struct message *mpg_graph_missing_of_group(const struct group *group);
/* How many of GROUP's are dropped, as far as that is known. */
uint32_t mpg_graph_group_dropped(const struct applied_hypotheses *applied_hypotheses, const struct group *group);
/* Edges of what has arrived; frees GROUP. */
int mpg_graph_group_edges(struct matching *matching, struct group *group, bool polled, struct mpg_error *err);
/* WAITER gives up what it waits for of GROUP (or NULL): how many messages. */
uint32_t mpg_graph_give_up_group(struct group *group, const struct waiter *waiter);

#endif
