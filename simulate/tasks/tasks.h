/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masters and workers in a trace: the master receives from any source and answers each message with the next task.
 *
 * The pattern (docs/MODEL.md, section 6, Tasks). The master receives from MPI_ANY_SOURCE on a single communicator, or by Waitany,
 * Waitsome, Testany or Testsome of a receive from each sender. The senders are the workers. A *receive* is the call that decides
 * whose message comes. The receive's *step* goes up to the next receive: the master receives further messages of the source, and
 * answers the source with the next task. The *piece* of a task is the worker's events from receiving the task to the worker's
 * next message to the master. The worker may have DEPTH tasks at once. After a final receive the worker gets no task; events
 * after the worker's last message belong to the worker. Final receives may name the source. A *round* is a sequence of receives
 * with tasks, followed by DEPTH final receives of each worker. A trace can have several rounds. */
#ifndef MPG_TASKS_H
#define MPG_TASKS_H

#include "common/error.h"
#include "trace/reader.h"

#define MPG_NO_TASK UINT64_MAX

/* A receive of the master, from MPI_ANY_SOURCE or by a choice among requests, in the order of the master's calls. */
struct mpg_task {
    uint64_t call;       /* number, on the master, of the call that decides the source: a receive, a probe, a completion */
    int32_t source;      /* world rank of the worker whose message is received in the trace */
    uint32_t round;
    bool is_task;        /* true: the source gets another task; false: a final receive */
    bool ends;           /* the worker's last final receive of the round */
    bool is_named; /* the receive names the source, because all tasks are given out: no message of another worker can be taken */
    bool is_used;        /* if IS_NAMED: true: a final receive; false: no part of the pattern */
    bool reposts;        /* if the master picks: the master then posts another receive from the source; true for all tasks */
    uint32_t replies;    /* number of messages then sent by the master to the source; 1 or more for all tasks */
    uint32_t answer;     /* number of the first reply among all messages of the master to the source, from 0 */
    int32_t reply_tag;   /* tag of the first reply; reply_bytes: bytes of the first reply */
    int64_t reply_bytes;
    uint64_t events;     /* for a task: number of events of the piece; if ENDS: number of the worker's events that follow */
    uint64_t next;       /* for a task: number of the receive that takes the message at the end of the piece */
    uint64_t after;      /* number of the receive that takes the next message of SOURCE in the trace; MPG_NO_TASK: none */
};

/* A message received by the master. */
struct mpg_task_message {
    int64_t bytes;
    int32_t tag;
};

/* Returns true if TASK is no part of the pattern. */
static inline bool mpg_task_is_void(const struct mpg_task *task)
{
    return task->is_named && !task->is_used;
}

/* A worker; for other ranks IS_WORKER is false. */
struct mpg_worker {
    bool is_worker;
    int32_t in_comm;      /* rank of the worker in the communicator of the messages */
    int32_t place;        /* if the master picks: index of the worker's receive in the list of receives */
    /* if the worker's first task comes without a request: the first receive after the master has sent this task */
    uint64_t begins;
    uint64_t first;       /* number of the receive for the worker's first message */
    uint64_t before;      /* number of events before the worker's first piece */
};

struct mpg_tasks {
    int32_t ranks, master; /* master -1: unknown */
    int32_t comm;          /* communicator of the messages */
    int32_t workers;
    uint32_t rounds;
    /* the master has a receive posted from each worker, and completes them singly by Waitany or the like; otherwise the
     * master receives from MPI_ANY_SOURCE */
    bool picks;
    uint32_t depth;        /* number of tasks of each worker at once; 1 or more */
    uint32_t messages;     /* number of messages received in each step; 1 or more */
    uint64_t n, tasks;     /* number of receives; number of receives with a task as answer */
    struct mpg_task *task; /* [n]: by receive of the master */
    struct mpg_task_message *message; /* messages of receive K: MESSAGES elements from index K * messages on */
    struct mpg_worker *worker; /* by world rank */
    /* sum of the master's intervals from an unsuccessful probe or test to its repetition, counting only intervals longer
     * than POLLING_NS */
    int64_t slow_polls_ns;
    int64_t slowest_poll_ns;   /* the longest counted interval */
    double *computation_ns;    /* by world rank: time outside of MPI calls, including the tracer's time */
    /* [R * ranks + W]: number of the receive that ends round R for worker W (world rank); MPG_NO_TASK: W is no worker */
    uint64_t *final;
};

/* Finds the tasks of TRACE. POLLING_NS: longest interval that counts as polling. Reads the events of TRACE twice; once
 * more if workers have several tasks at once, and once more if the master picks. Memory: some 130 bytes for each receive
 * of the master, 80 of them in TASKS. Returns 1; 0 if the trace does not have the pattern: WHY then names the rank and
 * the call that break the pattern; -1 with WHY: the trace is damaged, out of memory. With 0, TASKS has computation_ns,
 * and presumable master and workers: the only rank with MPI_ANY_SOURCE receives, and the sources of the messages; or, if
 * no rank has any, the rank with the most Waitany, Waitsome, Testany and Testsome, and the ranks to which this rank
 * sends. The caller clears TASKS in every case. */
int mpg_tasks_find(struct mpg_trace *trace, int64_t polling_ns, struct mpg_tasks *tasks, struct mpg_error *why);
void mpg_tasks_clear(struct mpg_tasks *tasks);

/* Writes TRACE to the empty FOLDER as a native trace in which receive K of the master takes the next message of world
 * rank ORDER[K], and the reply and the piece of a task go to this rank. In each round every worker has DEPTH final
 * receives. The events of a worker follow each other with the traced intervals and durations; clocks of ranks are not
 * comparable. Requests and matched messages of a piece that moves to another rank get new numbers. Returns 0, or -1 with
 * ERR: the trace cannot be read or written; out of memory. */
int mpg_tasks_write(struct mpg_trace *trace, const struct mpg_tasks *tasks, const int32_t *order, const char *folder,
                    struct mpg_error *err);

#endif
