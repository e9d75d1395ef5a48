/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: from the call that posts them to the one that completes them
 * (MPI-3.1 sections 3.7 and 3.9). */
#include <stdlib.h>

#include "graph/graph_private.h"

static struct request *find_request(const struct mpg_graph *g, const struct stream *s, int64_t id)
{
    uint64_t *slot = mpg_map_find(&g->rank[s->rank].requests, (uint64_t)id, 0);
    return slot ? (struct request *)(uintptr_t)*slot : NULL;
}

static struct request *add_request(struct mpg_graph *g, struct stream *s, int64_t id,
                                   enum request_kind kind, struct mpg_error *err)
{
    struct place here = graph_here(s);
    uint64_t *slot = mpg_map_add(&g->rank[s->rank].requests, (uint64_t)id, 0);
    if (slot && *slot) {
        graph_error(&here, err, "request %lld is already in use", (long long)id);
        return NULL;
    }
    struct request *request = slot ? mpg_pool_take(&g->request_pool) : NULL;
    if (!request) {
        graph_out_of_memory(err);
        return NULL;
    }
    request->kind = kind;
    request->id = id;
    request->place = here;
    *slot = (uint64_t)(uintptr_t)request;
    return request;
}

static void remove_request(struct mpg_graph *g, int32_t rank, struct request *request)
{
    mpg_map_remove(&g->rank[rank].requests, (uint64_t)request->id, 0);
    mpg_pool_give(&g->request_pool, request);
}

static int start_send(struct mpg_graph *g, struct stream *s, const struct persistent *what,
                      int64_t id, uint32_t index, struct mpg_error *err)
{
    struct request *request = add_request(g, s, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || mpg_cursor_cancelled(g->rank[s->rank].cursor, id))
        return 0;
    if (graph_send(g, s, what->call, what->comm, what->peer, what->tag, what->bytes, index,
                   &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_SEND;
    return 0;
}

static int start_receive(struct mpg_graph *g, struct stream *s, const struct persistent *what,
                         int64_t id, struct mpg_error *err)
{
    struct request *request = add_request(g, s, id, REQUEST_NOTHING, err);
    if (!request)
        return -1;
    if (what->peer == MPG_PROC_NULL || mpg_cursor_cancelled(g->rank[s->rank].cursor, id))
        return 0;
    if (what->peer == MPG_UNKNOWN || ((what->any & MPG_ANY_TAG) && what->tag == MPG_UNKNOWN)) {
        request->kind = REQUEST_RECEIVE;
        request->unresolved = true;
        return 0;
    }
    if (graph_post(g, s, what->comm, what->peer, what->tag, what->bytes, &request->message, err) <
        0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

static int start_matched_receive(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct request *request = add_request(g, s, s->event.requests[0], REQUEST_NOTHING, err);
    if (!request || graph_matched_receive(g, s, &request->message, err) < 0)
        return -1;
    if (request->message)
        request->kind = REQUEST_RECEIVE;
    return 0;
}

static int start_collective(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct request *request = add_request(g, s, s->event.requests[0], REQUEST_NOTHING, err);
    if (!request || graph_arrive(g, s, &request->collective, err) < 0)
        return -1;
    if (request->collective)
        request->kind = REQUEST_COLLECTIVE;
    return 0;
}

static int start_neighbors(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct request *request = add_request(g, s, s->event.requests[0], REQUEST_NOTHING, err);
    if (!request || graph_neighbors(g, s, &request->group, err) < 0)
        return -1;
    if (request->group)
        request->kind = REQUEST_GROUP;
    return 0;
}

static int start_transfer(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct request *request = add_request(g, s, e->requests[0], REQUEST_TRANSFER, err);
    if (!request)
        return -1;
    request->bytes = e->bytes + e->recvbytes;
    g->counts.transfers++;
    if (e->to == MPG_PROC_NULL)
        request->kind = REQUEST_NOTHING;
    return 0;
}

static int define_persistent(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    uint64_t *slot = mpg_map_add(&g->rank[s->rank].persistent, (uint64_t)e->persistent[0], 0);
    struct persistent *p = slot ? mpg_pool_take(&g->persistent_pool) : NULL;
    if (!p)
        return graph_out_of_memory(err);
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

static int start_persistent(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    const struct mpg_event *e = &s->event;
    struct place here = graph_here(s);
    for (uint32_t i = 0; i < e->request_number; i++) {
        uint64_t *slot = mpg_map_find(&r->persistent, (uint64_t)e->persistent[i], 0);
        if (!slot && g->options.lenient)
            continue; /* what completes it is counted */
        if (!slot)
            return graph_error(&here, err, "persistent request %lld is unknown",
                               (long long)e->persistent[i]);
        struct persistent what = *(struct persistent *)(uintptr_t)*slot;
        bool sends = mpg_call_kind(what.call) == MPG_KIND_SEND_INIT;
        if (!sends && what.any)
            resolve(e, e->requests[i], &what);
        int status = sends ? start_send(g, s, &what, e->requests[i], i, err)
                           : start_receive(g, s, &what, e->requests[i], err);
        if (status < 0)
            return -1;
    }
    return 0;
}

int graph_start_request(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct persistent what = {
        .call = e->call, .comm = e->comm, .tag = e->tag, .any = e->any, .bytes = e->bytes};
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
        what.peer = e->to;
        return start_send(g, s, &what, e->requests[0], 0, err);
    case MPG_KIND_IRECV:
        what.peer = e->from;
        return start_receive(g, s, &what, e->requests[0], err);
    case MPG_KIND_START:
        return start_persistent(g, s, err);
    case MPG_KIND_IMRECV:
        return start_matched_receive(g, s, err);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
        return start_collective(g, s, err);
    case MPG_KIND_INEIGHBOR:
        return start_neighbors(g, s, err);
    case MPG_KIND_IRMA:
        return start_transfer(g, s, err);
    case MPG_KIND_IFILE:
        g->counts.file_calls++;
        return add_request(g, s, e->requests[0], REQUEST_NOTHING, err) ? 0 : -1;
    case MPG_KIND_REQUEST:
        return add_request(g, s, e->requests[0], REQUEST_NOTHING, err) ? 0 : -1;
    default:
        return define_persistent(g, s, err);
    }
}

int graph_free_request(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    const struct mpg_event *e = &s->event;
    if (e->persistent) {
        uint64_t *slot = mpg_map_find(&r->persistent, (uint64_t)e->persistent[0], 0);
        if (slot) {
            mpg_pool_give(&g->persistent_pool, (void *)(uintptr_t)*slot);
            mpg_map_remove(&r->persistent, (uint64_t)e->persistent[0], 0);
        }
        return 0;
    }
    struct place here = graph_here(s);
    struct request *request = find_request(g, s, e->requests[0]);
    if (!request && g->options.lenient) {
        g->counts.unmatched++;
        return 0;
    }
    if (!request)
        return graph_error(&here, err, "request %lld is unknown", (long long)e->requests[0]);
    if (request->kind == REQUEST_COLLECTIVE || request->kind == REQUEST_GROUP)
        return 0; /* MPI forbids it; that it is never completed is said at the end */
    if (request->kind == REQUEST_SEND)
        graph_sender_done(g, request->message, true);
    /* A freed receive still takes its message; nobody on this rank waits for it. */
    remove_request(g, s->rank, request);
    return 0;
}

/* --- completion --- */

static int keep_completing(struct stream *s, struct request *request, struct mpg_error *err)
{
    if (s->completing_count == s->completing_capacity) {
        uint32_t capacity = s->completing_capacity ? 2 * s->completing_capacity : 16;
        void *grown = realloc(s->completing, capacity * sizeof(struct request *));
        if (!grown)
            return graph_out_of_memory(err);
        s->completing = grown;
        s->completing_capacity = capacity;
    }
    request->completing = true;
    s->completing[s->completing_count++] = request;
    return 0;
}

/* Counts what S has to wait for until REQUEST is complete. */
static void await_request(struct mpg_graph *g, struct stream *s, struct request *request)
{
    struct message *m = request->message;
    switch (request->kind) {
    case REQUEST_SEND:
        if (m->synchronous && !m->arrived) {
            m->send_waiter = s;
            s->unmet++;
        }
        break;
    case REQUEST_RECEIVE:
        if (m && !m->arrived) {
            m->receive_waiter = s;
            s->unmet++;
        }
        break;
    case REQUEST_COLLECTIVE:
        s->unmet += !graph_collective_ready(g, request->collective, s);
        break;
    case REQUEST_GROUP:
        graph_await_group(s, request->group);
        break;
    case REQUEST_TRANSFER:
    case REQUEST_NOTHING:
        break;
    }
}

int graph_completion_needs(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    struct place here = graph_here(s);
    uint32_t n = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    for (uint32_t i = 0; i < n; i++) {
        struct request *request = find_request(g, s, done[i]);
        if (request && request->completing)
            continue; /* named twice */
        if (g->options.lenient && (!request || request->unresolved))
            g->counts.unmatched++;
        else if (!request)
            return graph_error(&here, err, "request %lld is unknown or complete already",
                               (long long)done[i]);
        else if (request->unresolved)
            return graph_error(&here, err, "request %lld completes without saying its source",
                               (long long)done[i]);
        if (!request)
            continue;
        if (keep_completing(s, request, err) < 0)
            return -1;
        await_request(g, s, request);
    }
    return 0;
}

/* The edges of one completed request; under `lenient` what it needs may be missing. */
static int completion_edge(struct mpg_graph *g, struct stream *s, struct request *request,
                           bool polls, struct mpg_error *err)
{
    struct message *m = request->message;
    switch (request->kind) {
    case REQUEST_SEND:
        if (m->synchronous && m->arrived && graph_ack_edge(g, m, err) < 0)
            return -1;
        if (!m->synchronous || m->arrived)
            graph_sender_done(g, m, false);
        return 0;
    case REQUEST_RECEIVE:
        if (!m || !m->arrived)
            return 0;
        if (graph_arrival_edge(g, m, err) < 0)
            return -1;
        graph_receiver_done(g, m, polls);
        return 0;
    case REQUEST_COLLECTIVE:
        return graph_collective_edges(g, request->collective, s, err);
    case REQUEST_GROUP:
        return graph_group_edges(g, request->group, polls, err);
    case REQUEST_TRANSFER:
        s->round_trip = true;
        s->round_trip_bytes += request->bytes;
        return 0;
    case REQUEST_NOTHING:
        break;
    }
    return 0;
}

int graph_completion_edges(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    enum mpg_call call = s->event.call;
    bool polls = call == MPG_CALL_Test || call == MPG_CALL_Testall || call == MPG_CALL_Testany ||
                 call == MPG_CALL_Testsome;
    for (uint32_t i = 0; i < s->completing_count; i++) {
        if (completion_edge(g, s, s->completing[i], polls, err) < 0)
            return -1;
        remove_request(g, s->rank, s->completing[i]);
    }
    s->completing_count = 0;
    return 0;
}

int graph_end_requests(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct request *open = NULL;
    for (size_t i = 0; i < r->requests.capacity; i++) {
        if (!r->requests.entries[i].used)
            continue;
        struct request *request = (struct request *)(uintptr_t)r->requests.entries[i].value;
        if (request->kind == REQUEST_SEND) {
            graph_sender_done(g, request->message, true);
            continue;
        }
        if (request->kind == REQUEST_NOTHING || request->kind == REQUEST_TRANSFER) {
            g->counts.transfers_alone += request->kind == REQUEST_TRANSFER;
            continue;
        }
        g->counts.unmatched++;
        if (request->message)
            request->message->given_up = true;
        if (!open || request->place.number < open->place.number)
            open = request;
    }
    if (open && !g->options.lenient)
        return graph_error(&open->place, err, "its request is never completed");
    return 0;
}
