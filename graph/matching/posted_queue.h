/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receives that a rank has posted and not completed, in the order in which it posted them: in that
 * order they take what arrives, where some of them leave their source open (docs/MODEL.md, section
 * 6). Of programs' own messages only; what a matched probe took is not among them. */
#ifndef MPG_GRAPH_POSTED_H
#define MPG_GRAPH_POSTED_H

#include "common/error.h"
#include "common/map.h"
#include "common/pool.h"
#include "graph/matching/message.h"

struct posted_list;

struct posted {
    bool follows; /* they are kept: somebody asks for them */
    struct mpg_map receivers; /* rank -> its list */
    struct mpg_pool pool;
};

/* M's receive, with ANY of its own (MPG_ANY_ flags), has been posted. */
int mpg_graph_posted_add(struct posted *all, struct message *m, uint32_t any, struct mpg_error *err);
/* It is completed; nothing happens if it was not there. */
void mpg_graph_posted_remove(struct posted *all, struct message *m);
/* The first of RECEIVER's; the next one is posted_next of struct more_of_message. NULL: none. */
struct message *mpg_graph_posted_first(const struct posted *all, int32_t receiver);
void mpg_graph_posted_clear(struct posted *all);

#endif
