/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One replica in simulated time. Private to simulate/events/.
 *
 * The evaluator (simulate/evaluate/evaluator.h), with one lane, computes the values of steps; the replica decides when
 * each step is executed. A stream is a thread of a rank; stream r is the first thread of rank r. All times are in ns since
 * MPI_Init returned. */
#ifndef MPG_EVENTS_REPLICA_H
#define MPG_EVENTS_REPLICA_H

#include "common/map.h"
#include "simulate/events/events.h"
#include "simulate/events/heap.h"
#include "simulate/events/program.h"
#include "simulate/models/capacities.h"

enum stream_state {
    STREAM_RUNS,  /* busy in a call or between two steps; continues at the stream's event */
    STREAM_WORKS, /* computes */
    STREAM_WAITS, /* for inputs of the next step, or until ends_ns; serves requests meanwhile */
    STREAM_READY, /* waits for the processor */
    STREAM_DONE
};

/* Components of a rank's run time measured by the replica, besides the account of the evaluator. */
enum use { USE_CALL, USE_MESSAGE, USE_COLLECTIVE, USE_BARRIER, USE_SERVICE, USE_PROCESSOR, USES };

/* A request of rank FROM to rank OWNER: to serve TRANSFER, or, if NODE is set, to accept a synchronous message. */
struct request {
    struct request *next;
    int32_t from, owner;
    struct mpg_sent_message sending; /* the request as a message, the key of the request's random draws */
    double back_bytes;               /* size of the reply */
    struct node *node;
    struct transfer *transfer;
};

/* A one-sided transfer, existing until the origin has waited for the transfer. */
struct transfer {
    struct transfer *next;
    int32_t rank, owner, window;
    bool requested;          /* an MPI request of the origin completes the transfer (MPI_Rget, MPI_Rput) */
    bool there;              /* the reply has arrived, at there_ns */
    bool awaited;            /* the origin waits for the transfer */
    double there_ns, service_ns; /* when the reply arrived; time in which the origin takes the reply */
};

struct stream {
    enum stream_state state;
    bool blocks;             /* the stream must wait for all transfers of the rank before the stream's next step */
    bool drains;             /* the stream is waiting for replies to transfers */
    bool left;               /* the call is evaluated and ends at ends_ns */
    bool over;               /* the call has ended, but the stream still serves a request */
    bool progresses;         /* the library progresses receives in the call */
    uint32_t watched;        /* number of values whose notifications the stream awaits; the last notification continues the
                              * stream */
    double ends_ns, rest_ns; /* the call is busy in the last rest_ns before ends_ns */
    uint64_t turn;           /* number of the event continuing the stream, due at due_ns; other events are void */
    double due_ns;
    double own_ns;           /* end of the call without any wait */
    enum use waits_for;      /* component of the run time in which the wait of the call is counted */
};

struct rank {
    struct request *first, **last; /* requests to be served, oldest first */
    struct request *current; /* the request served by the rank; NULL: none */
    double free_ns;          /* earliest time at which the rank can serve in a wait */
    double served_ns, lost_ns; /* in the current call or work: time spent serving; time without the processor */
    double begin_ns, work_ns, poll_ns; /* the work: begin, length, cost of a check for requests */
    double left_ns;          /* work remaining after the current slice */
    uint64_t works, waits;   /* number of work intervals, and of waits, until now */
    bool checks, looks;      /* a CHECK event is pending; the rank serves in a check */
    struct transfer *transfers;
    size_t awaited;          /* number of awaited transfers whose reply has not arrived */
    bool holds, queued;      /* the rank holds the processor; the rank is in the processor's queue */
    bool switching;          /* the rank holds the processor, and runs from EVENT_GRANT on */
    double ready_ns;         /* time since when the rank has been ready */
    double progressed_ns;    /* end of the last call with progress; of ranks with one thread */
    double use[USES];
    uint64_t requests;       /* number of requests served until now */
};

struct processor {
    int32_t holder, last;    /* the rank holding the processor; the last rank to release the processor; -1: none */
    int32_t *queue, first, n, capacity; /* ring buffer of CAPACITY elements: the ready ranks */
    double rounds, since_ns; /* turns.c: one event represents this number of rounds of turns from since_ns on; 0: none */
};

struct replica {
    const struct mpg_events_options *options;
    const struct mpg_target *target;
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    const struct mpg_capacities *capacities; /* NULL: nothing is shared */
    struct mpg_extrapolation *x; /* results; the first replica adds its counts */
    bool counts;
    bool serves, serves_transfers; /* ranks serve requests; one-sided transfers are served as requests, too */
    bool runs_ahead;               /* no stream delays another but by messages: a stream executes all steps read at once */
    bool shares, blocking_get;     /* ranks share processors; a rank waits for each get or put immediately */
    uint32_t replica;
    int32_t ranks, running;
    double now_ns;
    uint64_t events;
    struct event latest; /* the last event at now_ns in the order of kinds and ranks */
    struct heap heap;
    struct program program;
    struct program_calls calls;
    struct mpg_evaluator *times;
    struct stream *stream;
    uint32_t streams, stream_capacity;
    struct mpg_pool requests, transfers, letters;
    struct mpg_map collectives; /* expanded collectives with missing members, keyed by struct mpg_expanding */
    struct running_collective *first_collective; /* list of the running collectives */
    struct rank *rank;
    struct processor *processor;
    struct network *network;
    struct mpg_shared_messages shared; /* this replica's */
    const struct mpg_observer *observer;
};

/* --- replica.c --- */

/* Runs REP by the steps of SOURCE, whose graph is new and opened with keeps_slots, and TIMES, with one lane. The caller sets
 * options, target, parameters, processors, capacities, x, counts, blocking_get, replica, ranks and observer of REP, and 0
 * elsewhere, and clears REP before closing the graph, also on failure. Errors: errors of the graph; out of memory; a deadlock of
 * ranks, impossible for a trace of a real run. */
int mpg_events_replica_run(struct replica *rep, struct program_source *source, struct mpg_evaluator *times,
                           struct mpg_error *err);
void mpg_events_replica_clear(struct replica *rep);
/* Schedules STREAM to continue at AT_NS, instead of at the time scheduled before. */
int mpg_events_replica_schedule(struct replica *rep, uint32_t stream, double at_ns, struct mpg_error *err);
/* Marks the value of SLOT as known, and notifies the value's watchers. */
int mpg_events_replica_set_known(struct replica *rep, uint32_t slot, struct mpg_error *err);
/* Marks the value of NODE as known, and removes NODE. */
int mpg_events_replica_node_known(struct replica *rep, struct node *node, struct mpg_error *err);
/* Returns the stream of RANK's first thread. */
static inline struct stream *stream_of(struct replica *rep, int32_t rank)
{
    return &rep->stream[rank];
}

/* --- serve.c --- */
/* Handle events: request R arrives; RANK has served the request; RANK checks for requests during work number WORK. */
int mpg_events_serve_request(struct replica *rep, struct request *r, struct mpg_error *err);
int mpg_events_serve_done(struct replica *rep, int32_t rank, struct mpg_error *err);
int mpg_events_serve_check(struct replica *rep, int32_t rank, uint64_t work, struct mpg_error *err);
/* Lets RANK begin to serve the oldest request, if any, when RANK's state and the policy allow. */
int mpg_events_serve_next(struct replica *rep, int32_t rank, struct mpg_error *err);
/* Lets RANK begin to compute for WORK_NS, the interval of step S. */
int mpg_events_serve_work(struct replica *rep, int32_t rank, const struct mpg_step *s, double work_ns, struct mpg_error *err);
/* To be called when a slice of RANK's work ends. *DONE: the whole work ends; otherwise schedules the next slice. */
int mpg_events_serve_slice(struct replica *rep, int32_t rank, bool *done, struct mpg_error *err);
/* Schedules the next slice of the work of RANK, which has the processor. */
int mpg_events_serve_resume(struct replica *rep, int32_t rank, struct mpg_error *err);
/* Sends the request of the synchronous message NODE to the receiver. */
int mpg_events_serve_match(struct replica *rep, struct node *node, struct mpg_error *err);

/* --- transfers.c --- */
/* Starts the transfer of S, which leaves the origin at AT_NS. */
int mpg_events_transfers_start(struct replica *rep, const struct mpg_step *s, double at_ns, struct mpg_error *err);
/* Returns the time in which the owner serves request Q, ns. */
double mpg_events_transfers_service_ns(const struct replica *rep, const struct request *q);
/* Handle events: the owner has served Q; the reply to T arrives. */
int mpg_events_transfers_served(struct replica *rep, struct request *q, struct mpg_error *err);
int mpg_events_transfers_reply(struct replica *rep, struct transfer *t, struct mpg_error *err);
/* Returns the number of RANK's transfers awaited by step S (NULL: all of the rank). *MISSING: replies are still to come; RANK
 * continues after the last reply, and the returned number has no meaning. */
size_t mpg_events_transfers_awaited(const struct replica *rep, const struct mpg_step *s, int32_t rank, bool *missing);
/* Lets RANK take the N replies, which have all arrived, in turn: raises *VALUE_NS to the end of the last. */
int mpg_events_transfers_take(struct replica *rep, const struct mpg_step *s, int32_t rank, size_t n, double *value_ns,
                              struct mpg_error *err);

/* --- share.c --- */
/* Initialises the processors of REP. Error: out of memory. */
int mpg_events_share_init(struct replica *rep, struct mpg_error *err);
void mpg_events_share_clear(struct replica *rep);
/* Gives RANK the processor if it is free, otherwise queues RANK. *HAS: whether RANK holds the processor and may run. */
int mpg_events_share_take(struct replica *rep, int32_t rank, bool *has, struct mpg_error *err);
/* Releases the processor of RANK, which waits, at AT_NS, if RANK still holds the processor and waits then. */
int mpg_events_share_leave(struct replica *rep, int32_t rank, double at_ns, struct mpg_error *err);
/* Releases the processor of RANK now. */
int mpg_events_share_release(struct replica *rep, int32_t rank, struct mpg_error *err);
/* Returns whether other ranks are ready for RANK's processor. */
bool mpg_events_share_wanted(const struct replica *rep, int32_t rank);
struct processor *mpg_events_share_processor(const struct replica *rep, int32_t rank);

/* --- turns.c: turns of ready ranks, all computing --- */
/* To be called when P's holder has work left at the end of its turn. Returns 1: whole rounds of turns follow until *END_NS,
 * and the state of P's ranks is updated only then; 0: no whole round follows. */
int mpg_events_turns_begin(struct replica *rep, struct processor *p, double *end_ns);
/* To be called when the rounds have ended: updates the state of P's ranks. */
void mpg_events_turns_end(struct replica *rep, struct processor *p);
/* To be called when another rank becomes ready before the rounds end: updates the state of P's ranks to the present time, and
 * schedules the end of the turn. */
int mpg_events_turns_interrupt(struct replica *rep, struct processor *p, struct mpg_error *err);

/* --- barrier.c --- */
/* Computes when each member of M, in which all members have arrived, leaves (docs/MACHINES.md). */
int mpg_events_barrier_meet(void *replica, struct meeting *m, struct mpg_error *err);

#endif
