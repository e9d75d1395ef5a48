/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete requests: the awaited events, and the edges. Also requests that are never completed. */
#include <stdlib.h>

#include "common/prefetch.h"
#include "graph/requests/table.h"

/* Calls that complete many requests read messages that are far apart in memory. AHEAD: number of requests between the prefetch
 * and the use of a message. */
enum { AHEAD = 8 };

/* Prefetches the message of REQUEST, or of none (NULL). */
static void prefetch_message(const struct request *request)
{
    if (request && !request->has_more && request->message)
        mpg_prefetch_bytes(request->message, sizeof *request->message);
}

static int keep(struct completing *completing, struct request *request, struct mpg_error *err)
{
    if (completing->count == completing->capacity) {
        uint32_t capacity = completing->capacity ? 2 * completing->capacity : 16;
        void *grown = realloc(completing->requests, capacity * sizeof(struct request *));
        if (!grown)
            return mpg_graph_out_of_memory(err);
        completing->requests = grown;
        completing->capacity = capacity;
    }
    request->completing = true;
    completing->requests[completing->count++] = request;
    return 0;
}

/* Makes CALL wait for all events needed for the completion of REQUEST. */
static int await_request(struct requests *requests, struct call *call, struct request *request, struct mpg_error *err)
{
    struct waiter *waiter = &call->waiter;
    struct message *m = graph_request_message(request), *sending = graph_request_sending(request);
    switch ((enum request_kind)request->kind) {
    case REQUEST_SEND:
        if (m->synchronous && !m->arrived)
            graph_await(waiter, &m->send_waiter);
        mpg_graph_await_weak_send(&requests->matching->progress, m, call->leave_ns, waiter);
        break;
    case REQUEST_RECEIVE:
        if (m && !m->arrived)
            graph_await(waiter, &m->receive_waiter);
        if (sending && sending->synchronous && !sending->arrived)
            graph_await(waiter, &sending->send_waiter);
        break;
    case REQUEST_PARTITIONS: /* calls of another thread can make partitions ready */
        graph_await(waiter, &request->more->ready_waiter);
        break;
    case REQUEST_COLLECTIVE:
        mpg_graph_await_part(&request->more->part, waiter);
        return mpg_graph_await_nbc_progress(requests->nbc_progress, &request->more->part, call, err);
    case REQUEST_GROUP:
        mpg_graph_await_group(waiter, request->more->group);
        break;
    case REQUEST_TRANSFER:
    case REQUEST_NOTHING:
        break;
    }
    return 0;
}

int mpg_graph_begin_completion(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct call_ref here = graph_call_ref(call);
    uint32_t n = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    for (uint32_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            prefetch_message(graph_find_near_request(rank, done[i + AHEAD]));
        struct request *request = graph_find_request(rank, done[i]);
        if (request && request->completing)
            continue; /* the call lists the request twice */
        if (requests->matching->lenient && (!request || request->unresolved))
            requests->matching->counts->unmatched++;
        else if (!request)
            return mpg_graph_error_lenient(&here, err, "request %lld is unknown or complete already", (long long)done[i]);
        else if (request->unresolved)
            return mpg_graph_error_lenient(&here, err, "the trace lacks the source of request %lld, a receive from any source",
                                           (long long)done[i]);
        if (!request)
            continue;
        if (keep(completing, request, err) < 0 || await_request(requests, call, request, err) < 0)
            return -1;
    }
    return 0;
}

/* Returns the category of the call that posted REQUEST, whose edges are not made yet. */
static enum mpg_category category_of(const struct request *request)
{
    if (request->kind == REQUEST_COLLECTIVE)
        return mpg_call_category(mpg_graph_part_call(&request->more->part));
    if (request->kind == REQUEST_GROUP)
        return MPG_CATEGORY_COLLECTIVE;
    return mpg_call_category((enum mpg_call)request->call);
}

/* Adds the edges of REQUEST, completed by CALL, to CALL's leave. With option lenient, operations that the request needs
 * can be missing. POLLS: CALL is a test. */
static int completion_edge(struct requests *requests, struct call *call,
                           struct request *request, bool polls, struct mpg_error *err)
{
    struct matching *matching = requests->matching;
    struct message *m = graph_request_message(request), *sending = graph_request_sending(request);
    struct more_of_request *more = request->has_more ? request->more : NULL;
    struct group *group;
    switch ((enum request_kind)request->kind) {
    case REQUEST_SEND:
        return mpg_graph_sender_edge(matching, call, m, err);
    case REQUEST_RECEIVE:
        if (sending && mpg_graph_sender_edge(matching, call, sending, err) < 0)
            return -1;
        if (!m || !m->arrived)
            return 0;
        if (mpg_graph_arrival_edge(matching, m, err) < 0)
            return -1;
        if (!m->dropped)
            matching->steps->edges[matching->steps->edge_count - 1].request = request->id;
        if (!polls)
            mpg_graph_note_received(matching, call, m);
        mpg_graph_receiver_done(matching, m, polls);
        *(more ? &more->message : &request->message) = NULL; /* M is freed */
        return 0;
    case REQUEST_COLLECTIVE:
        if (mpg_graph_nbc_edges(requests->nbc_progress, &more->part, call, err) < 0)
            return -1;
        return mpg_graph_part_edges(requests->collectives, &more->part, call->leave_ns, err);
    case REQUEST_GROUP:
        group = more->group;
        more->group = NULL;
        return mpg_graph_group_edges(matching, group, polls, err);
    case REQUEST_TRANSFER:
        mpg_graph_await_transfer(call, &more->load);
        return 0;
    case REQUEST_PARTITIONS:
    case REQUEST_NOTHING:
        break;
    }
    return 0;
}

/* Returns how many parts (messages or collectives) of REQUEST hypotheses drop. Adds the number of parts to *PARTS. */
static uint32_t count_dropped(const struct requests *requests, const struct request *request, uint32_t *parts)
{
    const struct message *m = graph_request_message(request), *sending = graph_request_sending(request);
    uint32_t dropped = 0;
    switch ((enum request_kind)request->kind) {
    case REQUEST_SEND:
        *parts += 1;
        return m->dropped;
    case REQUEST_RECEIVE:
        *parts += (m || request->unresolved) + (sending != NULL);
        if (m)
            dropped = mpg_graph_is_receive_dropped(&requests->matching->applied_hypotheses, m);
        return dropped + (sending && sending->dropped);
    case REQUEST_COLLECTIVE:
        *parts += 1;
        return mpg_graph_part_is_dropped(&request->more->part);
    case REQUEST_GROUP:
        *parts += request->more->group->count;
        return mpg_graph_group_dropped(&requests->matching->applied_hypotheses, request->more->group);
    case REQUEST_PARTITIONS:
    case REQUEST_TRANSFER:
        *parts += 1;
        return request->more->load.drops;
    case REQUEST_NOTHING:
        break;
    }
    return 0;
}

void mpg_graph_count_given(const struct requests *requests, const struct rank_requests *rank, const struct call *call)
{
    const struct mpg_event *e = call->event;
    if (!requests->matching->applied_hypotheses.bound)
        return;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct request *request = graph_find_request(rank, e->requests[i]);
        if (request)
            call->sent->dropped += count_dropped(requests, request, &call->sent->parts);
    }
}

bool mpg_graph_is_given_transfers(const struct rank_requests *rank, const struct call *call)
{
    const struct mpg_event *e = call->event;
    bool any = false;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct request *request = graph_find_request(rank, e->requests[i]);
        if (request && request->kind != REQUEST_TRANSFER)
            return false;
        any = any || request;
    }
    return any;
}

int mpg_graph_completion_edges(struct requests *requests, struct rank_requests *rank, struct call *call,
                               struct completing *completing, struct mpg_error *err)
{
    enum mpg_call name = call->event->call;
    bool polls = name == MPG_CALL_Test || name == MPG_CALL_Testall || name == MPG_CALL_Testany ||
                 name == MPG_CALL_Testsome;
    for (uint32_t i = 0; i < completing->count; i++) {
        if (i + AHEAD < completing->count)
            prefetch_message(completing->requests[i + AHEAD]);
        call->completed |= (uint8_t)(1u << category_of(completing->requests[i]));
        if (completion_edge(requests, call, completing->requests[i], polls, err) < 0)
            return -1;
        mpg_graph_remove_request(requests, rank, completing->requests[i]);
    }
    mpg_graph_nbc_observe_call(requests->nbc_progress, call, completing->count);
    completing->count = 0;
    return 0;
}

int mpg_graph_end_requests(struct requests *requests, const struct rank_requests *rank, int32_t world_rank,
                           struct mpg_error *err)
{
    struct mpg_graph_counts *counts = requests->matching->counts;
    const struct request *open = NULL;
    size_t next = 0;
    for (struct request *request; (request = mpg_graph_next_request(rank, &next));) {
        counts->cancelled += request->cancelling;
        if (request->kind == REQUEST_SEND) {
            mpg_graph_sender_done(requests->matching, graph_request_message(request), true);
            continue;
        }
        if (request->kind == REQUEST_RECEIVE && request->cancelling)
            continue;
        if (request->kind == REQUEST_NOTHING || request->kind == REQUEST_TRANSFER) {
            counts->transfers_alone += request->kind == REQUEST_TRANSFER;
            continue;
        }
        counts->unmatched++;
        struct message *m = graph_request_message(request);
        if (m)
            m->unmatched = true;
        if (graph_request_sending(request))
            mpg_graph_sender_done(requests->matching, graph_request_sending(request), true);
        if (!open || request->number < open->number)
            open = request;
    }
    if (!open || requests->matching->lenient)
        return 0;
    const struct call_ref call_ref = {world_rank, open->thread, (enum mpg_call)open->call, open->number};
    return mpg_graph_error_lenient(&call_ref, err, "its request is never completed");
}

/* --- when no rank can go on --- */

static bool find_need(const struct request *q, const struct waiter *waiter, struct need *need)
{
    const struct message *m = graph_request_message(q), *sending = graph_request_sending(q);
    switch ((enum request_kind)q->kind) {
    case REQUEST_SEND:
        need->as_sender = m->send_waiter == waiter;
        need->message = need->as_sender ? m : NULL;
        break;
    case REQUEST_RECEIVE:
        need->message = m && m->receive_waiter == waiter ? m : NULL;
        if (!need->message && sending && sending->send_waiter == waiter) {
            need->message = sending;
            need->as_sender = true;
        }
        break;
    case REQUEST_PARTITIONS:
        need->unready = q->more->unready;
        need->start = q->number;
        break;
    case REQUEST_GROUP:
        need->message = mpg_graph_missing_of_group(q->more->group);
        break;
    case REQUEST_COLLECTIVE:
        if (mpg_graph_part_holds(&q->more->part, waiter))
            need->part = &q->more->part;
        break;
    case REQUEST_TRANSFER:
    case REQUEST_NOTHING:
        break;
    }
    return need->message || need->part || need->unready;
}

bool mpg_graph_completion_need(const struct completing *completing, const struct waiter *waiter, struct need *need)
{
    for (uint32_t i = 0; i < completing->count; i++)
        if (find_need(completing->requests[i], waiter, need))
            return true;
    return false;
}

uint32_t mpg_graph_abandon_completion(struct completing *completing, const struct waiter *waiter)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < completing->count; i++) {
        struct request *q = completing->requests[i];
        n += mpg_graph_abandon_message(graph_request_message(q), waiter);
        if (q->has_more)
            n += mpg_graph_abandon_message(q->more->sending, waiter) + graph_abandon(&q->more->ready_waiter, waiter) +
                 mpg_graph_abandon_group(q->more->group, waiter) + mpg_graph_abandon_part(&q->more->part, waiter);
    }
    return n;
}
