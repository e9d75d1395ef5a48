/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masters and workers in a trace: a rank that receives from any source and answers each message with the next task.
 *
 * The pattern (docs/MODEL.md, section 6, Tasks). One rank, the master, makes MPI_Recv from MPI_ANY_SOURCE (or MPI_Probe and at
 * once MPI_Recv of what it found), on one communicator. The senders of these messages are the workers. After a task receive the
 * master sends once, to the source, before its next such receive; the source receives this message, works, and sends the next
 * message. These events of the worker are the *piece* of the task. After a final receive the worker does anything else: its piece
 * belongs to the worker. A *round* is a sequence of task receives, followed by one final receive from each worker. A trace can
 * have several rounds. */
#ifndef MPG_TASKS_H
#define MPG_TASKS_H

#include "common/error.h"
#include "trace/reader.h"

#define MPG_NO_TASK UINT64_MAX

/* A receive from any source by the master, in the master's order. */
struct mpg_task {
    uint64_t call;       /* call number of the receive, or of its probe, on the master */
    int32_t source;      /* world rank of the worker whose message is received in the trace */
    uint32_t round;
    bool probes;         /* the call is a probe, and the next one receives the message that it found */
    bool is_task;        /* false: a final receive */
    bool replies;        /* the master then sends to the source; true for all tasks */
    int32_t tag, reply_tag;
    int64_t bytes, reply_bytes; /* of the received message, and of the reply */
    uint64_t events;     /* number of events of the piece */
    uint64_t next;       /* the receive that takes the message at the end of the piece; MPG_NO_TASK: none */
};

/* A worker; all zero for other ranks. */
struct mpg_worker {
    bool is_worker;
    int32_t in_comm;      /* its rank in the communicator of the messages */
    uint64_t first;       /* the receive that takes its first message */
    uint64_t before;      /* number of events before its first piece */
};

struct mpg_tasks {
    int32_t ranks, master; /* MASTER -1: unknown */
    int32_t comm;          /* of the messages */
    int32_t workers;
    uint32_t rounds;
    uint64_t n, tasks;     /* number of receives; of task receives */
    struct mpg_task *task; /* n */
    struct mpg_worker *worker; /* by world rank */
    double *computation_ns;    /* by world rank: time outside of MPI calls, tracer included */
    uint64_t *final;       /* the final receive of worker W (world rank) in round R: [R * ranks + W]; MPG_NO_TASK: not a worker */
};

/* Finds the tasks of TRACE in two passes over its events. Memory: some 130 bytes a receive of the master, and then 64. Returns
 * 1; 0 if the trace does not have the pattern, and WHY then names the rank and the call that break it; -1 with WHY: the trace is
 * damaged, out of memory. At 0 TASKS has computation_ns, and as master and workers the first of these that applies: the only rank
 * that leaves sources open, and the sources of its messages; if no rank leaves a source open, the rank with the most Waitany,
 * Waitsome, Testany and Testsome, and the ranks that it sends to. The caller clears TASKS in every case. */
int mpg_tasks_find(struct mpg_trace *trace, struct mpg_tasks *tasks, struct mpg_error *why);
void mpg_tasks_clear(struct mpg_tasks *tasks);

/* Writes TRACE to the empty FOLDER as a native trace in which receive K of the master takes the next message of world rank
 * ORDER[K], and the reply and the piece of a task go to this rank. Final receives of a round go to each worker once. A worker's
 * events follow each other with the traced intervals and durations; clocks of ranks are not comparable. Returns 0, or -1 with
 * ERR: the trace cannot be read or written; out of memory. */
int mpg_tasks_write(struct mpg_trace *trace, const struct mpg_tasks *tasks, const int32_t *order, const char *folder,
                    struct mpg_error *err);

#endif
