/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's events in order: which thread makes the call, where a thread begins and
 * ends, what is not a call at all. */
#ifndef MPG_GRAPH_STREAMS_H
#define MPG_GRAPH_STREAMS_H

#include "graph/schedule/state.h"

/* Calls a rank makes before a ready rank that is further behind gets its turn. Those that leave what they begin to a
 * request count less: that stays in flight whoever goes on, and what a rank has is near while it goes on. */
enum { GRAPH_POSTS_A_CALL = 128, GRAPH_TURN = 32 * GRAPH_POSTS_A_CALL };
static inline uint32_t graph_turn_of(enum mpg_call call)
{
    return graph_leaves_request(call) ? 1 : GRAPH_POSTS_A_CALL;
}

bool mpg_graph_rank_can_go(const struct mpg_graph *g, int32_t rank);
/* Takes RANK, which can go and has nobody who leaves, one event further: into a call, or, 1, through one
 * that is made at once, and has counted itself in the turn. */
int mpg_graph_advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
/* Of the threads of RANK that need not wait any more, the first leaves its call. */
int mpg_graph_leave_one(struct mpg_graph *g, struct rank_state *rank, struct mpg_error *err);
/* Reads on in ranks that wait, as far as it takes to know whether they have another event. */
int mpg_graph_read_on(struct mpg_graph *g, struct mpg_error *err);

#endif
