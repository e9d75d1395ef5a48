/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies requests by the program's request variables. The handle alone is ambiguous: Open MPI and MPICH give one shared
 * handle to every send that is complete when posted. A request is therefore found by handle and address of the variable or, if
 * the program has copied the variable, by the handle alone, oldest request first.
 *
 * Most handles belong to one request. The table maps a handle to a list of requests, oldest first. From the second request on,
 * requests are also indexed by variable. */
#include "trace/pmpi/requests.h"

#include <stdlib.h>

#include "common/map.h"
#include "common/pool.h"
#include "trace/pmpi/handles.h"
#include "trace/pmpi/stream.h"

struct entry {
    uintptr_t handle;
    struct tracer_request *first; /* oldest request with this handle; NULL: the entry is unused */
};

enum { FIRST_CAPACITY = 64 };

static struct {
    struct entry *entries;
    size_t mask, count;         /* capacity - 1 (capacity is a power of two); number of used entries */
    struct mpg_map by_variable; /* (handle, address of the variable) -> request, for requests with `indexed` */
    struct mpg_pool pool;
    int64_t last_id, last_persistent;
    uint64_t calls;             /* number of calls that looked up requests */
} table = {.pool = {.size = sizeof(struct tracer_request)}};

static size_t home(uintptr_t handle)
{
    return (size_t)(((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 32) & table.mask;
}

/* Returns the entry of HANDLE, or the unused entry for an insertion; NULL without a table. */
static struct entry *entry_of(uintptr_t handle)
{
    if (!table.entries)
        return NULL;
    size_t i = home(handle);
    while (table.entries[i].first && table.entries[i].handle != handle)
        i = (i + 1) & table.mask;
    return &table.entries[i];
}

static bool grow(void)
{
    size_t capacity = table.entries ? 2 * (table.mask + 1) : FIRST_CAPACITY;
    struct entry *old = table.entries, *entries = calloc(capacity, sizeof *entries);
    size_t old_capacity = old ? table.mask + 1 : 0;
    if (!entries)
        return false;
    table.entries = entries;
    table.mask = capacity - 1;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].first)
            *entry_of(old[i].handle) = old[i];
    free(old);
    return true;
}

/* Removes ENTRY from the hash table and moves entries that collisions displaced. */
static void remove_entry(struct entry *entry)
{
    size_t hole = (size_t)(entry - table.entries), i = hole;
    for (;;) {
        i = (i + 1) & table.mask;
        if (!table.entries[i].first)
            break;
        if (((i - home(table.entries[i].handle)) & table.mask) >= ((i - hole) & table.mask)) {
            table.entries[hole] = table.entries[i];
            hole = i;
        }
    }
    table.entries[hole].first = NULL;
    table.count--;
}

/* Appends REQUEST to the list of requests with an equal handle, which begins with FIRST, and indexes REQUEST. Returns false if
 * memory is exhausted. */
static bool append(struct tracer_request *first, struct tracer_request *request)
{
    uint64_t address = (uint64_t)(uintptr_t)request->address;
    uint64_t *slot = mpg_map_add(&table.by_variable, request->handle, address);
    if (!slot)
        return false;
    /* The program has reused FIRST's variable, which now holds this request. */
    if (first->address == request->address)
        first->address = NULL;
    if (*slot) {
        struct tracer_request *before = (struct tracer_request *)(uintptr_t)*slot;
        before->address = NULL;
        before->indexed = false;
    }
    *slot = (uint64_t)(uintptr_t)request;
    request->indexed = true;
    request->prev = first->prev;
    first->prev->next = request;
    first->prev = request;
    return true;
}

/* Adds REQUEST to the table. Returns false if memory is exhausted. */
static bool insert(struct tracer_request *request)
{
    if (2 * (table.count + 1) > (table.entries ? table.mask + 1 : 0) && !grow())
        return false;
    struct entry *entry = entry_of(request->handle);
    if (entry->first)
        return append(entry->first, request);
    *entry = (struct entry){request->handle, request};
    request->prev = request;
    table.count++;
    return true;
}

struct tracer_request *tracer_request_new(struct tracer_made made, uint32_t any)
{
    struct tracer_request *request = mpg_pool_take(&table.pool);
    if (!request) {
        tracer_out_of_memory();
        return NULL;
    }
    request->handle = (uintptr_t)made.handle;
    request->address = made.address;
    request->any = any;
    if (made.persistent)
        request->persistent = ++table.last_persistent;
    else
        tracer_request_start(request);
    if (!insert(request)) {
        mpg_pool_give(&table.pool, request);
        tracer_out_of_memory();
        return NULL;
    }
    return request;
}

void tracer_request_start(struct tracer_request *request)
{
    request->id = ++table.last_id;
    request->active = true;
}

/* Removes REQUEST from the table. */
static void extract(struct tracer_request *request)
{
    struct entry *entry = entry_of(request->handle);
    if (request->indexed)
        mpg_map_remove(&table.by_variable, request->handle, (uint64_t)(uintptr_t)request->address);
    if (entry->first != request) {
        request->prev->next = request->next;
        (request->next ? request->next : entry->first)->prev = request->prev;
    } else if (request->next) {
        request->next->prev = request->prev;
        entry->first = request->next;
    } else
        remove_entry(entry);
}

void tracer_request_remove(struct tracer_request *request)
{
    extract(request);
    mpg_pool_give(&table.pool, request);
}

void tracer_requests_end(void)
{
    free(table.entries);
    table.entries = NULL;
    table.mask = table.count = 0;
    mpg_map_clear(&table.by_variable);
    mpg_pool_clear(&table.pool);
}

/* --- candidates --- */

/* Returns whether a call of this or another thread has claimed REQUEST. Without threads, claims of earlier calls are void: the
 * program has left these calls by longjmp. */
static bool is_taken(const struct tracer_request *request)
{
    return request->taken && (request->taken == table.calls || streams.threads);
}

/* Returns the unclaimed request with HANDLE in the variable at ADDRESS; otherwise the oldest unclaimed request with HANDLE, or
 * NULL. *HINT, NULL at first: the last result of a search by handle alone. The search resumes there instead of passing all
 * claimed requests again. */
static struct tracer_request *find(uintptr_t handle, const void *address,
                                   struct tracer_request **hint)
{
    struct entry *entry = entry_of(handle);
    struct tracer_request *request = entry ? entry->first : NULL;
    if (!request)
        return NULL;
    if (request->address == address && !is_taken(request))
        return request;
    if (request->next) {
        uint64_t *slot = mpg_map_find(&table.by_variable, handle, (uint64_t)(uintptr_t)address);
        struct tracer_request *same = slot ? (struct tracer_request *)(uintptr_t)*slot : NULL;
        if (same && !is_taken(same))
            return same;
    }
    if (*hint && (*hint)->handle == handle)
        request = *hint;
    while (request && is_taken(request))
        request = request->next;
    if (request)
        *hint = request;
    return request;
}

int64_t tracer_request_active(const struct tracer_scope *s, MPI_Request handle)
{
    int64_t id = 0;
    if (handle == MPI_REQUEST_NULL || !tracer_records(s) || !tracer_lock())
        return 0;
    const struct entry *entry = entry_of((uintptr_t)handle);
    /* Ignores claims, since another thread may be waiting for the request. The handle suffices, since handles of these requests
     * are unique. */
    if (entry && entry->first && entry->first->active)
        id = entry->first->id;
    tracer_unlock();
    return id;
}

static MPI_Request handle_at(const struct tracer_candidates *c, int i)
{
    return request_at(c->handles, c->fortran, i);
}

static const void *address_at(const struct tracer_candidates *c, int i)
{
    return c->fortran ? (const void *)((const tracer_fortran_handle *)c->handles + i)
                      : (const void *)((const MPI_Request *)c->handles + i);
}

void tracer_candidates_take(struct tracer_candidates *c, struct tracer_scope *s, int count,
                            const void *handles, bool fortran)
{
    c->count = 0;
    c->error = MPI_SUCCESS;
    c->requests = c->some;
    if (count <= 0 || !handles || !tracer_records(s) || !tracer_lock())
        return;
    if (count > TRACER_CANDIDATES) {
        c->requests = malloc((size_t)count * sizeof(struct tracer_request *));
        if (!c->requests)
            tracer_out_of_memory();
    }
    c->handles = handles;
    c->fortran = fortran;
    c->count = c->requests ? count : 0;
    table.calls++;
    struct tracer_request *hint = NULL;
    for (int i = 0; i < c->count; i++) {
        MPI_Request handle = handle_at(c, i);
        c->requests[i] = handle == MPI_REQUEST_NULL
                             ? NULL
                             : find((uintptr_t)handle, address_at(c, i), &hint);
        if (c->requests[i])
            c->requests[i]->taken = table.calls;
    }
    if (c->count > TRACER_LONG_LIST)
        tracer_restart_enter(s);
    tracer_unlock();
}

void tracer_candidates_forget(struct tracer_candidates *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->requests[i])
            c->requests[i]->taken = 0;
    if (c->requests != c->some)
        free(c->requests);
    c->count = 0;
}

void tracer_candidates_drop(struct tracer_candidates *c)
{
    bool locked = tracer_lock();
    if (!locked) /* recording has ended, and the requests may be freed already */
        c->count = 0;
    tracer_candidates_forget(c);
    if (locked)
        tracer_unlock();
}

int tracer_completion_outcome(struct tracer_candidates *c, int rc)
{
    if (rc == MPI_SUCCESS)
        return rc;
    PMPI_Error_class(rc, &c->error);
    if (c->error == MPI_ERR_IN_STATUS)
        return MPI_SUCCESS;
    for (int i = 0; i < c->count; i++)
        if (tracer_candidate_ended(c, i))
            return MPI_SUCCESS;
    return rc;
}

bool tracer_candidate_renamed(struct tracer_candidates *c, int i)
{
    struct tracer_request *request = c->requests[i];
    uintptr_t handle = (uintptr_t)handle_at(c, i);
    if (handle == request->handle)
        return true;
    extract(request);
    request->handle = handle;
    request->address = address_at(c, i);
    request->next = NULL;
    request->indexed = false;
    if (insert(request))
        return true;
    tracer_out_of_memory();
    return false;
}

bool tracer_candidate_ended(const struct tracer_candidates *c, int i)
{
    return c->requests[i] && c->requests[i]->active && handle_at(c, i) == MPI_REQUEST_NULL;
}

MPI_Status *tracer_statuses_take(struct tracer_statuses *st, int n, MPI_Status *given)
{
    st->own = NULL;
    if (given != MPI_STATUSES_IGNORE || n <= 0)
        return given;
    if (n <= TRACER_CANDIDATES)
        return st->some;
    st->own = malloc((size_t)n * sizeof *st->own);
    return st->own ? st->own : given;
}

void tracer_statuses_drop(struct tracer_statuses *st)
{
    free(st->own);
}
