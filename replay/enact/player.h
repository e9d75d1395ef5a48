/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common declarations of the library that makes the calls of a trace; compiled for each MPI. Functions return 0,
 * or -1 with an error in P->err, unless stated otherwise. A struct player belongs to one thread of the rank. The
 * threads share struct play_shared under one lock: all functions of this header are called with the lock held, and
 * PLAY_CALL releases it during an MPI call. */
#ifndef MPG_REPLAY_PLAYER_H
#define MPG_REPLAY_PLAYER_H

#include <mpi.h>
#include <pthread.h>

#include "common/map.h"
#include "common/pool.h"
#include "common/ticks.h"
#include "replay/interface.h"

/* Calls by names with MPI_ are recorded if a tracer is loaded; the replay's own communication uses PMPI_, which tracers do
 * not see. */

/* Sizes that this rank's peers contribute to collectives of one kind. */
struct play_contributions {
    size_t calls, next; /* number of calls; next call */
    size_t width;       /* sizes per call */
    int64_t *bytes;     /* CALLS rows of WIDTH sizes */
};

struct play_comm {
    const struct mpg_comm *traced; /* communicator as in the trace */
    MPI_Comm comm;
    MPI_Comm silent;  /* duplicate of the communicator on which no message is ever sent; exists only if a member needs it */
    bool made;        /* usable, contributions exchanged */
    bool making;      /* a thread is creating it */
    bool elapse_only; /* cannot be created, or has members outside this run: its calls only take their time */
    bool contributed; /* contributions have been exchanged */
    int32_t rank;     /* this process's rank in the communicator */
    int32_t peers;    /* members, or members of the remote group */
    bool remote;      /* an intercommunicator */
    bool has_neighbors;
    struct mpg_neighbors neighbors;
    struct play_contributions contributions[MPG_CONTRIBUTION_KINDS];
};

struct play_window {
    MPI_Win win;
    bool made;
    bool waited;        /* MPI_Win_test ended the epoch earlier than in the trace */
    bool dynamic;
    bool owns;          /* BASE was allocated here, not by MPI */
    void *base;
    int64_t bytes;
    int64_t *sizes;     /* by member: size of its window, bytes */
    int64_t *addresses; /* dynamic windows, by member: address of its memory */
    int32_t members;
};

/* Counts and displacements of a collective in bytes, by member or neighbour. Index 0: send, 1: receive. */
struct play_counts {
    size_t room;
    int *counts[2], *displacements[2];
    MPI_Aint *far[2];    /* the displacements as addresses */
    MPI_Datatype *types; /* all MPI_BYTE */
};

struct play_request;

/* A persistent request of the trace. */
struct play_persistent {
    int thread;                  /* index of the thread that used it last */
    MPI_Request handle;          /* MPI_REQUEST_NULL: each start makes a nonblocking call */
    struct play_request *active; /* incomplete request that HANDLE belongs to, or NULL */
    bool elapse_only;
    bool freed;                   /* free HANDLE when ACTIVE, a deferred request, is complete */
    struct mpg_action action;     /* the call that created it */
    const int64_t *contributions; /* sizes of the peers, for a collective */
    int64_t *given;               /* allocated lists: counts of the initialising call, and lists that HANDLE uses */
    struct play_counts *counts;
};

/* A request, from its creation to its completion. */
struct play_request {
    int64_t id;
    int thread;   /* index of the thread that used it last */
    MPI_Request handle;
    bool elapse_only; /* MPI does not have this request */
    bool done;        /* complete in the replay before the trace completes it */
    bool dropped;     /* removed by a hypothesis; then also done */
    bool receives, cancels; /* another receive may complete in place of this receive; the trace cancels this request */
    bool transfers;                     /* one-sided transfer */
    struct play_persistent *persistent; /* persistent request whose HANDLE this request uses */
    struct play_persistent *started;    /* persistent request that this start belongs to */
    bool deferred;                      /* deferred completion: a test completed it in the trace */
    struct play_comm *comm;             /* communicator that the request creates */
    struct play_counts *counts;         /* lists in use by HANDLE */
    struct play_wildcard *wildcard;     /* of a receive with a wildcard; exchanged together with HANDLE; NULL: none */
};

enum { FEW_LISTED = 64 };

/* Requests passed to one MPI call. */
struct play_list {
    int capacity;
    struct play_request **request; /* the requests */
    MPI_Request *handle;           /* handles of the requests */
    int *index;                    /* memory for indices that MPI returns */
    MPI_Status *status;            /* memory for statuses that MPI returns */
    int n;
};

struct watchdog;
struct play_threads;
struct play_deferred;

/* State shared by the rank's threads. */
struct play_shared {
    void *send, *receive;             /* send buffer (zeros), receive buffer */
    int64_t send_bytes, receive_bytes;
    uint32_t comms;
    struct play_comm **comm;
    uint32_t windows;
    struct play_window **window;
    struct mpg_map requests, persistents, messages; /* identifier -> address */
    struct mpg_pool request_pool, persistent_pool;
    struct play_threads *threads;       /* NULL: one thread */
    struct play_deviations *deviations; /* NULL: deterministic, several threads or no wildcard */
    struct play_deferred *deferred;     /* deferred completions; NULL: none */
};

struct player {
    const struct mpg_replay_host *host;
    struct play_shared *shared;
    int thread; /* index of the thread, 0: thread of MPI_Init */
    struct mpg_error *err;
    MPI_Comm hidden; /* duplicate of MPI_COMM_WORLD for the replay's own communication */
    const struct mpg_action *action;
    struct mpg_outcome outcome;
    int64_t message_bytes, rma_bytes; /* maxima over all ranks */
    bool wildcards;
    bool found; /* result of the last probe */
    struct play_list list;
    struct play_counts *counts; /* lists for blocking calls */
    struct watchdog *watchdog;
    bool timed;          /* record the begin and end of the action's MPI calls */
    int64_t called_ns;   /* begin of the first MPI call; 0: none yet */
    int64_t returned_ns; /* end of the last MPI call; 0: none yet */
};

/* Records the begin or end of MPI time. Time before the first and after the last MPI call of an action is overhead
 * of the replay. */
static inline void play_note_call(struct player *p)
{
    if (p->timed && p->called_ns == 0)
        p->called_ns = (int64_t)mpg_clock_ns();
}

static inline void play_note_return(struct player *p)
{
    if (p->timed)
        p->returned_ns = (int64_t)mpg_clock_ns();
}

/* Makes the MPI call CALL with the lock released; returns its error code. */
#define PLAY_CALL(p, call)            \
    __extension__({                   \
        play_unlock(p);                 \
        play_note_call(p);                \
        const int rc_unlocked_ = (call);  \
        play_note_return(p);              \
        play_lock(p);                \
        rc_unlocked_;                     \
    })

/* Stores in *FLAG whether HANDLE of R could be completed now, and its *STATUS. From MPICH 4.2 on this call
 * completes a persistent request, and the later completion has an empty status. A tracer of the replay must
 * therefore see this call, to learn the source of a wildcard receive. */
static inline void play_get_status(const struct play_request *r, MPI_Request handle, int *flag, MPI_Status *status)
{
    if (r->persistent && r->wildcard)
        MPI_Request_get_status(handle, flag, status);
    else
        PMPI_Request_get_status(handle, flag, status);
}

/* enact.c */
/* Sets P->err to the formatted text with rank and call, unless an error is set already. Returns -1. */
int play_fail(struct player *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the bytes of the message described by STATUS. MPI-4.1 deprecates MPI_Get_elements_x; its replacement is
 * missing from MPI-3 libraries with the same ABI. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int64_t play_status_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes;
}
#pragma GCC diagnostic pop
/* Converts the error code RC of an MPI call. A truncated message counts as success. */
int play_check(struct player *p, int rc);
/* Waits for the traced duration of the action, instead of making its call. */
void play_elapse(struct player *p);
/* Makes the call of the current action. */
int play_perform_call(struct player *p);
/* Ends all ranks, once standard error has been forwarded by the launcher. */
void play_abort(int status);
/* Replays the thread's actions up to MPI_Finalize, which is not called. *BEGIN_NS: end of MPI_Init, moved if
 * preparation took longer than the first interval. */
int play_thread(struct player *p, int64_t *begin_ns);

/* threads.c: threads of the rank. With one thread these functions do nothing. */
/* Allocates the state of the rank's threads. */
int threads_new(struct player *p);
/* Starts all threads but P's, the first. threads_join() waits for their end and adds their counts to P's. */
int threads_start(struct player *p, int64_t begin_ns);
void threads_join(struct player *p);
/* Marks the failure of P. Returns in the first failing thread only; others wait for the end. */
void threads_fail(struct player *p);
/* Take and release the lock. */
void play_lock(struct player *p);
void play_unlock(struct player *p);
/* Publishes P's new action; the previous one is finished. */
void threads_publish_action(struct player *p);
/* Wait before, and note after, the call of the action: order of collectives on a communicator, and of calls that
 * free objects. */
int threads_before_call(struct player *p);
void threads_after_call(struct player *p);
/* Wakes threads that wait for a new object. */
void threads_notify(struct player *p);
/* Waits until another thread makes progress, and returns true. Returns false at once if THREAD (THREADS_ALL: every thread) has
 * finished all actions that ended in the trace before P's action began. THREADS_UNCONDITIONAL: always waits. */
enum { THREADS_ALL = -1, THREADS_UNCONDITIONAL = -2 };
bool threads_wait(struct player *p, int thread);

/* buffers.c: buffers of at least BYTES; NULL: out of memory. Earlier buffers stay valid. */
void *play_send_buffer(struct player *p, int64_t bytes);
void *play_receive_buffer(struct player *p, int64_t bytes);
/* Attaches the buffer for buffered sends, if the rank makes any. */
int play_attach_buffer(struct player *p);
/* Expresses BYTES as a count of *TYPE. *TYPE is MPI_BYTE if BYTES fits an int, else a new type for
   play_type_end(). */
int play_type(struct player *p, int64_t bytes, int *count, MPI_Datatype *type);
void play_type_end(MPI_Datatype *type);
/* Makes room for N entries on both sides of *COUNTS; a larger list replaces it. The content is undefined after the
   next call. */
int play_count_room(struct player *p, struct play_counts **counts, size_t n);
/* Converts BYTES to an int. */
int play_count(struct player *p, int64_t bytes, int *count);

/* shared_memory.c: maps BYTES, zeroed, shared by all processes of COMM, which must be on one host. Returns NULL on all
 * processes if one fails. The caller unmaps it. Collective. */
void *play_shared_memory(MPI_Comm comm, size_t bytes);

/* requests.c: requests by their identifiers in the trace */
/* Adds a request ID of this thread; RECEIVES: it is a receive, and another receive may complete in place of it. NULL with an
 * error if memory runs out. */
struct play_request *play_new_request(struct player *p, int64_t id, bool receives);
/* Returns request ID, NULL if unknown. Waits until the thread that used the request last has finished with it. */
struct play_request *play_find_request(struct player *p, int64_t id);
/* Removes REQUEST from the table. */
void play_free_request(struct player *p, struct play_request *request);
/* The same for persistent requests. An active start outlives play_free_persistent(). */
struct play_persistent *play_new_persistent(struct player *p, int64_t id);
struct play_persistent *play_find_persistent(struct player *p, int64_t id);
void play_free_persistent(struct player *p, int64_t id);
/* Frees the lists of OWN, a persistent request. */
void play_free_lists(struct play_persistent *own);

/* complete.c */
/* Makes the action's completion call: MPI_Wait..., MPI_Test... */
int play_complete(struct player *p);
/* Completes deferred requests if possible; IN_ANY_CASE: waits for all. */
int play_complete_deferred(struct player *p, bool in_any_case);
/* Notes that REQUEST is complete, with STATUS. */
int play_note_done(struct player *p, struct play_request *request, const MPI_Status *status);

/* poll.c */
/* Replays the action's run of unsuccessful polls. */
int play_polls(struct player *p);

/* p2p.c */
/* Makes the action's point-to-point call. */
int play_p2p(struct player *p);
/* Returns the wildcards (MPG_ANY_...) that receive E uses here: none in deterministic mode, and no source wildcard
 * (tag wildcard) if a wildcard receive on the same communicator names its source (tag). Otherwise a receive with
 * more wildcards could take the message of one with fewer, which has no substitute. */
uint32_t play_wildcards(const struct player *p, const struct mpg_event *e);
/* The source and tag arguments of receive E, which received FROM and TAG in the trace. */
int play_source(const struct player *p, const struct mpg_event *e, int32_t from);
int play_tag(const struct player *p, const struct mpg_event *e, int32_t tag);
/* Converts a rank of the trace, which may be MPG_PROC_NULL or MPG_ROOT, to MPI's. */
int play_peer(int32_t rank);
/* Returns the buffer size for a blocking receive of BYTES in the trace, which may receive another message here. */
int64_t play_receive_room(const struct player *p, int64_t bytes);
/* Post a send E by CALL (nonblocking or _init), or a receive E; store the handle in *REQUEST. */
int play_post_send(struct player *p, struct play_comm *c, const struct mpg_event *e, enum mpg_call call,
                   MPI_Request *request);
int play_post_receive(struct player *p, MPI_Comm comm, const struct mpg_event *e, bool persistent, int source, int tag,
                      MPI_Request *request);

/* deviations.c: receives that take another message than in the trace, and substitutes for messages taken */
struct play_deviations;
struct play_wildcard;
struct play_envelope {
    int source, tag;
    bool substitute; /* differs from the trace */
};
/* Allocates the state if deviations are possible: one thread, wildcards, not deterministic. */
int deviations_new(struct player *p);
/* Notes that the call received the message described by STATUS; in the trace it received FROM, TAG. */
int deviations_note(struct player *p, int32_t comm, int32_t from, int32_t tag, const MPI_Status *status);
/* Notes that E, a wildcard probe, found STATUS. */
void deviations_note_probe(struct player *p, const struct mpg_event *e, const MPI_Status *status);
/* Notes that R is posted as E; in the trace it received FROM, TAG. */
int deviations_post(struct player *p, struct play_request *r, const struct mpg_event *e, int32_t from, int32_t tag);
/* Forgets R, which will receive nothing. */
void deviations_drop(struct player *p, struct play_request *r);
/* Notes that R is complete, with STATUS. */
int deviations_complete(struct player *p, struct play_request *r, const MPI_Status *status);
/* Follows an exchange of the handles of A and B. */
void deviations_exchange(struct play_request *a, struct play_request *b);
/* Returns true if other messages have been, or may be, received than in the trace. */
bool deviations_possible(const struct player *p);
/* Returns 1 if messages received in the trace so far are missing here, 0 if none, -1 for an error. */
int deviations_unresolved(struct player *p);
/* Adds MESSAGES (may be negative) to the number of substitute messages that matched probes found and no receive
   has received yet. */
void deviations_hold(struct player *p, int messages);
/* Sets *ENVELOPE to the source and tag that receive E of E->from and TAG must use if its traced message is gone, and
 * notes the message as received. WAITS: may wait until it is known whether the traced message is gone. */
int deviations_substitute(struct player *p, struct play_comm *c, const struct mpg_event *e, int32_t tag, bool waits,
                          struct play_envelope *envelope);

/* probe.c */
/* Makes the action's probe or matched receive. */
int play_probe(struct player *p);

/* persistent.c */
/* Makes the action's call: creation or start of persistent and partitioned requests, MPI_Cancel, MPI_Request_free. */
int play_persistent(struct player *p);

/* comms.c */
/* Sets up MPI_COMM_WORLD. Collective. */
int play_set_up_world(struct player *p);
/* Returns communicator COMM (a number of the trace) when it is usable; waits for a thread that is creating it. NULL with
 * an error if no replayed call creates it. */
struct play_comm *play_comm(struct player *p, int32_t comm);
/* Make the action's call: creation, or free, of a communicator. */
int play_constructor(struct player *p);
int play_comm_free(struct player *p);
/* Makes COMM usable after its request is complete. */
int play_comm_completed(struct player *p, struct play_comm *comm);

/* topology.c: creates MADE (NULL: not a member) from OLD with a topology */
int play_topology(struct player *p, struct play_comm *old, struct play_comm *made, MPI_Comm *into);
/* MPI_Cart_sub. Stores false in *IS_ONE and creates nothing if OLD is no grid or MADE no part of it. */
int play_cart_sub(struct player *p, struct play_comm *old, struct play_comm *made, bool *is_one, MPI_Comm *into);

/* contributions.c */
/* Exchanges the sizes of all later collectives on COMM, communicator NUMBER of the trace. Collective. */
int play_exchange_contributions(struct player *p, int32_t number, struct play_comm *comm);
/* Returns the peers' sizes for the next call of KIND, or NULL with an error if there is none. */
const int64_t *play_next_contributions(struct player *p, struct play_comm *comm, enum mpg_contribution_kind kind);

/* collective.c */
/* Makes the action's collective call. */
int play_collective(struct player *p);
/* Makes a start of OWN, a persistent collective that this MPI lacks, as a nonblocking call. */
int play_collective_start(struct player *p, struct play_persistent *own, struct play_request *request);

/* window.c */
/* Makes the action's call on a window: creation, free, synchronization or transfer. */
int play_window(struct player *p);

/* watchdog.c */
/* Starts the watchdog of the host. Collective over MPI_COMM_WORLD. watchdog_end() stops it. */
int watchdog_begin(struct player *p);
/* Publish that the thread computes, or begins the action's call. */
void watchdog_compute(struct player *p);
void watchdog_call(struct player *p);
/* The thread makes no more calls. */
void watchdog_leave(struct player *p);
/* Notes the failure of P. Returns at once on the first failing process of the host, which ends the run; the others
 * wait, so that one message is printed. */
void watchdog_fail(struct player *p);
void watchdog_end(struct player *p);

#endif
