/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state behind a graph stream, shared by the files of graph/. */
#ifndef MPG_GRAPH_PRIVATE_H
#define MPG_GRAPH_PRIVATE_H

#include <stddef.h>

#include "common/map.h"
#include "common/pool.h"
#include "graph/graph.h"

enum { NO_RANK = -1 };

/* Where in the trace something happened, for errors. */
struct place {
    int32_t rank;
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
    int32_t receive_waiter, send_waiter; /* blocked ranks */
};

/* The messages of one (communicator, source, destination, tag) that wait for
 * their other end: all of them sent, or all of them posted. */
struct channel {
    struct message *first, *last;
    int32_t probe_waiter;
};

enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_NOTHING };

struct request {
    enum request_kind kind; /* NOTHING: MPI_PROC_NULL, or cancelled */
    bool unresolved;        /* a wildcard that never completes */
    struct message *message;
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
    bool arrived, waiting, absent; /* absent: MPI_PROC_NULL as root */
    struct place place;
    uint32_t slot;
    double enter_ns;
    int64_t duration_ns, bytes;
};

struct collective {
    enum mpg_call call;
    enum collective_shape shape;
    int32_t comm, p, root; /* root: index of the member, -1 if there is none yet */
    int32_t arrived, prefix, left;
    bool closed;
    uint32_t meeting_slot;
    uint64_t sequence;
    struct member *members;
};

enum phase { PHASE_READ, PHASE_WAIT, PHASE_FINISHED };

struct rank_state {
    struct mpg_cursor *cursor;
    enum phase phase;
    bool started;
    struct mpg_event event;
    uint64_t number;           /* of the event; calls read so far - 1 */
    int64_t start_ns, last_leave_ns;
    uint32_t unmet;            /* what the call still waits for */
    struct mpg_map requests, persistent; /* id -> struct request *, struct persistent * */
    struct message *sending, *receiving; /* of a blocking call */
    struct channel *probing;
    struct collective *collective;
};

struct mpg_graph {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    struct mpg_graph_options options;
    struct mpg_graph_counts counts;
    int32_t ranks, finished;
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
struct mpg_step *graph_emit(struct mpg_graph *g, enum mpg_step_kind kind, int32_t rank);
struct mpg_edge *graph_add_edge(struct mpg_graph *g, enum mpg_edge_kind kind);
int graph_new_slot(struct mpg_graph *g, uint32_t *slot, struct mpg_error *err);
void graph_free_slot(struct mpg_graph *g, uint32_t slot);
void graph_satisfy(struct mpg_graph *g, int32_t rank); /* one of its needs is met */
struct place graph_here(const struct mpg_graph *g, int32_t rank);
double graph_enter_ns(const struct mpg_graph *g, int32_t rank); /* of its event, aligned */
/* Index of world rank RANK among COMM's members (both groups), or -1. */
int32_t graph_member_index(struct mpg_graph *g, int32_t comm, int32_t rank);
/* World rank of PEER as RANK names it in COMM, or -1 with ERR. */
int32_t graph_peer(struct mpg_graph *g, int32_t rank, int32_t comm, int32_t peer,
                   struct mpg_error *err);

/* messages.c */
int graph_send(struct mpg_graph *g, int32_t rank, enum mpg_call call, int32_t comm, int32_t to,
               int32_t tag, int64_t bytes, uint32_t index, struct message **message,
               struct mpg_error *err);
int graph_post(struct mpg_graph *g, int32_t rank, int32_t comm, int32_t from, int32_t tag,
               int64_t room_bytes, struct message **message, struct mpg_error *err);
int graph_probe(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_probe_edge(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
bool graph_channel_ready(const struct channel *channel);
void graph_receiver_done(struct mpg_graph *g, struct message *m, bool polled);
void graph_sender_done(struct mpg_graph *g, struct message *m, bool abandoned);
/* The first message that never met its other end, or NULL. */
const struct message *graph_first_unmatched(const struct mpg_graph *g, uint64_t *count);

/* requests.c */
int graph_start_request(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_free_request(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_completion_needs(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_completion_edges(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_arrival_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err);
int graph_ack_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err);
int graph_end_requests(struct mpg_graph *g, int32_t rank, struct mpg_error *err);

/* collectives.c */
int graph_arrive(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
bool graph_collective_ready(struct mpg_graph *g, int32_t rank);
int graph_collective_edges(struct mpg_graph *g, int32_t rank, struct mpg_error *err);
int graph_check_collectives(const struct mpg_graph *g, struct mpg_error *err);
void graph_free_collectives(struct mpg_graph *g);

/* stall.c */
int graph_explain_stall(struct mpg_graph *g, struct mpg_error *err);
int graph_drop_needs(struct mpg_graph *g, struct mpg_error *err);

#endif
