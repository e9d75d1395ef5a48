/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interface between mpgreplay, which reads a rank's events, and the library that makes the MPI calls. One library
 * per MPI (libmpgreplay-openmpi.so, libmpgreplay-mpich.so) exports one structure, struct mpg_enactor. Neither side
 * links to the other. */
#ifndef MPG_REPLAY_INTERFACE_H
#define MPG_REPLAY_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/reader.h"

enum { MPG_STARTED_AS_WAS = -1, MPG_STARTED_DROPPED = -2, MPG_NOT_READ = -1, MPG_JUST_NOW = -1 };

/* A poll in a run of unsuccessful tests or probes. */
struct mpg_repetition {
    uint16_t before_ns; /* time since the end of the poll before */
    uint8_t which;      /* the repeated call: index in the action's `polls` */
};

/* An action of a rank: a call to make, a region mark, or a run of polls. */
struct mpg_action {
    struct mpg_event event; /* the traced event; the event's lists belong to the action; without values and neighbours */
    enum mpg_kind kind;
    enum mpg_call plain;    /* the form of the call without large counts (MPI_Send for MPI_Send_c) */
    enum mpg_call blocking; /* the blocking form of the call, if it is a collective */
    bool drops;             /* a hypothesis removes the call, which is not made and takes no time */
    bool changed;           /* a hypothesis has changed the call */
    const int64_t *started; /* a start: for each request the new bytes, MPG_STARTED_AS_WAS or MPG_STARTED_DROPPED; NULL: all
                               are unchanged */
    const struct mpg_action *polls; /* of a run of polls: the different calls of the run; the action's `event` is the event of
                                     * the first */
    const struct mpg_repetition *repetition; /* of a run of polls: the polls, in order */
    uint32_t poll_number, repetition_number; /* number of elements of `polls` and of `repetition`; 0: the action is no run of
                                              * polls */
    int success;              /* index in `polls` of the call that succeeded after the run in the trace; -1: none */
    int64_t before_ns;      /* computation since the previous action, or since MPI_Init */
    int64_t after_ns;       /* computation until the next action; MPG_NOT_READ: unknown yet */
    uint64_t number;        /* number of the call in the rank, from 0 */
    /* If several threads of the rank make calls: */
    int64_t turn;     /* number of earlier collectives of the rank on the communicator; -1: no collective */
    int thread_start; /* of a thread's first action: number of threads that have begun before, without the thread of MPI_Init;
                       * else -1 */
};

/* The sizes that members of a communicator must exchange, since each member knows only the sizes in the member's own trace
 * file. Sizes of a kind are in the order of the calls. */
enum mpg_contribution_kind {
    MPG_CONTRIBUTION_SINGLE,    /* the member's own bytes: Gatherv, Allgatherv; between groups also Gather, Allgather, Alltoall */
    MPG_CONTRIBUTION_PER_PEER,  /* bytes for each peer: Alltoallv, Alltoallw */
    MPG_CONTRIBUTION_NEIGHBORS, /* the member's own bytes: Neighbor_allgather(v), Neighbor_alltoall */
    MPG_CONTRIBUTION_PER_EDGE,  /* bytes for each destination: Neighbor_alltoallv, Neighbor_alltoallw */
    MPG_CONTRIBUTION_KINDS
};

/* Returns the kind of CALL, a blocking collective or the blocking form of a nonblocking collective; MPG_CONTRIBUTION_KINDS:
 * none. REMOTE: on an intercommunicator. */
static inline enum mpg_contribution_kind mpg_contribution_kind_of(enum mpg_call call, bool remote)
{
    switch (call) {
    case MPG_CALL_Gather:
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        return remote ? MPG_CONTRIBUTION_SINGLE : MPG_CONTRIBUTION_KINDS;
    case MPG_CALL_Gatherv:
    case MPG_CALL_Allgatherv:
        return MPG_CONTRIBUTION_SINGLE;
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        return MPG_CONTRIBUTION_PER_PEER;
    case MPG_CALL_Neighbor_allgather:
    case MPG_CALL_Neighbor_allgatherv:
    case MPG_CALL_Neighbor_alltoall:
        return MPG_CONTRIBUTION_NEIGHBORS;
    case MPG_CALL_Neighbor_alltoallv:
    case MPG_CALL_Neighbor_alltoallw:
        return MPG_CONTRIBUTION_PER_EDGE;
    default:
        return MPG_CONTRIBUTION_KINDS;
    }
}

struct mpg_contributions {
    size_t calls, width; /* number of calls, and number of sizes of each call */
    int64_t *bytes;      /* `width` sizes for each call, in the order of calls */
    size_t capacity;
};

/* Requirements of the replay of a rank, found in a pass over the rank's events. */
struct mpg_needs {
    int64_t send_bytes, receive_bytes; /* largest send buffer and receive buffer of a call */
    int64_t message_bytes;             /* largest message from this rank to a single rank */
    int64_t rma_bytes;                 /* bytes of the largest one-sided transfer */
    int64_t buffered_bytes, buffered;  /* bytes and number of all buffered sends */
    int32_t max_tag;                   /* largest tag in a call of this rank; 0: none */
    bool wildcards;                    /* some receive or probe of this rank has a wildcard */
    bool init_thread;                  /* the program called MPI_Init_thread */
    int threads;                       /* number of threads that make calls; thread 0 called MPI_Init */
    int32_t *thread;                   /* for each thread: the thread's number in the trace */
    size_t comms;                      /* number of elements of the lists below, indexed by communicator */
    struct mpg_contributions (*contributions)[MPG_CONTRIBUTION_KINDS];
    uint8_t *silent; /* 1: a duplicate without messages is needed, for receives that are cancelled and for unsuccessful matched
                        probes */
    uint8_t *named;  /* MPG_ANY_... bits: source (tag) is set if some wildcard receive on the communicator names the source
                        (tag) */
};

/* Counts of one process, or sums over all processes. */
struct mpg_outcome {
    int64_t run_ns, traced_ns; /* run time from the end of MPI_Init to the begin of MPI_Finalize; sums hold the maximum */
    uint64_t calls;            /* calls made */
    uint64_t elapsed;          /* traced calls that only took the traced time */
    uint64_t exchanged;        /* requests completed in place of the requests completed in the trace */
    uint64_t unneeded;         /* tests and completions of complete requests, not made */
    uint64_t waited;           /* successful tests replaced by waits */
    uint64_t unreceived;       /* messages not received */
    uint64_t dropped;          /* calls removed by hypotheses */
    uint64_t cut;              /* one-sided transfers reduced to the window's size */
    uint64_t late_ns;          /* time by which the replay's own work made calls late */
};

/* Passed from mpgreplay to the library: the configuration, and functions called by the library. */
struct mpg_replay_host {
    void *context;
    int32_t rank, ranks;
    bool deterministic;
    bool same_mpi;      /* the trace is from an MPI of this library's family: constants in the trace have equal meaning */
    double timeout_ns; /* a run ends if no rank of a host has progressed for this time */
    const struct mpg_needs *needs;
    /* Any thread may call these functions. THREAD: index of the calling thread in `needs`. */
    /* Returns the thread's next action, valid until the next call of this function; NULL with ERR: the trace is
     * damaged. The last action of every thread is MPI_Finalize, but only one thread makes that call. */
    const struct mpg_action *(*next)(void *context, int thread, struct mpg_error *err);
    /* Waits as mpg_elapse() does. */
    int64_t (*elapse)(void *context, int thread, int64_t from_ns, int64_t ns, int64_t late_ns);
    const struct mpg_comm *(*comm)(void *context, int32_t comm); /* NULL: the trace has no communicator with this number */
    const struct mpg_object *(*object)(void *context, int32_t object);
    const char *(*string)(void *context, int32_t string);
    bool (*neighbors)(void *context, int32_t comm, struct mpg_neighbors *found);
    const char *(*call_name)(enum mpg_call call);
    void (*own_outcome)(void *context, struct mpg_outcome *outcome); /* adds the counts of the feeds */
    void (*failed)(void *context, const struct mpg_error *err); /* ends the run after an error of a thread other than the first */
};

/* The structure exported by the library as symbol mpg_enactor. A failure inside MPI_Init ends the whole run. */
struct mpg_enactor {
    /* Initialises MPI for NEEDS->threads threads (0: not known yet). If the process's rank is not known yet, NEEDS->threads is
     * the largest number of threads of a rank. Sets *RANK to this process's rank, *SIZE to the number of processes, *LEFT_NS
     * to the end of MPI_Init (CLOCK_MONOTONIC), and *ENOUGH to whether MPI provides MPI_THREAD_MULTIPLE. */
    int (*begin)(const struct mpg_needs *needs, int *rank, int *size, int64_t *left_ns, bool *enough,
                 struct mpg_error *err);
    /* Returns the lowest rank that passed FAILED true, or the number of ranks if no rank failed. Collective. */
    int (*first_failed)(bool failed);
    /* Returns this MPI's MPI_TAG_UB if some process passes a larger MAX; else -1. Collective. */
    int32_t (*tag_limit)(int32_t max);
    /* Broadcasts the N numbers of LIST from rank FROM. Collective. */
    void (*broadcast)(int from, int32_t *list, int n);
    /* Makes all calls of the rank, MPI_Finalize included. *OUTCOME: the rank's counts; on rank 0 the sums over all ranks.
     * After a return of -1 the caller must call abort(), because further processes may wait for this process. */
    int (*perform)(const struct mpg_replay_host *host, int64_t left_ns, struct mpg_outcome *outcome,
                   struct mpg_error *err);
    void (*end)(void); /* calls MPI_Finalize if perform() is not called */
    void (*abort)(int status);
};

#endif
