/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of communicators: conversion between world ranks and member indices. */
#ifndef MPG_GRAPH_MEMBERS_H
#define MPG_GRAPH_MEMBERS_H

#include "graph/call.h"
#include "trace/reader.h"

struct comm_index;

/* Initialise with {.trace = trace}. */
struct members {
    const struct mpg_trace *trace;
    struct comm_index *comms; /* by communicator number, filled on demand */
    int32_t count;
};

/* Writes the index of world rank RANK in COMM to *INDEX; -1 if RANK is not a member. In an intercommunicator, indices
 * count the members of both groups. Returns 0, or -1: out of memory. */
int mpg_graph_member_index(struct members *members, int32_t comm, int32_t rank, int32_t *index, struct mpg_error *err);
/* Writes the number of COMM's members in this job to *NUMBER. Returns 0, or -1: out of memory. */
int mpg_graph_member_number(struct members *members, int32_t comm, int32_t *number, struct mpg_error *err);
/* Returns the world rank of PEER, a rank of COMM (intercommunicator: of the group remote to CALL's rank), or
 * MPG_FOREIGN. Returns -1 with ERR if COMM or PEER does not exist. */
int32_t mpg_graph_peer(struct members *members, const struct call *call, int32_t comm, int32_t peer, struct mpg_error *err);
void mpg_graph_members_clear(struct members *members);

#endif
