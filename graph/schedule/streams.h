/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's events in order: assigns calls to threads, begins and ends threads, handles events that are not calls. */
#ifndef MPG_GRAPH_STREAMS_H
#define MPG_GRAPH_STREAMS_H

#include "graph/schedule/state.h"

/* Length of a turn, after which a rank that is further behind goes on: sum of the weights of calls. A blocking call has
 * the weight GRAPH_POSTS_A_CALL. Nonblocking calls weigh less: switching ranks would not shorten the life of messages,
 * but would cost cache misses. */
enum { GRAPH_POSTS_A_CALL = 128, GRAPH_TURN = 32 * GRAPH_POSTS_A_CALL };
static inline uint32_t graph_turn_of(enum mpg_call call)
{
    return graph_leaves_request(call) ? 1 : GRAPH_POSTS_A_CALL;
}

/* Returns whether RANK can begin the next call, or can leave a call. */
bool mpg_graph_rank_can_continue(const struct mpg_graph *g, int32_t rank);
/* Handles the next event of RANK, which can go on and has no call ready to be left. Returns 0; 1: a fused call was made,
 * and counted in the turn; -1 with ERR. */
int mpg_graph_advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
/* Leaves the call of the first thread of RANK whose waits are over. Returns 0, or -1 with ERR. */
int mpg_graph_leave_one(struct mpg_graph *g, struct rank_state *rank, struct mpg_error *err);
/* Reads the next event of each waiting rank whose next event is not known yet. Returns 0, or -1 with ERR. */
int mpg_graph_read_on(struct mpg_graph *g, struct mpg_error *err);

#endif
