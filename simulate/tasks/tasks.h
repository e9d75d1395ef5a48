/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masters and workers in a trace: a rank that receives from any source and answers each message with the next task.
 *
 * The pattern (docs/MODEL.md, section 6, Tasks). One rank, the master, receives from MPI_ANY_SOURCE on one communicator, or by
 * Waitany, Waitsome, Testany or Testsome of one receive from each of its senders. The senders are the workers. A *receive* is the
 * call that decides whose message comes. Its *step* goes up to the next receive: the master receives further messages of the
 * source, and answers the source with the next task. The *piece* of a task is what the worker does from receiving the task to its
 * next message. The worker may have DEPTH tasks at once. After a final receive the worker gets no task; what it does after its
 * last message belongs to the worker. Final receives may name their source. A *round* is a sequence of receives with
 * tasks, followed by DEPTH final receives of each worker. A trace can have several rounds. */
#ifndef MPG_TASKS_H
#define MPG_TASKS_H

#include "common/error.h"
#include "trace/reader.h"

#define MPG_NO_TASK UINT64_MAX

/* A receive of the master, from any source or one of a list, in the master's order. */
struct mpg_task {
    uint64_t call;       /* call number on the master of the call that decides the source: a receive, a probe, a completion */
    int32_t source;      /* world rank of the worker whose message is received in the trace */
    uint32_t round;
    bool is_task;        /* false: a final receive */
    bool ends;           /* the worker's last final receive of the round */
    bool is_named;       /* the receive names its source, after the last task: no other worker's message can be taken */
    bool is_used;        /* if IS_NAMED: true: it is a final receive; false: it is no part of the pattern */
    bool reposts;        /* PICKS: the master then posts another receive from the source; true for all tasks */
    uint32_t replies;    /* messages that the master then sends to the source; 1 or more for all tasks */
    uint32_t answer;     /* number of the first of these replies among all messages of the master to the source, from 0 */
    int32_t reply_tag;   /* tag of the first of these replies; reply_bytes: its bytes */
    int64_t reply_bytes;
    uint64_t events;     /* of a task, number of events of the piece; if ENDS, number of the worker's own events that follow */
    uint64_t next;       /* of a task: the receive that takes the message at the end of the piece */
    uint64_t after;      /* the receive that takes the next message of SOURCE in the trace; MPG_NO_TASK: none */
};

/* A message that the master receives. */
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
    int32_t in_comm;      /* its rank in the communicator of the messages */
    int32_t place;        /* PICKS: index of its receive in the list of receives */
    uint64_t begins;      /* if its first task comes unasked: the first receive after the master has sent this task */
    uint64_t first;       /* the receive that takes its first message */
    uint64_t before;      /* number of events before its first piece */
};

struct mpg_tasks {
    int32_t ranks, master; /* MASTER -1: unknown */
    int32_t comm;          /* communicator of the messages */
    int32_t workers;
    uint32_t rounds;
    bool picks;            /* the master has a receive posted from each worker, and takes by Waitany or the like; else its
                              receives leave the source open */
    uint32_t depth;        /* tasks that each worker has at once; 1 or more */
    uint32_t messages;     /* messages that each step receives; 1 or more */
    uint64_t n, tasks;     /* number of receives; of task receives */
    struct mpg_task *task; /* n */
    struct mpg_task_message *message; /* of receive K: MESSAGES from [K * messages] on */
    struct mpg_worker *worker; /* by world rank */
    int64_t slow_polls_ns;     /* sum of the master's intervals from a probe or test that found nothing to the same call again;
                                  only intervals longer than POLLING_NS */
    int64_t slowest_poll_ns;   /* the longest of these intervals */
    double *computation_ns;    /* by world rank: time outside of MPI calls, tracer included */
    uint64_t *final;       /* the receive that ends round R for worker W (world rank): [R * ranks + W]; MPG_NO_TASK: no worker */
};

/* Finds the tasks of TRACE; intervals of polling are no longer than POLLING_NS. Passes over its events: two; one more if workers
 * have several tasks at once, and one if the master picks. Memory: some 130 bytes for each receive of the master, 80 of them in
 * TASKS. Returns 1; 0 if the trace does not have the pattern, and WHY then names the rank and the call that break it; -1 with
 * WHY: the trace is damaged, out of memory. If it returns 0, TASKS has computation_ns, and as master and workers: the only rank
 * that receives from any source, and the sources of its messages; if no rank receives from any source, the rank with the most
 * Waitany, Waitsome, Testany and Testsome, and the ranks that it sends to. The caller clears TASKS in every case. */
int mpg_tasks_find(struct mpg_trace *trace, int64_t polling_ns, struct mpg_tasks *tasks, struct mpg_error *why);
void mpg_tasks_clear(struct mpg_tasks *tasks);

/* Writes TRACE to the empty FOLDER as a native trace in which receive K of the master takes the next message of world rank
 * ORDER[K], and the reply and the piece of a task go to this rank. Final receives of a round go to each worker once. A worker's
 * events follow each other with the traced intervals and durations; clocks of ranks are not comparable. Requests and matched
 * messages of a piece that moves to another rank get other numbers. Returns 0, or -1 with ERR: the trace cannot be read or
 * written; out of memory. */
int mpg_tasks_write(struct mpg_trace *trace, const struct mpg_tasks *tasks, const int32_t *order, const char *folder,
                    struct mpg_error *err);

#endif
