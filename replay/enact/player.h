/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the library that makes the calls of a trace, which is compiled for each MPI. Functions return 0,
 * or -1 with an error in P->err, unless stated otherwise. A struct player belongs to a thread of the rank. The threads
 * share struct play_shared under a lock: all functions of this header are called with the lock held, and PLAY_CALL
 * releases the lock during an MPI call. */
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

/* Sizes that the peers pass to this rank's collectives of one kind on a communicator. */
struct play_contributions {
    size_t calls, next; /* number of calls; index of the next call */
    size_t width;       /* number of sizes for each call */
    int64_t *bytes;     /* WIDTH sizes for each call */
};

struct play_comm {
    const struct mpg_comm *traced; /* the communicator in the trace */
    MPI_Comm comm;
    MPI_Comm silent;  /* duplicate of the communicator for receives and probes that must find no message; made only if a
                         member needs a duplicate */
    bool made;        /* usable, contributions exchanged */
    bool making;      /* a thread is creating the communicator */
    bool elapse_only; /* cannot be created, or has members outside this run: calls only take the traced time */
    bool contributed; /* contributions have been exchanged */
    int32_t rank;     /* this rank's rank in the communicator */
    int32_t peers;    /* number of members; of an intercommunicator: of the remote group */
    bool remote;      /* an intercommunicator */
    bool has_neighbors;
    struct mpg_neighbors neighbors;
    struct play_contributions contributions[MPG_CONTRIBUTION_KINDS];
};

struct play_window {
    MPI_Win win;
    bool made;
    bool waited;        /* MPI_Win_test found the end of the epoch earlier than in the trace */
    bool dynamic;
    bool owns;          /* the replay has allocated BASE, not MPI */
    void *base;
    int64_t bytes;
    int64_t *sizes;     /* by member: size of the member's window, bytes */
    int64_t *addresses; /* dynamic windows, by member: address of the attached memory */
    int32_t members;
};

/* Counts and displacements of a collective, in bytes, indexed by member or neighbour. [0]: send, [1]: receive. */
struct play_counts {
    size_t room;
    int *counts[2], *displacements[2];
    MPI_Aint *far[2];    /* the displacements as MPI_Aint */
    MPI_Datatype *types; /* MPI_BYTE for each member */
};

struct play_request;

/* A persistent request of the trace. */
struct play_persistent {
    int thread;                  /* index of the thread that used the request last */
    MPI_Request handle;          /* MPI_REQUEST_NULL: each start makes a nonblocking call */
    struct play_request *active; /* incomplete request with HANDLE; NULL: none */
    bool elapse_only;
    bool freed;                   /* free HANDLE when ACTIVE, a deferred request, is complete */
    struct mpg_action action;     /* the call that created the request */
    const int64_t *contributions; /* sizes of the peers, for a collective */
    int64_t *given;               /* allocated lists: counts of the initialising call, and lists in use by HANDLE */
    struct play_counts *counts;
};

/* A request of the trace, from creation to completion. */
struct play_request {
    int64_t id;
    int thread;   /* index of the thread that used the request last */
    MPI_Request handle;
    bool elapse_only; /* MPI does not have this request */
    bool done;        /* complete in the replay, but not yet in the trace */
    bool dropped;     /* removed by a hypothesis; then also done */
    bool receives, cancels; /* another receive may complete in place of this receive; the trace cancels this request */
    bool transfers;                     /* one-sided transfer */
    struct play_persistent *persistent; /* persistent request whose HANDLE this request uses */
    struct play_persistent *started;    /* persistent request of which this request is a start */
    bool deferred;                      /* deferred completion: a test completed the request in the trace, but not here */
    struct play_comm *comm;             /* communicator created by the request */
    struct play_counts *counts;         /* lists in use by HANDLE */
    struct play_wildcard *wildcard;     /* of a receive with a wildcard; exchanged together with HANDLE; NULL: none */
};

enum { FEW_LISTED = 64 };

/* Requests passed to an MPI call: N requests, with room for CAPACITY. */
struct play_list {
    int capacity;
    struct play_request **request; /* the requests */
    MPI_Request *handle;           /* handles of the requests */
    int *index;                    /* memory for returned indices */
    MPI_Status *status;            /* memory for returned statuses */
    int n;
};

struct watchdog;
struct play_threads;
struct play_deferred;

/* State shared by the rank's threads. */
struct play_shared {
    void *send, *receive;             /* the rank's send buffer, of zeros, and receive buffer */
    int64_t send_bytes, receive_bytes;
    uint32_t comms;
    struct play_comm **comm;
    uint32_t windows;
    struct play_window **window;
    struct mpg_map requests, persistents, messages; /* identifiers of the trace -> pointer to the struct */
    struct mpg_pool request_pool, persistent_pool;
    struct play_threads *threads;       /* NULL: the rank has a single thread */
    struct play_deviations *deviations; /* NULL: no receive can take another message (deterministic mode or no wildcards), or
                                           several threads */
    struct play_deferred *deferred;     /* list of deferred requests; NULL: none */
};

struct player {
    const struct mpg_replay_host *host;
    struct play_shared *shared;
    int thread; /* index of the thread in mpg_needs.thread; 0: the thread of MPI_Init */
    struct mpg_error *err;
    MPI_Comm hidden; /* duplicate of MPI_COMM_WORLD for the replay's own communication */
    const struct mpg_action *action;
    struct mpg_outcome outcome;
    int64_t message_bytes, rma_bytes; /* maxima over all ranks */
    bool wildcards;
    bool found; /* the last probe has found a message */
    struct play_list list;
    struct play_counts *counts; /* lists in use by blocking calls */
    struct watchdog *watchdog;
    bool timed;          /* CALLED_NS and RETURNED_NS are measured for this action */
    int64_t called_ns;   /* begin of the action's first MPI call; 0: none yet */
    int64_t returned_ns; /* end of the action's last MPI call; 0: none yet */
};

/* Record begin and end of an MPI call of the action, if TIMED. The rest of the action's time is overhead of the replay. */
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

/* Makes the MPI call CALL with the lock released; the value is MPI's error code. */
#define PLAY_CALL(p, call)            \
    __extension__({                   \
        play_unlock(p);                 \
        play_note_call(p);                \
        const int rc_unlocked_ = (call);  \
        play_note_return(p);              \
        play_lock(p);                \
        rc_unlocked_;                     \
    })

/* Sets *FLAG to whether HANDLE of R could be completed now, and *STATUS. From MPICH 4.2 on this completes a persistent
 * request, and the later completion has an empty status. A tracer of the replay must then see this call, to learn the
 * source of a wildcard receive, hence the MPI_ name. */
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

/* Returns the bytes of the message described by STATUS. MPI-4.1 deprecates MPI_Get_elements_x, but the replacement is
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
/* Returns 0 if RC, the error code of an MPI call, is a success or a truncated message; else -1 with an error. */
int play_check(struct player *p, int rc);
/* Waits for the traced duration of the action, instead of making the call. */
void play_elapse(struct player *p);
/* Makes the call of the current action. */
int play_perform_call(struct player *p);
/* Ends all ranks, once standard error has been forwarded by the launcher. */
void play_abort(int status);
/* Performs the thread's actions up to MPI_Finalize, which is not called. *BEGIN_NS: end of MPI_Init; becomes later if
 * preparation took longer than the program's first interval. */
int play_thread(struct player *p, int64_t *begin_ns);

/* threads.c: threads of the rank. With a single thread these functions do nothing. */
/* Allocates the state of the rank's threads. */
int threads_new(struct player *p);
/* Starts all threads but P's, the first. threads_join() waits for the ends of the threads and adds the counts to P's. */
int threads_start(struct player *p, int64_t begin_ns);
void threads_join(struct player *p);
/* P's thread has failed. Returns in the thread that fails first, which ends the run; other failing threads wait. */
void threads_fail(struct player *p);
/* Take and release the lock of the rank's threads. */
void play_lock(struct player *p);
void play_unlock(struct player *p);
/* Tells the other threads that P begins a new action, hence has finished the previous action. */
void threads_publish_action(struct player *p);
/* threads_before_call() waits until the action's call may be made: collectives of a communicator keep the traced order,
 * and calls that free an object come after earlier calls. threads_after_call() is to be called after the call. */
int threads_before_call(struct player *p);
void threads_after_call(struct player *p);
/* Wakes the threads in threads_wait(). */
void threads_notify(struct player *p);
/* Waits until another thread makes progress, and returns true. Returns false at once if THREAD (THREADS_ALL: every thread
 * but P's) has finished all actions that ended in the trace before P's action began. THREADS_UNCONDITIONAL: always
 * waits. */
enum { THREADS_ALL = -1, THREADS_UNCONDITIONAL = -2 };
bool threads_wait(struct player *p, int thread);

/* buffers.c: return the rank's buffer with at least BYTES; NULL: out of memory. Buffers returned before stay valid. */
void *play_send_buffer(struct player *p, int64_t bytes);
void *play_receive_buffer(struct player *p, int64_t bytes);
/* Attaches the buffer for buffered sends, if the rank makes any. */
int play_attach_buffer(struct player *p);
/* Expresses BYTES as *COUNT elements of *TYPE: of MPI_BYTE if BYTES fits an int, else a single element of a new type.
 * play_type_end() frees the type. */
int play_type(struct player *p, int64_t bytes, int *count, MPI_Datatype *type);
void play_type_end(MPI_Datatype *type);
/* Makes room for N elements in each list of *COUNTS, which may be replaced; the content of the lists becomes undefined. */
int play_count_room(struct player *p, struct play_counts **counts, size_t n);
/* Converts BYTES to an int. Error: too large. */
int play_count(struct player *p, int64_t bytes, int *count);

/* shared_memory.c: maps BYTES, zeroed, shared by all processes of COMM, which must be on the same host. Returns NULL on
 * all processes if any process fails. The caller unmaps the memory. Collective. */
void *play_shared_memory(MPI_Comm comm, size_t bytes);

/* requests.c: finds requests by the trace's identifiers */
/* Adds request ID, in use by this thread. RECEIVES: a receive that may exchange identifiers with another. NULL with an
 * error: out of memory. */
struct play_request *play_new_request(struct player *p, int64_t id, bool receives);
/* Returns request ID; NULL: unknown. If another thread used the request last, first waits until the thread has finished
 * all calls that ended earlier in the trace. */
struct play_request *play_find_request(struct player *p, int64_t id);
/* Removes REQUEST from the table. */
void play_free_request(struct player *p, struct play_request *request);
/* As above, for persistent requests. An active start goes on after play_free_persistent(). */
struct play_persistent *play_new_persistent(struct player *p, int64_t id);
struct play_persistent *play_find_persistent(struct player *p, int64_t id);
void play_free_persistent(struct player *p, int64_t id);
/* Frees the lists of OWN, a persistent request. */
void play_free_lists(struct play_persistent *own);

/* complete.c */
/* Makes the action's completion call: MPI_Wait..., MPI_Test... */
int play_complete(struct player *p);
/* Completes deferred requests if possible now; IN_ANY_CASE: waits for all. */
int play_complete_deferred(struct player *p, bool in_any_case);
/* Notes that MPI has completed REQUEST with STATUS. */
int play_note_done(struct player *p, struct play_request *request, const MPI_Status *status);

/* poll.c */
/* Performs the action's run of unsuccessful polls. */
int play_polls(struct player *p);

/* p2p.c */
/* Makes the action's point-to-point call. */
int play_p2p(struct player *p);
/* Returns the wildcards (MPG_ANY_...) that receive E uses here: none in deterministic mode; none for the source (tag) if
 * a wildcard receive on the same communicator names its source (tag): the receive with more wildcards could take the
 * message of the receive with fewer, for which there is no substitute. */
uint32_t play_wildcards(const struct player *p, const struct mpg_event *e);
/* Return the source and the tag argument of receive E: a wildcard, or FROM and TAG of the message in the trace. */
int play_source(const struct player *p, const struct mpg_event *e, int32_t from);
int play_tag(const struct player *p, const struct mpg_event *e, int32_t tag);
/* Returns MPI's rank for RANK of the trace, which may be MPG_PROC_NULL or MPG_ROOT. */
int play_peer(int32_t rank);
/* Returns the buffer size for a blocking receive that got BYTES in the trace: with wildcards, the message here may be longer. */
int64_t play_receive_room(const struct player *p, int64_t bytes);
/* play_post_send() posts send E by CALL (nonblocking or _init); play_post_receive() posts receive E from SOURCE with TAG,
 * as a persistent request if PERSISTENT. *REQUEST: the handle. */
int play_post_send(struct player *p, struct play_comm *c, const struct mpg_event *e, enum mpg_call call,
                   MPI_Request *request);
int play_post_receive(struct player *p, MPI_Comm comm, const struct mpg_event *e, bool persistent, int source, int tag,
                      MPI_Request *request);

/* deviations.c: receives that take another message than in the trace, and substitutes for the taken messages */
struct play_deviations;
struct play_wildcard;
struct play_envelope {
    int source, tag;
    bool substitute; /* SOURCE and TAG belong to another message than in the trace */
};
/* Allocates the record of deviations if receives can take another message than in the trace: the trace has wildcard receives,
 * the rank has one thread, and the mode is not deterministic. Returns 0, or -1: out of memory. */
int deviations_new(struct player *p);
/* Notes a received message, STATUS; in the trace the call received FROM and TAG. */
int deviations_note(struct player *p, int32_t comm, int32_t from, int32_t tag, const MPI_Status *status);
/* Notes the message STATUS found by wildcard probe E. */
void deviations_note_probe(struct player *p, const struct mpg_event *e, const MPI_Status *status);
/* Notes that receive E is posted as R. FROM, TAG: source and tag of the message in the trace. */
int deviations_post(struct player *p, struct play_request *r, const struct mpg_event *e, int32_t from, int32_t tag);
/* Forgets R, which will receive no message. */
void deviations_drop(struct player *p, struct play_request *r);
/* Notes the message STATUS received by R. */
int deviations_complete(struct player *p, struct play_request *r, const MPI_Status *status);
/* A and B have exchanged their MPI handles. Exchanges the posted wildcard receives that belong to the handles, too. */
void deviations_exchange(struct play_request *a, struct play_request *b);
/* Returns whether receives have taken, or may still take, a message that another call received in the trace. */
bool deviations_possible(const struct player *p);
/* Returns 1 if this run lacks messages that the traced run had received by now; 0: none; -1: error. */
int deviations_unresolved(struct player *p);
/* Adds MESSAGES, which may be negative, to the number of substitutes found by matched probes and not yet received. */
void deviations_hold(struct player *p, int messages);
/* Receive E names the source E->from and TAG. If another receive has taken the message, sets *ENVELOPE to source and tag
 * of a substitute, and notes the substitute as received. WAITS: may wait until it is known whether the message was
 * taken. */
int deviations_substitute(struct player *p, struct play_comm *c, const struct mpg_event *e, int32_t tag, bool waits,
                          struct play_envelope *envelope);

/* probe.c */
/* Makes the action's probe or matched receive. */
int play_probe(struct player *p);

/* persistent.c */
/* Makes the action's call: initialisation or start of persistent and partitioned requests, MPI_Cancel,
 * MPI_Request_free. */
int play_persistent(struct player *p);

/* comms.c */
/* Sets up the replay's MPI_COMM_WORLD. Collective. */
int play_set_up_world(struct player *p);
/* Returns communicator COMM of the trace, ready for calls; waits if another thread makes the communicator. NULL with an
 * error: no replayed call makes COMM. */
struct play_comm *play_comm(struct player *p, int32_t comm);
/* Make the action's call, which creates (play_constructor) or frees (play_comm_free) a communicator. */
int play_constructor(struct player *p);
int play_comm_free(struct player *p);
/* To be called when the request that makes COMM is complete: lets calls use COMM. */
int play_comm_completed(struct player *p, struct play_comm *comm);

/* topology.c: makes *INTO from OLD with the topology and members of MADE (NULL: this rank is no member) */
int play_topology(struct player *p, struct play_comm *old, struct play_comm *made, MPI_Comm *into);
/* Makes *INTO from OLD by MPI_Cart_sub. If OLD is no grid, or MADE is no part of the grid, only sets *IS_ONE to false. */
int play_cart_sub(struct player *p, struct play_comm *old, struct play_comm *made, bool *is_one, MPI_Comm *into);

/* contributions.c */
/* The members of COMM, communicator NUMBER of the trace, exchange the sizes for all later collectives on COMM. Collective. */
int play_exchange_contributions(struct player *p, int32_t number, struct play_comm *comm);
/* Returns the sizes that the peers pass to the next call of KIND on COMM; NULL with an error: there is no further call. */
const int64_t *play_next_contributions(struct player *p, struct play_comm *comm, enum mpg_contribution_kind kind);

/* collective.c */
/* Makes the action's collective call. */
int play_collective(struct player *p);
/* Starts OWN, a persistent collective, as REQUEST by the nonblocking call, for example if this MPI lacks persistent
 * collectives. */
int play_collective_start(struct player *p, struct play_persistent *own, struct play_request *request);

/* window.c */
/* Makes the action's call on a window: creation, free, synchronization or transfer. */
int play_window(struct player *p);

/* watchdog.c */
/* Starts and ends the watchdog of this host. Collective over MPI_COMM_WORLD. */
int watchdog_begin(struct player *p);
/* Tell the watchdog that the thread begins to compute, or makes the action's call. */
void watchdog_compute(struct player *p);
void watchdog_call(struct player *p);
/* Tells the watchdog that the thread makes no more calls. */
void watchdog_leave(struct player *p);
/* P has failed. Returns on the first process of the host that fails, which ends the run; other failing processes wait, so
 * that only one message is printed. */
void watchdog_fail(struct player *p);
void watchdog_end(struct player *p);

#endif
