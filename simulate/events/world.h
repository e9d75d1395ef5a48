/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One replica in simulated time. Private to simulate/events/, but for its run.
 *
 * What steps come to is evaluated by simulate/evaluate/evaluator.h, in one lane: what is here is when they are, and what
 * is otherwise for it. */
#ifndef MPG_EVENTS_WORLD_H
#define MPG_EVENTS_WORLD_H

#include "simulate/events/events.h"
#include "simulate/events/heap.h"
#include "simulate/events/program.h"

enum stream_state {
    STREAM_GOES,  /* on, as soon as its event is there: it is in a call, busy, or between two */
    STREAM_WORKS,
    STREAM_WAITS, /* for what its next step needs, for its processor's turn, or until ends_ns: it serves */
    STREAM_READY, /* for its processor */
    STREAM_DONE
};

/* What times.h does not add up of a rank's run, in this order. */
enum use { USE_CALL, USE_MESSAGE, USE_COLLECTIVE, USE_BARRIER, USE_SERVICE, USE_PROCESSOR, USES };

/* What one rank asks another to do: a transfer, or, with a node, to take a synchronous message. */
struct request {
    struct request *next;
    int32_t from, owner;
    struct mpg_sent_message sending; /* its draws; bytes there */
    double back_bytes;
    struct node *node;
    struct transfer *transfer;
};

/* Under way, until its origin waits for it. */
struct transfer {
    struct transfer *next;
    int32_t rank, owner, window;
    bool requested, there;
    bool awaited;            /* its origin waits for it */
    double there_ns, service_ns;
};

struct lane { /* a stream */
    enum stream_state state;
    bool blocks, drains;     /* it is to wait for its last transfer; it waits for some */
    bool watches;            /* a cell */
    bool left;               /* its call is evaluated: it ends at ends_ns, */
    double ends_ns, rest_ns; /* of which the last rest_ns it is busy again; */
    bool over;               /* it is that far, and serves */
    uint64_t turn;           /* which of its events counts */
    double due_ns;           /* when that is */
    double own_ns;           /* of its call: when it had ended, had it waited for nobody, */
    enum use waits_for;
};

struct rank {
    struct request *first, **last; /* to be served */
    struct request *current; /* NULL: it does not serve */
    double free_ns;          /* when it can serve, in a wait */
    double served_ns, lost_ns; /* in its call, or work: serving; without its processor */
    /* Its work: */
    double begin_ns, work_ns, poll_ns; /* since when; how long; a check */
    double left_ns;          /* of it, beyond this slice */
    uint64_t works, waits;   /* so many up to now */
    bool checks, looks;      /* a check is to come; it serves in one */
    struct transfer *transfers;
    size_t awaited;          /* of them, that it waits for, and that are not there */
    bool holds, queued;      /* its processor; in its queue */
    bool switching;          /* it holds it, and runs only from EVENT_GRANT on */
    double ready_ns;         /* since when it wants it */
    double use[USES];
    uint64_t requests;
};

struct processor {
    int32_t holder, last;    /* ranks; -1: none */
    int32_t *queue, first, n, capacity; /* who is ready, in a ring of as many as it has */
    double rounds, since_ns; /* of turns.c: so many since then are one event; 0: none */
};

struct world {
    const struct mpg_events_options *options;
    const struct mpg_target *target;
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    struct mpg_extrapolation *x; /* counts go there, in the first replica */
    bool counts;
    bool serves, serves_transfers, shares, blocking_get; /* ranks: requests at all; those for their data */
    uint32_t replica;
    int32_t ranks, running;
    double now_ns;
    uint64_t events;
    struct event latest; /* of those that happened now, the last in the order of kinds and ranks */
    struct heap heap;
    struct program program;
    struct program_calls calls;
    struct mpg_evaluator *times;
    struct lane *lane;
    uint32_t lanes, lane_capacity;
    struct mpg_pool requests, transfers;
    struct rank *rank;
    struct processor *processor;
    struct network *network;
    const struct mpg_watch *watch;
};

/* --- world.c --- */

/* W's options, target, parameters, processors, x, replica, ranks and observer are the caller's; all else is 0. GRAPH is
 * new, and keeps slots; TIMES of one lane. Errors: those of the graph; out of memory; ranks that wait for each other for
 * ever, which a trace that could be run does not have. W is to be cleared even so, before GRAPH is closed. */
int mpg_events_world_run(struct world *w, struct mpg_graph *graph, struct mpg_evaluator *times, struct mpg_error *err);
void mpg_events_world_clear(struct world *w);
/* LANE goes on at AT_NS, whatever was said before. */
int mpg_events_world_go(struct world *w, uint32_t lane, double at_ns, struct mpg_error *err);
/* The value of SLOT is known. */
int mpg_events_world_know(struct world *w, uint32_t slot, struct mpg_error *err);
/* NODE's value is what it is. */
int mpg_events_world_node_known(struct world *w, struct node *node, struct mpg_error *err);
/* That of its first thread. */
static inline struct lane *lane_of(struct world *w, int32_t rank)
{
    return &w->lane[rank];
}

/* --- serve.c --- */
int mpg_events_serve_request(struct world *w, struct request *r, struct mpg_error *err);
int mpg_events_serve_done(struct world *w, int32_t rank, struct mpg_error *err);
int mpg_events_serve_check(struct world *w, int32_t rank, uint64_t work, struct mpg_error *err);
/* RANK serves, if it may now, and there is something. */
int mpg_events_serve_next(struct world *w, int32_t rank, struct mpg_error *err);
/* RANK works from now on, so long: it is under way, or, where that takes no time, done. */
int mpg_events_serve_work(struct world *w, int32_t rank, const struct mpg_step *s, double work_ns, struct mpg_error *err);
/* Its work's slice is over; *DONE: so is the work. Else it goes on by itself. */
int mpg_events_serve_slice(struct world *w, int32_t rank, bool *done, struct mpg_error *err);
int mpg_events_serve_resume(struct world *w, int32_t rank, struct mpg_error *err);
/* NODE's message asks its receiver. */
int mpg_events_serve_match(struct world *w, struct node *node, struct mpg_error *err);

/* --- transfers.c --- */
/* S's leaves its origin at AT_NS. */
int mpg_events_transfers_start(struct world *w, const struct mpg_step *s, double at_ns, struct mpg_error *err);
/* What serving Q takes its owner; it is served. */
double mpg_events_transfers_service_ns(const struct world *w, const struct request *q);
int mpg_events_transfers_served(struct world *w, struct request *q, struct mpg_error *err);
int mpg_events_transfers_reply(struct world *w, struct transfer *t, struct mpg_error *err);
/* How many transfers of RANK step S (NULL: whatever it is) waits for; *MISSING: not all of them are there: RANK goes
 * on once they are, and N is of no matter. */
size_t mpg_events_transfers_awaited(const struct world *w, const struct mpg_step *s, int32_t rank, bool *missing);
/* The N of them, all there, are taken: *VALUE_NS becomes no less than when that has been done. */
int mpg_events_transfers_take(struct world *w, const struct mpg_step *s, int32_t rank, size_t n, double *value_ns,
                              struct mpg_error *err);

/* --- share.c --- */
int mpg_events_share_init(struct world *w, struct mpg_error *err);
void mpg_events_share_clear(struct world *w);
/* Whether RANK has its processor and may run; else that will be granted. */
int mpg_events_share_take(struct world *w, int32_t rank, bool *has, struct mpg_error *err);
/* RANK, which waits, leaves it at AT_NS, if it has it and still waits then. */
int mpg_events_share_leave(struct world *w, int32_t rank, double at_ns, struct mpg_error *err);
int mpg_events_share_release(struct world *w, int32_t rank, struct mpg_error *err);
bool mpg_events_share_wanted(const struct world *w, int32_t rank);
struct processor *mpg_events_share_processor(const struct world *w, int32_t rank);

/* --- turns.c: a processor whose ranks that are ready are all amid their work --- */
/* P's holder, at the end of a turn, has work left. 1: whole rounds of turns from now on end at *END_NS, and until then P's
 * ranks stay as they are here; 0: there are none. */
int mpg_events_turns_begin(struct world *w, struct processor *p, double *end_ns);
/* They have ended: P's ranks are as they are then. */
void mpg_events_turns_end(struct world *w, struct processor *p);
/* Another rank becomes ready before that: P is as it is now, with the event that its turn ends by. */
int mpg_events_turns_interrupt(struct world *w, struct processor *p, struct mpg_error *err);

/* --- barrier.c --- */
int mpg_events_barrier_meet(void *world, struct meeting *m, struct mpg_error *err);

#endif
