/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the library that makes the calls of a trace share. Compiled for each MPI; functions
 * return 0, or -1 with PLAY's error. A struct play is of one thread of the rank; what its threads share has one lock, which
 * is held wherever functions of this header are called, and open while MPI is (PLAY_OPEN). */
#ifndef MPG_REPLAY_PLAY_H
#define MPG_REPLAY_PLAY_H

#include <mpi.h>
#include <pthread.h>

#include "common/map.h"
#include "common/pool.h"
#include "common/ticks.h"
#include "replay/stage.h"

/* The tracer sees calls of MPI_; those of PMPI_ are re-enactment's own. */

/* What this rank is told of its peers' shares in collectives. */
struct play_shares {
    size_t calls, next; /* how many, and which comes next */
    size_t width;       /* numbers of a call */
    int64_t *bytes;     /* of call 0 from each peer, of call 1 ... */
};

struct play_comm {
    const struct mpg_comm *told; /* as the trace has it */
    MPI_Comm comm;
    MPI_Comm deaf; /* with the same members, where nothing is sent; only if one of them asks for it */
    bool made;     /* and its shares have been told */
    bool making;   /* a thread is about to */
    bool elapses;  /* it cannot be had, or has members of another world: calls take their time */
    bool shared;   /* its shares have been told */
    int32_t rank;  /* this one's in it */
    int32_t peers; /* members, or those of the other group */
    bool remote;
    bool has_neighbors;
    struct mpg_neighbors neighbors;
    struct play_shares shares[MPG_SHARES_KINDS];
};

struct play_window {
    MPI_Win win;
    bool made;
    bool waited;        /* a Win_test ended the epoch before that of the trace did */
    bool dynamic;
    bool owns;          /* BASE is not MPI's */
    void *base;
    int64_t bytes;
    int64_t *sizes;     /* of each member */
    int64_t *addresses; /* of each member, dynamic windows only */
    int32_t members;
};

/* What a collective is given of each member, or neighbour: bytes sent (0) and received (1), and where they begin. */
struct play_counts {
    size_t room;
    int *counts[2], *places[2];
    MPI_Aint *far[2];    /* the same places */
    MPI_Datatype *types; /* MPI_BYTE */
};

struct play_request;

/* A request that can be started over and over. */
struct play_persistent {
    int thread;            /* that came across it last */
    MPI_Request handle;    /* MPI_REQUEST_NULL: each start posts it anew */
    struct play_request *active; /* that HANDLE is of, and that has not been completed; or NULL */
    bool elapses;
    bool freed;            /* and HANDLE is to be when ACTIVE, which has been put off, is complete */
    struct mpg_act act;    /* the call that made it, for what HANDLE cannot do */
    const int64_t *shares; /* of a collective */
    int64_t *given;        /* what its act has of counts; its own, and so is what HANDLE uses: */
    struct play_counts *counts;
};

/* A request, from the call that posts it to the one that completes it. */
struct play_request {
    int64_t id;
    int thread;   /* that came across it last */
    MPI_Request handle;
    bool elapses; /* MPI does not have it */
    bool done;    /* completed by a test that had failed, or along with others */
    bool dropped; /* by hypotheses; it is done, too */
    bool receives, cancels;
    bool transfers; /* to or from a window */
    struct play_persistent *persistent; /* whose HANDLE is, */
    struct play_persistent *started;    /* and what was started for it */
    bool put_off;                       /* a test had completed it: it is waited for later */
    struct play_comm *comm;             /* that it makes */
    struct play_counts *counts;         /* that HANDLE uses */
    struct play_open *open;             /* HANDLE is of a receive that leaves something open; goes with it */
};

enum { FEW_LISTED = 64 };

/* The requests of a call. */
struct play_list {
    int capacity;
    struct play_request **request; /* those that MPI is given, */
    MPI_Request *handle;           /* theirs, */
    int *index;                    /* and room for indices, */
    MPI_Status *status;            /* and for what is told of each of these */
    int n;
};

struct guard;
struct play_crew;
struct play_later;

/* What the threads of the rank share. */
struct play_all {
    void *send, *receive;             /* zero, and what is received */
    int64_t send_bytes, receive_bytes;
    uint32_t comms;
    struct play_comm **comm;
    uint32_t windows;
    struct play_window **window;
    struct mpg_map requests, persistents, messages; /* id -> address */
    struct mpg_pool request_pool, persistent_pool;
    struct play_crew *crew; /* NULL: there is one thread */
    struct play_taken *taken; /* NULL: what is open takes what it took, or nobody keeps account */
    struct play_later *later; /* requests that tests had completed, and that are waited for later; NULL: there are none */
};

struct play {
    const struct mpg_stage *stage;
    struct play_all *all;
    int thread; /* from 0, that which began MPI */
    struct mpg_error *err;
    MPI_Comm hidden; /* of all, for what no tracer sees */
    const struct mpg_act *act;
    struct mpg_outcome outcome;
    int64_t message_bytes, rma_bytes; /* the largest of all ranks */
    bool wildcards;
    bool found; /* by the last probe */
    struct play_list list;
    struct play_counts *counts; /* of calls that do not return before they are done */
    struct guard *guard;
    bool timed;          /* it is known when the act's call begins and ends: */
    int64_t called_ns;   /* 0: it has not begun */
    int64_t returned_ns; /* of the last that it has made; 0: none */
};

/* MPI is called for the act, or what it does meanwhile is waited for. Before, and after it has returned, re-enactment takes time
 * which the program did not have. */
static inline void play_calls(struct play *p)
{
    if (p->timed && p->called_ns == 0)
        p->called_ns = (int64_t)mpg_clock_ns();
}

static inline void play_returns(struct play *p)
{
    if (p->timed)
        p->returned_ns = (int64_t)mpg_clock_ns();
}

/* RC of CALL, in which MPI may wait: other threads go on meanwhile. */
#define PLAY_OPEN(p, call)            \
    __extension__({                   \
        play_open(p);                 \
        play_calls(p);                \
        const int rc_open_ = (call);  \
        play_returns(p);              \
        play_close(p);                \
        rc_open_;                     \
    })

/* Whether HANDLE, R's, could be completed now, into FLAG, and its status. MPICH from 4.2 on ends a persistent request here, and
 * the call that completes it gets an empty status: a tracer of the re-enactment must see this one to know whom an open receive
 * met. */
static inline void play_get_status(const struct play_request *r, MPI_Request handle, int *flag, MPI_Status *status)
{
    if (r->persistent && r->open)
        MPI_Request_get_status(handle, flag, status);
    else
        PMPI_Request_get_status(handle, flag, status);
}

/* enact.c */
int play_fail(struct play *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes of the message that STATUS is of. MPI-4.1 deprecates the call; libraries of MPI-3 that have the same ABI
 * know no other. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int64_t play_status_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes;
}
#pragma GCC diagnostic pop
/* What RC of a call means: 0, also where a message was longer than what it was received into. */
int play_check(struct play *p, int rc);
/* The traced time of the act passes. */
void play_elapse(struct play *p);
int play_perform_call(struct play *p);
/* Ends all ranks, when what has been written to standard error has arrived. */
void play_abort(int status);
/* All acts of the thread but MPI_Finalize, before which it returns; from *BEGIN_NS on, when MPI_Init was left, or later
 * if that cannot be kept. */
int play_thread(struct play *p, int64_t *begin_ns);

/* crew.c: threads of the rank. Where there is one, nothing of it does anything. */
int crew_new(struct play *p);
/* All but the first begin, of which the last act is MPI_Finalize, too: they end before it. Then their outcomes are added
 * to that of P, the first. */
int crew_begin(struct play *p, int64_t begin_ns);
void crew_end(struct play *p);
/* P has failed, and is the first that did: of others it does not return. */
void crew_fail(struct play *p);
/* The lock is taken, or given back. */
void play_close(struct play *p);
void play_open(struct play *p);
/* P has a new act, which is told to others; what it did before is done. */
void crew_act(struct play *p);
/* Before the act's call is made, and behind it: its turn among collectives of a communicator; what frees something comes
 * after all that was over in the trace before. */
int crew_before(struct play *p);
void crew_after(struct play *p);
/* Something has been made that others may wait for. */
void crew_tell(struct play *p);
/* Waits until another thread has done something; false: THREAD (CREW_ANY: each) has done all that was over in the trace
 * before the act began. CREW_WHATEVER: waits in any case. */
enum { CREW_ANY = -1, CREW_WHATEVER = -2 };
bool crew_wait(struct play *p, int thread);

/* buffers.c: at least BYTES, zero or received; NULL: out of memory. Earlier ones stay. */
void *play_send_buffer(struct play *p, int64_t bytes);
void *play_receive_buffer(struct play *p, int64_t bytes);
int play_attach_buffer(struct play *p);
/* BYTES as a count of *TYPE, which is MPI's as long as BYTES is an int. */
int play_type(struct play *p, int64_t bytes, int *count, MPI_Datatype *type);
void play_type_end(MPI_Datatype *type);
/* Room for N of both sides: *COUNTS, as it is, if that has it; the next call may change what is in it. */
int play_count_room(struct play *p, struct play_counts **counts, size_t n);
/* BYTES as an int. */
int play_count(struct play *p, int64_t bytes, int *count);

/* memory.c: BYTES, zero, that all processes of COMM share, which are on one host; NULL, for all of them: it cannot be had.
 * Collective over COMM; to be unmapped. */
void *play_shared_memory(MPI_Comm comm, size_t bytes);

/* requests.c */
struct play_request *play_post(struct play *p, int64_t id, bool receives);
struct play_request *play_find(struct play *p, int64_t id);
void play_forget(struct play *p, struct play_request *request);
struct play_persistent *play_new_persistent(struct play *p, int64_t id);
struct play_persistent *play_find_persistent(struct play *p, int64_t id);
void play_forget_persistent(struct play *p, int64_t id);
/* Its lists, which HANDLE uses until it is freed. */
void play_forget_given(struct play_persistent *own);

/* complete.c: Wait..., Test..., */
int play_complete(struct play *p);
/* Waits for what tests have put off, as far as it is time (IN_ANY_CASE: for all of it). */
int play_later(struct play *p, bool in_any_case);
/* REQUEST is complete, as STATUS says. */
int play_note_done(struct play *p, struct play_request *request, const MPI_Status *status);

/* poll.c: a run of calls that found nothing */
int play_polls(struct play *p);

/* point.c: messages between two */
int play_point(struct play *p);
/* Which of MPG_ANY_... E, which receives, leaves open here: what it does, unless receives on its communicator that leave
 * something open name that (or re-enactment is deterministic). Else one that names nothing could take the message of one
 * that names something, which nothing could then stand for. */
uint32_t play_any(const struct play *p, const struct mpg_event *e);
/* The peer and tag of a receive E, which took those of FROM and TAG in the trace. */
int play_source(const struct play *p, const struct mpg_event *e, int32_t from);
int play_tag(const struct play *p, const struct mpg_event *e, int32_t tag);
int play_peer(int32_t rank);
/* Room for what a blocking receive of BYTES may take, where it can be another message than in the trace. */
int64_t play_room(const struct play *p, int64_t bytes);
/* E, which sends by CALL (I- or -init); and E, which receives; into REQUEST. */
int play_post_send(struct play *p, struct play_comm *c, const struct mpg_event *e, enum mpg_call call,
                   MPI_Request *request);
int play_post_receive(struct play *p, MPI_Comm comm, const struct mpg_event *e, bool persistent, int source, int tag,
                      MPI_Request *request);

/* taken.c: who takes another message than in the trace, and who then takes one for one that is gone */
struct play_taken;
struct play_open;
struct play_name {
    int source, tag;
    bool other; /* than in the trace */
};
int taken_new(struct play *p);
/* What took the message of FROM and TAG in the trace has taken that of STATUS. */
int taken_note(struct play *p, int32_t comm, int32_t from, int32_t tag, const MPI_Status *status);
/* E, an open probe, has found STATUS. */
void taken_found(struct play *p, const struct mpg_event *e, const MPI_Status *status);
/* R is posted as E says; in the trace it took a message of FROM and TAG. */
int taken_post(struct play *p, struct play_request *r, const struct mpg_event *e, int32_t from, int32_t tag);
/* R will not take anything. */
void taken_drop(struct play *p, struct play_request *r);
int taken_complete(struct play *p, struct play_request *r, const MPI_Status *status);
/* A and B have exchanged their handles. */
void taken_exchange(struct play_request *a, struct play_request *b);
/* Whether messages have been taken here for others, or may yet be. */
bool taken_differs(const struct play *p);
/* 1: some have, and the trace had taken others by now, which this run has not; 0: none. */
int taken_lacks(struct play *p);
/* So many MESSAGES more (or less) that probes have found in place of others are to be received: until then their senders wait. */
void taken_hold(struct play *p, int messages);
/* E receives what E->from has sent with TAG: *NAME, what it is to name, if that is gone, and counts as taken. WAITS: it may
 * wait until that is known. */
int taken_name(struct play *p, struct play_comm *c, const struct mpg_event *e, int32_t tag, bool waits,
               struct play_name *name);

/* probe.c: probes, and receives of what they found */
int play_probe(struct play *p);

/* persistent.c: requests that are started, cancelled, freed */
int play_persistent(struct play *p);

/* comms.c */
/* MPI_COMM_WORLD, on all ranks at once. */
int play_world(struct play *p);
struct play_comm *play_comm(struct play *p, int32_t comm);
int play_constructor(struct play *p);
int play_comm_free(struct play *p);
/* REQUEST, which makes a communicator, is complete. */
int play_comm_completed(struct play *p, struct play_comm *comm);

/* topology.c: Cart_create and its like, of MADE (NULL: without this rank) from OLD */
int play_topology(struct play *p, struct play_comm *old, struct play_comm *made, MPI_Comm *into);
/* Cart_sub; not *IS_ONE: OLD is no grid, or MADE no part of it, and nothing is made. */
int play_cart_sub(struct play *p, struct play_comm *old, struct play_comm *made, bool *is_one, MPI_Comm *into);

/* shares.c: tells them on a communicator that has been made */
int play_share(struct play *p, int32_t number, struct play_comm *comm);
/* Those of the next call of KIND; NULL with PLAY's error: none. */
const int64_t *play_next_shares(struct play *p, struct play_comm *comm, enum mpg_shares_kind kind);

/* collective.c */
int play_collective(struct play *p);
/* A start of OWN, a persistent collective that MPI has not, as a nonblocking one. */
int play_collective_start(struct play *p, struct play_persistent *own, struct play_request *request);

/* window.c */
int play_window(struct play *p);

/* guard.c */
int guard_begin(struct play *p);
void guard_computes(struct play *p);
void guard_calls(struct play *p);
/* The thread makes no more calls. */
void guard_leaves(struct play *p);
/* P has failed. Of all processes of the host it returns for the first at once, which is about to end them: what failed on
 * many ranks is said once. */
void guard_fails(struct play *p);
void guard_end(struct play *p);

#endif
