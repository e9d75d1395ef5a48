/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request, and finding a rank's by its number. Private to graph/requests/. */
#ifndef MPG_GRAPH_REQUEST_TABLE_H
#define MPG_GRAPH_REQUEST_TABLE_H

#include "graph/requests/requests.h"

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECEIVE,    /* of an Isendrecv with what it sends */
    REQUEST_PARTITIONS, /* a partitioned send, until all of it is ready: then a SEND */
    REQUEST_COLLECTIVE,
    REQUEST_GROUP,
    REQUEST_TRANSFER, /* one-sided: a round trip that its completion waits for */
    REQUEST_NOTHING   /* MPI_PROC_NULL, cancelled, or nothing of other ranks */
};

/* Those of messages are many: what only others have is elsewhere. */
struct request {
    uint8_t kind;                /* enum request_kind */
    bool unresolved : 1;         /* a wildcard that never completes */
    bool completing : 1;         /* named by the call that its rank is in */
    bool cancelling : 1;         /* its rank has asked for it to be cancelled */
    bool is_candidate : 1;       /* of the call that is being left */
    uint16_t call;               /* enum mpg_call: that posts it, on this thread of this world rank, */
    uint32_t thread;
    int32_t rank;
    uint64_t number;             /* the how-manieth of the rank's */
    int64_t id;
    struct message *message;
    struct more_of_request *more; /* NULL: there is none */
};

struct more_of_request {
    struct message *sending; /* RECEIVE: the message that an Isendrecv sends, or NULL */
    struct part part;
    struct group *group;
    struct load load;       /* TRANSFER; PARTITIONS: of all of them */
    uint32_t unready;       /* PARTITIONS: how many are not ready yet, */
    struct waiter *ready_waiter; /* who waits for them, */
    struct channel_name channel; /* and where they go */
};

static inline struct call_ref graph_request_call(const struct request *request)
{
    return (struct call_ref){request->rank, request->thread, (enum mpg_call)request->call, request->number};
}

static inline struct message *graph_request_sending(const struct request *request)
{
    return request->more ? request->more->sending : NULL;
}

/* What a persistent request starts. */
struct persistent {
    enum mpg_call call;
    int32_t comm, peer, tag;
    uint32_t any;
    int64_t bytes;
    struct persistent_collective persistent_collective;    /* of collectives, those of neighbours too */
    struct mpg_event *neighbors; /* of those of neighbours: the call, with lists of its own */
    uint32_t partitions;
    struct channel_name channel; /* of partitioned ones, unless FOREIGN */
    bool foreign;
};

/* NULL: there is none. */
struct request *mpg_graph_find_request(const struct rank_requests *rank, int64_t id);
/* The next one of RANK's, *I from 0 on; NULL: there are no more. */
struct request *mpg_graph_next_request(const struct rank_requests *rank, size_t *i);
/* A new one, that CALL posts; NULL with ERR. */
struct request *mpg_graph_add_request(struct requests *requests, struct rank_requests *rank, const struct call *call, int64_t id,
                                      enum request_kind kind, struct mpg_error *err);
/* The same of one that has MORE. */
struct request *mpg_graph_add_large_request(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                            int64_t id, struct mpg_error *err);
/* REQUEST has more. */
int mpg_graph_enlarge_request(struct requests *requests, struct request *request, struct mpg_error *err);
/* A send or receive of WHAT's, as request ID that CALL posts; INDEX: among what it starts. */
int mpg_graph_post_send(struct requests *requests, struct rank_requests *rank, const struct call *call,
                        const struct persistent *what, int64_t id, uint32_t index, struct mpg_error *err);
int mpg_graph_post_receive(struct requests *requests, struct rank_requests *rank, const struct call *call,
                           const struct persistent *what, int64_t id, struct mpg_error *err);
/* CALL makes a persistent request; starts some. */
int mpg_graph_define_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                struct mpg_error *err);
int mpg_graph_start_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                               struct mpg_error *err);
void mpg_graph_free_persistent(struct requests *requests, struct persistent *persistent);
void mpg_graph_remove_request(struct requests *requests, struct rank_requests *rank, struct request *request);

#endif
