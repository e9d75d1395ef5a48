/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests, and look-up by id. Private to graph/requests/. */
#ifndef MPG_GRAPH_REQUEST_TABLE_H
#define MPG_GRAPH_REQUEST_TABLE_H

#include "graph/requests/requests.h"

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,    /* a receive; also an Isendrecv, with the send in SENDING */
    REQUEST_PARTITIONS, /* a partitioned send with partitions not yet ready; becomes a REQUEST_SEND */
    REQUEST_COLLECTIVE,
    REQUEST_GROUP,
    REQUEST_TRANSFER, /* a one-sided transfer: the completing call waits for a round trip */
    REQUEST_NOTHING   /* nothing to wait for: MPI_PROC_NULL, cancelled, or without other ranks */
};

/* A request. Requests are numerous: an ordinary send or receive consists of its number and its message, which knows the posting
 * call; all other requests have a struct more_of_request. The lowest bits of the pointer, which are 0 in the addresses of
 * objects of pools, hold flags. */
struct request {
    int64_t id;
    uintptr_t data; /* struct message * or (REQUEST_HAS_MORE) struct more_of_request *, and flags; 0: no request */
};

enum {
    REQUEST_HAS_MORE = 1,
    REQUEST_RECEIVES = 2,   /* without more: receives the message */
    REQUEST_COMPLETING = 4, /* a begun call of the rank completes the request */
    REQUEST_CANCELLING = 8, /* the rank has asked for cancellation */
    REQUEST_FLAGS = 15
};

struct more_of_request {
    enum request_kind kind;
    struct call_ref call;    /* the posting call */
    bool unresolved;         /* a wildcard receive of unknown source or tag: never completed in the trace */
    struct message *message; /* the message, or NULL */
    struct message *sending; /* RECEIVE: the message sent by an Isendrecv; otherwise NULL */
    struct part part;
    struct group *group;
    struct load load;       /* TRANSFER: bytes of the transfer; PARTITIONS: bytes of all partitions */
    uint32_t unready;       /* PARTITIONS: number of partitions not ready */
    struct waiter *ready_waiter; /* PARTITIONS: waits until all are ready */
    struct channel_name channel; /* PARTITIONS: channel of the message */
};

/* Returns the struct more_of_request of REQUEST; NULL: none. */
static inline struct more_of_request *graph_more_of_request(const struct request *request)
{
    return request->data & REQUEST_HAS_MORE ? (struct more_of_request *)(request->data & ~(uintptr_t)REQUEST_FLAGS) : NULL;
}

static inline struct message *graph_request_message(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    return more ? more->message : (struct message *)(request->data & ~(uintptr_t)REQUEST_FLAGS);
}

static inline struct message *graph_request_sending(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    return more ? more->sending : NULL;
}

static inline enum request_kind graph_request_kind(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    return more ? more->kind : request->data & REQUEST_RECEIVES ? REQUEST_RECEIVE : REQUEST_SEND;
}

static inline bool graph_is_unresolved(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    return more && more->unresolved;
}

/* Returns the call that posted REQUEST, whose message must not be freed. */
static inline struct call_ref graph_request_call(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    const struct message *m = graph_request_message(request);
    return more ? more->call : request->data & REQUEST_RECEIVES ? graph_posting_call(m) : graph_sending_call(m);
}

/* A persistent operation, as defined by MPI_Send_init. */
struct persistent {
    enum mpg_call call;
    int32_t comm, peer, tag;
    uint32_t any;
    int64_t bytes;
    struct persistent_collective persistent_collective;    /* persistent collectives, including neighbourhood collectives */
    struct mpg_event *neighbors; /* neighbourhood collectives: copy of the initialising call, with copies of the lists */
    uint32_t partitions;
    struct channel_name channel; /* partitioned communication, unless FOREIGN */
    bool foreign;
};

struct request *mpg_graph_find_far_request(const struct rank_requests *rank, int64_t id); /* looks up ID in `far` */
/* Returns the place of ID in the table `near`, which can hold another request or none; NULL: the table is empty. */
static inline struct request *graph_near_place(const struct rank_requests *rank, int64_t id)
{
    return rank->near_capacity ? &rank->near[(uint64_t)id & (rank->near_capacity - 1)] : NULL;
}

/* Returns the request with number ID; NULL: there is none. Requests can move when a request is added. */
static inline struct request *graph_find_request(const struct rank_requests *rank, int64_t id)
{
    struct request *request = graph_near_place(rank, id);
    return request && request->data && request->id == id ? request : mpg_graph_find_far_request(rank, id);
}

/* Returns the numbers of the requests that a call of COMPLETING completes. */
static inline const int64_t *graph_completed_ids(const struct completing *completing)
{
    return completing->follows_event ? completing->call->event->requests : completing->done;
}

/* Returns request I of COMPLETING. */
static inline struct request *graph_completed_request(const struct completing *completing, uint32_t i)
{
    return graph_find_request(completing->rank, graph_completed_ids(completing)[i]);
}

/* Iterates over RANK's requests, with *I from 0 on; NULL: the end. */
struct request *mpg_graph_next_request(const struct rank_requests *rank, size_t *i);
/* mpg_graph_check_unused() fails if request ID, to be posted by CALL, exists. mpg_graph_add_send() and
 * mpg_graph_add_receive() add request ID of M, which the posting call of ID sends or receives. mpg_graph_add_request() adds
 * request ID of CALL, of kind REQUEST_NOTHING, and returns its struct more_of_request. -1 or NULL with ERR: ID is in use, or out
 * of memory. */
int mpg_graph_check_unused(const struct rank_requests *rank, const struct call *call, int64_t id, struct mpg_error *err);
int mpg_graph_add_send(struct requests *requests, struct rank_requests *rank, int64_t id, const struct message *m,
                       struct mpg_error *err);
int mpg_graph_add_receive(struct requests *requests, struct rank_requests *rank, int64_t id, const struct message *m,
                          struct mpg_error *err);
struct more_of_request *mpg_graph_add_request(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                              int64_t id, struct mpg_error *err);
/* Returns the struct more_of_request of REQUEST, made if needed; NULL with ERR: out of memory. */
struct more_of_request *mpg_graph_enlarge_request(struct requests *requests, struct request *request, struct mpg_error *err);
/* Post the send, and the receive, described by WHAT as request ID of CALL; INDEX: index among the messages of CALL. Both
 * return 0, or -1 with ERR. */
int mpg_graph_post_send(struct requests *requests, struct rank_requests *rank, const struct call *call,
                        const struct persistent *what, int64_t id, uint32_t index, struct mpg_error *err);
int mpg_graph_post_receive(struct requests *requests, struct rank_requests *rank, const struct call *call,
                           const struct persistent *what, int64_t id, struct mpg_error *err);
/* mpg_graph_define_persistent() defines the persistent request initialised by CALL; mpg_graph_start_persistent() starts
 * the persistent requests started by CALL. Both return 0, or -1 with ERR. */
int mpg_graph_define_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                struct mpg_error *err);
int mpg_graph_start_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                               struct mpg_error *err);
void mpg_graph_free_persistent(struct requests *requests, struct persistent *persistent);
void mpg_graph_remove_request(struct requests *requests, struct rank_requests *rank, struct request *request);

#endif
