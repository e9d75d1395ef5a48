/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is who in a communicator: world ranks and indices of members. */
#ifndef MPG_GRAPH_MEMBERS_H
#define MPG_GRAPH_MEMBERS_H

#include "graph/call.h"
#include "trace/reader.h"

struct comm_index;

/* Initialise with {.trace = trace}. */
struct members {
    const struct mpg_trace *trace;
    struct comm_index *comms; /* of those that have been asked for */
    int32_t count;
};

/* The index of world rank RANK among COMM's members (both groups; COMM is one of the
 * trace's) goes to *INDEX, -1 if it is none. -1: out of memory. */
int mpg_graph_member_index(struct members *members, int32_t comm, int32_t rank, int32_t *index, struct mpg_error *err);
/* How many of COMM's members are of this world goes to *NUMBER. -1: out of memory. */
int mpg_graph_member_number(struct members *members, int32_t comm, int32_t *number, struct mpg_error *err);
/* World rank of PEER as CALL's rank names it in COMM, or MPG_FOREIGN. -1 with ERR: COMM or
 * PEER is not there. */
int32_t mpg_graph_peer(struct members *members, const struct call *call, int32_t comm, int32_t peer, struct mpg_error *err);
void mpg_graph_members_clear(struct members *members);

#endif
