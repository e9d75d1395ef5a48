/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between two ranks; probes; persistent and partitioned requests; cancelled ones. */
#include "replay/enact/play.h"

#include <string.h>

int play_peer(int32_t rank)
{
    return rank == MPG_PROC_NULL ? MPI_PROC_NULL : rank == MPG_ROOT ? MPI_ROOT : rank;
}

int play_source(const struct play *p, const struct mpg_event *e, int32_t from)
{
    if (from == MPG_UNKNOWN || ((e->any & MPG_ANY_SOURCE) && !p->stage->deterministic))
        return MPI_ANY_SOURCE;
    return play_peer(from);
}

int play_tag(const struct play *p, const struct mpg_event *e, int32_t tag)
{
    return tag == MPG_UNKNOWN || ((e->any & MPG_ANY_TAG) && !p->stage->deterministic) ? MPI_ANY_TAG
                                                                                       : tag;
}

/* Room for what a blocking receive may take, where it can be another message than in the trace. */
static int64_t room(const struct play *p, int64_t bytes)
{
    return p->wildcards && bytes < p->message_bytes ? p->message_bytes : bytes;
}

/* What is sent to PEER: nothing is read, where there is none. */
static const void *sent_to(struct play *p, int32_t peer, int64_t bytes)
{
    return play_send_buffer(p, peer == MPG_PROC_NULL ? 0 : bytes);
}

static void *received_from(struct play *p, int32_t peer, int64_t bytes)
{
    return play_receive_buffer(p, peer == MPG_PROC_NULL ? 0 : bytes);
}

/* --- blocking --- */

static int send(struct play *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->act->event;
    const int to = play_peer(e->to);
    const void *at = sent_to(p, e->to, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    switch (p->act->plain) {
    case MPG_CALL_Ssend:
        rc = MPI_Ssend(at, count, type, to, e->tag, c->comm);
        break;
    case MPG_CALL_Bsend:
        rc = MPI_Bsend(at, count, type, to, e->tag, c->comm);
        break;
    case MPG_CALL_Rsend:
        rc = MPI_Rsend(at, count, type, to, e->tag, c->comm);
        break;
    default:
        rc = MPI_Send(at, count, type, to, e->tag, c->comm);
        break;
    }
    play_type_end(&type);
    return play_check(p, rc);
}

static int receive(struct play *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->act->event;
    const int64_t bytes = room(p, e->bytes);
    void *at = received_from(p, e->from, bytes);
    int count;
    MPI_Datatype type;
    if (!at || play_type(p, bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    const int rc = MPI_Recv(at, count, type, play_source(p, e, e->from), play_tag(p, e, e->tag), c->comm,
                            MPI_STATUS_IGNORE);
    play_type_end(&type);
    return play_check(p, rc);
}

/* Both ways, at once or posted: REQUEST is NULL, or where it goes. */
static int sendrecv(struct play *p, struct play_comm *c, MPI_Request *request)
{
    const struct mpg_event *e = &p->act->event;
    const bool replace =
        p->act->plain == MPG_CALL_Sendrecv_replace || p->act->plain == MPG_CALL_Isendrecv_replace;
    const int64_t bytes = request ? e->recvbytes : room(p, e->recvbytes);
    void *from = replace ? play_receive_buffer(p, e->bytes) : play_send_buffer(p, e->bytes);
    void *into = play_receive_buffer(p, bytes);
    int own, other, rc;
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (play_count(p, e->bytes, &own) < 0 || play_count(p, bytes, &other) < 0)
        return -1;
    const int to = play_peer(e->to), source = play_source(p, e, e->from), tag = play_tag(p, e, e->recvtag);
    if (!request)
        rc = replace ? MPI_Sendrecv_replace(from, own, MPI_BYTE, to, e->tag, source, tag, c->comm,
                                            MPI_STATUS_IGNORE)
                     : MPI_Sendrecv(from, own, MPI_BYTE, to, e->tag, into, other, MPI_BYTE, source, tag,
                                    c->comm, MPI_STATUS_IGNORE);
    else
#if MPI_VERSION >= 4
        rc = replace ? MPI_Isendrecv_replace(from, own, MPI_BYTE, to, e->tag, source, tag, c->comm, request)
                     : MPI_Isendrecv(from, own, MPI_BYTE, to, e->tag, into, other, MPI_BYTE, source, tag,
                                     c->comm, request);
#else
        return play_fail(p, "this MPI does not have it");
#endif
    return play_check(p, rc);
}

/* --- posted --- */

/* E, which sends by CALL, into REQUEST. */
static int post_send(struct play *p, struct play_comm *c, const struct mpg_event *e, enum mpg_call call,
                     MPI_Request *request)
{
    const int to = play_peer(e->to);
    const void *at = sent_to(p, e->to, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    switch (call) {
#define FORMS(name)                                                                   \
    case MPG_CALL_I##name:                                                            \
        rc = MPI_I##name(at, count, type, to, e->tag, c->comm, request);              \
        break;
    FORMS(ssend) FORMS(bsend) FORMS(rsend)
#undef FORMS
#define FORMS(name)                                                                   \
    case MPG_CALL_##name##_init:                                                      \
        rc = MPI_##name##_init(at, count, type, to, e->tag, c->comm, request);        \
        break;
    FORMS(Send) FORMS(Ssend) FORMS(Bsend) FORMS(Rsend)
#undef FORMS
    default:
        rc = MPI_Isend(at, count, type, to, e->tag, c->comm, request);
        break;
    }
    play_type_end(&type);
    return play_check(p, rc);
}

static int post_receive(struct play *p, struct play_comm *c, const struct mpg_event *e, bool persistent,
                        int source, int tag, MPI_Request *request)
{
    void *at = received_from(p, e->from, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    rc = persistent ? MPI_Recv_init(at, count, type, source, tag, c->comm, request)
                    : MPI_Irecv(at, count, type, source, tag, c->comm, request);
    play_type_end(&type);
    return play_check(p, rc);
}

static int post(struct play *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->act->event;
    const bool receives = p->act->kind == MPG_KIND_IRECV;
    struct play_request *r = play_post(p, e->requests[0], receives);
    if (!r)
        return -1;
    r->cancels = e->cancelled_number > 0;
    r->elapses = c->elapses || (r->cancels && !receives); /* nobody receives it */
    if (r->elapses) {
        play_elapse(p);
        return 0;
    }
    if (p->act->kind == MPG_KIND_ISENDRECV)
        return sendrecv(p, c, &r->handle);
    return receives ? post_receive(p, c, e, false, play_source(p, e, e->from), play_tag(p, e, e->tag),
                                   &r->handle)
                    : post_send(p, c, e, p->act->plain, &r->handle);
}

/* --- probes --- */

static int probe(struct play *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->act->event;
    const int from = play_source(p, e, e->from), tag = play_tag(p, e, e->tag);
    const bool matched = p->act->kind == MPG_KIND_MPROBE;
    const bool asks = p->act->plain == MPG_CALL_Iprobe || p->act->plain == MPG_CALL_Improbe;
    int flag = 0, rc;
    if (asks && e->found) { /* who found something waits for it */
        PMPI_Iprobe(from, tag, c->comm, &flag, MPI_STATUS_IGNORE);
        p->outcome.waited += !flag;
    } else
        flag = asks;
    if (!matched) {
        rc = flag ? MPI_Iprobe(from, tag, c->comm, &flag, MPI_STATUS_IGNORE)
                  : MPI_Probe(from, tag, c->comm, MPI_STATUS_IGNORE);
        return play_check(p, rc);
    }
    if (!e->found) { /* what it found would have to be received: it only looks */
        rc = MPI_Iprobe(from, tag, c->comm, &flag, MPI_STATUS_IGNORE);
        return play_check(p, rc);
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    rc = flag ? MPI_Improbe(from, tag, c->comm, &flag, &message, MPI_STATUS_IGNORE)
              : MPI_Mprobe(from, tag, c->comm, &message, MPI_STATUS_IGNORE);
    uint64_t *place = mpg_map_add(&p->messages, (uint64_t)e->message, 0);
    if (!place)
        return play_fail(p, "out of memory");
    memcpy(place, &message, sizeof message);
    return play_check(p, rc);
}

static int receive_matched(struct play *p)
{
    const struct mpg_event *e = &p->act->event;
    const bool posts = p->act->kind == MPG_KIND_IMRECV;
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    struct play_request *r = posts ? play_post(p, e->requests[0], true) : NULL;
    const uint64_t *place = e->message > 0 ? mpg_map_find(&p->messages, (uint64_t)e->message, 0) : NULL;
    if (posts && !r)
        return -1;
    if (e->message > 0 && !place) {
        if (r)
            r->elapses = true;
        play_elapse(p);
        return 0;
    }
    if (place) {
        memcpy(&message, place, sizeof message);
        mpg_map_remove(&p->messages, (uint64_t)e->message, 0);
    }
    const int64_t bytes = room(p, e->bytes);
    void *at = play_receive_buffer(p, bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    rc = posts ? MPI_Imrecv(at, count, type, &message, &r->handle)
               : MPI_Mrecv(at, count, type, &message, MPI_STATUS_IGNORE);
    play_type_end(&type);
    return play_check(p, rc);
}

/* --- persistent --- */

static int make_persistent(struct play *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->act->event;
    struct play_persistent *own = play_new_persistent(p, e->persistent[0]);
    if (!own)
        return -1;
    own->act = *p->act;
    own->elapses = c->elapses;
    if (c->elapses) {
        play_elapse(p);
        return 0;
    }
    switch (p->act->kind) {
    case MPG_KIND_SEND_INIT:
        return post_send(p, c, e, p->act->plain, &own->handle);
    case MPG_KIND_RECV_INIT:
        if (e->any && p->stage->deterministic)
            return 0; /* each start names whom it meets */
        return post_receive(p, c, e, true, play_source(p, e, e->from), play_tag(p, e, e->tag), &own->handle);
    default:
        break;
    }
#if MPI_VERSION >= 4
    const int partitions = e->root;
    const bool sends = p->act->kind == MPG_KIND_PSEND_INIT;
    void *at = sends ? play_send_buffer(p, e->bytes) : play_receive_buffer(p, e->bytes);
    if (!at)
        return play_fail(p, "out of memory");
    const MPI_Count each = partitions > 0 ? e->bytes / partitions : 0;
    return play_check(p, sends ? MPI_Psend_init(at, partitions, each, MPI_BYTE, play_peer(e->to), e->tag,
                                                c->comm, MPI_INFO_NULL, &own->handle)
                               : MPI_Precv_init(at, partitions, each, MPI_BYTE, play_peer(e->from), e->tag,
                                                c->comm, MPI_INFO_NULL, &own->handle));
#else
    return play_fail(p, "this MPI does not have it");
#endif
}

/* The nonblocking call that does what a start of a Send_init would. */
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

/* Without OWN's handle: it is active for another, or there is none. Start I of the act, into R. */
static int start_anew(struct play *p, struct play_persistent *own, struct play_request *r)
{
    const struct mpg_event *start = &p->act->event, *e = &own->act.event;
    struct play_comm *c = play_comm(p, e->comm);
    if (!c)
        return -1;
    if (own->act.kind == MPG_KIND_SEND_INIT)
        return post_send(p, c, e, posting(own->act.plain), &r->handle);
    if (own->act.kind != MPG_KIND_RECV_INIT)
        return play_collective_start(p, own, &r->handle);
    int source = play_source(p, e, e->from), tag = play_tag(p, e, e->tag);
    for (uint32_t i = 0; p->stage->deterministic && i < start->resolution_number; i++)
        if (start->resolutions[i].request == r->id) {
            source = play_peer(start->resolutions[i].source);
            tag = start->resolutions[i].tag;
        }
    return post_receive(p, c, e, false, source, tag, &r->handle);
}

static bool is_cancelled(const struct mpg_event *e, int64_t id)
{
    for (uint32_t i = 0; i < e->cancelled_number; i++)
        if (e->cancelled[i] == id)
            return true;
    return false;
}

/* What request I of a start becomes: *STARTS, one that MPI's own call is to start. */
static int start_one(struct play *p, uint32_t i, struct play_request **starts)
{
    const struct mpg_event *e = &p->act->event;
    struct play_persistent *own = play_find_persistent(p, e->persistent[i]);
    const bool receives = own && own->act.kind == MPG_KIND_RECV_INIT;
    struct play_request *r = play_post(p, e->requests[i], receives);
    if (!r)
        return -1;
    r->cancels = is_cancelled(e, r->id);
    r->elapses = !own || own->elapses || (r->cancels && !receives);
    if (r->elapses)
        return 0;
    if (own->handle == MPI_REQUEST_NULL || own->active)
        return start_anew(p, own, r);
    own->active = true;
    r->persistent = own;
    *starts = r;
    return 0;
}

/* Starting may change a handle: that of a buffered send, with Open MPI. */
static int start_all(struct play *p, struct play_request *const *request, int n)
{
    MPI_Request handle[FEW_LISTED];
    for (int i = 0; i < n; i++)
        handle[i] = request[i]->persistent->handle;
    const int rc = MPI_Startall(n, handle);
    for (int i = 0; i < n; i++)
        request[i]->handle = request[i]->persistent->handle = handle[i];
    return play_check(p, rc);
}

int play_start(struct play *p)
{
    const struct mpg_event *e = &p->act->event;
    struct play_request *few[FEW_LISTED];
    int n = 0;
    for (uint32_t i = 0; i < e->request_number; i++) {
        struct play_request *r = NULL;
        if (start_one(p, i, &r) < 0)
            return -1;
        if (!r)
            continue;
        if (p->act->plain == MPG_CALL_Start) {
            const int rc = MPI_Start(&r->persistent->handle);
            r->handle = r->persistent->handle;
            return play_check(p, rc);
        }
        few[n++] = r;
        if (n == FEW_LISTED && start_all(p, few, n) < 0)
            return -1;
        n %= FEW_LISTED;
    }
    return n > 0 ? start_all(p, few, n) : 0;
}

static int ready(struct play *p)
{
    const struct mpg_event *e = &p->act->event;
    struct play_request *r = play_find(p, e->requests[0]);
    if (!r || r->elapses || !r->persistent) {
        play_elapse(p);
        return 0;
    }
#if MPI_VERSION >= 4
    int rc = MPI_SUCCESS;
    if (p->act->plain == MPG_CALL_Pready_range && e->count_number == 2)
        return play_check(p, MPI_Pready_range((int)e->counts[0], (int)e->counts[1], r->persistent->handle));
    if (p->act->plain == MPG_CALL_Pready_list) {
        if (play_count_room(p, e->count_number) < 0)
            return -1;
        for (uint32_t i = 0; i < e->count_number; i++)
            p->counts[0][i] = (int)e->counts[i];
        return play_check(p, MPI_Pready_list((int)e->count_number, p->counts[0], r->persistent->handle));
    }
    for (uint32_t i = 0; rc == MPI_SUCCESS && i < e->count_number; i++)
        rc = MPI_Pready((int)e->counts[i], r->persistent->handle);
    return play_check(p, rc);
#else
    return play_fail(p, "this MPI does not have it");
#endif
}

/* One that was true is asked for until it is; others once. */
static int arrived(struct play *p)
{
    const struct mpg_event *e = &p->act->event;
    struct play_request *r = play_find(p, e->requests[0]);
    if (!r || r->elapses || r->done || !r->persistent) {
        play_elapse(p);
        return 0;
    }
#if MPI_VERSION >= 4
    int flag = 0, rc = MPI_SUCCESS;
    while (e->found && !flag && rc == MPI_SUCCESS)
        rc = PMPI_Parrived(r->persistent->handle, e->root, &flag);
    return play_check(p, rc == MPI_SUCCESS ? MPI_Parrived(r->persistent->handle, e->root, &flag) : rc);
#else
    return play_fail(p, "this MPI does not have it");
#endif
}

/* --- the end of requests --- */

/* Only if it took effect in the trace: else a message would be lost that was received then. */
int play_cancel(struct play *p)
{
    struct play_request *r = play_find(p, p->act->event.requests[0]);
    if (!r || r->elapses || r->done || !r->cancels) {
        play_elapse(p);
        return 0;
    }
    return play_check(p, MPI_Cancel(&r->handle));
}

int play_request_free(struct play *p)
{
    const struct mpg_event *e = &p->act->event;
    if (e->persistent) {
        struct play_persistent *own = play_find_persistent(p, e->persistent[0]);
        int rc = MPI_SUCCESS;
        if (own && own->handle != MPI_REQUEST_NULL)
            rc = MPI_Request_free(&own->handle);
        play_forget_persistent(p, e->persistent[0]);
        return play_check(p, rc);
    }
    struct play_request *r = e->request_number ? play_find(p, e->requests[0]) : NULL;
    if (!r)
        return 0;
    int rc = MPI_SUCCESS; /* one that is done has no handle any more, unless it is a persistent one's */
    MPI_Request *handle = r->persistent ? &r->persistent->handle : &r->handle;
    if (!r->elapses && (r->persistent || !r->done) && *handle != MPI_REQUEST_NULL)
        rc = MPI_Request_free(handle);
    play_forget(p, r);
    return play_check(p, rc);
}

int play_point(struct play *p)
{
    const enum mpg_kind kind = p->act->kind;
    if (kind == MPG_KIND_MRECV || kind == MPG_KIND_IMRECV)
        return receive_matched(p);
    if (kind == MPG_KIND_PREADY)
        return ready(p);
    if (kind == MPG_KIND_PARRIVED)
        return arrived(p);
    struct play_comm *c = play_comm(p, p->act->event.comm);
    if (!c)
        return -1;
    if (kind == MPG_KIND_ISEND || kind == MPG_KIND_IRECV || kind == MPG_KIND_ISENDRECV)
        return post(p, c);
    if (kind == MPG_KIND_SEND_INIT || kind == MPG_KIND_RECV_INIT || kind == MPG_KIND_PSEND_INIT ||
        kind == MPG_KIND_PRECV_INIT)
        return make_persistent(p, c);
    if (c->elapses) {
        play_elapse(p);
        return 0;
    }
    if (kind == MPG_KIND_SEND)
        return send(p, c);
    if (kind == MPG_KIND_RECV)
        return receive(p, c);
    if (kind == MPG_KIND_SENDRECV)
        return sendrecv(p, c, NULL);
    return probe(p, c);
}
