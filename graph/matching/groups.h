/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that a call receives together: neighbourhood collectives (MPI-3.1 section 7.6: each edge of the topology
 * is a message, matched in order), and synchronization of a window's members. */
#ifndef MPG_GRAPH_GROUPS_H
#define MPG_GRAPH_GROUPS_H

#include "graph/matching/messages.h"

struct group {
    uint32_t count;
    struct message *messages[];
};

/* Allocates an empty group with room for COUNT messages, which the caller frees. Returns NULL with ERR: out of memory. */
struct group *mpg_graph_new_group(uint32_t count, struct mpg_error *err);
/* Sends the messages of CALL, a neighbourhood collective, and posts the receives. *GROUP: the messages to receive, owned by
 * the caller, also on failure. */
int mpg_graph_neighbors(struct matching *matching, const struct call *call, struct group **group, struct mpg_error *err);
/* As mpg_graph_neighbors() for CALL that starts WHAT, the WHICH-th persistent neighbourhood collective of its communicator.
 * INDEX: index of the first message of WHAT among the messages started by CALL. */
int mpg_graph_start_neighbors(struct matching *matching, const struct call *call, const struct mpg_event *what, uint32_t which,
                              uint32_t index, struct group **group, struct mpg_error *err);
/* Makes WAITER wait for the messages of GROUP (or NULL) that have not arrived. */
void mpg_graph_await_group(struct waiter *waiter, struct group *group);
/* Returns the first message of GROUP that has not arrived; NULL: all have arrived. */
const struct message *mpg_graph_missing_of_group(const struct group *group);
/* Returns the number of messages of GROUP that hypotheses are known to drop. */
uint32_t mpg_graph_group_dropped(const struct applied_hypotheses *applied_hypotheses, const struct group *group);
/* Adds the edges of arrived messages to the call being left; frees GROUP. POLLED: the call does not block. */
int mpg_graph_group_edges(struct matching *matching, struct group *group, bool polled, struct mpg_error *err);
/* Removes WAITER from the messages of GROUP (or NULL). Returns the number of messages that WAITER waited for. */
uint32_t mpg_graph_abandon_group(struct group *group, const struct waiter *waiter);

#endif
