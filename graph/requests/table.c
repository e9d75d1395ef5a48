/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The open requests of a rank: a table indexed by the lowest bits of the request number, and a map for numbers that collide. */
#include "graph/requests/table.h"

#include <stdlib.h>

#include "common/large.h"

void mpg_graph_requests_init(struct requests *requests, struct matching *matching, struct collectives *collectives)
{
    *requests = (struct requests){.matching = matching,
                                  .collectives = collectives,
                                  .request_pool.size = sizeof(struct request),
                                  .request_pool.large_alloc = mpg_large_alloc,
                                  .more_pool.size = sizeof(struct more_of_request),
                                  .persistent_pool.size = sizeof(struct persistent)};
}

void mpg_graph_requests_clear(struct requests *requests)
{
    mpg_pool_clear(&requests->request_pool);
    mpg_pool_clear(&requests->more_pool);
    mpg_pool_clear(&requests->persistent_pool);
}

/* Returns the place in the table `near` for request number ID. */
static struct request **place_of(const struct rank_requests *rank, int64_t id)
{
    return &rank->near[(uint64_t)id & (rank->near_capacity - 1)];
}

struct request *mpg_graph_find_far_request(const struct rank_requests *rank, int64_t id)
{
    const uint64_t *far = mpg_map_find(&rank->far, (uint64_t)id, 0);
    return far ? (struct request *)(uintptr_t)*far : NULL;
}

struct request *mpg_graph_next_request(const struct rank_requests *rank, size_t *i)
{
    for (; *i < rank->near_capacity; ++*i)
        if (rank->near[*i])
            return rank->near[(*i)++];
    for (; *i - rank->near_capacity < rank->far.capacity; ++*i)
        if (rank->far.entries[*i - rank->near_capacity].used)
            return (struct request *)(uintptr_t)rank->far.entries[(*i)++ - rank->near_capacity].value;
    return NULL;
}

/* Doubles the capacity of the table `near`. */
static int grow(struct rank_requests *rank)
{
    enum { MIN_CAPACITY = 16 };
    struct rank_requests larger = {.near_capacity = rank->near_capacity ? 2 * rank->near_capacity : MIN_CAPACITY};
    larger.near = calloc(larger.near_capacity, sizeof(struct request *));
    if (!larger.near)
        return -1;
    for (uint32_t i = 0; i < rank->near_capacity; i++)
        if (rank->near[i])
            *place_of(&larger, rank->near[i]->id) = rank->near[i];
    free(rank->near);
    rank->near = larger.near;
    rank->near_capacity = larger.near_capacity;
    return 0;
}

/* Inserts REQUEST into the table `near`, which grows if the place is taken and the table is half full, or into the map. */
static int insert(struct rank_requests *rank, struct request *request)
{
    struct request **place = rank->near_capacity ? place_of(rank, request->id) : NULL;
    while (!place || (*place && 2 * rank->near_count >= rank->near_capacity)) {
        if (grow(rank) < 0)
            return -1;
        place = place_of(rank, request->id);
    }
    if (*place) {
        uint64_t *far = mpg_map_add(&rank->far, (uint64_t)request->id, 0);
        if (!far)
            return -1;
        *far = (uint64_t)(uintptr_t)request;
        return 0;
    }
    *place = request;
    rank->near_count++;
    return 0;
}

struct request *mpg_graph_add_request(struct requests *requests, struct rank_requests *rank, const struct call *call, int64_t id,
                                      enum request_kind kind, struct mpg_error *err)
{
    struct call_ref here = graph_call_ref(call);
    if (graph_find_request(rank, id)) {
        mpg_graph_error(&here, err, "request %lld is already in use", (long long)id);
        return NULL;
    }
    struct request *request = mpg_pool_take(&requests->request_pool);
    if (!request) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    request->kind = (uint8_t)kind;
    request->call = (uint16_t)here.call;
    request->thread = here.thread;
    request->number = here.number;
    request->id = id;
    if (insert(rank, request) < 0) {
        mpg_pool_give(&requests->request_pool, request);
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    return request;
}

int mpg_graph_enlarge_request(struct requests *requests, struct request *request, struct mpg_error *err)
{
    struct more_of_request *more = mpg_pool_take(&requests->more_pool);
    if (!more)
        return mpg_graph_out_of_memory(err);
    more->message = request->message;
    request->has_more = true;
    request->more = more;
    return 0;
}

struct request *mpg_graph_add_large_request(struct requests *requests, struct rank_requests *rank, const struct call *call,
                                            int64_t id, struct mpg_error *err)
{
    struct request *request = mpg_graph_add_request(requests, rank, call, id, REQUEST_NOTHING, err);
    return request && mpg_graph_enlarge_request(requests, request, err) == 0 ? request : NULL;
}

static void give_back(struct requests *requests, struct request *request)
{
    if (request->has_more)
        mpg_pool_give(&requests->more_pool, request->more);
    mpg_pool_give(&requests->request_pool, request);
}

void mpg_graph_remove_request(struct requests *requests, struct rank_requests *rank, struct request *request)
{
    struct request **place = place_of(rank, request->id);
    if (*place == request) {
        *place = NULL;
        rank->near_count--;
    } else
        mpg_map_remove(&rank->far, (uint64_t)request->id, 0);
    const struct message *received = request->kind == REQUEST_RECEIVE ? graph_request_message(request) : NULL;
    if (received && received->has_more)
        graph_wake(&graph_more(received)->choice_waiter);
    give_back(requests, request);
}

void mpg_graph_rank_requests_clear(struct requests *requests, struct rank_requests *rank)
{
    size_t next = 0;
    for (struct request *request; (request = mpg_graph_next_request(rank, &next));) {
        if (request->has_more)
            free(request->more->group);
        give_back(requests, request);
    }
    for (size_t i = 0; i < rank->persistent.capacity; i++)
        if (rank->persistent.entries[i].used)
            mpg_graph_free_persistent(requests, (struct persistent *)(uintptr_t)rank->persistent.entries[i].value);
    free(rank->near);
    rank->near = NULL;
    rank->near_capacity = rank->near_count = 0;
    mpg_map_clear(&rank->far);
    mpg_map_clear(&rank->persistent);
}
