/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the rank being written, and functions for its calls. Private to export/program/. */
#ifndef MPG_EXPORT_PROGRAM_PRIVATE_H
#define MPG_EXPORT_PROGRAM_PRIVATE_H

#include "common/map.h"
#include "export/program/lists.h"
#include "export/program/program.h"
#include "export/requests.h"
#include "graph/algorithms/table.h"
#include "graph/work/intervals.h"

/* Numbers of requests: messages of neighbourhood collectives count from here downwards, messages of an expanded collective from
 * -1 downwards. */
#define GROUP_REQUESTS (-(INT64_C(1) << 40))

struct mpg_message_program {
    struct mpg_trace *trace;
    const struct mpg_program_writer *writer;
    bool lenient;
    struct mpg_left_out *left;
    struct mpg_collective_table *table;
    struct mpg_map tags;   /* (communicator, tag) -> tag in the written program + 1, for all ranks */
    int32_t rank;
    uint64_t calls;        /* number of calls of the rank so far */
    bool has_begun;        /* the rank has left MPI_Init */
    int64_t last_ns;       /* leave of the last call, on the rank's clock */
    int64_t pending_ns;    /* computation not yet written */
    enum mpg_call polled;  /* kind of the last call if an unsuccessful test or probe; else MPG_CALL_COUNT */
    int32_t polled_site;   /* callsite of the unsuccessful test or probe */
    struct interval_sums sums;
    struct tracer_overhead overhead;
    /* open requests of messages, and persistent requests; records: struct mpg_program_action */
    struct mpg_open_requests posted, persistent;
    struct mpg_open_requests kept, groups;       /* persistent collectives; started neighbourhood collectives (collectives.c) */
    int64_t group_requests;                      /* number of the next request of a message to or from a neighbour */
    void **owned;                                /* memory of persistent collectives, to be freed */
    size_t owned_number;
    struct program_lists lists;                  /* sizes of the collectives of all ranks */
    struct mpg_map turns;                        /* (communicator, call) -> number of collectives with differing sizes so far */
    struct mpg_map branches;                     /* (communicator, 1 if persistent) -> number of nonblocking collectives so far */
    double *before;                              /* prefix sums of block sizes, used by expand.c */
    int32_t before_capacity;
};

/* Writes the pending computation, then action A; of a wait for an unknown request only the computation. Returns 0, or -1 with
 * ERR. */
int mpg_program_act(struct mpg_message_program *p, const struct mpg_program_action *a, struct mpg_error *err);
/* Tags, on each communicator, of messages that the traced program did not send: blocking collectives, neighbourhood collectives,
 * nonblocking collectives (each has a separate tag, from TAG_OF_BRANCHES downwards). */
enum { TAG_OF_COLLECTIVES = -1, TAG_OF_NEIGHBORS = -2, TAG_OF_BRANCHES = -3 };

/* Sets *NUMBER to the program's tag for TAG on communicator COMM: different communicators have different tags. */
int mpg_program_tag(struct mpg_message_program *p, int32_t comm, int64_t tag, uint32_t *number, struct mpg_error *err);
/* Called for E, which the format cannot express for the reason WHY: sets ERR or, if lenient, writes E as computation with E's
 * duration. */
int mpg_program_refuse(struct mpg_message_program *p, const struct mpg_event *e, const char *why, struct mpg_error *err);
/* Writes collective E as the messages of its blocking form's algorithm. BLOCKS: bytes of each member; NULL: all members have E's
 * bytes. BRANCH: number of a nonblocking collective, with separate tags for its messages because nonblocking collectives can
 * overlap; -1: E is blocking. */
int mpg_program_expand(struct mpg_message_program *p, const struct mpg_event *e, const int64_t *blocks, int64_t branch,
                       struct mpg_error *err);

void mpg_program_collectives_init(struct mpg_message_program *p);
/* Frees the state of the previous rank's collectives. */
void mpg_program_collectives_begin_rank(struct mpg_message_program *p);
/* Writes E, a collective, a constructor of communicators or a neighbourhood collective, blocking or nonblocking. */
int mpg_program_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err);
/* mpg_program_keep_collective() stores E, which makes a persistent collective. mpg_program_start_collective() starts PERSISTENT
 * as REQUEST if PERSISTENT is a collective, and does nothing otherwise. Both return 0, or -1 with ERR. */
int mpg_program_keep_collective(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err);
int mpg_program_start_collective(struct mpg_message_program *p, int64_t persistent, int64_t request, struct mpg_error *err);
/* Writes waits for all messages of REQUEST if REQUEST is a neighbourhood collective. Returns 0, or -1 with ERR. */
int mpg_program_complete_group(struct mpg_message_program *p, int64_t request, struct mpg_error *err);

#endif
