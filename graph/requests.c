/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests: from the call that posts them to the one that completes them
 * (MPI-3.1 sections 3.7 and 3.9). */
#include "graph/graph_private.h"

static struct request *find_request(const struct rank_state *r, int64_t id)
{
    uint64_t *slot = mpg_map_find(&r->requests, (uint64_t)id, 0);
    return slot ? (struct request *)(uintptr_t)*slot : NULL;
}

static struct request *add_request(struct mpg_graph *g, int32_t rank, int64_t id,
                                   enum request_kind kind, struct mpg_error *err)
{
    struct place here = graph_here(g, rank);
    uint64_t *slot = mpg_map_add(&g->rank[rank].requests, (uint64_t)id, 0);
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
    request->place = here;
    *slot = (uint64_t)(uintptr_t)request;
    return request;
}

static void remove_request(struct mpg_graph *g, int32_t rank, int64_t id, struct request *request)
{
    mpg_map_remove(&g->rank[rank].requests, (uint64_t)id, 0);
    mpg_pool_give(&g->request_pool, request);
}

static int start_send(struct mpg_graph *g, int32_t rank, const struct persistent *what, int64_t id,
                      uint32_t index, struct mpg_error *err)
{
    if (what->peer == MPG_PROC_NULL)
        return add_request(g, rank, id, REQUEST_NOTHING, err) ? 0 : -1;
    struct request *request = add_request(g, rank, id, REQUEST_SEND, err);
    if (!request)
        return -1;
    return graph_send(g, rank, what->call, what->comm, what->peer, what->tag, what->bytes, index,
                      &request->message, err);
}

static int start_receive(struct mpg_graph *g, int32_t rank, const struct persistent *what,
                         int64_t id, struct mpg_error *err)
{
    bool nothing = what->peer == MPG_PROC_NULL || mpg_cursor_cancelled(g->rank[rank].cursor, id);
    struct request *request =
        add_request(g, rank, id, nothing ? REQUEST_NOTHING : REQUEST_RECEIVE, err);
    if (!request)
        return -1;
    if (nothing)
        return 0;
    if (what->peer == MPG_UNKNOWN || ((what->any & MPG_ANY_TAG) && what->tag == MPG_UNKNOWN)) {
        request->unresolved = true;
        return 0;
    }
    return graph_post(g, rank, what->comm, what->peer, what->tag, what->bytes, &request->message,
                      err);
}

static int define_persistent(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    const struct mpg_event *e = &g->rank[rank].event;
    uint64_t *slot = mpg_map_add(&g->rank[rank].persistent, (uint64_t)e->persistent[0], 0);
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

static int start_persistent(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct mpg_event *e = &r->event;
    struct place here = graph_here(g, rank);
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
        int status = sends ? start_send(g, rank, &what, e->requests[i], i, err)
                           : start_receive(g, rank, &what, e->requests[i], err);
        if (status < 0)
            return -1;
    }
    return 0;
}

int graph_start_request(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    const struct mpg_event *e = &g->rank[rank].event;
    struct persistent what = {
        .call = e->call, .comm = e->comm, .tag = e->tag, .any = e->any, .bytes = e->bytes};
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_ISEND:
        what.peer = e->to;
        return start_send(g, rank, &what, e->requests[0], 0, err);
    case MPG_KIND_IRECV:
        what.peer = e->from;
        return start_receive(g, rank, &what, e->requests[0], err);
    case MPG_KIND_START:
        return start_persistent(g, rank, err);
    default:
        return define_persistent(g, rank, err);
    }
}

int graph_free_request(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct mpg_event *e = &r->event;
    if (e->persistent) {
        uint64_t *slot = mpg_map_find(&r->persistent, (uint64_t)e->persistent[0], 0);
        if (slot) {
            mpg_pool_give(&g->persistent_pool, (void *)(uintptr_t)*slot);
            mpg_map_remove(&r->persistent, (uint64_t)e->persistent[0], 0);
        }
        return 0;
    }
    struct place here = graph_here(g, rank);
    struct request *request = find_request(r, e->requests[0]);
    if (!request && g->options.lenient) {
        g->counts.unmatched++;
        return 0;
    }
    if (!request)
        return graph_error(&here, err, "request %lld is unknown", (long long)e->requests[0]);
    if (request->kind == REQUEST_SEND)
        graph_sender_done(g, request->message, true);
    /* A freed receive still takes its message; nobody on this rank waits for it. */
    remove_request(g, rank, e->requests[0], request);
    return 0;
}

/* The requests that the rank's completion call completed. */
static const int64_t *completed(const struct mpg_event *e, uint32_t *n)
{
    *n = e->done_all ? e->request_number : e->done_number;
    return e->done_all ? e->requests : e->done;
}

int graph_completion_needs(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct place here = graph_here(g, rank);
    uint32_t n;
    const int64_t *done = completed(&r->event, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct request *request = find_request(r, done[i]);
        if (g->options.lenient && (!request || request->unresolved)) {
            g->counts.unmatched++;
            continue;
        }
        if (!request)
            return graph_error(&here, err, "request %lld is unknown or complete already",
                               (long long)done[i]);
        if (request->unresolved)
            return graph_error(&here, err, "request %lld completes without saying its source",
                               (long long)done[i]);
        struct message *m = request->message;
        if (!m || m->arrived || (request->kind == REQUEST_SEND && !m->synchronous))
            continue;
        if (request->kind == REQUEST_SEND)
            m->send_waiter = rank;
        else
            m->receive_waiter = rank;
        r->unmet++;
    }
    return 0;
}

int graph_arrival_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err)
{
    struct mpg_edge *edge = graph_add_edge(g, MPG_EDGE_ARRIVAL);
    if (!edge)
        return graph_out_of_memory(err);
    edge->source = m->sent.rank;
    edge->slot = m->slot;
    edge->origin = m->origin;
    edge->sent_ns = m->sender_ns;
    edge->from_ns =
        m->synchronous && m->poster_ns > m->sender_ns ? m->poster_ns : m->sender_ns;
    edge->bytes = (double)m->bytes;
    return 0;
}

int graph_ack_edge(struct mpg_graph *g, const struct message *m, struct mpg_error *err)
{
    if (graph_arrival_edge(g, m, err) < 0)
        return -1;
    struct mpg_edge *edge = &g->edges[g->edge_count - 1];
    edge->kind = MPG_EDGE_ACK;
    edge->source = m->posted.rank;
    return 0;
}

/* The edge of one completed request; under `lenient` its message may be missing. */
static int completion_edge(struct mpg_graph *g, const struct request *request, bool polls,
                           struct mpg_error *err)
{
    struct message *m = request->message;
    if (!m)
        return 0;
    if (request->kind == REQUEST_SEND) {
        if (m->synchronous && m->arrived && graph_ack_edge(g, m, err) < 0)
            return -1;
        if (!m->synchronous || m->arrived)
            graph_sender_done(g, m, false);
        return 0;
    }
    if (!m->arrived)
        return 0;
    if (graph_arrival_edge(g, m, err) < 0)
        return -1;
    graph_receiver_done(g, m, polls);
    return 0;
}

int graph_completion_edges(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    enum mpg_call call = r->event.call;
    bool polls = call == MPG_CALL_Test || call == MPG_CALL_Testall || call == MPG_CALL_Testany ||
                 call == MPG_CALL_Testsome;
    uint32_t n;
    const int64_t *done = completed(&r->event, &n);
    for (uint32_t i = 0; i < n; i++) {
        struct request *request = find_request(r, done[i]);
        if (!request)
            continue; /* named twice */
        if (completion_edge(g, request, polls, err) < 0)
            return -1;
        remove_request(g, rank, done[i], request);
    }
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
        if (request->kind == REQUEST_SEND)
            graph_sender_done(g, request->message, true);
        else if (request->kind == REQUEST_RECEIVE) {
            g->counts.unmatched++;
            if (request->message)
                request->message->given_up = true;
            if (!open || request->place.number < open->place.number)
                open = request;
        }
    }
    if (open && !g->options.lenient)
        return graph_error(&open->place, err, "its request is never completed");
    return 0;
}
