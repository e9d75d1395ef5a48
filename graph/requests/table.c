/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of a rank. */
#include "graph/requests/table.h"

#include <stdlib.h>

void graph_requests_init(struct requests *requests, struct matching *matching,
                         struct meetings *meetings)
{
    *requests = (struct requests){.matching = matching,
                                  .meetings = meetings,
                                  .request_pool.size = sizeof(struct request),
                                  .persistent_pool.size = sizeof(struct persistent)};
}

void graph_requests_clear(struct requests *requests)
{
    mpg_pool_clear(&requests->request_pool);
    mpg_pool_clear(&requests->persistent_pool);
}

struct request *graph_find_request(const struct rank_requests *rank, int64_t id)
{
    uint64_t *slot = mpg_map_find(&rank->open, (uint64_t)id, 0);
    return slot ? (struct request *)(uintptr_t)*slot : NULL;
}

struct request *graph_add_request(struct requests *requests, struct rank_requests *rank,
                                  const struct call *call, int64_t id, enum request_kind kind,
                                  struct mpg_error *err)
{
    struct place here = graph_here(call);
    uint64_t *slot = mpg_map_add(&rank->open, (uint64_t)id, 0);
    if (slot && *slot) {
        graph_error(&here, err, "request %lld is already in use", (long long)id);
        return NULL;
    }
    struct request *request = slot ? mpg_pool_take(&requests->request_pool) : NULL;
    if (!request) {
        mpg_map_remove(&rank->open, (uint64_t)id, 0);
        graph_out_of_memory(err);
        return NULL;
    }
    request->kind = kind;
    request->id = id;
    request->place = here;
    *slot = (uint64_t)(uintptr_t)request;
    return request;
}

void graph_remove_request(struct requests *requests, struct rank_requests *rank,
                          struct request *request)
{
    mpg_map_remove(&rank->open, (uint64_t)request->id, 0);
    if (request->kind == REQUEST_RECEIVE && request->message)
        graph_wake(&request->message->choice_waiter);
    mpg_pool_give(&requests->request_pool, request);
}

void graph_rank_requests_clear(struct requests *requests, struct rank_requests *rank)
{
    for (size_t i = 0; i < rank->open.capacity; i++)
        if (rank->open.entries[i].used) {
            struct request *request = (struct request *)(uintptr_t)rank->open.entries[i].value;
            free(request->group);
            mpg_pool_give(&requests->request_pool, request);
        }
    for (size_t i = 0; i < rank->persistent.capacity; i++)
        if (rank->persistent.entries[i].used)
            graph_free_persistent(
                requests, (struct persistent *)(uintptr_t)rank->persistent.entries[i].value);
    mpg_map_clear(&rank->open);
    mpg_map_clear(&rank->persistent);
}
