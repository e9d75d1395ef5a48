/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the program's request variables is which request.
 *
 * The handle alone does not tell: Open MPI gives one shared handle to every send
 * that was complete when it was posted. So a request is found by handle and
 * address of the variable; where the program has copied the variable, by handle,
 * oldest first. */
#include <stdlib.h>

#include "common/map.h"
#include "common/pool.h"
#include "trace/pmpi/tracer.h"

static struct mpg_map by_variable; /* (handle, address) -> struct tracer_request * */
static struct mpg_map by_handle;   /* handle -> oldest of its requests */
static struct mpg_pool pool = {.size = sizeof(struct tracer_request)};
static int64_t last_id, last_persistent;

static void out_of_memory(void)
{
    struct mpg_error err;
    mpg_error_set(&err, "out of memory");
    tracer_fail(&err);
}

static void append(uint64_t *slot, struct tracer_request *request)
{
    struct tracer_request *first = (struct tracer_request *)(uintptr_t)*slot;
    request->next = NULL;
    if (!first) {
        *slot = (uint64_t)(uintptr_t)request;
        request->prev = request;
        return;
    }
    request->prev = first->prev;
    first->prev->next = request;
    first->prev = request;
}

struct tracer_request *tracer_request_new(MPI_Request handle, const void *address, uint32_t any,
                                          bool persistent)
{
    uint64_t key = (uint64_t)(uintptr_t)handle;
    struct tracer_request *request = mpg_pool_take(&pool);
    uint64_t *variable = mpg_map_add(&by_variable, key, (uint64_t)(uintptr_t)address);
    uint64_t *handles = mpg_map_add(&by_handle, key, 0);
    if (!request || !variable || !handles) {
        out_of_memory();
        return NULL;
    }
    request->handle = (uintptr_t)handle;
    request->address = address;
    request->any = any;
    if (persistent)
        request->persistent = ++last_persistent;
    else
        tracer_request_start(request);
    *variable = (uint64_t)(uintptr_t)request;
    append(handles, request);
    return request;
}

void tracer_request_start(struct tracer_request *request)
{
    request->id = ++last_id;
    request->active = true;
}

/* As tracer_request_find. A caller that takes many passes HINT, NULL at first, so
 * that not each one passes over all that are taken. */
static struct tracer_request *find(MPI_Request handle, const void *address,
                                   struct tracer_request **hint)
{
    uint64_t key = (uint64_t)(uintptr_t)handle;
    uint64_t *slot = mpg_map_find(&by_variable, key, (uint64_t)(uintptr_t)address);
    struct tracer_request *request = slot ? (struct tracer_request *)(uintptr_t)*slot : NULL;
    if (request && !request->taken)
        return request;
    if (*hint && (*hint)->handle == key)
        request = *hint;
    else {
        slot = mpg_map_find(&by_handle, key, 0);
        request = slot ? (struct tracer_request *)(uintptr_t)*slot : NULL;
    }
    while (request && request->taken)
        request = request->next;
    if (request)
        *hint = request;
    return request;
}

struct tracer_request *tracer_request_find(MPI_Request handle, const void *address)
{
    struct tracer_request *hint = NULL;
    return find(handle, address, &hint);
}

void tracer_request_remove(struct tracer_request *request)
{
    uint64_t address = (uint64_t)(uintptr_t)request->address;
    uint64_t *slot = mpg_map_find(&by_variable, request->handle, address);
    if (slot && *slot == (uint64_t)(uintptr_t)request)
        mpg_map_remove(&by_variable, request->handle, address);
    slot = mpg_map_find(&by_handle, request->handle, 0);
    struct tracer_request *first = (struct tracer_request *)(uintptr_t)*slot;
    if (first == request && !request->next)
        mpg_map_remove(&by_handle, request->handle, 0);
    else if (first == request) {
        request->next->prev = request->prev;
        *slot = (uint64_t)(uintptr_t)request->next;
    } else {
        request->prev->next = request->next;
        (request->next ? request->next : first)->prev = request->prev;
    }
    mpg_pool_give(&pool, request);
}

void tracer_requests_end(void)
{
    mpg_map_clear(&by_variable);
    mpg_map_clear(&by_handle);
    mpg_pool_clear(&pool);
}

/* Takes the request in one variable unless it is null, inactive or unknown. */
static struct tracer_request *candidate(MPI_Request handle, const void *address,
                                        struct tracer_request **hint)
{
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    struct tracer_request *request = find(handle, address, hint);
    if (request)
        request->taken = true;
    return request;
}

static bool allocate(struct tracer_candidates *c, int count)
{
    *c = (struct tracer_candidates){.count = count > 0 ? count : 0};
    c->requests = malloc((size_t)(c->count + 1) * sizeof(struct tracer_request *));
    if (!c->requests)
        out_of_memory();
    return c->requests;
}

bool tracer_candidates_take(struct tracer_candidates *c, int count, const MPI_Request *requests)
{
    if (!tracer_lock())
        return false;
    struct tracer_request *hint = NULL;
    bool ok = allocate(c, count);
    for (int i = 0; ok && i < c->count; i++)
        c->requests[i] = candidate(requests[i], &requests[i], &hint);
    tracer_unlock();
    return ok;
}

bool tracer_candidates_take_fortran(struct tracer_candidates *c, int count,
                                    const MPI_Fint *requests)
{
    if (!tracer_lock())
        return false;
    struct tracer_request *hint = NULL;
    bool ok = allocate(c, count);
    for (int i = 0; ok && i < c->count; i++)
        c->requests[i] = candidate(PMPI_Request_f2c(requests[i]), &requests[i], &hint);
    tracer_unlock();
    return ok;
}

void tracer_candidates_drop(struct tracer_candidates *c)
{
    for (int i = 0; c->requests && i < c->count; i++)
        if (c->requests[i])
            c->requests[i]->taken = false;
    free(c->requests);
    *c = (struct tracer_candidates){0};
}
