/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Point-to-point messages, blocking and nonblocking. */
#include "replay/enact/player.h"

int play_peer(int32_t rank)
{
    return rank == MPG_PROC_NULL ? MPI_PROC_NULL : rank == MPG_ROOT ? MPI_ROOT : rank;
}

uint32_t play_wildcards(const struct player *p, const struct mpg_event *e)
{
    const struct mpg_needs *needs = p->host->needs;
    if (e->any == 0 || p->host->deterministic)
        return 0;
    return e->any & ~(e->comm >= 0 && (size_t)e->comm < needs->comms ? needs->named[e->comm] : 0U);
}

int play_source(const struct player *p, const struct mpg_event *e, int32_t from)
{
    return from == MPG_UNKNOWN || (play_wildcards(p, e) & MPG_ANY_SOURCE) ? MPI_ANY_SOURCE : play_peer(from);
}

int play_tag(const struct player *p, const struct mpg_event *e, int32_t tag)
{
    return tag == MPG_UNKNOWN || (play_wildcards(p, e) & MPG_ANY_TAG) ? MPI_ANY_TAG : tag;
}

int64_t play_receive_room(const struct player *p, int64_t bytes)
{
    return p->wildcards && bytes < p->message_bytes ? p->message_bytes : bytes;
}

/* Returns a send buffer of BYTES; a send to MPI_PROC_NULL needs no room. */
static const void *sent_to(struct player *p, int32_t peer, int64_t bytes)
{
    return play_send_buffer(p, peer == MPG_PROC_NULL ? 0 : bytes);
}

static void *received_from(struct player *p, int32_t peer, int64_t bytes)
{
    return play_receive_buffer(p, peer == MPG_PROC_NULL ? 0 : bytes);
}

/* --- blocking --- */

static int send(struct player *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->action->event;
    const int to = play_peer(e->to);
    const void *at = sent_to(p, e->to, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    switch (p->action->plain) {
    case MPG_CALL_Ssend:
        rc = PLAY_CALL(p, MPI_Ssend(at, count, type, to, e->tag, c->comm));
        break;
    case MPG_CALL_Bsend:
        rc = PLAY_CALL(p, MPI_Bsend(at, count, type, to, e->tag, c->comm));
        break;
    case MPG_CALL_Rsend:
        rc = PLAY_CALL(p, MPI_Rsend(at, count, type, to, e->tag, c->comm));
        break;
    default:
        rc = PLAY_CALL(p, MPI_Send(at, count, type, to, e->tag, c->comm));
        break;
    }
    play_type_end(&type);
    return play_check(p, rc);
}

static int receive(struct player *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->action->event;
    const int64_t bytes = play_receive_room(p, e->bytes);
    void *at = received_from(p, e->from, bytes);
    int count;
    MPI_Datatype type;
    MPI_Status status;
    struct play_envelope envelope = {play_source(p, e, e->from), play_tag(p, e, e->tag), false};
    if (!at || play_type(p, bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    if (deviations_substitute(p, c, e, e->tag, true, &envelope) < 0)
        return -1;
    const int rc = PLAY_CALL(p, MPI_Recv(at, count, type, envelope.source, envelope.tag, c->comm, &status));
    play_type_end(&type);
    if (play_check(p, rc) < 0)
        return -1;
    return e->any ? deviations_note(p, e->comm, e->from, e->tag, &status) : 0;
}

/* Makes MPI_Sendrecv or MPI_Sendrecv_replace; with REQUEST, the nonblocking form. */
static int sendrecv(struct player *p, struct play_comm *c, MPI_Request *request)
{
    const struct mpg_event *e = &p->action->event;
    const bool replace = !p->action->changed && (p->action->plain == MPG_CALL_Sendrecv_replace ||
                                              p->action->plain == MPG_CALL_Isendrecv_replace);
    const int64_t bytes = request ? e->recvbytes : play_receive_room(p, e->recvbytes);
    MPI_Status status;
    void *from = replace ? play_receive_buffer(p, e->bytes) : play_send_buffer(p, e->bytes);
    void *into = play_receive_buffer(p, bytes);
    int own, other, rc;
    if (!from || !into)
        return play_fail(p, "out of memory");
    if (play_count(p, e->bytes, &own) < 0 || play_count(p, bytes, &other) < 0)
        return -1;
    const int to = play_peer(e->to);
    struct play_envelope envelope = {play_source(p, e, e->from), play_tag(p, e, e->recvtag), false};
    if (!request && deviations_substitute(p, c, e, e->recvtag, false, &envelope) < 0)
        return -1;
    const int source = envelope.source, tag = envelope.tag;
    if (!request) {
        rc = PLAY_CALL(p, replace ? MPI_Sendrecv_replace(from, own, MPI_BYTE, to, e->tag, source, tag, c->comm, &status)
                     : MPI_Sendrecv(from, own, MPI_BYTE, to, e->tag, into, other, MPI_BYTE, source, tag, c->comm, &status));
        if (play_check(p, rc) == 0 && e->any && deviations_note(p, e->comm, e->from, e->recvtag, &status) < 0)
            return -1;
    } else
#if MPI_VERSION >= 4
        rc = PLAY_CALL(p, replace ? MPI_Isendrecv_replace(from, own, MPI_BYTE, to, e->tag, source, tag, c->comm, request)
                     : MPI_Isendrecv(from, own, MPI_BYTE, to, e->tag, into, other, MPI_BYTE, source, tag,
                                     c->comm, request));
#else
        return play_fail(p, "this MPI lacks this call");
#endif
    return play_check(p, rc);
}

/* --- nonblocking --- */

int play_post_send(struct player *p, struct play_comm *c, const struct mpg_event *e, enum mpg_call call,
                   MPI_Request *request)
{
    const int to = play_peer(e->to);
    const void *at = sent_to(p, e->to, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    switch (call) {
#define FORMS(envelope)                                                                   \
    case MPG_CALL_I##envelope:                                                            \
        rc = PLAY_CALL(p, MPI_I##envelope(at, count, type, to, e->tag, c->comm, request)); \
        break;
    FORMS(ssend) FORMS(bsend) FORMS(rsend)
#undef FORMS
#define FORMS(envelope)                                                                   \
    case MPG_CALL_##envelope##_init:                                                      \
        rc = PLAY_CALL(p, MPI_##envelope##_init(at, count, type, to, e->tag, c->comm, request)); \
        break;
    FORMS(Send) FORMS(Ssend) FORMS(Bsend) FORMS(Rsend)
#undef FORMS
    default:
        rc = PLAY_CALL(p, MPI_Isend(at, count, type, to, e->tag, c->comm, request));
        break;
    }
    play_type_end(&type);
    return play_check(p, rc);
}

int play_post_receive(struct player *p, MPI_Comm comm, const struct mpg_event *e, bool persistent, int source, int tag,
                      MPI_Request *request)
{
    void *at = received_from(p, e->from, e->bytes);
    int count, rc;
    MPI_Datatype type;
    if (!at || play_type(p, e->bytes, &count, &type) < 0)
        return play_fail(p, "out of memory");
    rc = PLAY_CALL(p, persistent ? MPI_Recv_init(at, count, type, source, tag, comm, request)
                    : MPI_Irecv(at, count, type, source, tag, comm, request));
    play_type_end(&type);
    return play_check(p, rc);
}

static int post_receive(struct player *p, struct play_comm *c, struct play_request *r)
{
    struct mpg_event e = p->action->event;
    struct play_envelope envelope = {play_source(p, &e, e.from), play_tag(p, &e, e.tag), false};
    if (r->cancels)
        return play_post_receive(p, c->silent, &e, false, envelope.source, envelope.tag, &r->handle);
    if (deviations_substitute(p, c, &e, e.tag, false, &envelope) < 0)
        return -1;
    if (envelope.substitute)
        e.bytes = play_receive_room(p, e.bytes);
    if (play_post_receive(p, c->comm, &e, false, envelope.source, envelope.tag, &r->handle) < 0)
        return -1;
    return deviations_post(p, r, &e, e.from, e.tag);
}

static int post(struct player *p, struct play_comm *c)
{
    const struct mpg_event *e = &p->action->event;
    const bool receives = p->action->kind == MPG_KIND_IRECV;
    struct play_request *r = play_new_request(p, e->requests[0], receives);
    if (!r)
        return -1;
    r->cancels = e->cancelled_number > 0;
    r->elapse_only = c->elapse_only || (r->cancels && !receives); /* a cancelled send has no receiver in the trace, hence
                                                                     is not made */
    if (r->elapse_only) {
        play_elapse(p);
        return 0;
    }
    if (p->action->kind == MPG_KIND_ISENDRECV)
        return sendrecv(p, c, &r->handle);
    return receives ? post_receive(p, c, r) : play_post_send(p, c, e, p->action->plain, &r->handle);
}

int play_p2p(struct player *p)
{
    const enum mpg_kind kind = p->action->kind;
    struct play_comm *c = play_comm(p, p->action->event.comm);
    if (!c)
        return -1;
    if (kind == MPG_KIND_ISEND || kind == MPG_KIND_IRECV || kind == MPG_KIND_ISENDRECV)
        return post(p, c);
    if (c->elapse_only) {
        play_elapse(p);
        return 0;
    }
    if (kind == MPG_KIND_SEND)
        return send(p, c);
    return kind == MPG_KIND_RECV ? receive(p, c) : sendrecv(p, c, NULL);
}
