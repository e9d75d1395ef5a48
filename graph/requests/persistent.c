/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Persistent requests: sends, receives, collectives, partitioned communication (MPI-4.0 sections 3.9, 6.13 and 4.2). */
#include <stdlib.h>
#include <string.h>

#include "graph/requests/table.h"

/* --- initialisation --- */

static void *copy(const void *from, size_t size)
{
    void *to = malloc(size + 1);
    return to && size ? memcpy(to, from, size) : to;
}

/* Returns a copy of E, a neighbourhood collective, including the lists of neighbours; NULL: out of memory. */
static struct mpg_event *keep_neighbors(const struct mpg_event *e)
{
    struct mpg_event *kept = copy(e, sizeof *e);
    if (!kept)
        return NULL;
    kept->counts = copy(e->counts, e->count_number * sizeof *e->counts);
    kept->sources = copy(e->sources, e->source_number * sizeof *e->sources);
    kept->destinations = copy(e->destinations, e->destination_number * sizeof *e->destinations);
    return kept;
}

static void free_neighbors(struct mpg_event *kept)
{
    if (!kept)
        return;
    free((void *)kept->counts);
    free((void *)kept->sources);
    free((void *)kept->destinations);
    free(kept);
}

void mpg_graph_free_persistent(struct requests *requests, struct persistent *p)
{
    free_neighbors(p->neighbors);
    mpg_pool_give(&requests->persistent_pool, p);
}

/* Fills P, which is all zero, with the arguments of CALL, which makes a persistent request. */
static int describe(struct requests *requests, const struct call *call, struct persistent *p,
                    struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    enum mpg_kind kind = mpg_call_kind(e->call);
    bool sends = kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_PSEND_INIT;
    p->call = e->call;
    p->comm = e->comm;
    p->bytes = e->bytes;
    switch (kind) {
    case MPG_KIND_NEIGHBOR_INIT:
        p->neighbors = keep_neighbors(e);
        if (!p->neighbors || !p->neighbors->counts || !p->neighbors->sources ||
            !p->neighbors->destinations)
            return mpg_graph_out_of_memory(err);
        return mpg_graph_init_persistent_collective(requests->collectives, call, &p->persistent_collective, err);
    case MPG_KIND_COLLECTIVE_INIT:
        return mpg_graph_init_persistent_collective(requests->collectives, call, &p->persistent_collective, err);
    default:
        break;
    }
    p->peer = sends ? e->to : e->from;
    p->tag = e->tag;
    p->any = e->any;
    if (kind != MPG_KIND_PSEND_INIT && kind != MPG_KIND_PRECV_INIT)
        return 0;
    struct call_ref here = graph_call_ref(call);
    if (e->root < 1)
        return mpg_graph_error(&here, err, "%d partitions", e->root);
    p->partitions = (uint32_t)e->root;
    return p->peer == MPG_PROC_NULL ? 0
                                    : mpg_graph_pair_partitioned(requests->matching, call, sends, p->comm, p->peer, p->tag,
                                                                 &p->channel, &p->foreign, err);
}

int mpg_graph_define_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                struct mpg_error *err)
{
    const uint64_t id = (uint64_t)call->event->persistent[0];
    uint64_t *slot = mpg_map_add(&rank->persistent, id, 0);
    struct persistent *p = slot ? mpg_pool_take(&requests->persistent_pool) : NULL;
    if (!p) {
        if (slot && !*slot)
            mpg_map_remove(&rank->persistent, id, 0);
        return mpg_graph_out_of_memory(err);
    }
    if (*slot)
        mpg_graph_free_persistent(requests, (struct persistent *)(uintptr_t)*slot);
    *slot = (uint64_t)(uintptr_t)p; /* the table owns P from now on, so P is freed with the table even on an error */
    return describe(requests, call, p, err);
}

/* --- starts --- */

/* Sets peer and tag of WHAT, a started wildcard receive, to source and tag of the message received in the trace, or to
 * MPG_UNKNOWN. */
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

bool mpg_graph_starts_receive(const struct rank_requests *rank, const struct mpg_event *start, int32_t comm, int32_t from,
                              int32_t tag)
{
    for (uint32_t i = 0; i < start->request_number; i++) {
        const uint64_t *slot = mpg_map_find(&rank->persistent, (uint64_t)start->persistent[i], 0);
        if (!slot)
            continue;
        struct persistent what = *(const struct persistent *)(uintptr_t)*slot;
        if (mpg_call_kind(what.call) != MPG_KIND_RECV_INIT)
            continue;
        if (what.any)
            resolve(start, start->requests[i], &what);
        if (what.comm == comm && what.peer == from && what.tag == tag)
            return true;
    }
    return false;
}

static int start_collective(struct requests *requests, const struct call *call,
                            struct persistent *p, struct more_of_request *more, uint32_t index,
                            struct mpg_error *err)
{
    if (mpg_graph_start_persistent_collective(requests->collectives, call, &p->persistent_collective, index, &more->part,
                                              err) < 0)
        return -1;
    if (more->part.collective)
        more->kind = REQUEST_COLLECTIVE;
    return 0;
}

/* Starts the messages of a persistent neighbourhood collective. *INDEX: index of the first message among CALL's messages;
 * increased by the number of messages. */
static int start_neighbors(struct requests *requests, const struct call *call,
                           struct persistent *p, struct more_of_request *more, uint32_t *index,
                           struct mpg_error *err)
{
    uint32_t first = *index;
    *index += p->neighbors->destination_number;
    if (mpg_graph_start_neighbors(requests->matching, call, p->neighbors, p->persistent_collective.which, first,
                                  &more->group, err) <
        0)
        return -1;
    if (more->group)
        more->kind = REQUEST_GROUP;
    return 0;
}

static int start_partitioned(struct requests *requests, const struct call *call,
                             struct persistent *p, struct more_of_request *more, struct mpg_error *err)
{
    struct outcome outcome;
    if (p->peer == MPG_PROC_NULL || p->foreign)
        return 0;
    if (mpg_call_kind(p->call) == MPG_KIND_PSEND_INIT) {
        if (mpg_graph_apply_to_message(&requests->matching->applied_hypotheses, call, p->comm, p->channel.destination, p->tag,
                                       p->bytes,
                                       &outcome, err) < 0 ||
            mpg_graph_report_other_effect(&requests->matching->applied_hypotheses, call, outcome.by, err) < 0)
            return -1;
        more->kind = REQUEST_PARTITIONS;
        more->unready = p->partitions;
        more->load = graph_outcome_load(p->bytes, &outcome);
        more->channel = p->channel;
        call->sent->parts++;
        call->sent->dropped += outcome.drops;
        return 0;
    }
    mpg_graph_note_post(requests->matching, call);
    if (mpg_graph_post_on(requests->matching, call, &p->channel, p->bytes, &more->message, err) < 0)
        return -1;
    more->kind = REQUEST_RECEIVE;
    return 0;
}

/* Starts the persistent request P as request ID. *INDEX: index of the first message among CALL's messages; increased by
 * the number of messages. */
static int start(struct requests *requests, struct rank_requests *rank, const struct call *call,
                 struct persistent *p, int64_t id, uint32_t *index, struct mpg_error *err)
{
    enum mpg_kind kind = mpg_call_kind(p->call);
    struct persistent what = *p;
    struct more_of_request *more;
    if (kind == MPG_KIND_SEND_INIT)
        return mpg_graph_post_send(requests, rank, call, &what, id, (*index)++, err);
    if (kind == MPG_KIND_RECV_INIT) {
        if (what.any)
            resolve(call->event, id, &what);
        (*index)++;
        return mpg_graph_post_receive(requests, rank, call, &what, id, err);
    }
    if (!(more = mpg_graph_add_request(requests, rank, call, id, err)))
        return -1;
    if (kind == MPG_KIND_COLLECTIVE_INIT)
        return start_collective(requests, call, p, more, (*index)++, err);
    if (kind == MPG_KIND_NEIGHBOR_INIT)
        return start_neighbors(requests, call, p, more, index, err);
    (*index)++;
    return start_partitioned(requests, call, p, more, err);
}

int mpg_graph_start_persistent(struct requests *requests, struct rank_requests *rank, const struct call *call,
                               struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct call_ref here = graph_call_ref(call);
    uint32_t index = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        uint64_t *slot = mpg_map_find(&rank->persistent, (uint64_t)e->persistent[i], 0);
        if (!slot && requests->matching->lenient)
            continue; /* counted by the call that completes the request */
        if (!slot)
            return mpg_graph_error_lenient(&here, err, "persistent request %lld is unknown", (long long)e->persistent[i]);
        call->sent->which = i;
        if (start(requests, rank, call, (struct persistent *)(uintptr_t)*slot, e->requests[i],
                  &index, err) < 0)
            return -1;
    }
    return 0;
}

/* --- partitions --- */

/* CALL has made the last partition of the request of MORE ready: sends the message. */
static int depart(struct requests *requests, const struct call *call, struct more_of_request *more, struct mpg_error *err)
{
    struct protocol protocol = graph_load_protocol(requests->matching, MPG_CALL_Psend_init, more->load);
    if (mpg_graph_send_on(requests->matching, call, &more->channel, protocol, more->load, 0, &more->message, err) < 0)
        return -1;
    more->kind = REQUEST_SEND;
    /* A thread waiting for the request goes on waiting, for the receiver. */
    if (protocol.sync_target && !more->message->arrived) {
        more->message->send_waiter = more->ready_waiter;
        more->ready_waiter = NULL;
    } else
        graph_wake(&more->ready_waiter);
    return 0;
}

int mpg_graph_ready(struct requests *requests, struct rank_requests *rank, const struct call *call, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct call_ref here = graph_call_ref(call);
    struct request *request = graph_find_request(rank, e->requests[0]);
    bool range = e->call == MPG_CALL_Pready_range && e->count_number == 2;
    int64_t n = range ? e->counts[1] - e->counts[0] + 1 : e->count_number;
    struct more_of_request *more = request ? graph_more_of_request(request) : NULL;
    if (more && more->kind == REQUEST_NOTHING)
        return 0;
    bool fits = more && more->kind == REQUEST_PARTITIONS && n >= 0 && n <= more->unready;
    if (!fits && requests->matching->lenient) {
        requests->matching->counts->unmatched++;
        return 0;
    }
    if (!request)
        return mpg_graph_error_lenient(&here, err, "request %lld is unknown", (long long)e->requests[0]);
    if (!fits)
        return mpg_graph_error_lenient(&here, err, "more partitions than request %lld has left", (long long)e->requests[0]);
    more->unready -= (uint32_t)n;
    call->sent->parts++;
    if (n > 0 && more->unready == 0)
        return depart(requests, call, more, err);
    call->sent->dropped += more->load.drops;
    return 0;
}
