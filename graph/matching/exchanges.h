/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls inserted by hypotheses: an inserted call sends one message, receives one message from each sender, or both
 * (docs/MODEL.md, section 10). Inserted messages use separate channels: no receive of the program can take an inserted
 * message. */
#ifndef MPG_GRAPH_EXCHANGES_H
#define MPG_GRAPH_EXCHANGES_H

#include "graph/matching/groups.h"

/* To be called when CALL, an inserted call, begins. *SENDING is set to the message that CALL sends, or NULL; *GROUP to the
 * messages that CALL receives, owned by the caller, also on failure. */
int mpg_graph_begin_exchange(struct matching *matching, const struct call *call, struct message **sending, struct group **group,
                             struct mpg_error *err);

#endif
