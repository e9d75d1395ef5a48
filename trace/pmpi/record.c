/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of point-to-point calls, requests and communicators. */
#include <stdlib.h>

#include "trace/pmpi/tracer.h"

static struct mpg_event event_of(const struct tracer_scope *s, MPI_Comm comm)
{
    return (struct mpg_event){.call = s->call, .comm = tracer_comm(comm), .newcomm = MPG_NO_COMM};
}

/* Source, tag and bytes of a completed receive that was posted with FROM and TAG. */
static uint32_t set_receive(int from, int tag, const MPI_Status *status, int32_t *source,
                            int32_t *received_tag, int64_t *bytes)
{
    MPI_Count count = 0; /* an int ends at 2 GiB */
    *source = tracer_peer(status->MPI_SOURCE);
    *received_tag = status->MPI_TAG;
    if (from == MPI_PROC_NULL) {
        *source = MPG_PROC_NULL;
        *received_tag = tag == MPI_ANY_TAG ? 0 : tag;
        *bytes = 0;
        return 0;
    }
    if (PMPI_Get_elements_x(status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED)
        count = 0;
    *bytes = count;
    return (from == MPI_ANY_SOURCE ? MPG_ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? MPG_ANY_TAG : 0);
}

void record_send(struct tracer_scope *s, int count, MPI_Datatype type, int to,
                 int tag, MPI_Comm comm)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    e.to = tracer_peer(to);
    e.tag = tag;
    e.bytes = tracer_bytes(count, type);
    tracer_write(s, &e);
}

void record_recv(struct tracer_scope *s, int from, int tag, MPI_Comm comm, const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    e.any = set_receive(from, tag, status, &e.from, &e.tag, &e.bytes);
    tracer_write(s, &e);
}

void record_sendrecv(struct tracer_scope *s, int64_t bytes, int to,
                     int sendtag, int from, int recvtag, MPI_Comm comm, const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    e.to = tracer_peer(to);
    e.tag = sendtag;
    e.bytes = bytes;
    e.any = set_receive(from, recvtag, status, &e.from, &e.recvtag, &e.recvbytes);
    tracer_write(s, &e);
}

void record_isend(struct tracer_scope *s, int count, MPI_Datatype type, int to,
                  int tag, MPI_Comm comm, MPI_Request handle, const void *address)
{
    if (!tracer_lock())
        return;
    struct tracer_request *request = tracer_request_new(handle, address, 0, false);
    if (!request) {
        tracer_unlock();
        return;
    }
    struct mpg_event e = event_of(s, comm);
    e.to = tracer_peer(to);
    e.tag = tag;
    e.bytes = tracer_bytes(count, type);
    e.requests = &request->id;
    e.request_number = 1;
    tracer_write(s, &e);
}

static uint32_t any_of(int from, int tag)
{
    if (from == MPI_PROC_NULL)
        return 0;
    return (from == MPI_ANY_SOURCE ? MPG_ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? MPG_ANY_TAG : 0);
}

/* What a receive that is only posted can say of its partner. */
static void set_posted(struct mpg_event *e, int from, int tag)
{
    e->any = any_of(from, tag);
    e->from = from == MPI_ANY_SOURCE ? MPG_UNKNOWN : tracer_peer(from);
    e->tag = tag != MPI_ANY_TAG ? tag : from == MPI_PROC_NULL ? 0 : MPG_UNKNOWN;
}

void record_irecv(struct tracer_scope *s, int count, MPI_Datatype type, int from, int tag,
                  MPI_Comm comm, MPI_Request handle, const void *address)
{
    if (!tracer_lock())
        return;
    struct tracer_request *request =
        tracer_request_new(handle, address, any_of(from, tag), false);
    if (!request) {
        tracer_unlock();
        return;
    }
    struct mpg_event e = event_of(s, comm);
    set_posted(&e, from, tag);
    e.bytes = tracer_bytes(count, type);
    e.requests = &request->id;
    e.request_number = 1;
    tracer_write(s, &e);
}

void record_persistent(struct tracer_scope *s, int count, MPI_Datatype type,
                       int peer, int tag, MPI_Comm comm, MPI_Request handle, const void *address)
{
    if (!tracer_lock())
        return;
    bool receives = s->call == MPG_CALL_Recv_init;
    struct tracer_request *request =
        tracer_request_new(handle, address, receives ? any_of(peer, tag) : 0, true);
    if (!request) {
        tracer_unlock();
        return;
    }
    struct mpg_event e = event_of(s, comm);
    if (receives)
        set_posted(&e, peer, tag);
    else {
        e.to = tracer_peer(peer);
        e.tag = tag;
    }
    e.bytes = tracer_bytes(count, type);
    e.persistent = &request->persistent;
    tracer_write(s, &e);
}

void record_start(struct tracer_scope *s, struct tracer_candidates *c)
{
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    size_t n = 0, size = ((size_t)c->count + 1) * sizeof(int64_t);
    int64_t *persistent = malloc(size), *requests = malloc(size);
    for (int i = 0; persistent && requests && i < c->count; i++) {
        if (!c->requests[i] || !c->requests[i]->persistent)
            continue;
        tracer_request_start(c->requests[i]);
        persistent[n] = c->requests[i]->persistent;
        requests[n++] = c->requests[i]->id;
    }
    tracer_candidates_drop(c);
    struct mpg_event e = {.call = s->call,
                          .newcomm = MPG_NO_COMM,
                          .persistent = persistent,
                          .requests = requests,
                          .request_number = (uint32_t)n};
    tracer_write(s, &e);
    free(persistent);
    free(requests);
}

/* The lists of a completion event, in one allocation each. */
struct completion {
    int64_t *requests, *done, *cancelled;
    struct mpg_resolution *resolutions;
    uint32_t request_number, done_number, cancelled_number, resolution_number;
};

static bool completion_allocate(struct completion *k, int count)
{
    size_t n = (size_t)count + 1;
    *k = (struct completion){.requests = malloc(3 * n * sizeof *k->requests),
                             .resolutions = malloc(n * sizeof *k->resolutions)};
    if (!k->requests || !k->resolutions)
        return false;
    k->done = k->requests + n;
    k->cancelled = k->done + n;
    return true;
}

static void completion_free(struct completion *k)
{
    free(k->requests);
    free(k->resolutions);
}

/* REQUEST is complete: notes how, and forgets it unless it is persistent. */
static void complete_one(struct completion *k, struct tracer_request *request,
                         const MPI_Status *status)
{
    int cancelled = 0;
    k->done[k->done_number++] = request->id;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        k->cancelled[k->cancelled_number++] = request->id;
    else if (request->any)
        k->resolutions[k->resolution_number++] = (struct mpg_resolution){
            request->id, tracer_peer(status->MPI_SOURCE), status->MPI_TAG};
    request->taken = request->active = false;
    if (!request->persistent)
        tracer_request_remove(request);
}

void record_completion(struct tracer_scope *s, struct tracer_candidates *c,
                       int done, const int *indices, const MPI_Status *statuses)
{
    struct completion k;
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    if (!completion_allocate(&k, c->count)) {
        completion_free(&k);
        tracer_candidates_drop(c);
        tracer_unlock();
        return;
    }
    for (int i = 0; i < c->count; i++) {
        if (c->requests[i] && !c->requests[i]->active) {
            c->requests[i]->taken = false;
            c->requests[i] = NULL;
        }
        if (c->requests[i])
            k.requests[k.request_number++] = c->requests[i]->id;
    }
    for (int i = 0; i < done; i++) {
        int which = indices ? indices[i] : i;
        if (which < 0 || which >= c->count || !c->requests[which])
            continue;
        struct tracer_request *request = c->requests[which];
        c->requests[which] = NULL;
        complete_one(&k, request, &statuses[i]);
    }
    tracer_candidates_drop(c);
    struct mpg_event e = {.call = s->call,
                          .newcomm = MPG_NO_COMM,
                          .requests = k.requests,
                          .request_number = k.request_number,
                          .done_all = k.done_number == k.request_number,
                          .cancelled = k.cancelled,
                          .cancelled_number = k.cancelled_number,
                          .resolutions = k.resolutions,
                          .resolution_number = k.resolution_number};
    if (!e.done_all) {
        e.done = k.done;
        e.done_number = k.done_number;
    }
    tracer_write(s, &e);
    completion_free(&k);
}

void record_probe(struct tracer_scope *s, int from, int tag, MPI_Comm comm,
                  bool found, const MPI_Status *status)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    if (found)
        e.any = set_receive(from, tag, status, &e.from, &e.tag, &e.bytes);
    else
        set_posted(&e, from, tag);
    e.found = found;
    tracer_write(s, &e);
}

void record_request_free(struct tracer_scope *s, struct tracer_candidates *c)
{
    struct tracer_request *request = c->count ? c->requests[0] : NULL;
    if (!tracer_lock()) {
        tracer_candidates_drop(c);
        return;
    }
    if (!request) {
        tracer_candidates_drop(c);
        tracer_unlock();
        return;
    }
    int64_t id = request->id, persistent = request->persistent;
    bool active = request->active;
    tracer_candidates_drop(c);
    struct mpg_event e = {.call = s->call, .newcomm = MPG_NO_COMM};
    if (persistent && !active)
        e.persistent = &persistent;
    else {
        e.requests = &id;
        e.request_number = 1;
    }
    tracer_request_remove(request);
    tracer_write(s, &e);
}

void record_cancel(struct tracer_scope *s, MPI_Request handle, const void *address)
{
    if (!tracer_lock())
        return;
    struct tracer_request *request = tracer_request_find(handle, address);
    if (!request || !request->active) {
        tracer_unlock();
        return;
    }
    struct mpg_event e = {.call = s->call,
                          .newcomm = MPG_NO_COMM,
                          .requests = &request->id,
                          .request_number = 1};
    tracer_write(s, &e);
}

void record_collective(struct tracer_scope *s, int root, int64_t bytes,
                       MPI_Comm comm)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    e.root = tracer_peer(root);
    e.bytes = bytes;
    tracer_write(s, &e);
}

void record_counts(struct tracer_scope *s, int root, const int *counts, int p,
                   MPI_Datatype type, MPI_Comm comm)
{
    int64_t *bytes = malloc(((size_t)p + 1) * sizeof *bytes);
    if (!bytes || !tracer_lock()) {
        free(bytes);
        return;
    }
    for (int i = 0; i < p; i++)
        bytes[i] = tracer_bytes(counts[i], type);
    struct mpg_event e = event_of(s, comm);
    e.root = tracer_peer(root);
    e.counts = bytes;
    e.count_number = (uint32_t)p;
    tracer_write(s, &e);
    free(bytes);
}

void record_constructor(struct tracer_scope *s, MPI_Comm comm,
                        MPI_Comm newcomm)
{
    if (!tracer_lock())
        return;
    struct mpg_event e = event_of(s, comm);
    if (newcomm != MPI_COMM_NULL) {
        tracer_comm_new(newcomm);
        e.newcomm = tracer_comm(newcomm);
    }
    tracer_write(s, &e);
}

int32_t tracer_comm_known(MPI_Comm comm)
{
    int32_t number = 0;
    if (tracer_lock()) {
        number = tracer_comm(comm);
        tracer_unlock();
    }
    return number;
}

void record_comm_free(struct tracer_scope *s, MPI_Comm old, int32_t number)
{
    if (!tracer_lock())
        return;
    tracer_comm_forget(old);
    struct mpg_event e = {.call = s->call, .comm = number, .newcomm = MPG_NO_COMM};
    tracer_write(s, &e);
}

int tracer_rank_in(MPI_Comm comm)
{
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int tracer_size_of(MPI_Comm comm)
{
    int inter = 0, size = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}
