/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Persistent and partitioned requests: creation, start, free. Cancellation of requests. */
#include "replay/enact/player.h"

static int make_persistent(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_comm *c = play_comm(p, e->comm);
    if (!c)
        return -1;
    struct play_persistent *own = play_new_persistent(p, e->persistent[0]);
    if (!own)
        return -1;
    own->action = *p->action;
    own->elapse_only = c->elapse_only;
    if (c->elapse_only) {
        play_elapse(p);
        return 0;
    }
    switch (p->action->kind) {
    case MPG_KIND_SEND_INIT:
        return play_post_send(p, c, e, p->action->plain, &own->handle);
    case MPG_KIND_RECV_INIT:
        if (e->any != play_wildcards(p, e))
            return 0; /* no persistent handle: each start posts a separate receive, with the source and tag of the trace */
        return play_post_receive(p, c->comm, e, true, play_source(p, e, e->from), play_tag(p, e, e->tag), &own->handle);
    default:
        break;
    }
#if MPI_VERSION >= 4
    const int partitions = e->root;
    const bool sends = p->action->kind == MPG_KIND_PSEND_INIT;
    void *at = sends ? play_send_buffer(p, e->bytes) : play_receive_buffer(p, e->bytes);
    if (!at)
        return play_fail(p, "out of memory");
    const MPI_Count each = partitions > 0 ? e->bytes / partitions : 0;
    return play_check(p, PLAY_CALL(p, sends ? MPI_Psend_init(at, partitions, each, MPI_BYTE, play_peer(e->to), e->tag,
                                                c->comm, MPI_INFO_NULL, &own->handle)
                               : MPI_Precv_init(at, partitions, each, MPI_BYTE, play_peer(e->from), e->tag,
                                                c->comm, MPI_INFO_NULL, &own->handle)));
#else
    return play_fail(p, "this MPI lacks this call");
#endif
}

/* Returns the nonblocking call equivalent to a start of INIT. */
static enum mpg_call posting(enum mpg_call init)
{
    switch (init) {
    case MPG_CALL_Ssend_init:
        return MPG_CALL_Issend;
    case MPG_CALL_Bsend_init:
        return MPG_CALL_Ibsend;
    case MPG_CALL_Rsend_init:
        return MPG_CALL_Irsend;
    default:
        return MPG_CALL_Isend;
    }
}

/* Returns the source and tag of the message received in the trace by R, a start within START; NULL: R has no wildcard or
 * received nothing. */
static const struct mpg_resolution *find_resolution(const struct mpg_event *start, const struct play_request *r)
{
    for (uint32_t i = 0; i < start->resolution_number; i++)
        if (start->resolutions[i].request == r->id)
            return &start->resolutions[i];
    return NULL;
}

/* Notes R, a start of OWN, if R is a receive with a wildcard. */
static int note_wildcard(struct player *p, const struct play_persistent *own, struct play_request *r)
{
    const struct mpg_resolution *took = find_resolution(&p->action->event, r);
    return took ? deviations_post(p, r, &own->action.event, took->source, took->tag) : 0;
}

/* Starts R by a nonblocking call of BYTES bytes instead of OWN's handle, because the handle is missing or active for
 * another request, R is to be cancelled, or the size differs. */
static int start_nonblocking(struct player *p, struct play_persistent *own, struct play_request *r, int64_t bytes)
{
    struct mpg_event what = own->action.event, *e = &what;
    what.bytes = bytes;
    struct play_comm *c = play_comm(p, e->comm);
    if (!c)
        return -1;
    if (own->action.kind == MPG_KIND_SEND_INIT)
        return play_post_send(p, c, e, posting(own->action.plain), &r->handle);
    if (own->action.kind != MPG_KIND_RECV_INIT)
        return play_collective_start(p, own, r);
    const struct mpg_resolution *took = find_resolution(&p->action->event, r);
    const int source = play_source(p, e, took ? took->source : e->from), tag = play_tag(p, e, took ? took->tag : e->tag);
    if (play_post_receive(p, r->cancels ? c->silent : c->comm, e, false, source, tag, &r->handle) < 0)
        return -1;
    return note_wildcard(p, own, r);
}

static bool is_cancelled(const struct mpg_event *e, int64_t id)
{
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        if (e->cancelled[i] == id)
            return true;
    return false;
}

static bool is_to_proc_null(const struct play_persistent *own)
{
    const struct mpg_event *e = &own->action.event;
    return (own->action.kind == MPG_KIND_SEND_INIT && e->to == MPG_PROC_NULL) ||
           (own->action.kind == MPG_KIND_RECV_INIT && e->from == MPG_PROC_NULL);
}

/* Completes the active start of OWN. OWN is started again, so the active start must have ended, but the trace does not
 * show where: MPICH does not report requests to MPI_PROC_NULL in lists. Open MPI needs a wait for requests to
 * MPI_PROC_NULL. */
static int end_unreported(struct player *p, struct play_persistent *own)
{
    const int rc = is_to_proc_null(own) ? PLAY_CALL(p, PMPI_Wait(&own->handle, MPI_STATUS_IGNORE)) : MPI_SUCCESS;
    play_free_request(p, own->active);
    return play_check(p, rc);
}

/* Makes start number I of the action, or sets *STARTS to the request for which the caller has to call MPI's start. */
static int start_one(struct player *p, uint32_t i, struct play_request **starts)
{
    const struct mpg_event *e = &p->action->event;
    struct play_persistent *own = play_find_persistent(p, e->persistent[i]);
    const bool receives = own && own->action.kind == MPG_KIND_RECV_INIT;
    /* a receive from MPI_PROC_NULL gets no message, so no receive can exchange identifiers with R */
    struct play_request *r = play_new_request(p, e->requests[i], receives && !is_to_proc_null(own));
    if (!r)
        return -1;
    if (p->action->started && p->action->started[i] == MPG_STARTED_DROPPED) {
        r->dropped = r->done = true;
        return 0;
    }
    r->cancels = is_cancelled(e, r->id);
    r->elapse_only = !own || own->elapse_only || (r->cancels && !receives);
    if (r->elapse_only)
        return 0;
    while (own->active && threads_wait(p, THREADS_ALL)) { /* the last start is not complete: another thread completes the start */
    }
    if (own->active && own->active->started == own && end_unreported(p, own) < 0)
        return -1;
    const int64_t bytes = p->action->started && p->action->started[i] >= 0 ? p->action->started[i] : own->action.event.bytes;
    if (own->handle == MPI_REQUEST_NULL || own->active || r->cancels || (!receives && bytes != own->action.event.bytes) ||
        bytes > own->action.event.bytes)
        return start_nonblocking(p, own, r, bytes);
    own->active = r;
    r->persistent = r->started = own;
    *starts = r;
    return 0;
}

/* Starts the N persistent requests by MPI_Startall. Open MPI may change the handle of a buffered send. */
static int start_all(struct player *p, struct play_request *const *request, int n)
{
    MPI_Request handle[FEW_LISTED];
    for (int i = 0; i < n; i++)
        handle[i] = request[i]->persistent->handle;
    const int rc = PLAY_CALL(p, MPI_Startall(n, handle));
    for (int i = 0; i < n; i++)
        request[i]->handle = request[i]->persistent->handle = handle[i];
    for (int i = 0; i < n; i++)
        if (note_wildcard(p, request[i]->persistent, request[i]) < 0)
            return -1;
    return play_check(p, rc);
}

static int start(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_request *few[FEW_LISTED];
    int n = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = NULL;
        if (start_one(p, i, &r) < 0)
            return -1;
        if (!r)
            continue;
        if (p->action->plain == MPG_CALL_Start) {
            const int rc = PLAY_CALL(p, MPI_Start(&r->persistent->handle));
            r->handle = r->persistent->handle;
            return play_check(p, rc) < 0 ? -1 : note_wildcard(p, r->persistent, r);
        }
        few[n++] = r;
        if (n == FEW_LISTED && start_all(p, few, n) < 0)
            return -1;
        n %= FEW_LISTED;
    }
    return n > 0 ? start_all(p, few, n) : 0;
}

static int ready(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_request *r = play_find_request(p, e->requests[0]);
    if (!r || r->elapse_only || !r->persistent) {
        play_elapse(p);
        return 0;
    }
#if MPI_VERSION >= 4
    int rc = MPI_SUCCESS;
    if (p->action->plain == MPG_CALL_Pready_range && e->count_number == 2)
        return play_check(p, PLAY_CALL(p, MPI_Pready_range((int)e->counts[0], (int)e->counts[1], r->persistent->handle)));
    if (p->action->plain == MPG_CALL_Pready_list) {
        if (play_count_room(p, &p->counts, e->count_number) < 0)
            return -1;
        for (uint32_t i = 0; i < e->count_number; i++)
            p->counts->counts[0][i] = (int)e->counts[i];
        return play_check(p, PLAY_CALL(p, MPI_Pready_list((int)e->count_number, p->counts->counts[0], r->persistent->handle)));
    }
    for (uint32_t i = 0; rc == MPI_SUCCESS && i < e->count_number; i++)
        rc = PLAY_CALL(p, MPI_Pready((int)e->counts[i], r->persistent->handle));
    return play_check(p, rc);
#else
    return play_fail(p, "this MPI lacks this call");
#endif
}

/* Makes MPI_Parrived: if true in the trace, repeatedly until true here; else once. */
static int arrived(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    struct play_request *r = play_find_request(p, e->requests[0]);
    if (!r || r->elapse_only || r->done || !r->persistent) {
        play_elapse(p);
        return 0;
    }
#if MPI_VERSION >= 4
    int flag = 0, rc = MPI_SUCCESS;
    while (e->found && !flag && rc == MPI_SUCCESS)
        rc = PLAY_CALL(p, PMPI_Parrived(r->persistent->handle, e->root, &flag));
    return play_check(p, PLAY_CALL(p, rc == MPI_SUCCESS ? MPI_Parrived(r->persistent->handle, e->root, &flag) : rc));
#else
    return play_fail(p, "this MPI lacks this call");
#endif
}

/* --- end of requests --- */

/* Cancels a request only if the cancellation succeeded in the trace: otherwise a message received in the trace could be lost. */
static int cancel(struct player *p)
{
    struct play_request *r = play_find_request(p, p->action->event.requests[0]);
    if (!r || r->elapse_only || r->done || !r->cancels) {
        if (!r || !r->dropped)
            play_elapse(p);
        return 0;
    }
    return play_check(p, PLAY_CALL(p, MPI_Cancel(&r->handle)));
}

static int request_free(struct player *p)
{
    const struct mpg_event *e = &p->action->event;
    if (e->persistent) {
        struct play_persistent *own = play_find_persistent(p, e->persistent[0]);
        int rc = MPI_SUCCESS;
        if (own && own->active &&
            own->active->deferred) /* freed later: completing the start here could deadlock, since the message may depend
                                      on calls to come */
            own->freed = true;
        else if (own && own->handle != MPI_REQUEST_NULL)
            rc = PLAY_CALL(p, MPI_Request_free(&own->handle));
        play_free_persistent(p, e->persistent[0]);
        return play_check(p, rc);
    }
    struct play_request *r = e->request_number ? play_find_request(p, e->requests[0]) : NULL;
    if (!r)
        return 0;
    int rc = MPI_SUCCESS; /* a complete request has no handle any more, unless persistent */
    MPI_Request *handle = r->persistent ? &r->persistent->handle : &r->handle;
    if (!r->elapse_only && (r->persistent || !r->done) && *handle != MPI_REQUEST_NULL)
        rc = PLAY_CALL(p, MPI_Request_free(handle));
    play_free_request(p, r);
    return play_check(p, rc);
}

int play_persistent(struct player *p)
{
    switch (p->action->kind) {
    case MPG_KIND_START:
        return start(p);
    case MPG_KIND_CANCEL:
        return cancel(p);
    case MPG_KIND_REQUEST_FREE:
        return request_free(p);
    case MPG_KIND_PREADY:
        return ready(p);
    case MPG_KIND_PARRIVED:
        return arrived(p);
    default:
        return make_persistent(p);
    }
}
