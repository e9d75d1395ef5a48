/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that hypotheses insert: each sends a message, receives those that are sent to it, or both (docs/MODEL.md,
 * section 10). Their channels are no user's: nobody else's receive takes their messages. */
#ifndef MPG_GRAPH_EXCHANGES_H
#define MPG_GRAPH_EXCHANGES_H

#include "graph/matching/groups.h"

/* CALL, which is inserted, begins: *SENDING is what it sends, or NULL; *GROUP, which is the caller's, also on failure, what it
 * receives. */
int mpg_graph_begin_exchange(struct matching *matching, const struct call *call, struct message **sending, struct group **group,
                             struct mpg_error *err);

#endif
