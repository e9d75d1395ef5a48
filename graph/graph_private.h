/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state behind a graph stream, shared by the files of graph/. */
#ifndef MPG_GRAPH_PRIVATE_H
#define MPG_GRAPH_PRIVATE_H

#include <stddef.h>

#include "common/map.h"
#include "common/pool.h"
#include "graph/graph.h"

enum { NO_RANK = -1 };

struct stream;

/* Where in the trace something happened, for errors. */
struct place {
    int32_t rank;
    uint32_t thread;
    enum mpg_call call;
    uint64_t number;
};

/* One message, from the first of its two ends to the last that needs it. */
struct message {
    struct message *next;  /* in its channel */
    struct place sent, posted;
    int32_t source, destination; /* world ranks */
    bool is_sent, is_posted, synchronous, arrived;
    bool sender_holds, receiver_holds; /* whose completion is still to come */
    bool abandoned;                    /* the sender will not complete it */
    bool polled;                       /* received by a call that does not block */
    bool given_up;                     /* lenient: one end went on without the other */
    struct mpg_origin origin;
    int64_t bytes, room_bytes; /* sent; of the receive */
    uint32_t slot, poster_slot; /* slot: sender's enter, then arrival */
    bool has_poster_slot;
    double sender_ns, poster_ns;
    struct stream *receive_waiter, *send_waiter, *probe_waiter; /* blocked; probe: a matched one */
};

/* Channels of different spaces never meet: a user's messages go by communicator
 * and tag, those between neighbours by communicator, those of windows by window. */
enum space { SPACE_USER, SPACE_NEIGHBOR, SPACE_WINDOW };

struct channel_name {
    enum space space;
    int32_t where;               /* communicator or window */
    int32_t source, destination; /* world ranks */
    int32_t tag;
};

/* The messages of one channel that wait for their other end: all of them sent, or
 * all of them posted (or taken by a matched probe). */
struct channel {
    struct message *first, *last;
    struct stream *probe_waiters; /* linked by next_waiter */
    uint32_t probers;             /* calls that look at it */
};

/* Messages that one call receives together. */
struct group {
    uint32_t count;
    struct message *messages[];
};

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_COLLECTIVE,
    REQUEST_GROUP,
    REQUEST_TRANSFER, /* one-sided: a round trip that its completion waits for */
    REQUEST_NOTHING   /* MPI_PROC_NULL, cancelled, or nothing of other ranks */
};

struct request {
    enum request_kind kind;
    bool unresolved;        /* a wildcard that never completes */
    bool completing;        /* named by the call that its rank is in */
    int64_t id;
    struct message *message;
    struct collective *collective;
    struct group *group;
    int64_t bytes;          /* TRANSFER */
    struct place place;
};

/* What a persistent request starts. */
struct persistent {
    enum mpg_call call;
    int32_t comm, peer, tag;
    uint32_t any;
    int64_t bytes;
};

enum collective_shape {
    SHAPE_MEETING,  /* everyone waits for everyone */
    SHAPE_SCAN,     /* everyone waits for the ranks up to its own */
    SHAPE_FROM_ROOT,
    SHAPE_TO_ROOT
};

struct member {
    bool arrived, absent; /* absent: MPI_PROC_NULL as root */
    bool foreign;         /* of another world: never seen */
    int32_t latest;       /* SCAN: of the members up to this one, who came last */
    struct stream *waiter; /* blocked in it, or in completing its request */
    struct place place;
    uint32_t slot;
    double enter_ns;
    int64_t duration_ns, bytes;
};

/* Collectives come in one order on each communicator, on each window, and by group
 * on communicators that are being made. */
enum order { ORDER_COMM, ORDER_GROUP, ORDER_WINDOW };

struct collective {
    enum mpg_call called, call; /* call: of a nonblocking one its blocking twin */
    bool blocking;
    enum collective_shape shape;
    enum order order;
    int32_t where;      /* communicator or window */
    int32_t comm, p, root; /* root: index of the member, -1 if there is none yet */
    int32_t expected, arrived, prefix, left; /* expected: members of this world */
    bool closed, foreign_root;
    uint32_t meeting_slot;
    int32_t latest;     /* of a closed meeting: the member that came last */
    uint64_t sequence;
    struct member *members;
};

/* Members of a window that one epoch of this rank is about. */
struct epoch {
    uint32_t count;
    int32_t *ranks; /* of its communicator */
};

/* What a rank has started on a window and not yet waited for. */
struct window {
    int64_t bytes;          /* to and from all targets */
    bool pending;
    struct mpg_map targets; /* rank of its communicator -> bytes + 1 */
    struct epoch access, exposure;
};

enum phase { PHASE_READ, PHASE_WAIT };

/* One thread of a rank. */
struct stream {
    int32_t rank;
    uint32_t thread, index; /* index: of its value in the steps */
    struct stream *sibling, *next_waiter;
    enum phase phase;
    struct mpg_event event; /* its lists are valid until the rank's next event is read */
    uint64_t number;        /* of the event among the rank's calls */
    int64_t last_leave_ns, flushed_ns; /* flushed: since then */
    double class_bytes;     /* that the call's size class goes by */
    uint32_t unmet;         /* what the call still waits for */
    bool has_fork_slot;
    uint32_t fork_slot;     /* the value at its last call's enter */
    struct message *sending, *receiving, *probed; /* of a blocking call */
    struct channel *probing;
    struct collective *collective;
    struct group *group;
    bool round_trip;
    int64_t round_trip_bytes;
    struct request **completing; /* by the call */
    uint32_t completing_count, completing_capacity;
};

struct rank_state {
    struct mpg_cursor *cursor;
    bool started, finished, finalized, queued;
    bool has_next, ended;      /* next: read ahead */
    struct mpg_event next;
    uint64_t next_number;
    struct ahead *ahead, *taken; /* laid aside, in order (ahead.c); the one last taken from it */
    uint32_t ahead_count;
    uint64_t calls;            /* read so far */
    int64_t start_ns, progress_ns;
    struct stream *streams;    /* that have made calls, thread 0 first */
    uint32_t stream_count;
    uint32_t waiting, ready;   /* streams in PHASE_WAIT, and those that need wait no more */
    struct mpg_map requests, persistent; /* id -> struct request *, struct persistent * */
    struct mpg_map probed;     /* message id -> struct message * */
    struct mpg_map windows;    /* object -> struct window * */
};

struct mpg_graph {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    struct mpg_graph_options options;
    struct mpg_graph_counts counts;
    struct place first_failed; /* the first call met that returned an error */
    int32_t ranks, finished;
    uint32_t streams;
    struct rank_state *rank;
    int32_t current; /* the rank being advanced, or NO_RANK */
    uint32_t quantum;
    int32_t *heap, heap_count; /* ready ranks, least progress first */
    struct mpg_step *steps;
    size_t step_first, step_count, step_capacity;
    struct mpg_edge *edges;
    size_t edge_count, edge_capacity;
    uint32_t *unused_slots, unused_count, unused_capacity, slots;
    struct mpg_map channels, members, sequences, collectives;
    struct mpg_pool message_pool, channel_pool, request_pool, persistent_pool;
    int32_t indexed_comms;
};

/* graph.c */
int graph_out_of_memory(struct mpg_error *err);
int graph_error(const struct place *place, struct mpg_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct mpg_step *graph_emit(struct mpg_graph *g, enum mpg_step_kind kind, const struct stream *s);
struct mpg_step *graph_emit_at(struct mpg_graph *g, enum mpg_step_kind kind,
                               const struct place *place);
int graph_store(struct mpg_graph *g, const struct stream *s, uint32_t *slot,
                struct mpg_error *err); /* S's value into a new slot */
struct mpg_edge *graph_add_edge(struct mpg_graph *g, enum mpg_edge_kind kind);
int graph_new_slot(struct mpg_graph *g, uint32_t *slot, struct mpg_error *err);
void graph_free_slot(struct mpg_graph *g, uint32_t slot);
void graph_satisfy(struct mpg_graph *g, struct stream *s); /* one of its needs is met */
void graph_wake(struct mpg_graph *g, struct stream **waiter); /* the same of *WAITER, if any */
struct place graph_here(const struct stream *s);
double graph_enter_ns(const struct mpg_graph *g, const struct stream *s); /* aligned */

/* streams.c */
bool graph_rank_can_go(const struct mpg_graph *g, int32_t rank);
int graph_advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
void graph_free_rank(struct rank_state *r);

/* ahead.c */
/* Whether R's EVENT, laid aside or read after all that are, need not wait for its
 * thread or for an earlier one. */
bool graph_may_go(const struct rank_state *r, const struct mpg_event *event);
struct ahead *graph_ahead_first(const struct rank_state *r); /* that may go, or NULL */
/* Takes A out. The event, whose number is NUMBER, is valid until the next is taken or
 * graph_ahead_forget(). */
const struct mpg_event *graph_ahead_take(struct rank_state *r, struct ahead *a, uint64_t *number);
void graph_ahead_forget(struct rank_state *r);
/* Lays aside what RANK is held up by: 1, or 0 if that cannot help. */
int graph_look_ahead(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
void graph_free_ahead(struct rank_state *r);

/* calls.c */
/* Starts what S's call starts and counts what it has to wait for. */
int graph_begin_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_leave_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err);

/* messages.c */
/* Index of world rank RANK among COMM's members (both groups), or -1. */
int32_t graph_member_index(struct mpg_graph *g, int32_t comm, int32_t rank);
/* World rank of PEER as S's rank names it in COMM, or MPG_FOREIGN; -1 with ERR. */
int32_t graph_peer(struct mpg_graph *g, const struct stream *s, int32_t comm, int32_t peer,
                   struct mpg_error *err);
/* A message that S's call sends (INDEX: the how-manieth) or receives. */
int graph_send_on(struct mpg_graph *g, struct stream *s, const struct channel_name *name,
                  bool synchronous, int64_t bytes, uint32_t index, struct message **message,
                  struct mpg_error *err);
int graph_post_on(struct mpg_graph *g, struct stream *s, const struct channel_name *name,
                  int64_t room_bytes, struct message **message, struct mpg_error *err);
/* The same of a user's; *MESSAGE is NULL if the peer is of another world. */
int graph_send(struct mpg_graph *g, struct stream *s, enum mpg_call call, int32_t comm, int32_t to,
               int32_t tag, int64_t bytes, uint32_t index, struct message **message,
               struct mpg_error *err);
int graph_post(struct mpg_graph *g, struct stream *s, int32_t comm, int32_t from, int32_t tag,
               int64_t room_bytes, struct message **message, struct mpg_error *err);
/* The parts of a receive: finding the message on its channel, which a matched probe
 * does, and posting the receive of it. */
int graph_take_message(struct mpg_graph *g, const struct channel_name *name,
                       struct message **message, struct mpg_error *err);
int graph_post_message(struct mpg_graph *g, struct stream *s, struct message *m,
                       int64_t room_bytes, struct mpg_error *err);
struct channel *graph_find_channel(struct mpg_graph *g, const struct channel_name *name,
                                   struct mpg_error *err);
void graph_receiver_done(struct mpg_graph *g, struct message *m, bool polled);
void graph_sender_done(struct mpg_graph *g, struct message *m, bool abandoned);
int graph_arrival_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err);
int graph_ack_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err);
/* The first message that never met its other end, or NULL. */
const struct message *graph_first_unmatched(const struct mpg_graph *g, uint64_t *count);

/* probes.c */
int graph_probe(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_matched_probe(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_probe_edges(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
/* The message that S's Mrecv or Imrecv receives; NULL in *MESSAGE if there is none. */
int graph_matched_receive(struct mpg_graph *g, struct stream *s, struct message **message,
                          struct mpg_error *err);
void graph_wake_probes(struct mpg_graph *g, struct channel *c);
void graph_forget_probe(struct stream *s);
int graph_end_probes(struct mpg_graph *g, int32_t rank, struct mpg_error *err);

/* groups.c: messages between neighbours and between the members of a window */
int graph_neighbors(struct mpg_graph *g, struct stream *s, struct group **group,
                    struct mpg_error *err);
void graph_await_group(struct stream *s, struct group *group);
/* Edges of what has arrived; frees GROUP. */
int graph_group_edges(struct mpg_graph *g, struct group *group, bool polled,
                      struct mpg_error *err);
uint32_t graph_give_up_group(struct group *group, const struct stream *s);
struct group *graph_new_group(uint32_t count, struct mpg_error *err);

/* windows.c */
int graph_begin_window_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
/* Ends the epoch of the window that S's fence names: the bytes that S's rank moved. */
int64_t graph_end_epoch(struct mpg_graph *g, const struct stream *s);
void graph_forget_window(struct mpg_graph *g, const struct stream *s);
void graph_free_windows(struct rank_state *r);

/* requests.c */
int graph_start_request(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_free_request(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_completion_needs(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_completion_edges(struct mpg_graph *g, struct stream *s, struct mpg_error *err);
int graph_end_requests(struct mpg_graph *g, int32_t rank, struct mpg_error *err);

/* collectives.c */
enum mpg_call graph_blocking_twin(enum mpg_call call);
/* S's call takes part in its communicator's (or window's) next collective; *COLLECTIVE
 * is NULL if it goes on alone. */
int graph_arrive(struct mpg_graph *g, struct stream *s, struct collective **collective,
                 struct mpg_error *err);
/* Whether S, as a member of C, may leave; if not, C wakes it. */
bool graph_collective_ready(struct mpg_graph *g, struct collective *c, struct stream *s);
int graph_collective_edges(struct mpg_graph *g, struct collective *c, const struct stream *s,
                           struct mpg_error *err);
int graph_check_collectives(const struct mpg_graph *g, struct mpg_error *err);
void graph_free_collectives(struct mpg_graph *g);

/* costs.c: rounds and bytes of collectives */
enum collective_shape graph_shape_of(enum mpg_call call);
uint32_t graph_rounds_of(const struct collective *c);
double graph_bytes_of(const struct collective *c, int32_t i);
int64_t graph_member_bytes(const struct mpg_event *e, int32_t i);

/* ended.c */
/* Says why LAST, the latest of its rank, is no MPI_Finalize. */
int graph_explain_end(const struct mpg_graph *g, const struct stream *last, struct mpg_error *err);
/* Whether a rank died, which ERR then says: what others wait for may be lost with it. */
bool graph_explain_dead(const struct mpg_graph *g, struct mpg_error *err);

/* stall.c */
int graph_explain_stall(struct mpg_graph *g, struct mpg_error *err);
int graph_drop_needs(struct mpg_graph *g, struct mpg_error *err);

#endif
