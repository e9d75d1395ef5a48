/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as a program of a few actions: computation, sends, receives, and waits for them, between ranks of
 * MPI_COMM_WORLD. For formats without further kinds of calls: SimGrid's time-independent traces and GOAL. MPI calls take no time;
 * the simulator that reads the program adds their costs.
 *
 * Computation is what mpgsim takes for it: the time between calls without the tracer's own and time off the CPU, with local
 * calls. Calls that move no messages here (MPI-IO, one-sided communication, unknown functions) are computation of their traced
 * time. Collectives become the messages of their algorithms (graph/algorithms/), unless the format has them; those of neighbours
 * are posted messages. Receives have the source and the tag that the trace found out; every (communicator, tag) is a tag of its
 * own. */
#ifndef MPG_EXPORT_PROGRAM_H
#define MPG_EXPORT_PROGRAM_H

#include "common/error.h"
#include "export/left_out.h"
#include "trace/reader.h"
#include "trace/sink.h"

enum mpg_program_action_kind {
    MPG_ACTION_COMPUTE,
    MPG_ACTION_SEND,    /* blocking */
    MPG_ACTION_RECEIVE, /* blocking */
    MPG_ACTION_POST_SEND,
    MPG_ACTION_POST_RECEIVE,
    MPG_ACTION_WAIT     /* waits for the posted send or receive `request`; the remaining fields are equal to those of the post */
};

struct mpg_program_action {
    enum mpg_program_action_kind kind;
    int64_t ns;      /* COMPUTE: 1 or more */
    int32_t peer;    /* world rank */
    uint32_t tag;    /* from 0 */
    int64_t bytes;
    int64_t request; /* unique on the rank */
    bool sends;      /* WAIT: the request is a send */
};

/* Functions that write a format. Ranks come one after another, in ascending order. Functions return 0, or -1 with ERR. */
struct mpg_program_writer {
    const char *format; /* "GOAL", for messages */
    void *context;
    int (*begin)(void *context, int32_t rank, struct mpg_error *err);
    int (*act)(void *context, const struct mpg_program_action *action, struct mpg_error *err);
    /* Writes collective E, whose communicator has all ranks in the order of MPI_COMM_WORLD. BLOCKS: the bytes of each
     * rank; NULL: all have E's. Returns 1; 0: the format has no such collective, and nothing is written; -1 with ERR.
     * NULL: the format has no collectives. */
    int (*collective)(void *context, const struct mpg_event *e, const int64_t *blocks, struct mpg_error *err);
    /* BEGINS: the actions from here to the call without BEGINS are a branch named REQUEST. They come after the
     * actions before them, and run beside the actions after the branch until an action waits for REQUEST. NULL: the
     * format has one action after another. */
    int (*branch)(void *context, bool begins, int64_t request, struct mpg_error *err);
    int (*end)(void *context, struct mpg_error *err);
};

struct mpg_message_program;

/* Begins the program of TRACE for WRITER. LENIENT: calls that the program cannot have are counted in LEFT instead of an error.
 * TRACE, WRITER and LEFT must outlive the program. Returns NULL with ERR: out of memory. The caller frees it. */
struct mpg_message_program *mpg_program_new(struct mpg_trace *trace, const struct mpg_program_writer *writer, bool lenient,
                                    struct mpg_left_out *left, struct mpg_error *err);
/* Returns a sink that takes all ranks of the trace in ascending order, valid as long as P. */
struct mpg_sink mpg_program_sink(struct mpg_message_program *p);
void mpg_program_free(struct mpg_message_program *p); /* NULL is allowed */

#endif
