/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as a program of a few actions: computation, sends, receives, and waits, between ranks of MPI_COMM_WORLD. For formats
 * without further kinds of calls: SimGrid's time-independent traces and GOAL. MPI calls take no time; the simulator that reads
 * the program adds the costs of calls.
 *
 * Computation is defined as in mpgsim: the time between calls without the tracer's time and without time off the CPU, together
 * with local calls. Calls without messages in the program (MPI-IO, one-sided communication, unknown functions) become computation
 * of the traced duration. Collectives become the messages of an algorithm (graph/algorithms/), unless the format has the
 * collective; neighbourhood collectives become posted messages. Wildcard receives get source and tag of the message received in
 * the trace. Each pair of communicator and tag becomes one tag. */
#ifndef MPG_EXPORT_PROGRAM_H
#define MPG_EXPORT_PROGRAM_H

#include "common/error.h"
#include "export/left_out.h"
#include "trace/reader.h"
#include "trace/sink.h"

enum mpg_program_action_kind {
    MPG_ACTION_COMPUTE,
    MPG_ACTION_SEND,    /* a blocking send */
    MPG_ACTION_RECEIVE, /* a blocking receive */
    MPG_ACTION_POST_SEND,
    MPG_ACTION_POST_RECEIVE,
    MPG_ACTION_WAIT     /* waits for the posted send or receive `request`; all other fields as in the posting action */
};

struct mpg_program_action {
    enum mpg_program_action_kind kind;
    int64_t ns;      /* COMPUTE: duration, 1 or more */
    int32_t peer;    /* world rank of the other end */
    uint32_t tag;    /* from 0 */
    int64_t bytes;
    int64_t request; /* number of the request, unique within the rank */
    bool sends;      /* of a WAIT: the request is a send */
};

/* Functions that write a format. Ranks come one after another, ascending. The functions return 0, or -1 with ERR. */
struct mpg_program_writer {
    const char *format; /* name of the format in messages: "GOAL" */
    void *context;
    int (*begin)(void *context, int32_t rank, struct mpg_error *err);
    int (*act)(void *context, const struct mpg_program_action *action, struct mpg_error *err);
    /* NULL: the format has no collectives. Writes collective E, whose communicator has all ranks in the order of MPI_COMM_WORLD.
     * BLOCKS: the bytes of each rank; NULL: each rank has the bytes of E. Returns 1; 0: the format lacks the collective, and
     * nothing is written; -1 with ERR. */
    int (*collective)(void *context, const struct mpg_event *e, const int64_t *blocks, struct mpg_error *err);
    /* NULL: the format has only sequences of actions. Called with BEGINS, and later without, around the actions of the branch
     * named REQUEST. The branch starts after all previous actions, and runs concurrently with the following actions until an
     * action waits for REQUEST. */
    int (*branch)(void *context, bool begins, int64_t request, struct mpg_error *err);
    int (*end)(void *context, struct mpg_error *err);
};

struct mpg_message_program;

/* Begins the program of TRACE for WRITER. LENIENT: calls that the program cannot express are counted in LEFT instead of being an
 * error. TRACE, WRITER and LEFT must outlive the program. Returns NULL with ERR: out of memory. The caller frees the program. */
struct mpg_message_program *mpg_program_new(struct mpg_trace *trace, const struct mpg_program_writer *writer, bool lenient,
                                    struct mpg_left_out *left, struct mpg_error *err);
/* Returns a sink that takes all ranks of the trace in ascending order, valid as long as P. */
struct mpg_sink mpg_program_sink(struct mpg_message_program *p);
void mpg_program_free(struct mpg_message_program *p); /* Frees the program; NULL is allowed. */

#endif
