/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The open requests of a rank: a table indexed by the lowest bits of the request number, and a map for numbers that collide. */
#include "graph/requests/table.h"

#include <stdlib.h>

void mpg_graph_requests_init(struct requests *requests, struct matching *matching, struct collectives *collectives)
{
    *requests = (struct requests){.matching = matching,
                                  .collectives = collectives,
                                  .request_pool.size = sizeof(struct request),
                                  .more_pool.size = sizeof(struct more_of_request),
                                  .persistent_pool.size = sizeof(struct persistent)};
}

void mpg_graph_requests_clear(struct requests *requests)
{
    mpg_pool_clear(&requests->request_pool);
    mpg_pool_clear(&requests->more_pool);
    mpg_pool_clear(&requests->persistent_pool);
}

struct request *mpg_graph_find_far_request(const struct rank_requests *rank, int64_t id)
{
    const uint64_t *far = mpg_map_find(&rank->far, (uint64_t)id, 0);
    return far ? (struct request *)(uintptr_t)*far : NULL;
}

struct request *mpg_graph_next_request(const struct rank_requests *rank, size_t *i)
{
    for (; *i < rank->near_capacity; ++*i)
        if (rank->near[*i].data)
            return &rank->near[(*i)++];
    for (; *i - rank->near_capacity < rank->far.capacity; ++*i)
        if (rank->far.entries[*i - rank->near_capacity].used)
            return (struct request *)(uintptr_t)rank->far.entries[(*i)++ - rank->near_capacity].value;
    return NULL;
}

/* Doubles the capacity of the table `near`. */
static int grow(struct rank_requests *rank)
{
    enum { MIN_CAPACITY = 8 };
    struct rank_requests larger = {.near_capacity = rank->near_capacity ? 2 * rank->near_capacity : MIN_CAPACITY};
    larger.near = calloc(larger.near_capacity, sizeof *larger.near);
    if (!larger.near)
        return -1;
    for (uint32_t i = 0; i < rank->near_capacity; i++)
        if (rank->near[i].data)
            *graph_near_place(&larger, rank->near[i].id) = rank->near[i];
    free(rank->near);
    rank->near = larger.near;
    rank->near_capacity = larger.near_capacity;
    return 0;
}

/* Inserts request ID with DATA into the table `near`, which grows if the place is taken and the table is half full, or into the
 * map. Returns 0, or -1: out of memory. */
static int insert(struct requests *requests, struct rank_requests *rank, int64_t id, uintptr_t data, struct mpg_error *err)
{
    struct request *place = graph_near_place(rank, id);
    while (!place || (place->data && 2 * rank->near_count >= rank->near_capacity)) {
        if (grow(rank) < 0)
            return mpg_graph_out_of_memory(err);
        place = graph_near_place(rank, id);
    }
    if (place->data) {
        uint64_t *far = mpg_map_add(&rank->far, (uint64_t)id, 0);
        place = far ? mpg_pool_take(&requests->request_pool) : NULL;
        if (!place) {
            if (far)
                mpg_map_remove(&rank->far, (uint64_t)id, 0);
            return mpg_graph_out_of_memory(err);
        }
        *far = (uint64_t)(uintptr_t)place;
    } else
        rank->near_count++;
    *place = (struct request){id, data};
    return 0;
}

int mpg_graph_check_unused(const struct rank_requests *rank, const struct call *call, int64_t id, struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(call);
    return graph_find_request(rank, id) ? mpg_graph_error(&here, err, "request %lld is already in use", (long long)id) : 0;
}

int mpg_graph_add_send(struct requests *requests, struct rank_requests *rank, int64_t id, const struct message *m,
                       struct mpg_error *err)
{
    return insert(requests, rank, id, (uintptr_t)m, err);
}

int mpg_graph_add_receive(struct requests *requests, struct rank_requests *rank, int64_t id, const struct message *m,
                          struct mpg_error *err)
{
    return insert(requests, rank, id, (uintptr_t)m | REQUEST_RECEIVES, err);
}

static struct more_of_request *new_more(struct requests *requests, struct call_ref call, enum request_kind kind,
                                        struct mpg_error *err)
{
    struct more_of_request *more = mpg_pool_take(&requests->more_pool);
    if (!more) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    more->call = call;
    more->kind = kind;
    return more;
}

struct more_of_request *mpg_graph_add_request(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                              int64_t id, struct mpg_error *err)
{
    if (mpg_graph_check_unused(rank, call, id, err) < 0)
        return NULL;
    struct more_of_request *more = new_more(requests, graph_call_ref(call), REQUEST_NOTHING, err);
    if (!more || insert(requests, rank, id, (uintptr_t)more | REQUEST_HAS_MORE, err) == 0)
        return more;
    mpg_pool_give(&requests->more_pool, more);
    return NULL;
}

struct more_of_request *mpg_graph_enlarge_request(struct requests *requests, struct request *request, struct mpg_error *err)
{
    struct more_of_request *more = graph_more_of_request(request);
    if (more || !(more = new_more(requests, graph_request_call(request), graph_request_kind(request), err)))
        return more;
    more->message = graph_request_message(request);
    request->data = (uintptr_t)more | REQUEST_HAS_MORE | (request->data & (REQUEST_COMPLETING | REQUEST_CANCELLING));
    return more;
}

static void give_back(struct requests *requests, const struct request *request)
{
    struct more_of_request *more = graph_more_of_request(request);
    if (more)
        mpg_pool_give(&requests->more_pool, more);
}

void mpg_graph_remove_request(struct requests *requests, struct rank_requests *rank, struct request *request)
{
    const struct message *received = graph_request_kind(request) == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
    const int64_t id = request->id;
    give_back(requests, request);
    if (request == graph_near_place(rank, id)) {
        request->data = 0;
        rank->near_count--;
    } else {
        mpg_map_remove(&rank->far, (uint64_t)id, 0);
        mpg_pool_give(&requests->request_pool, request);
    }
    if (received && received->has_more)
        graph_wake(&graph_more(received)->choice_waiter);
}

void mpg_graph_rank_requests_clear(struct requests *requests, struct rank_requests *rank)
{
    size_t next = 0;
    for (struct request *request; (request = mpg_graph_next_request(rank, &next));) {
        struct more_of_request *more = graph_more_of_request(request);
        if (more)
            free(more->group);
        give_back(requests, request);
    }
    for (size_t i = 0; i < rank->persistent.capacity; i++)
        if (rank->persistent.entries[i].used)
            mpg_graph_free_persistent(requests, (struct persistent *)(uintptr_t)rank->persistent.entries[i].value);
    for (size_t i = 0; i < rank->far.capacity; i++)
        if (rank->far.entries[i].used)
            mpg_pool_give(&requests->request_pool, (struct request *)(uintptr_t)rank->far.entries[i].value);
    free(rank->near);
    rank->near = NULL;
    rank->near_capacity = rank->near_count = 0;
    mpg_map_clear(&rank->far);
    mpg_map_clear(&rank->persistent);
}
