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

/* One repetition of a poll. */
struct mpg_repetition {
    uint16_t before_ns; /* since the previous repetition */
    uint8_t which;      /* index in the action's POLLS */
};

/* An action: an MPI call to make, or a region mark. */
struct mpg_action {
    struct mpg_event event; /* event; its lists belong to the action, values and neighbours are absent */
    enum mpg_kind kind;
    enum mpg_call plain;    /* the call without large counts */
    enum mpg_call blocking; /* the blocking form of a collective */
    bool drops;             /* removed by a hypothesis: not made, takes no time */
    bool changed;           /* differs from the trace by a hypothesis */
    const int64_t *started; /* start of several requests: new bytes of each, or MPG_STARTED_AS_WAS, MPG_STARTED_DROPPED; NULL:
                               unchanged */
    const struct mpg_action *polls; /* a run of unsuccessful polls: its distinct calls; NUMBER is then valid, EVENT is not */
    const struct mpg_repetition *repetition; /* repetitions of these calls, in order */
    uint32_t poll_number, repetition_number; /* 0: no run */
    int success;              /* index in POLLS of the poll that succeeds after the run; -1: none */
    int64_t before_ns;      /* computation since the previous action, or since MPI_Init */
    int64_t after_ns;       /* computation until the next action; MPG_NOT_READ: unknown yet */
    uint64_t number;        /* call number of the rank, from 0 */
    /* If several threads of the rank make calls: */
    int64_t turn;     /* number of earlier collectives of all threads on the same communicator; -1: no collective */
    int thread_start; /* first action of a thread: number of threads, except MPI_Init's, started earlier; else -1 */
};

/* Sizes that the members of a communicator must exchange because the trace has each member's own sizes only. Sizes
 * of one kind are stored in the order of their calls. */
enum mpg_contribution_kind {
    MPG_CONTRIBUTION_SINGLE,    /* the member's own bytes: Gatherv, Allgatherv; between groups also Gather, Allgather, Alltoall */
    MPG_CONTRIBUTION_PER_PEER,  /* bytes for each peer: Alltoallv, Alltoallw */
    MPG_CONTRIBUTION_NEIGHBORS, /* the member's own bytes: Neighbor_allgather(v), Neighbor_alltoall */
    MPG_CONTRIBUTION_PER_EDGE,  /* bytes for each destination: Neighbor_alltoallv, Neighbor_alltoallw */
    MPG_CONTRIBUTION_KINDS
};

/* Returns the kind of CALL, a blocking collective or the blocking form of a nonblocking one; MPG_CONTRIBUTION_KINDS: none.
 * REMOTE: on an intercommunicator. */
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
    size_t calls, width; /* number of calls; sizes per call */
    int64_t *bytes;      /* WIDTH sizes per call, by call */
    size_t capacity;
};

/* Resources for replaying a rank, known before its first event. */
struct mpg_needs {
    int64_t send_bytes, receive_bytes; /* largest buffer of one call */
    int64_t message_bytes;             /* largest message from this rank to one peer */
    int64_t rma_bytes;                 /* largest one-sided transfer */
    int64_t buffered_bytes, buffered;  /* total bytes and number of buffered sends */
    int32_t max_tag;                   /* greatest tag of this rank, or 0 */
    bool wildcards;                    /* some receive or probe has a wildcard */
    bool init_thread;                  /* the program called MPI_Init_thread */
    int threads;                       /* threads that make calls; index 0 is the thread of MPI_Init */
    int32_t *thread;                   /* thread numbers of the trace */
    size_t comms;                      /* length of the lists below, by communicator number */
    struct mpg_contributions (*contributions)[MPG_CONTRIBUTION_KINDS];
    uint8_t *silent; /* 1: a duplicate without messages is needed, for cancelled receives and unsuccessful matched probes */
    uint8_t *named;  /* MPG_ANY_... bits that some wildcard receive on the communicator does not set */
};

/* Counts of one process, or sums over all processes. */
struct mpg_outcome {
    int64_t run_ns, traced_ns; /* run time from the end of MPI_Init to the begin of MPI_Finalize; sums hold the maximum */
    uint64_t calls;            /* calls made */
    uint64_t elapsed;          /* traced calls that only took their time */
    uint64_t exchanged;        /* requests completed instead of the requests that the trace completes */
    uint64_t unneeded;         /* tests and completions of complete requests, not made */
    uint64_t waited;           /* successful tests replaced by waits */
    uint64_t unreceived;       /* messages not received */
    uint64_t dropped;          /* calls removed by hypotheses */
    uint64_t cut;              /* one-sided transfers reduced to their window's size */
    uint64_t late_ns;          /* time by which the replay's own work made calls late */
};

/* Configuration and functions that mpgreplay passes to the library. */
struct mpg_replay_host {
    void *context;
    int32_t rank, ranks;
    bool deterministic;
    bool same_mpi;      /* the trace is from the same MPI family, so its constants are valid */
    double timeout_ns; /* time without progress of any rank of a host before the run ends */
    const struct mpg_needs *needs;
    /* Any thread may call these functions; THREAD is the caller's index in NEEDS. */
    /* Returns the thread's next action, valid until the next call, or NULL with ERR if the trace is damaged. The
     * last action of each thread is MPI_Finalize, which one thread makes. */
    const struct mpg_action *(*next)(void *context, int thread, struct mpg_error *err);
    /* Waits as mpg_elapse() does. */
    int64_t (*elapse)(void *context, int thread, int64_t from_ns, int64_t ns, int64_t late_ns);
    const struct mpg_comm *(*comm)(void *context, int32_t comm); /* NULL: no such communicator */
    const struct mpg_object *(*object)(void *context, int32_t object);
    const char *(*string)(void *context, int32_t string);
    bool (*neighbors)(void *context, int32_t comm, struct mpg_neighbors *found);
    const char *(*call_name)(enum mpg_call call);
    void (*own_outcome)(void *context, struct mpg_outcome *outcome); /* adds the counts that only the host has */
    void (*failed)(void *context, const struct mpg_error *err); /* ends the run after an error of a thread other than the first */
};

/* The library's exported structure, symbol mpg_enactor. A failure inside MPI_Init ends the whole run. */
struct mpg_enactor {
    /* Initialises MPI for NEEDS->threads threads (0: not known; of a process whose rank is not known yet, the largest number of
     * a rank). Stores this process's *RANK, the number of processes *SIZE, the end of MPI_Init *LEFT_NS (CLOCK_MONOTONIC), and
     * in *ENOUGH whether MPI provides MPI_THREAD_MULTIPLE. */
    int (*begin)(const struct mpg_needs *needs, int *rank, int *size, int64_t *left_ns, bool *enough,
                 struct mpg_error *err);
    /* Returns the lowest rank that passed FAILED true, or the number of ranks if none did. Collective. */
    int (*first_failed)(bool failed);
    /* Returns MPI_TAG_UB if it is below the largest MAX of all processes, else -1. Collective. */
    int32_t (*tag_limit)(int32_t max);
    /* Broadcasts the N numbers of LIST from process FROM. Collective. */
    void (*broadcast)(int from, int32_t *list, int n);
    /* Makes all calls including MPI_Finalize. Stores the counts in *OUTCOME, on rank 0 the sums of all ranks.
     * After -1 other processes may wait for this one: the caller must call abort(). */
    int (*perform)(const struct mpg_replay_host *host, int64_t left_ns, struct mpg_outcome *outcome,
                   struct mpg_error *err);
    void (*end)(void); /* MPI_Finalize, in place of perform() */
    void (*abort)(int status);
};

#endif
