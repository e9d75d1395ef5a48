/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes between mpgreplay, which reads a rank's events, and the library that makes their calls: one for
 * each MPI that was found, libmpgreplay-openmpi.so and libmpgreplay-mpich.so, which hold one structure
 * (struct mpg_enactor). Neither links to the other. */
#ifndef MPG_REPLAY_STAGE_H
#define MPG_REPLAY_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/event.h"
#include "trace/reader.h"

enum { MPG_STARTED_AS_WAS = -1, MPG_STARTED_DROPPED = -2, MPG_NOT_READ = -1, MPG_JUST_NOW = -1 };

/* A call that is made once more. */
struct mpg_again {
    uint16_t before_ns; /* after the one before */
    uint8_t which;
};

/* A call that is made, or the mark of a region. */
struct mpg_act {
    struct mpg_event event; /* its lists are the act's, but for values and neighbours, which it has not */
    enum mpg_kind kind;
    enum mpg_call plain;    /* the call but for large counts, */
    enum mpg_call blocking; /* and of a collective the blocking one */
    bool drops;             /* by hypotheses: nothing is made, and no time passes; */
    bool changed;           /* it is otherwise than it was: */
    const int64_t *started; /* of a start of several requests bytes of each, or MPG_STARTED_...; NULL: as they were */
    const struct mpg_act *polls; /* a run of calls that found nothing: which these are (of the act itself, NUMBER alone */
    const struct mpg_again *again; /* says something), and each time that one is made; */
    uint32_t poll_number, again_number; /* 0: no run */
    int ender;              /* which of POLLS asks for what has come when the run is over; -1: none */
    int64_t before_ns;      /* computation since the act before, or since MPI_Init */
    int64_t after_ns;       /* to the act behind it; MPG_NOT_READ: that has not been read yet */
    uint64_t number;        /* of the rank's calls, from 0 */
    /* Where several threads of the rank make calls: */
    int64_t turn; /* so many collectives of all of them come before this one on its communicator; -1: is none */
    int first;    /* so many threads but MPI_Init's have begun before this one, the first of its thread; -1: is not */
};

/* Numbers that collectives of a communicator need of its other members, in the order of these calls: what
 * each contributes. */
enum mpg_shares_kind {
    MPG_SHARES_ONE,       /* Gatherv, Allgatherv; between groups also Gather, Allgather, Alltoall: own bytes */
    MPG_SHARES_EACH,      /* Alltoallv, Alltoallw: bytes for each other */
    MPG_SHARES_NEIGHBORS, /* Neighbor_allgather(v), Neighbor_alltoall: own bytes */
    MPG_SHARES_EDGES,     /* Neighbor_alltoallv, -w: bytes for each destination */
    MPG_SHARES_KINDS
};

/* Those of CALL, a blocking collective (of the others, the one that does the same), MPG_SHARES_KINDS: none.
 * REMOTE: between groups. */
static inline enum mpg_shares_kind mpg_shares_of(enum mpg_call call, bool remote)
{
    switch (call) {
    case MPG_CALL_Gather:
    case MPG_CALL_Allgather:
    case MPG_CALL_Alltoall:
        return remote ? MPG_SHARES_ONE : MPG_SHARES_KINDS;
    case MPG_CALL_Gatherv:
    case MPG_CALL_Allgatherv:
        return MPG_SHARES_ONE;
    case MPG_CALL_Alltoallv:
    case MPG_CALL_Alltoallw:
        return MPG_SHARES_EACH;
    case MPG_CALL_Neighbor_allgather:
    case MPG_CALL_Neighbor_allgatherv:
    case MPG_CALL_Neighbor_alltoall:
        return MPG_SHARES_NEIGHBORS;
    case MPG_CALL_Neighbor_alltoallv:
    case MPG_CALL_Neighbor_alltoallw:
        return MPG_SHARES_EDGES;
    default:
        return MPG_SHARES_KINDS;
    }
}

struct mpg_shares {
    size_t calls, width; /* numbers of a call */
    int64_t *bytes;      /* call by call */
    size_t capacity;
};

/* What a rank's events need, known before the first of them. */
struct mpg_needs {
    int64_t send_bytes, receive_bytes; /* the largest buffer of a call */
    int64_t message_bytes; /* the largest message that this rank sends to one other */
    int64_t rma_bytes;     /* the largest one-sided transfer */
    int64_t buffered_bytes, buffered; /* of all its buffered sends together; how many */
    int32_t most_tag;      /* the greatest tag that this rank names, or 0 */
    bool wildcards;        /* a receive leaves something open */
    bool init_thread;      /* MPI_Init_thread */
    int threads;           /* that make calls, that of MPI_Init the first: */
    int32_t *thread;       /* their numbers in the trace */
    size_t comms;          /* how many communicators these are of, by their number: */
    struct mpg_shares (*shares)[MPG_SHARES_KINDS];
    uint8_t *deaf;         /* 1: receives on it are cancelled, or matched probes of it find nothing */
    uint8_t *named;        /* which of MPG_ANY_... some of its receives that leave the other open name */
};

/* Of one process, or of all together. */
struct mpg_outcome {
    int64_t run_ns, traced_ns; /* MPI_Init's leave to MPI_Finalize's enter; of all: the greatest */
    uint64_t calls;      /* that were made */
    uint64_t elapsed;    /* of the trace, the time of which elapsed without them */
    uint64_t exchanged;  /* requests that were completed for another */
    uint64_t unneeded;   /* tests, and completions of what was complete: not made */
    uint64_t waited;     /* tests that would have failed: a wait in their place */
    uint64_t unreceived; /* messages that nobody receives */
    uint64_t dropped;    /* calls that hypotheses leave nothing of */
    uint64_t cut;        /* one-sided transfers larger than what they go to */
    uint64_t late_ns;    /* reading that did not fit into computation */
};

/* What the library is given. */
struct mpg_stage {
    void *host;
    int32_t rank, ranks;
    bool deterministic;
    bool same_mpi;      /* the trace is of this MPI's family: its constants mean the same */
    double patience_ns; /* for all ranks of a host to wait without one that goes on */
    const struct mpg_needs *needs;
    /* Any thread calls any of these; one thread of the trace, by its place in NEEDS, is of one that calls. */
    /* The thread's next act, valid until the next call; NULL with ERR: the trace is damaged. MPI_Finalize is the last
     * of each of them, one of which makes it. */
    const struct mpg_act *(*next)(void *host, int thread, struct mpg_error *err);
    /* Until NS after FROM_NS of CLOCK_MONOTONIC, when MPI returned; MPG_JUST_NOW: so little that the caller has read no clock.
     * LATE_NS after the end of what elapsed before MPI was called. Returns when this ended, MPG_JUST_NOW: likewise. */
    int64_t (*elapse)(void *host, int thread, int64_t from_ns, int64_t ns, int64_t late_ns);
    const struct mpg_comm *(*comm)(void *host, int32_t comm); /* NULL: there are not so many */
    const struct mpg_object *(*object)(void *host, int32_t object);
    const char *(*string)(void *host, int32_t string);
    bool (*neighbors)(void *host, int32_t comm, struct mpg_neighbors *found);
    const char *(*call_name)(enum mpg_call call);
    void (*own_outcome)(void *host, struct mpg_outcome *outcome); /* adds what only the host knows */
    void (*failed)(void *host, const struct mpg_error *err); /* a thread that is not the first has: ends the run */
};

/* What the library exports, as mpg_enactor. What fails inside MPI_Init ends the whole run, as MPI does. */
struct mpg_enactor {
    /* Starts MPI, with as many threads as NEEDS has (zero: it is not known yet), *ENOUGH: this MPI allows them. This
     * process's rank of how many. MPI_Init left at *LEFT_NS of CLOCK_MONOTONIC. */
    int (*begin)(const struct mpg_needs *needs, int *rank, int *size, int64_t *left_ns, bool *enough,
                 struct mpg_error *err);
    /* The least rank for which FAILED is true; how many there are if none. Collective. */
    int (*first_failed)(bool failed);
    /* The greatest tag that MPI allows, or -1: that is enough for all processes, of which each has MOST. Collective. */
    int32_t (*tag_limit)(int32_t most);
    /* The N numbers of LIST of process FROM become those of all. Collective. */
    void (*broadcast)(int from, int32_t *list, int n);
    /* Makes the calls, MPI_Finalize the last; on rank 0, *OUTCOME is that of all, else its own. -1: another
     * process may wait for this one, which is to end them all by abort(). */
    int (*perform)(const struct mpg_stage *stage, int64_t left_ns, struct mpg_outcome *outcome,
                   struct mpg_error *err);
    void (*end)(void); /* instead of perform(): MPI_Finalize alone */
    void (*abort)(int status);
};

#endif
