/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes of collectives with a size for each member, from the calls of all ranks, because the call of a rank lacks the bytes
 * that it receives. Read in a pass over the trace when the first such collective is written; memory: 8 bytes a call and member,
 * and 16 a neighbour. Private to export/program/. */
#ifndef MPG_EXPORT_PROGRAM_LISTS_H
#define MPG_EXPORT_PROGRAM_LISTS_H

#include "common/map.h"
#include "trace/reader.h"

/* A message from a member to a neighbour. */
struct program_edge {
    int32_t to; /* rank of the communicator, or MPG_PROC_NULL */
    int64_t bytes;
};

struct program_lists {
    bool is_read;
    struct mpg_map index; /* (communicator, call) -> place in comms + 1 */
    struct program_comm_lists *comms;
    size_t comm_number;
    struct program_edge *edges; /* for each member an element with the number of its edges in BYTES, then the edges */
    size_t edge_number, edge_capacity;
};

/* Returns whether E is a collective, blocking or not, with sizes of its own for each member or neighbour. */
bool mpg_program_has_lists(const struct mpg_event *e);
/* Returns the place of world rank RANK in C; -1: no member. */
int32_t mpg_program_place(const struct mpg_comm *c, int32_t rank);

/* Reads the lists of TRACE. Returns 0, or -1 with ERR. */
int mpg_program_lists_read(struct program_lists *lists, struct mpg_trace *trace, struct mpg_error *err);
/* Returns the bytes of each member (mpg_collective_member_bytes()) in the collective of E, number TURN, from 0, of this call of
 * E's communicator; NULL: not all members call it. */
const int64_t *mpg_program_lists_find(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn);
/* Returns the *N edges along which member PLACE sends in the neighbourhood collective of E, number TURN; NULL: the member does
 * not call this collective. */
const struct program_edge *mpg_program_lists_edges(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn,
                                                   int32_t place, size_t *n);
void mpg_program_lists_clear(struct program_lists *lists);

#endif
