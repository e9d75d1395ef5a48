/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table from the trace's request identifiers to MPI requests. */
#include <stdlib.h>
#include <string.h>

#include "replay/enact/play.h"

struct play_request *play_post(struct play *p, int64_t id, bool receives)
{
    struct play_request *r = mpg_pool_take(&p->all->request_pool);
    uint64_t *place = r ? mpg_map_add(&p->all->requests, (uint64_t)id, 0) : NULL;
    if (!place) {
        play_fail(p, "out of memory");
        return NULL;
    }
    *r = (struct play_request){.id = id, .thread = p->thread, .handle = MPI_REQUEST_NULL, .receives = receives};
    *place = (uintptr_t)r;
    return r;
}

struct play_request *play_find(struct play *p, int64_t id)
{
    struct play_request *r;
    do {
        const uint64_t *place = mpg_map_find(&p->all->requests, (uint64_t)id, 0);
        r = place ? (struct play_request *)(uintptr_t)*place : NULL;
    } while ((!r || r->thread != p->thread) && crew_wait(p, r ? r->thread : CREW_ANY));
    if (r)
        r->thread = p->thread;
    return r;
}

void play_forget(struct play *p, struct play_request *r)
{
    if (r->persistent)
        r->persistent->active = NULL;
    taken_drop(p, r);
    free(r->counts);
    mpg_map_remove(&p->all->requests, (uint64_t)r->id, 0);
    mpg_pool_give(&p->all->request_pool, r);
}

struct play_persistent *play_new_persistent(struct play *p, int64_t id)
{
    struct play_persistent *own = mpg_pool_take(&p->all->persistent_pool);
    uint64_t *place = own ? mpg_map_add(&p->all->persistents, (uint64_t)id, 0) : NULL;
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

struct play_persistent *play_find_persistent(struct play *p, int64_t id)
{
    struct play_persistent *own;
    do {
        const uint64_t *place = mpg_map_find(&p->all->persistents, (uint64_t)id, 0);
        own = place ? (struct play_persistent *)(uintptr_t)*place : NULL;
    } while ((!own || own->thread != p->thread) && crew_wait(p, own ? own->thread : CREW_ANY));
    if (own)
        own->thread = p->thread;
    return own;
}

void play_forget_given(struct play_persistent *own)
{
    free(own->given);
    free(own->counts);
    own->given = NULL;
    own->counts = NULL;
}

void play_forget_persistent(struct play *p, int64_t id)
{
    struct play_persistent *own = play_find_persistent(p, id); /* an active start keeps the pointer until it is complete */
    if (!own)
        return;
    if (!own->freed)
        play_forget_given(own);
    mpg_map_remove(&p->all->persistents, (uint64_t)id, 0);
}
