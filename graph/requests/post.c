/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that post, start, free and cancel requests. */
#include "graph/requests/table.h"

/* Whether request ID, which CALL posts, ends up cancelled: it matches nothing. */
static bool is_cancelled(const struct call *call, int64_t id)
{
    for (uint32_t i = 0; i < call->event.cancelled_number; i++)
        if (call->event.cancelled[i] == id)
            return true;
    return false;
}

static int start_send(struct requests *requests, struct rank_requests *rank,
                      const struct call *call, const struct persistent *what, int64_t id,
                      uint32_t index, struct mpg_error *err)
{
    struct request *request = graph_add_request(requests, rank, call, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || is_cancelled(call, id))
        return 0;
    if (graph_send(requests->matching, call, what->call, what->comm, what->peer, what->tag,
                   what->bytes, index, &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_SEND;
    return 0;
}

static int start_receive(struct requests *requests, struct rank_requests *rank,
                         const struct call *call, const struct persistent *what, int64_t id,
                         struct mpg_error *err)
{
    struct request *request = graph_add_request(requests, rank, call, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || is_cancelled(call, id))
        return 0;
    if (what->peer == MPG_UNKNOWN || ((what->any & MPG_ANY_TAG) && what->tag == MPG_UNKNOWN)) {
        request->kind = REQUEST_RECEIVE;
        request->unresolved = true;
        return 0;
    }
    if (graph_post(requests->matching, call, what->comm, what->peer, what->tag, what->bytes,
                   &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

/* The request that CALL posts, which is nothing yet. */
static struct request *add(struct requests *requests, struct rank_requests *rank,
                           const struct call *call, struct mpg_error *err)
{
    return graph_add_request(requests, rank, call, call->event.requests[0], REQUEST_NOTHING, err);
}

static int start_matched_receive(struct requests *requests, struct rank_requests *rank,
                                 struct taken *taken, const struct call *call,
                                 struct mpg_error *err)
{
    struct request *request = add(requests, rank, call, err);
    if (!request ||
        graph_matched_receive(requests->matching, taken, call, &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

static int start_collective(struct requests *requests, struct rank_requests *rank,
                            const struct call *call, struct mpg_error *err)
{
    struct request *request = add(requests, rank, call, err);
    if (!request || graph_arrive(requests->meetings, call, 0, &request->part, err) < 0)
        return -1;
    if (request->part.collective)
        request->kind = REQUEST_COLLECTIVE;
    return 0;
}

static int start_neighbors(struct requests *requests, struct rank_requests *rank,
                           const struct call *call, struct mpg_error *err)
{
    struct request *request = add(requests, rank, call, err);
    if (!request || graph_neighbors(requests->matching, call, &request->group, err) < 0)
        return -1;
    if (request->group)
        request->kind = REQUEST_GROUP;
    return 0;
}

static int start_transfer(struct requests *requests, struct rank_requests *rank,
                          const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = &call->event;
    struct request *request = add(requests, rank, call, err);
    if (!request)
        return -1;
    request->bytes = e->bytes < INT64_MAX - e->recvbytes ? e->bytes + e->recvbytes : INT64_MAX;
    requests->matching->counts->transfers++;
    if (e->to != MPG_PROC_NULL)
        request->kind = REQUEST_TRANSFER;
    return 0;
}

static int define_persistent(struct requests *requests, struct rank_requests *rank,
                             const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = &call->event;
    uint64_t *slot = mpg_map_add(&rank->persistent, (uint64_t)e->persistent[0], 0);
    struct persistent *p = slot ? mpg_pool_take(&requests->persistent_pool) : NULL;
    if (!p) {
        if (slot && !*slot)
            mpg_map_remove(&rank->persistent, (uint64_t)e->persistent[0], 0);
        return graph_out_of_memory(err);
    }
    bool sends = mpg_call_kind(e->call) == MPG_KIND_SEND_INIT;
    *p = (struct persistent){.call = e->call,
                             .comm = e->comm,
                             .peer = sends ? e->to : e->from,
                             .tag = e->tag,
                             .any = e->any,
                             .bytes = e->bytes};
    *slot = (uint64_t)(uintptr_t)p;
    return 0;
}

/* Fills in the partner of a started wildcard receive. */
static void resolve(const struct mpg_event *e, int64_t id, struct persistent *what)
{
    for (uint32_t i = 0; i < e->resolution_number; i++)
        if (e->resolutions[i].request == id) {
            what->peer = e->resolutions[i].source;
            what->tag = e->resolutions[i].tag;
            return;
        }
    if (what->any & MPG_ANY_SOURCE)
        what->peer = MPG_UNKNOWN;
    if (what->any & MPG_ANY_TAG)
        what->tag = MPG_UNKNOWN;
}

static int start_persistent(struct requests *requests, struct rank_requests *rank,
                            const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = &call->event;
    struct place here = graph_here(call);
    for (uint32_t i = 0; i < e->request_number; i++) {
        uint64_t *slot = mpg_map_find(&rank->persistent, (uint64_t)e->persistent[i], 0);
        if (!slot && requests->matching->lenient)
            continue; /* what completes it is counted */
        if (!slot)
            return graph_error_lenient(&here, err, "persistent request %lld is unknown",
                                       (long long)e->persistent[i]);
        struct persistent what = *(struct persistent *)(uintptr_t)*slot;
        bool sends = mpg_call_kind(what.call) == MPG_KIND_SEND_INIT;
        if (!sends && what.any)
            resolve(e, e->requests[i], &what);
        int status = sends ? start_send(requests, rank, call, &what, e->requests[i], i, err)
                           : start_receive(requests, rank, call, &what, e->requests[i], err);
        if (status < 0)
            return -1;
    }
    return 0;
}

int graph_start_request(struct requests *requests, struct rank_requests *rank,
                        struct taken *taken, const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = &call->event;
    struct persistent what = {
        .call = e->call, .comm = e->comm, .tag = e->tag, .any = e->any, .bytes = e->bytes};
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
        what.peer = e->to;
        return start_send(requests, rank, call, &what, e->requests[0], 0, err);
    case MPG_KIND_IRECV:
        what.peer = e->from;
        return start_receive(requests, rank, call, &what, e->requests[0], err);
    case MPG_KIND_START:
        return start_persistent(requests, rank, call, err);
    case MPG_KIND_IMRECV:
        return start_matched_receive(requests, rank, taken, call, err);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
        return start_collective(requests, rank, call, err);
    case MPG_KIND_INEIGHBOR:
        return start_neighbors(requests, rank, call, err);
    case MPG_KIND_IRMA:
        return start_transfer(requests, rank, call, err);
    case MPG_KIND_IFILE:
        requests->matching->counts->file_calls++;
        return add(requests, rank, call, err) ? 0 : -1;
    case MPG_KIND_REQUEST:
        return add(requests, rank, call, err) ? 0 : -1;
    default:
        return define_persistent(requests, rank, call, err);
    }
}

int graph_free_request(struct requests *requests, struct rank_requests *rank,
                       const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = &call->event;
    if (e->persistent) {
        uint64_t *slot = mpg_map_find(&rank->persistent, (uint64_t)e->persistent[0], 0);
        if (slot) {
            mpg_pool_give(&requests->persistent_pool, (void *)(uintptr_t)*slot);
            mpg_map_remove(&rank->persistent, (uint64_t)e->persistent[0], 0);
        }
        return 0;
    }
    struct place here = graph_here(call);
    struct request *request = graph_find_request(rank, e->requests[0]);
    if (!request && requests->matching->lenient) {
        requests->matching->counts->unmatched++;
        return 0;
    }
    if (!request)
        return graph_error_lenient(&here, err, "request %lld is unknown",
                                   (long long)e->requests[0]);
    if (request->kind == REQUEST_COLLECTIVE || request->kind == REQUEST_GROUP)
        return 0; /* MPI forbids it; that it is never completed is said at the end */
    requests->matching->counts->cancelled += request->cancelling;
    if (request->kind == REQUEST_SEND)
        graph_sender_done(requests->matching, request->message, true);
    /* A freed receive still takes its message; nobody on this rank waits for it. */
    graph_remove_request(requests, rank, request);
    return 0;
}

void graph_cancel_request(struct rank_requests *rank, const struct call *call)
{
    struct request *request = graph_find_request(rank, call->event.requests[0]);
    if (!request)
        return;
    request->cancelling = true;
    if (request->message)
        request->message->cancelling = true;
}
