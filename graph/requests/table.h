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

/* A request. Requests of messages are numerous, so rare data is in struct more_of_request, and two requests fill a cache line. */
struct request {
    uint8_t kind;                /* enum request_kind */
    bool unresolved : 1;         /* a wildcard receive of unknown source or tag: never completed in the trace */
    bool completing : 1;         /* a begun call of the rank completes the request */
    bool cancelling : 1;         /* the rank has asked for cancellation */
    bool has_more : 1;           /* the request has a struct more_of_request */
    uint16_t call;               /* enum mpg_call of the posting call; thread of the call */
    uint32_t thread;
    uint64_t number;             /* call number of the posting call */
    int64_t id;
    union {
        struct message *message;      /* without more: the message, or NULL */
        struct more_of_request *more; /* has_more */
    };
};

_Static_assert(sizeof(struct request) == 32 || sizeof(void *) != 8, "a request is not half a cache line");

struct more_of_request {
    struct message *message; /* the message, or NULL */
    struct message *sending; /* RECEIVE: the message sent by an Isendrecv; otherwise NULL */
    struct part part;
    struct group *group;
    struct load load;       /* TRANSFER: bytes of the transfer; PARTITIONS: bytes of all partitions */
    uint32_t unready;       /* PARTITIONS: number of partitions not ready */
    struct waiter *ready_waiter; /* PARTITIONS: waits until all are ready */
    struct channel_name channel; /* PARTITIONS: channel of the message */
};

static inline struct message *graph_request_message(const struct request *request)
{
    return request->has_more ? request->more->message : request->message;
}

static inline struct message *graph_request_sending(const struct request *request)
{
    return request->has_more ? request->more->sending : NULL;
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
/* Returns the request in the place of ID in the table `near`, possibly of another number; NULL: the place is empty. */
static inline struct request *graph_find_near_request(const struct rank_requests *rank, int64_t id)
{
    return rank->near_capacity ? rank->near[(uint64_t)id & (rank->near_capacity - 1)] : NULL;
}

/* Returns the request with number ID; NULL: there is none. */
static inline struct request *graph_find_request(const struct rank_requests *rank, int64_t id)
{
    struct request *request = graph_find_near_request(rank, id);
    return request && request->id == id ? request : mpg_graph_find_far_request(rank, id);
}

/* Iterates over RANK's requests, with *I from 0 on; NULL: the end. */
struct request *mpg_graph_next_request(const struct rank_requests *rank, size_t *i);
/* Adds a request of KIND posted by CALL. Returns NULL with ERR: out of memory. */
struct request *mpg_graph_add_request(struct requests *requests, struct rank_requests *rank, const struct call *call, int64_t id,
                                      enum request_kind kind, struct mpg_error *err);
/* Adds a request of CALL with a struct more_of_request. Returns NULL with ERR: out of memory. */
struct request *mpg_graph_add_large_request(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                            int64_t id, struct mpg_error *err);
/* Adds struct more_of_request to REQUEST. Returns 0, or -1: out of memory. */
int mpg_graph_enlarge_request(struct requests *requests, struct request *request, struct mpg_error *err);
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
