/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the rank being written. Private to export/program/. */
#ifndef MPG_EXPORT_PROGRAM_PRIVATE_H
#define MPG_EXPORT_PROGRAM_PRIVATE_H

#include "common/map.h"
#include "export/program/lists.h"
#include "export/program/program.h"
#include "export/requests.h"
#include "graph/algorithms/table.h"
#include "graph/work/intervals.h"

/* Requests of messages of neighbours count down from here; those of an expanded collective count down from -1. */
#define GROUP_REQUESTS (-(INT64_C(1) << 40))

struct mpg_message_program {
    struct mpg_trace *trace;
    const struct mpg_program_writer *writer;
    bool lenient;
    struct mpg_left_out *left;
    struct mpg_collective_table *table;
    struct mpg_map tags;   /* (communicator, tag) -> tag + 1, for all ranks */
    int32_t rank;
    uint64_t calls;        /* calls of the rank so far */
    bool has_begun;        /* MPI_Init was left at last_ns */
    int64_t last_ns;       /* leave of the last call */
    int64_t pending_ns;    /* computation not yet written */
    enum mpg_call polled;  /* the last call, if it is an unsuccessful test or probe; else MPG_CALL_COUNT */
    int32_t polled_site;   /* its callsite */
    struct interval_sums sums;
    struct tracer_overhead overhead;
    struct mpg_open_requests posted, persistent; /* records: struct mpg_program_action */
    struct mpg_open_requests kept, groups;       /* persistent collectives; posted collectives of neighbours (collectives.c) */
    int64_t group_requests;                      /* request of the next message to or from a neighbour */
    void **owned;                                /* lists of persistent collectives */
    size_t owned_number;
    struct program_lists lists;                  /* sizes of the collectives of all ranks */
    struct mpg_map turns;                        /* (communicator, call) -> collectives with lists so far */
    struct mpg_map branches;                     /* (communicator, 1 if persistent) -> nonblocking collectives so far */
    double *before;                              /* sums of blocks, for expand.c */
    int32_t before_capacity;
};

/* Writes the pending computation, then A. Returns 0, or -1 with ERR. */
int mpg_program_act(struct mpg_message_program *p, const struct mpg_program_action *a, struct mpg_error *err);
/* Tags of a communicator in addition to those of the program's messages. */
enum { TAG_OF_COLLECTIVES = -1, TAG_OF_NEIGHBORS = -2, TAG_OF_BRANCHES = -3 }; /* branches: and below */

/* Stores the tag of the written program for tag TAG of communicator COMM in *NUMBER. */
int mpg_program_tag(struct mpg_message_program *p, int32_t comm, int64_t tag, uint32_t *number, struct mpg_error *err);
/* Handles E, which cannot be written for the reason WHY: an error, or, if lenient, E becomes computation of its duration. */
int mpg_program_refuse(struct mpg_message_program *p, const struct mpg_event *e, const char *why, struct mpg_error *err);
/* Writes the messages of collective E by the algorithm of its blocking form. BLOCKS: the bytes of each member; NULL: all members
 * have the bytes of E. BRANCH: the number of a nonblocking collective, whose messages have a separate tag, since nonblocking
 * collectives overlap; -1: E is blocking. */
int mpg_program_expand(struct mpg_message_program *p, const struct mpg_event *e, const int64_t *blocks, int64_t branch,
                       struct mpg_error *err);

void mpg_program_collectives_init(struct mpg_message_program *p);
/* Clears the collectives of the previous rank. */
void mpg_program_collectives_begin_rank(struct mpg_message_program *p);
/* Writes collective, constructor or collective of neighbours E, blocking or nonblocking. */
int mpg_program_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err);
/* Keep E, which makes a persistent collective; start the collective PERSISTENT as REQUEST (PERSISTENT may be of another kind:
 * nothing happens). Return 0, or -1 with ERR. */
int mpg_program_keep_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err);
int mpg_program_start_collective(struct mpg_message_program *p, int64_t persistent, int64_t request, struct mpg_error *err);
/* Writes waits for all messages of REQUEST if REQUEST is a collective of neighbours. Returns 0, or -1 with ERR. */
int mpg_program_complete_group(struct mpg_message_program *p, int64_t request, struct mpg_error *err);

#endif
