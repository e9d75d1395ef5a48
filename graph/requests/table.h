/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request, and finding a rank's by its number. Private to graph/requests/. */
#ifndef MPG_GRAPH_REQUEST_TABLE_H
#define MPG_GRAPH_REQUEST_TABLE_H

#include "graph/requests/requests.h"

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
    bool cancelling;        /* its rank has asked for it to be cancelled */
    int64_t id;
    struct message *message;
    struct part part;
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

/* NULL: there is none. */
struct request *graph_find_request(const struct rank_requests *rank, int64_t id);
/* A new one, that CALL posts; NULL with ERR. */
struct request *graph_add_request(struct requests *requests, struct rank_requests *rank,
                                  const struct call *call, int64_t id, enum request_kind kind,
                                  struct mpg_error *err);
void graph_remove_request(struct requests *requests, struct rank_requests *rank,
                          struct request *request);

#endif
