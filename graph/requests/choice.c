/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls like MPI_Waitany, which can complete other requests when times change (docs/MODEL.md, section 6): lists the
 * receives passed to the call, and makes the call wait for the messages. */
#include <stdlib.h>

#include "graph/requests/table.h"

static bool may_choose(enum mpg_call call)
{
    return call == MPG_CALL_Waitany || call == MPG_CALL_Waitsome || call == MPG_CALL_Testany ||
           call == MPG_CALL_Testsome || call == MPG_CALL_Test;
}

/* Returns the message of REQUEST if REQUEST is an ordinary receive whose message the trace tells; otherwise NULL. */
static struct message *received(const struct request *request)
{
    struct message *m = request && graph_request_kind(request) == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
    return m && !m->dropped && !(request->data & REQUEST_CANCELLING) &&
                   mpg_call_kind(graph_request_call(request).call) != MPG_KIND_ISENDRECV
               ? m
               : NULL;
}

static int note_given(struct completing *completing, int64_t id, struct mpg_error *err)
{
    if (completing->given_count == completing->given_capacity) {
        uint32_t capacity = completing->given_capacity ? 2 * completing->given_capacity : 16;
        void *grown = realloc(completing->given, capacity * sizeof *completing->given);
        if (!grown)
            return mpg_graph_out_of_memory(err);
        completing->given = grown;
        completing->given_capacity = capacity;
    }
    completing->given[completing->given_count++] = id;
    return 0;
}

static bool needs_all(enum mpg_call call)
{
    return call == MPG_CALL_Testall;
}

/* E is an MPI_Testall that completed nothing. Returns whether the result in a replica can be determined: all requests are
 * eager sends, which are complete, and at least one receive, each with a named source. The completion of any other
 * request is not known. */
static bool may_be_whole(const struct rank_requests *rank, const struct mpg_event *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct request *request = graph_find_request(rank, e->requests[i]);
        const struct message *m = request ? graph_request_message(request) : NULL;
        if (!request || graph_request_kind(request) == REQUEST_NOTHING)
            continue;
        bool is_sent = graph_request_kind(request) == REQUEST_SEND && !(request->data & REQUEST_CANCELLING) && m &&
                       m->is_of_program && !m->synchronous && !m->sync_source;
        bool is_received = received(request) && !(m->posted_any & MPG_ANY_SOURCE);
        if (!is_sent && !is_received)
            return false;
        any = any || is_received;
    }
    return any;
}

/* Returns whether E can complete another request than in the trace: E completes a receive or no request at all, and
 * leaves at least one request open. */
static bool has_choice(const struct rank_requests *rank, const struct mpg_event *e)
{
    if (needs_all(e->call) && !e->done_all && e->done_number == 0)
        return may_be_whole(rank, e);
    const uint32_t done_number = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    if (!may_choose(e->call) || done_number >= e->request_number)
        return false;
    for (uint32_t i = 0; i < done_number; i++)
        if (received(graph_find_request(rank, done[i])))
            return true;
    return done_number == 0;
}

/* Lists request ID, passed to the call of COMPLETING, if the request is an ordinary receive. If the call does not
 * complete the request, COMPLETING's `choice` waits for the message, which may arrive earlier in a replica. */
static int give(const struct rank_requests *rank, int64_t id, struct completing *completing,
                struct mpg_error *err)
{
    struct request *request = graph_find_request(rank, id);
    struct message *m = received(request);
    if (!m)
        return 0;
    if (note_given(completing, id, err) < 0)
        return -1;
    if (!(request->data & REQUEST_COMPLETING) && !m->arrived && !graph_more(m)->choice_waiter)
        graph_await(&completing->choice, &graph_more(m)->choice_waiter);
    return 0;
}

int mpg_graph_begin_parrived_choice(struct requests *requests, struct rank_requests *rank, struct call *call,
                                    struct completing *completing, struct mpg_error *err)
{
    completing->given_count = 0;
    completing->choice.unmet = 0;
    if (!requests->choose || !mpg_graph_is_alone(requests->matching, call->rank))
        return 0;
    if (give(rank, call->event->requests[0], completing, err) < 0)
        return -1;
    call->waiter.unmet += completing->choice.unmet > 0;
    return 0;
}

int mpg_graph_begin_choice(struct requests *requests, struct rank_requests *rank, struct call *call,
                           struct completing *completing, struct mpg_error *err)
{
    const struct mpg_event *e = call->event;
    struct waiter *choice = &completing->choice;
    completing->given_count = 0;
    choice->unmet = 0;
    requests->matching->counts->open_receives += mpg_graph_completes_open(requests, completing);
    if (!requests->choose || !mpg_graph_is_alone(requests->matching, call->rank))
        return 0;
    if (requests->choose_sources && mpg_graph_completes_open(requests, completing))
        choice->unmet = 1; /* No arrival ends this wait: the schedule lets waiting calls choose. */
    if (!has_choice(rank, e)) {
        call->waiter.unmet += choice->unmet;
        return 0;
    }
    for (uint32_t i = 0; i < e->request_number; i++)
        if (give(rank, e->requests[i], completing, err) < 0)
            return -1;
    choice->unmet += requests->choose_sources && mpg_graph_is_given_open(rank, completing);
    call->waiter.unmet += choice->unmet > 0;
    return 0;
}

void mpg_graph_end_choice(const struct rank_requests *rank, struct call *call, struct completing *completing)
{
    struct waiter *choice = &completing->choice;
    if (choice->unmet == 0)
        return;
    for (uint32_t i = 0; i < completing->given_count; i++) {
        struct message *m = received(graph_find_request(rank, completing->given[i]));
        if (m)
            graph_abandon(&graph_more(m)->choice_waiter, choice);
    }
    choice->unmet = 0;
    graph_satisfy(&call->waiter);
}

/* Lists as candidates the receives of COMPLETING whose messages have arrived. Sets *ANY_LEFT if CALL does not complete
 * all of the candidates: then there is a choice. */
static int list_arrived(struct matching *matching, const struct rank_requests *rank,
                        const struct call *call, const struct completing *completing,
                        bool *any_left, struct mpg_error *err)
{
    for (uint32_t i = 0; i < completing->given_count; i++) {
        struct request *request = graph_find_request(rank, completing->given[i]);
        struct message *m = received(request);
        if (m && !m->arrived && needs_all(call->event->call)) {
            *any_left = false;
            return 0;
        }
        /* A request passed twice is a single candidate. */
        if (!m || !m->arrived || graph_more(m)->candidate_of == call->number + 1)
            continue;
        const bool is_completing = request->data & REQUEST_COMPLETING;
        if (mpg_graph_view(matching, call, m, err) < 0 ||
            mpg_graph_candidate(matching, m, completing->given[i], is_completing, err) < 0)
            return -1;
        graph_more(m)->candidate_of = call->number + 1;
        *any_left = *any_left || !is_completing;
    }
    return 0;
}

int mpg_graph_choice_candidates(struct requests *requests, const struct rank_requests *rank, const struct call *call,
                                struct completing *completing, struct mpg_error *err)
{
    struct matching *matching = requests->matching;
    bool any_left = false;
    int status = list_arrived(matching, rank, call, completing, &any_left, err);
    completing->given_count = 0;
    if (!any_left)
        matching->steps->candidate_count = 0;
    return status;
}
