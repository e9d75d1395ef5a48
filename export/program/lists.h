/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes of collectives with a size for each member, from the calls of all ranks, because the event of a rank's call lacks the
 * bytes that the rank receives. Read in a pass over the trace when the first collective of this kind is written; memory: 8 bytes
 * for each call and member, and 16 for each neighbour. Private to export/program/. */
#ifndef MPG_EXPORT_PROGRAM_LISTS_H
#define MPG_EXPORT_PROGRAM_LISTS_H

#include "common/map.h"
#include "trace/reader.h"

/* A message from a member to a neighbour in a neighbourhood collective. */
struct program_edge {
    int32_t to; /* rank in the communicator, or MPG_PROC_NULL */
    int64_t bytes;
};

struct program_lists {
    bool is_read;
    struct mpg_map index; /* (communicator, call) -> 1 + index in COMMS */
    struct program_comm_lists *comms;
    size_t comm_number;
    /* for each member an element with the member's number of edges in BYTES, followed by the edges */
    struct program_edge *edges;
    size_t edge_number, edge_capacity;
};

/* Returns whether E is a collective, blocking or not, whose sizes can differ between members or neighbours. */
bool mpg_program_has_lists(const struct mpg_event *e);
/* Returns the rank in C of world rank RANK; -1: not a member. */
int32_t mpg_program_place(const struct mpg_comm *c, int32_t rank);

/* Fills LISTS from TRACE. Returns 0, or -1 with ERR. */
int mpg_program_lists_read(struct program_lists *lists, struct mpg_trace *trace, struct mpg_error *err);
/* Returns the bytes of each member (mpg_collective_member_bytes()) in E's collective; TURN: number of calls of E's kind on E's
 * communicator before E. NULL: not all members make this call. */
const int64_t *mpg_program_lists_find(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn);
/* Returns the *N edges along which member PLACE sends in E's neighbourhood collective; TURN as for mpg_program_lists_find();
 * NULL: the member does not call this collective. */
const struct program_edge *mpg_program_lists_edges(const struct program_lists *lists, const struct mpg_event *e, uint32_t turn,
                                                   int32_t place, size_t *n);
void mpg_program_lists_clear(struct program_lists *lists);

#endif
