/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete requests: the awaited events, and the edges. Also requests that are never completed. */
#include <string.h>

#include "common/prefetch.h"
#include "common/reserve.h"
#include "graph/requests/table.h"

/* Calls that complete many requests read messages that are far apart in memory. AHEAD: number of requests between the prefetch
 * and the use of a message. */
enum { AHEAD = 8 };

/* Prefetches the message of request ID, if the request is in the table `near` and of a message only. */
static void prefetch_message(const struct rank_requests *rank, int64_t id)
{
    const struct request *request = graph_near_place(rank, id);
    if (request && request->data && !graph_more_of_request(request))
        mpg_prefetch_bytes(graph_request_message(request), sizeof(struct message));
}

/* A call begins to complete requests of its event, the requests ID. */
static void begin(struct completing *completing, const struct rank_requests *rank, const struct call *call)
{
    completing->call = call;
    completing->rank = rank;
    completing->count = 0;
    /* the list of the completed requests does not stay valid until the call is left, other than that of all requests */
    completing->follows_event = call->event->done_all;
}

/* Makes room for N ids in the list of COMPLETING. Copies the completed requests, if these follow the event. */
static int list_completed(struct completing *completing, uint32_t n, struct mpg_error *err)
{
    if (mpg_reserve_at(&completing->done, sizeof *completing->done, &completing->capacity, n, err) < 0)
        return mpg_graph_out_of_memory(err);
    if (completing->follows_event && completing->count > 0)
        memcpy(completing->done, completing->call->event->requests, completing->count * sizeof *completing->done);
    completing->follows_event = false;
    return 0;
}

/* REQUEST, number I of N of the list of its call, is completed by the call. */
static int keep(struct completing *completing, struct request *request, uint32_t i, uint32_t n, struct mpg_error *err)
{
    if ((!completing->follows_event || completing->count < i) && list_completed(completing, n, err) < 0)
        return -1;
    request->data |= REQUEST_COMPLETING;
    if (!completing->follows_event)
        completing->done[completing->count] = request->id;
    completing->count++;
    return 0;
}

/* Makes CALL wait for all events needed for the completion of REQUEST. */
static int await_request(struct requests *requests, struct call *call, struct request *request, struct mpg_error *err)
{
    struct waiter *waiter = &call->waiter;
    struct message *m = graph_request_message(request), *sending = graph_request_sending(request);
    struct more_of_request *more = graph_more_of_request(request);
    switch (graph_request_kind(request)) {
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
        graph_await(waiter, &more->ready_waiter);
        break;
    case REQUEST_COLLECTIVE:
        mpg_graph_await_part(&more->part, waiter);
        return mpg_graph_await_nbc_progress(requests->nbc_progress, &more->part, call, err);
    case REQUEST_GROUP:
        mpg_graph_await_group(waiter, more->group);
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
    begin(completing, rank, call);
    for (uint32_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            prefetch_message(rank, done[i + AHEAD]);
        struct request *request = graph_find_request(rank, done[i]);
        if (request && request->data & REQUEST_COMPLETING)
            continue; /* the call lists the request twice */
        const bool is_unresolved = request && graph_is_unresolved(request);
        if (requests->matching->lenient && (!request || is_unresolved))
            requests->matching->counts->unmatched++;
        else if (!request)
            return mpg_graph_error_lenient(&here, err, "request %lld is unknown or complete already", (long long)done[i]);
        else if (is_unresolved)
            return mpg_graph_error_lenient(&here, err, "the trace lacks the source of request %lld, a receive from any source",
                                           (long long)done[i]);
        if (!request)
            continue;
        if (keep(completing, request, i, n, err) < 0 || await_request(requests, call, request, err) < 0)
            return -1;
    }
    return 0;
}

/* Returns the category of the call that posted REQUEST, whose edges are not made yet. */
static enum mpg_category category_of(const struct request *request)
{
    const struct more_of_request *more = graph_more_of_request(request);
    if (more && more->kind == REQUEST_COLLECTIVE)
        return mpg_call_category(mpg_graph_part_call(&more->part));
    if (more && more->kind == REQUEST_GROUP)
        return MPG_CATEGORY_COLLECTIVE;
    return mpg_call_category(graph_request_call(request).call);
}

/* Adds the edges of REQUEST, completed by CALL, to CALL's leave. With option lenient, operations that the request needs
 * can be missing. POLLS: CALL is a test. */
static int completion_edge(struct requests *requests, struct call *call,
                           struct request *request, bool polls, struct mpg_error *err)
{
    struct matching *matching = requests->matching;
    struct message *m = graph_request_message(request), *sending = graph_request_sending(request);
    struct more_of_request *more = graph_more_of_request(request);
    struct group *group;
    switch (graph_request_kind(request)) {
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
        if (more) /* M is freed */
            more->message = NULL;
        else
            request->data &= REQUEST_FLAGS;
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
    const struct more_of_request *more = graph_more_of_request(request);
    uint32_t dropped = 0;
    switch (graph_request_kind(request)) {
    case REQUEST_SEND:
        *parts += 1;
        return m->dropped;
    case REQUEST_RECEIVE:
        *parts += (m || graph_is_unresolved(request)) + (sending != NULL);
        if (m)
            dropped = mpg_graph_is_receive_dropped(&requests->matching->applied_hypotheses, m);
        return dropped + (sending && sending->dropped);
    case REQUEST_COLLECTIVE:
        *parts += 1;
        return mpg_graph_part_is_dropped(&more->part);
    case REQUEST_GROUP:
        *parts += more->group->count;
        return mpg_graph_group_dropped(&requests->matching->applied_hypotheses, more->group);
    case REQUEST_PARTITIONS:
    case REQUEST_TRANSFER:
        *parts += 1;
        return more->load.drops;
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
        if (request && graph_request_kind(request) != REQUEST_TRANSFER)
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
    const int64_t *done = graph_completed_ids(completing);
    for (uint32_t i = 0; i < completing->count; i++) {
        if (i + AHEAD < completing->count)
            prefetch_message(rank, done[i + AHEAD]);
        struct request *request = graph_find_request(rank, done[i]);
        call->completed |= (uint8_t)(1u << category_of(request));
        if (completion_edge(requests, call, request, polls, err) < 0)
            return -1;
        mpg_graph_remove_request(requests, rank, request);
    }
    mpg_graph_nbc_observe_call(requests->nbc_progress, call, completing->count);
    completing->count = 0;
    return 0;
}

int mpg_graph_end_requests(struct requests *requests, const struct rank_requests *rank, struct mpg_error *err)
{
    struct mpg_graph_counts *counts = requests->matching->counts;
    struct call_ref open = {.rank = NO_RANK};
    size_t next = 0;
    for (struct request *request; (request = mpg_graph_next_request(rank, &next));) {
        const enum request_kind kind = graph_request_kind(request);
        const bool is_cancelling = request->data & REQUEST_CANCELLING;
        counts->cancelled += is_cancelling;
        if (kind == REQUEST_SEND) {
            mpg_graph_sender_done(requests->matching, graph_request_message(request), true);
            continue;
        }
        if (kind == REQUEST_RECEIVE && is_cancelling)
            continue;
        if (kind == REQUEST_NOTHING || kind == REQUEST_TRANSFER) {
            counts->transfers_alone += kind == REQUEST_TRANSFER;
            continue;
        }
        counts->unmatched++;
        const struct call_ref call = graph_request_call(request);
        struct message *m = graph_request_message(request);
        if (m)
            m->unmatched = true;
        if (graph_request_sending(request))
            mpg_graph_sender_done(requests->matching, graph_request_sending(request), true);
        if (open.rank == NO_RANK || call.number < open.number)
            open = call;
    }
    if (open.rank == NO_RANK || requests->matching->lenient)
        return 0;
    return mpg_graph_error_lenient(&open, err, "its request is never completed");
}

/* --- when no rank can go on --- */

static bool find_need(const struct request *q, const struct waiter *waiter, struct need *need)
{
    const struct message *m = graph_request_message(q), *sending = graph_request_sending(q);
    const struct more_of_request *more = graph_more_of_request(q);
    switch (graph_request_kind(q)) {
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
        need->unready = more->unready;
        need->start = more->call.number;
        break;
    case REQUEST_GROUP:
        need->message = mpg_graph_missing_of_group(more->group);
        break;
    case REQUEST_COLLECTIVE:
        if (mpg_graph_part_holds(&more->part, waiter))
            need->part = &more->part;
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
        if (find_need(graph_completed_request(completing, i), waiter, need))
            return true;
    return false;
}

uint32_t mpg_graph_abandon_completion(struct completing *completing, const struct waiter *waiter)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < completing->count; i++) {
        struct request *q = graph_completed_request(completing, i);
        struct more_of_request *more = graph_more_of_request(q);
        n += mpg_graph_abandon_message(graph_request_message(q), waiter);
        if (more)
            n += mpg_graph_abandon_message(more->sending, waiter) + graph_abandon(&more->ready_waiter, waiter) +
                 mpg_graph_abandon_group(more->group, waiter) + mpg_graph_abandon_part(&more->part, waiter);
    }
    return n;
}
