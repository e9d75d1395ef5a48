/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of calls that start, complete, cancel or free requests. */
#include <stdlib.h>

#include "trace/pmpi/comms.h"
#include "trace/pmpi/event.h"
#include "trace/pmpi/requests.h"
#include "trace/pmpi/status.h"

void record_request(struct tracer_scope *s, struct tracer_made made)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s);
    if (event_request(&e, made, 0))
        tracer_write(s, &e);
    else
        tracer_unlock();
}

void record_start(struct tracer_scope *s, struct tracer_candidates *c)
{
    int64_t some[2 * TRACER_CANDIDATES], *persistent = some;
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    if (c->count > TRACER_CANDIDATES)
        persistent = malloc(2 * (size_t)c->count * sizeof *persistent);
    if (!persistent) {
        tracer_candidates_forget(c);
        tracer_out_of_memory();
        tracer_unlock();
        return;
    }
    uint32_t n = 0;
    int64_t *requests = persistent + c->count;
    for (int i = 0; i < c->count; i++) {
        if (!c->requests[i] || !c->requests[i]->persistent)
            continue;
        tracer_request_start(c->requests[i]);
        if (!tracer_candidate_renamed(c, i))
            break;
        persistent[n] = c->requests[i]->persistent;
        requests[n++] = c->requests[i]->id;
    }
    tracer_candidates_forget(c);
    struct mpg_event e = event_of(s);
    e.persistent = persistent;
    e.requests = requests;
    e.request_number = n;
    tracer_write(s, &e);
    if (persistent != some)
        free(persistent);
}

/* The lists of the event of a call that completes requests. */
struct completion {
    int64_t *requests, *done, *cancelled;
    struct mpg_resolution *resolutions;
    uint32_t request_number, done_number, cancelled_number, resolution_number;
    int64_t some[3 * TRACER_CANDIDATES];
    struct mpg_resolution some_resolutions[TRACER_CANDIDATES];
};

static bool completion_allocate(struct completion *k, int count)
{
    size_t n = (size_t)count;
    k->requests = k->some;
    k->resolutions = k->some_resolutions;
    if (count > TRACER_CANDIDATES) {
        k->requests = malloc(3 * n * sizeof *k->requests);
        k->resolutions = malloc(n * sizeof *k->resolutions);
    }
    k->done = k->requests + n;
    k->cancelled = k->done + n;
    k->request_number = k->done_number = k->cancelled_number = k->resolution_number = 0;
    return k->requests && k->resolutions;
}

static void completion_free(struct completion *k)
{
    if (k->requests != k->some)
        free(k->requests);
    if (k->resolutions != k->some_resolutions)
        free(k->resolutions);
}

/* Stores source and tag of a wildcard receive, and cancellation, from STATUS in REQUEST. */
static void keep_status(struct tracer_request *request, const MPI_Status *status)
{
    /* The status of a file request may hold undefined values here. */
    request->cancelled = request->cancelling && status_cancelled(status);
    request->from = request->any ? tracer_peer(status->MPI_SOURCE) : 0;
    request->tag = request->any ? status->MPI_TAG : 0;
}

/* Request I of the candidates C is complete: adds the request to the lists of K, and forgets the request unless persistent.
 * STATUS: NULL if the call returned no status. */
static void complete_one(struct completion *k, struct tracer_candidates *c, int i,
                         const MPI_Status *status)
{
    struct tracer_request *request = c->requests[i];
    if (!request)
        return;
    k->done[k->done_number++] = request->id;
    /* MPICH 4.2 and later deactivates a persistent request when MPI_Request_get_status finds the request complete.
     * The completing call then gets an empty status. */
    if (status && !request->status_known)
        keep_status(request, status);
    if (request->cancelling && status && request->cancelled)
        k->cancelled[k->cancelled_number++] = request->id;
    else if (request->any && status)
        k->resolutions[k->resolution_number++] = (struct mpg_resolution){
            request->id, request->from, request->tag};
    if (request->makes_comm)
        tracer_comm_completed(request->id);
    c->requests[i] = NULL;
    request->taken = 0;
    request->active = request->cancelling = request->status_known = false;
    if (!request->persistent)
        tracer_request_remove(request);
}

/* After an error of the call: adds the requests that are complete nevertheless. */
static void complete_ended(struct completion *k, struct tracer_candidates *c,
                           const MPI_Status *statuses)
{
    for (int i = 0; i < c->count; i++)
        if (tracer_candidate_ended(c, i))
            complete_one(k, c, i, c->count == 1 ? statuses : NULL);
}

void record_completion(struct tracer_scope *s, struct tracer_candidates *c, int done,
                       const int *indices, int base, const MPI_Status *statuses)
{
    struct completion k;
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    if (!completion_allocate(&k, c->count)) {
        completion_free(&k);
        tracer_candidates_forget(c);
        tracer_out_of_memory();
        tracer_unlock();
        return;
    }
    for (int i = 0; i < c->count; i++) {
        if (c->requests[i] && !c->requests[i]->active) {
            c->requests[i]->taken = 0;
            c->requests[i] = NULL;
        }
        if (c->requests[i])
            k.requests[k.request_number++] = c->requests[i]->id;
    }
    bool in_status = c->error == MPI_ERR_IN_STATUS;
    if (c->error != MPI_SUCCESS && !in_status)
        complete_ended(&k, c, statuses);
    else if (done != MPI_UNDEFINED)
        for (int i = 0; i < done; i++) {
            int which = indices ? indices[i] - base : i;
            const MPI_Status *status = statuses ? &statuses[i] : NULL;
            if (which < 0 || which >= c->count ||
                (in_status && status && status->MPI_ERROR == MPI_ERR_PENDING))
                continue;
            complete_one(&k, c, which, status);
        }
    tracer_candidates_forget(c);
    struct mpg_event e = event_of(s);
    e.requests = k.requests;
    e.request_number = k.request_number;
    e.done_all = k.done_number == k.request_number;
    e.cancelled = k.cancelled;
    e.cancelled_number = k.cancelled_number;
    e.resolutions = k.resolutions;
    e.resolution_number = k.resolution_number;
    if (!e.done_all) {
        e.done = k.done;
        e.done_number = k.done_number;
    }
    tracer_write(s, &e);
    completion_free(&k);
}

void record_get_status(struct tracer_scope *s, struct tracer_candidates *c, int done,
                       const int *indices, int base, const MPI_Status *statuses)
{
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    for (int i = 0; done != MPI_UNDEFINED && i < done; i++) {
        const int which = indices ? indices[i] - base : i;
        struct tracer_request *request = which >= 0 && which < c->count ? c->requests[which] : NULL;
        if (request && request->active && !request->status_known && statuses != MPI_STATUSES_IGNORE) {
            keep_status(request, &statuses[i]);
            request->status_known = true;
        }
    }
    tracer_candidates_forget(c);
    tracer_unlock();
    record_other(s);
}

void record_request_free(struct tracer_scope *s, struct tracer_candidates *c)
{
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    struct tracer_request *request = c->count ? c->requests[0] : NULL;
    tracer_candidates_forget(c);
    if (!request) { /* a request of an unrecorded call */
        tracer_unlock();
        return;
    }
    struct mpg_event e = event_of(s);
    bool idle = request->persistent && !request->active;
    int64_t id = idle ? request->persistent : request->id;
    if (idle)
        e.persistent = &id;
    else {
        e.requests = &id;
        e.request_number = 1;
    }
    tracer_request_remove(request);
    tracer_write(s, &e);
}

void record_cancel(struct tracer_scope *s, struct tracer_candidates *c)
{
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    struct tracer_request *request = c->count ? c->requests[0] : NULL;
    tracer_candidates_forget(c);
    if (!request || !request->active) {
        tracer_unlock();
        return;
    }
    request->cancelling = true;
    struct mpg_event e = event_of(s);
    e.requests = &request->id;
    e.request_number = 1;
    tracer_write(s, &e);
}
