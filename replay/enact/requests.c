/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of MPI's requests goes by an identifier of the trace. */
#include <stdlib.h>
#include <string.h>

#include "replay/enact/play.h"

struct play_request *play_post(struct play *p, int64_t id, bool receives)
{
    struct play_request *r = mpg_pool_take(&p->request_pool);
    uint64_t *place = r ? mpg_map_add(&p->requests, (uint64_t)id, 0) : NULL;
    if (!place) {
        play_fail(p, "out of memory");
        return NULL;
    }
    *r = (struct play_request){.id = id, .handle = MPI_REQUEST_NULL, .receives = receives};
    *place = (uintptr_t)r;
    return r;
}

struct play_request *play_find(struct play *p, int64_t id)
{
    const uint64_t *place = mpg_map_find(&p->requests, (uint64_t)id, 0);
    return place ? (struct play_request *)(uintptr_t)*place : NULL;
}

void play_forget(struct play *p, struct play_request *r)
{
    if (r->persistent)
        r->persistent->active = NULL;
    free(r->counts);
    mpg_map_remove(&p->requests, (uint64_t)r->id, 0);
    mpg_pool_give(&p->request_pool, r);
}

struct play_persistent *play_new_persistent(struct play *p, int64_t id)
{
    struct play_persistent *own = mpg_pool_take(&p->persistent_pool);
    uint64_t *place = own ? mpg_map_add(&p->persistents, (uint64_t)id, 0) : NULL;
    if (!place) {
        play_fail(p, "out of memory");
        return NULL;
    }
    memset(own, 0, sizeof *own);
    own->handle = MPI_REQUEST_NULL;
    *place = (uintptr_t)own;
    return own;
}

struct play_persistent *play_find_persistent(struct play *p, int64_t id)
{
    const uint64_t *place = mpg_map_find(&p->persistents, (uint64_t)id, 0);
    return place ? (struct play_persistent *)(uintptr_t)*place : NULL;
}

void play_forget_persistent(struct play *p, int64_t id)
{
    struct play_persistent *own = play_find_persistent(p, id); /* one that is active goes by it to its end */
    if (!own)
        return;
    free(own->given);
    free(own->counts);
    own->given = NULL;
    own->counts = NULL;
    mpg_map_remove(&p->persistents, (uint64_t)id, 0);
}
