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

/* Adds request ID without an operation, posted by CALL. */
static int add(struct requests *requests, struct rank_requests *rank, const struct call *call, int64_t id, struct mpg_error *err)
{
    return mpg_graph_add_request(requests, rank, call, id, err) ? 0 : -1;
}

static int add_unresolved(struct requests *requests, struct rank_requests *rank, const struct call *call, int64_t id,
                          struct mpg_error *err)
{
    struct more_of_request *more = mpg_graph_add_request(requests, rank, call, id, err);
    if (!more)
        return -1;
    more->kind = REQUEST_RECEIVE;
    more->unresolved = true;
    return 0;
}

int mpg_graph_post_send(struct requests *requests, struct rank_requests *rank, const struct call *call,
                        const struct persistent *what, int64_t id, uint32_t index, struct mpg_error *err)
{
    struct message *m = NULL;
    if (mpg_graph_check_unused(rank, call, id, err) < 0)
        return -1;
    if (what->peer != MPG_PROC_NULL && !is_cancelled(call, id) &&
        mpg_graph_send(requests->matching, call, what->call, what->comm, what->peer, what->tag, what->bytes, index, &m,
                       err) < 0)
        return -1;
    return m ? mpg_graph_add_send(requests, rank, id, m, err) : add(requests, rank, call, id, err);
}

int mpg_graph_post_receive(struct requests *requests, struct rank_requests *rank, const struct call *call,
                           const struct persistent *what, int64_t id, struct mpg_error *err)
{
    struct message *m = NULL;
    if (mpg_graph_check_unused(rank, call, id, err) < 0)
        return -1;
    const bool is_posted = what->peer != MPG_PROC_NULL && !is_cancelled(call, id);
    if (is_posted && (what->peer == MPG_UNKNOWN || ((what->any & MPG_ANY_TAG) && what->tag == MPG_UNKNOWN)))
        return add_unresolved(requests, rank, call, id, err);
    if (is_posted &&
        mpg_graph_post(requests->matching, call, what->comm, what->peer, what->tag, what->any, what->bytes, &m, err) < 0)
        return -1;
    return m ? mpg_graph_add_receive(requests, rank, id, m, err) : add(requests, rank, call, id, err);
}

static int start_matched_receive(struct requests *requests, struct rank_requests *rank,
                                 struct taken *taken, const struct call *call,
                                 struct mpg_error *err)
{
    const int64_t id = call->event->requests[0];
    struct message *m;
    if (mpg_graph_check_unused(rank, call, id, err) < 0 ||
        mpg_graph_matched_receive(requests->matching, taken, call, &m, err) < 0)
        return -1;
    return m ? mpg_graph_add_receive(requests, rank, id, m, err) : add(requests, rank, call, id, err);
}

static int start_collective(struct requests *requests, struct rank_requests *rank,
                            const struct call *call, struct mpg_error *err)
{
    struct more_of_request *more = mpg_graph_add_request(requests, rank, call, call->event->requests[0], err);
    if (!more || mpg_graph_arrive(requests->collectives, call, graph_load(0), &more->part, err) < 0)
        return -1;
    if (more->part.collective)
        more->kind = REQUEST_COLLECTIVE;
    return 0;
}

static int start_neighbors(struct requests *requests, struct rank_requests *rank,
                           const struct call *call, struct mpg_error *err)
{
    struct more_of_request *more = mpg_graph_add_request(requests, rank, call, call->event->requests[0], err);
    if (!more || mpg_graph_neighbors(requests->matching, call, &more->group, err) < 0)
        return -1;
    if (more->group)
        more->kind = REQUEST_GROUP;
    return 0;
}

int mpg_graph_start_transfer(struct requests *requests, struct rank_requests *rank, const struct call *call, struct load load,
                             struct mpg_error *err)
{
    struct more_of_request *more = mpg_graph_add_request(requests, rank, call, call->event->requests[0], err);
    if (!more)
        return -1;
    more->load = load;
    if (call->event->to != MPG_PROC_NULL)
        more->kind = REQUEST_TRANSFER;
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
    struct more_of_request *more = sending ? mpg_graph_enlarge_request(requests, request, err) : graph_more_of_request(request);
    if (more) {
        more->kind = REQUEST_RECEIVE;
        more->sending = sending;
    }
    return sending && !more ? -1 : 0;
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
        return add(requests, rank, call, e->requests[0], err);
    case MPG_KIND_REQUEST:
        return add(requests, rank, call, e->requests[0], err);
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
    const bool is_completing = request && request->data & REQUEST_COMPLETING;
    if ((!request || is_completing) && requests->matching->lenient) {
        requests->matching->counts->unmatched++;
        return 0;
    }
    if (!request)
        return mpg_graph_error_lenient(&here, err, "request %lld is unknown", (long long)e->requests[0]);
    if (is_completing)
        return mpg_graph_error_lenient(&here, err, "another thread's call completes request %lld already",
                                       (long long)e->requests[0]);
    const enum request_kind kind = graph_request_kind(request);
    if (kind == REQUEST_COLLECTIVE || kind == REQUEST_GROUP || kind == REQUEST_PARTITIONS)
        return 0; /* MPI forbids to free requests of these kinds; the end of the graph reports requests that are never
                     completed */
    requests->matching->counts->cancelled += (request->data & REQUEST_CANCELLING) != 0;
    if (kind == REQUEST_SEND)
        mpg_graph_sender_done(requests->matching, graph_request_message(request), true);
    if (graph_request_sending(request))
        mpg_graph_sender_done(requests->matching, graph_request_sending(request), true);
    struct message *received = kind == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
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
    request->data |= REQUEST_CANCELLING;
    struct message *m = graph_request_message(request);
    if (m)
        m->cancelling = true;
}
