/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that make, start, free and cancel requests. */
#include "graph/requests/table.h"

/* Returns whether request ID, posted by CALL, is cancelled later: a cancelled request matches nothing. */
static bool is_cancelled(const struct call *call, int64_t id)
{
    for (uint32_t i = 0; i < call->event->cancelled_number; i++)
        if (call->event->cancelled[i] == id)
            return true;
    return false;
}

int mpg_graph_post_send(struct requests *requests, struct rank_requests *rank, const struct call *call,
                        const struct persistent *what, int64_t id, uint32_t index, struct mpg_error *err)
{
    struct request *request = mpg_graph_add_request(requests, rank, call, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || is_cancelled(call, id))
        return 0;
    if (mpg_graph_send(requests->matching, call, what->call, what->comm, what->peer, what->tag, what->bytes, index,
                       &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_SEND;
    return 0;
}

int mpg_graph_post_receive(struct requests *requests, struct rank_requests *rank, const struct call *call,
                           const struct persistent *what, int64_t id, struct mpg_error *err)
{
    struct request *request = mpg_graph_add_request(requests, rank, call, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || is_cancelled(call, id))
        return 0;
    if (what->peer == MPG_UNKNOWN || ((what->any & MPG_ANY_TAG) && what->tag == MPG_UNKNOWN)) {
        request->kind = REQUEST_RECEIVE;
        request->unresolved = true;
        return 0;
    }
    if (mpg_graph_post(requests->matching, call, what->comm, what->peer, what->tag, what->any, what->bytes, &request->message,
                       err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

/* Adds a request without an operation, posted by CALL. */
static struct request *add(struct requests *requests, struct rank_requests *rank,
                           const struct call *call, struct mpg_error *err)
{
    return mpg_graph_add_request(requests, rank, call, call->event->requests[0], REQUEST_NOTHING, err);
}

static struct request *add_large(struct requests *requests, struct rank_requests *rank,
                                 const struct call *call, struct mpg_error *err)
{
    return mpg_graph_add_large_request(requests, rank, call, call->event->requests[0], err);
}

static int start_matched_receive(struct requests *requests, struct rank_requests *rank,
                                 struct taken *taken, const struct call *call,
                                 struct mpg_error *err)
{
    struct request *request = add(requests, rank, call, err);
    if (!request || mpg_graph_matched_receive(requests->matching, taken, call, &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

static int start_collective(struct requests *requests, struct rank_requests *rank,
                            const struct call *call, struct mpg_error *err)
{
    struct request *request = add_large(requests, rank, call, err);
    if (!request || mpg_graph_arrive(requests->collectives, call, graph_load(0), &request->more->part, err) < 0)
        return -1;
    if (request->more->part.collective)
        request->kind = REQUEST_COLLECTIVE;
    return 0;
}

static int start_neighbors(struct requests *requests, struct rank_requests *rank,
                           const struct call *call, struct mpg_error *err)
{
    struct request *request = add_large(requests, rank, call, err);
    if (!request || mpg_graph_neighbors(requests->matching, call, &request->more->group, err) < 0)
        return -1;
    if (request->more->group)
        request->kind = REQUEST_GROUP;
    return 0;
}

int mpg_graph_start_transfer(struct requests *requests, struct rank_requests *rank, const struct call *call, struct load load,
                             struct mpg_error *err)
{
    struct request *request = add_large(requests, rank, call, err);
    if (!request)
        return -1;
    request->more->load = load;
    if (call->event->to != MPG_PROC_NULL)
        request->kind = REQUEST_TRANSFER;
    return 0;
}

/* Starts the send and the receive of an MPI_Isendrecv; the request's tag is the receive's tag. */
static int start_both(struct requests *requests, struct rank_requests *rank,
                      const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct persistent receive = {.call = e->call, .comm = e->comm, .peer = e->from,
                                 .tag = e->recvtag, .any = e->any, .bytes = e->recvbytes};
    struct message *sending = NULL;
    if (e->to != MPG_PROC_NULL &&
        mpg_graph_send(requests->matching, call, e->call, e->comm, e->to, e->tag, e->bytes, 0, &sending, err) < 0)
        return -1;
    if (mpg_graph_post_receive(requests, rank, call, &receive, e->requests[0], err) < 0)
        return -1;
    struct request *request = graph_find_request(rank, e->requests[0]);
    request->kind = REQUEST_RECEIVE;
    if (!sending)
        return 0;
    if (mpg_graph_enlarge_request(requests, request, err) < 0)
        return -1;
    request->more->sending = sending;
    return 0;
}

int mpg_graph_start_request(struct requests *requests, struct rank_requests *rank, struct taken *taken, const struct call *call,
                            struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct persistent what = {
        .call = e->call, .comm = e->comm, .tag = e->tag, .any = e->any, .bytes = e->bytes};
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
        what.peer = e->to;
        return mpg_graph_post_send(requests, rank, call, &what, e->requests[0], 0, err);
    case MPG_KIND_IRECV:
        what.peer = e->from;
        return mpg_graph_post_receive(requests, rank, call, &what, e->requests[0], err);
    case MPG_KIND_ISENDRECV:
        return start_both(requests, rank, call, err);
    case MPG_KIND_START:
        return mpg_graph_start_persistent(requests, rank, call, err);
    case MPG_KIND_IMRECV:
        return start_matched_receive(requests, rank, taken, call, err);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
        return start_collective(requests, rank, call, err);
    case MPG_KIND_INEIGHBOR:
        return start_neighbors(requests, rank, call, err);
    case MPG_KIND_IFILE:
        requests->matching->counts->file_calls++;
        return add(requests, rank, call, err) ? 0 : -1;
    case MPG_KIND_REQUEST:
        return add(requests, rank, call, err) ? 0 : -1;
    default:
        return mpg_graph_define_persistent(requests, rank, call, err);
    }
}

int mpg_graph_free_request(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    if (e->persistent) {
        uint64_t *slot = mpg_map_find(&rank->persistent, (uint64_t)e->persistent[0], 0);
        if (slot) {
            mpg_graph_free_persistent(requests, (struct persistent *)(uintptr_t)*slot);
            mpg_map_remove(&rank->persistent, (uint64_t)e->persistent[0], 0);
        }
        return 0;
    }
    struct call_ref here = graph_call_ref(call);
    struct request *request = graph_find_request(rank, e->requests[0]);
    if ((!request || request->completing) && requests->matching->lenient) {
        requests->matching->counts->unmatched++;
        return 0;
    }
    if (!request)
        return mpg_graph_error_lenient(&here, err, "request %lld is unknown", (long long)e->requests[0]);
    if (request->completing)
        return mpg_graph_error_lenient(&here, err, "another thread's call completes request %lld already",
                                       (long long)e->requests[0]);
    if (request->kind == REQUEST_COLLECTIVE || request->kind == REQUEST_GROUP ||
        request->kind == REQUEST_PARTITIONS)
        return 0; /* MPI forbids to free requests of these kinds; the end of the graph reports requests that are never
                     completed */
    requests->matching->counts->cancelled += request->cancelling;
    if (request->kind == REQUEST_SEND)
        mpg_graph_sender_done(requests->matching, graph_request_message(request), true);
    if (graph_request_sending(request))
        mpg_graph_sender_done(requests->matching, graph_request_sending(request), true);
    struct message *received = request->kind == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
    mpg_graph_remove_request(requests, rank, request);
    if (received)
        mpg_graph_receive_freed(requests->matching, received);
    return 0;
}

void mpg_graph_cancel_request(struct rank_requests *rank, const struct call *call)
{
    struct request *request = graph_find_request(rank, call->event->requests[0]);
    if (!request)
        return;
    request->cancelling = true;
    struct message *m = graph_request_message(request);
    if (m)
        m->cancelling = true;
}
