/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renumbers requests that have exchanged messages, and changes receives that take different messages than in the trace. */
#include "simulate/replica/match_overrides.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/reserve.h"

struct mpg_match_overrides {
    const struct mpg_trace *trace;
    int32_t rank;
    struct mpg_map renamed; /* request in the trace -> request in the replica, if they differ */
    struct mpg_map early;   /* requests of the replica that are complete in the replica, but not yet in the trace */
    int64_t *list[3]; /* lists of the event: requests, done, cancelled */
    uint32_t list_capacity[3];
    struct mpg_resolution *resolutions; /* statuses of completed MPI_ANY_SOURCE receives */
    uint32_t resolution_capacity;
};

enum { REQUESTS, DONE, CANCELLED };

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

struct mpg_match_overrides *mpg_match_overrides_new(const struct mpg_trace *trace, int32_t rank, struct mpg_error *err)
{
    struct mpg_match_overrides *d = calloc(1, sizeof *d);
    if (!d) {
        out_of_memory(err);
        return NULL;
    }
    d->trace = trace;
    d->rank = rank;
    return d;
}

void mpg_match_overrides_free(struct mpg_match_overrides *d)
{
    if (!d)
        return;
    mpg_map_clear(&d->renamed);
    mpg_map_clear(&d->early);
    free(d->resolutions);
    for (int i = 0; i < 3; i++)
        free(d->list[i]);
    free(d);
}

/* --- requests --- */

/* Returns the replica's number of the trace's REQUEST. */
static int64_t name_of(const struct mpg_match_overrides *d, int64_t request)
{
    const uint64_t *other = mpg_map_find(&d->renamed, (uint64_t)request, 0);
    return other ? (int64_t)*other : request;
}

static int rename_to(struct mpg_match_overrides *d, int64_t request, int64_t name, struct mpg_error *err)
{
    uint64_t *other = mpg_map_add(&d->renamed, (uint64_t)request, 0);
    if (!other)
        return out_of_memory(err);
    *other = (uint64_t)name;
    return 0;
}

static int exchange(struct mpg_match_overrides *d, int64_t p, int64_t q, struct mpg_error *err)
{
    const int64_t name_of_p = name_of(d, p), name_of_q = name_of(d, q);
    return rename_to(d, p, name_of_q, err) < 0 ? -1 : rename_to(d, q, name_of_p, err);
}

static bool is_early(const struct mpg_match_overrides *d, int64_t name)
{
    return mpg_map_find(&d->early, (uint64_t)name, 0) != NULL;
}

/* Returns list number WHICH with memory for N numbers; NULL: out of memory, with ERR. */
static int64_t *reserve(struct mpg_match_overrides *d, int which, uint32_t n, struct mpg_error *err)
{
    return mpg_reserve_at(&d->list[which], sizeof *d->list[which], &d->list_capacity[which], n + 1, err) < 0 ? NULL
                                                                                                          : d->list[which];
}

/* Renumbers LIST, N requests of the trace, and removes requests completed early. */
static int name_all(struct mpg_match_overrides *d, int which, const int64_t **list, uint32_t *n,
                    struct mpg_error *err)
{
    int64_t *names = reserve(d, which, *n, err);
    uint32_t kept = 0;
    if (!names)
        return -1;
    for (uint32_t i = 0; i < *n; i++) {
        names[kept] = name_of(d, (*list)[i]);
        kept += !is_early(d, names[kept]);
    }
    *list = names;
    *n = kept;
    return 0;
}

/* Forgets the replica's number of REQUEST, which this call completes in the trace. */
static void forget(struct mpg_match_overrides *d, int64_t request)
{
    mpg_map_remove(&d->early, (uint64_t)name_of(d, request), 0);
    mpg_map_remove(&d->renamed, (uint64_t)request, 0);
}

/* Adds REQUEST, which this call does not complete in the trace, to the completions of E. */
static int complete_early(struct mpg_match_overrides *d, struct mpg_event *e, int64_t request,
                          struct mpg_error *err)
{
    int64_t *done = reserve(d, DONE, e->done_number + 1, err);
    const int64_t name = name_of(d, request);
    if (!done)
        return -1;
    if (!mpg_map_add(&d->early, (uint64_t)name, 0))
        return out_of_memory(err);
    done[e->done_number++] = name;
    e->done = done;
    return 0;
}

static int32_t index_of(int32_t rank, const int32_t *ranks, int32_t n)
{
    int32_t i = 0;
    while (i < n && ranks[i] != rank)
        i++;
    return i;
}

/* Returns the rank in COMM of world rank RANK, as used in the calls of D's rank. */
static int32_t peer_of(const struct mpg_match_overrides *d, int32_t comm, int32_t rank)
{
    const struct mpg_comm *c = mpg_trace_comm(d->trace, comm);
    const bool is_remote = c->remote_size > 0 && index_of(d->rank, c->world_ranks, c->size) < c->size;
    return is_remote ? index_of(rank, c->world_ranks + c->size, c->remote_size)
                     : index_of(rank, c->world_ranks, c->size);
}

/* Sets the statuses of the MPI_ANY_SOURCE receives completed by E to source and tag in OVERRIDES. */
static int resolve(struct mpg_match_overrides *d, struct mpg_event *e, const struct mpg_match_override *overrides, uint32_t n,
                   struct mpg_error *err)
{
    uint32_t count = 0;
    if (mpg_reserve_at(&d->resolutions, sizeof *d->resolutions, &d->resolution_capacity, n, err) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (overrides[i].kind == MPG_OVERRIDE_TAKE)
            d->resolutions[count++] =
                (struct mpg_resolution){.request = name_of(d, overrides[i].request),
                                        .source = peer_of(d, overrides[i].comm, overrides[i].source),
                                        .tag = overrides[i].tag};
    e->resolutions = d->resolutions;
    e->resolution_number = count;
    return 0;
}

/* Applies OVERRIDES to E, of kind COMPLETE. E's list of requests gets the numbers from before the exchanges. Returns whether
 * the replica makes the call, or -1 with ERR: no memory. */
static int complete(struct mpg_match_overrides *d, struct mpg_event *e, const struct mpg_match_override *overrides, uint32_t n,
                    struct mpg_error *err)
{
    const bool all = e->done_all;
    const int64_t *was_done = all ? e->requests : e->done;
    const uint32_t were_done = all ? e->request_number : e->done_number;
    bool skips = false;
    if (name_all(d, REQUESTS, &e->requests, &e->request_number, err) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (overrides[i].kind == MPG_OVERRIDE_EXCHANGE && exchange(d, overrides[i].request, overrides[i].other, err) < 0)
            return -1;
    e->done = was_done;
    e->done_number = were_done;
    if (name_all(d, DONE, &e->done, &e->done_number, err) < 0 ||
        name_all(d, CANCELLED, &e->cancelled, &e->cancelled_number, err) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        skips = skips || overrides[i].kind == MPG_OVERRIDE_SKIP;
        if (overrides[i].kind == MPG_OVERRIDE_COMPLETE && complete_early(d, e, overrides[i].request, err) < 0)
            return -1;
    }
    if (resolve(d, e, overrides, n, err) < 0)
        return -1;
    for (uint32_t i = 0; i < were_done; i++)
        forget(d, was_done[i]);
    e->done_all = e->done_number == e->request_number && e->done_number > 0;
    if (all && e->done_number == 0) /* no request is left to complete */
        e->done_all = true;
    const bool is_made = !skips || e->done_number > 0;
    if (e->done_all) {
        e->done = NULL;
        e->done_number = 0;
    }
    return is_made;
}

/* --- receives without requests --- */

static void take(const struct mpg_match_overrides *d, struct mpg_event *e, const struct mpg_match_override *override)
{
    const bool sends = mpg_call_kind(e->call) == MPG_KIND_SENDRECV;
    e->from = peer_of(d, e->comm, override->source);
    *(sends ? &e->recvtag : &e->tag) = override->tag;
    *(sends ? &e->recvbytes : &e->bytes) = override->bytes;
}

/* --- all events --- */

int mpg_match_overrides_apply(struct mpg_match_overrides *d, struct mpg_event *e, const struct mpg_match_override *overrides,
                              uint32_t n,
                 struct mpg_error *err)
{
    if (n == 0 && d->renamed.count + d->early.count == 0)
        return 1;
    if (mpg_call_kind(e->call) == MPG_KIND_COMPLETE)
        return e->failed ? 1 : complete(d, e, overrides, n, err);
    for (uint32_t i = 0; i < n; i++)
        if (overrides[i].kind == MPG_OVERRIDE_TAKE)
            take(d, e, &overrides[i]);
    if (e->request_number > 0 && name_all(d, REQUESTS, &e->requests, &e->request_number, err) < 0)
        return -1;
    return 1;
}
