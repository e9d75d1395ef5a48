/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table from the request identifiers of the trace to requests of MPI. */
#include <stdlib.h>
#include <string.h>

#include "replay/enact/player.h"

struct play_request *play_new_request(struct player *p, int64_t id, bool receives)
{
    struct play_request *r = mpg_pool_take(&p->shared->request_pool);
    uint64_t *place = r ? mpg_map_add(&p->shared->requests, (uint64_t)id, 0) : NULL;
    if (!place) {
        play_fail(p, "out of memory");
        return NULL;
    }
    *r = (struct play_request){.id = id, .thread = p->thread, .handle = MPI_REQUEST_NULL, .receives = receives};
    *place = (uintptr_t)r;
    return r;
}

struct play_request *play_find_request(struct player *p, int64_t id)
{
    struct play_request *r;
    do {
        const uint64_t *place = mpg_map_find(&p->shared->requests, (uint64_t)id, 0);
        r = place ? (struct play_request *)(uintptr_t)*place : NULL;
    } while ((!r || r->thread != p->thread) && threads_wait(p, r ? r->thread : THREADS_ALL));
    if (r)
        r->thread = p->thread;
    return r;
}

void play_free_request(struct player *p, struct play_request *r)
{
    if (r->persistent)
        r->persistent->active = NULL;
    deviations_drop(p, r);
    free(r->counts);
    mpg_map_remove(&p->shared->requests, (uint64_t)r->id, 0);
    mpg_pool_give(&p->shared->request_pool, r);
}

struct play_persistent *play_new_persistent(struct player *p, int64_t id)
{
    struct play_persistent *own = mpg_pool_take(&p->shared->persistent_pool);
    uint64_t *place = own ? mpg_map_add(&p->shared->persistents, (uint64_t)id, 0) : NULL;
    if (!place) {
        play_fail(p, "out of memory");
        return NULL;
    }
    memset(own, 0, sizeof *own);
    own->thread = p->thread;
    own->handle = MPI_REQUEST_NULL;
    *place = (uintptr_t)own;
    return own;
}

struct play_persistent *play_find_persistent(struct player *p, int64_t id)
{
    struct play_persistent *own;
    do {
        const uint64_t *place = mpg_map_find(&p->shared->persistents, (uint64_t)id, 0);
        own = place ? (struct play_persistent *)(uintptr_t)*place : NULL;
    } while ((!own || own->thread != p->thread) && threads_wait(p, own ? own->thread : THREADS_ALL));
    if (own)
        own->thread = p->thread;
    return own;
}

void play_free_lists(struct play_persistent *own)
{
    free(own->given);
    free(own->counts);
    own->given = NULL;
    own->counts = NULL;
}

void play_free_persistent(struct player *p, int64_t id)
{
    struct play_persistent *own = play_find_persistent(p, id); /* an incomplete start keeps the pointer to OWN */
    if (!own)
        return;
    if (!own->freed)
        play_free_lists(own);
    mpg_map_remove(&p->shared->persistents, (uint64_t)id, 0);
}
