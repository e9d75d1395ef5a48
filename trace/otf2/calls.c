/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes events of MPI calls, from the records between the enter and the leave of each call. */
#include "trace/otf2/thread.h"

#include <stdlib.h>
#include <string.h>

void mpg_otf2_fail(struct otf2_thread *t)
{
    t->failed = true;
}

static void out_of_memory(struct otf2_thread *t)
{
    if (!t->failed)
        mpg_error_set(t->err, "out of memory");
    mpg_otf2_fail(t);
}

void mpg_otf2_append(struct otf2_thread *t, struct otf2_numbers *numbers, int64_t value)
{
    if (numbers->n == numbers->capacity) {
        const uint32_t capacity = numbers->capacity ? 2 * numbers->capacity : 16;
        int64_t *grown = realloc(numbers->at, capacity * sizeof *grown);
        if (!grown) {
            out_of_memory(t);
            return;
        }
        numbers->at = grown;
        numbers->capacity = capacity;
    }
    numbers->at[numbers->n++] = value;
}

int mpg_otf2_count(struct mpg_map *map, int32_t label, int32_t source, int32_t destination, struct mpg_error *err)
{
    uint64_t *n = mpg_map_add(map, (uint64_t)label, (uint64_t)(uint32_t)source << 32 | (uint32_t)destination);
    if (!n)
        return mpg_error_set(err, "out of memory");
    ++*n;
    return 0;
}

void mpg_otf2_emit(struct otf2_thread *t, struct mpg_event *e, const char *name)
{
    e->thread = t->thread;
    e->value_number = t->import->archive.values;
    e->values = t->differences;
    if (t->failed)
        return;
    for (uint32_t i = 0; i < e->value_number; i++) {
        t->differences[i] = t->has_values ? t->values[i] - t->last_values[i] : 0;
        t->last_values[i] = t->values[i];
    }
    t->import->has_events[t->rank] = t->call.has_events = true;
    if (mpg_build_event(t->import->build, t->rank, e, name, t->err) < 0)
        mpg_otf2_fail(t);
}

/* Returns an event of CALL from the enter of the current call to LEAVE_NS. */
static struct mpg_event make(const struct otf2_thread *t, enum mpg_call call, int64_t leave_ns)
{
    return (struct mpg_event){.call = call, .enter_ns = t->call.enter_ns, .leave_ns = leave_ns, .newcomm = MPG_NO_COMM,
                              .object = MPG_NO_OBJECT, .site = MPG_NO_SITE};
}

/* Emits the current call as a call of unknown communication, because the archive has no record of its messages. */
static void emit_unknown(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, MPG_CALL_Unknown, leave_ns);
    mpg_otf2_emit(t, &e, t->call.region->name);
}

/* Returns the archive's communicator NUMBER after defining it in the trace; *LABEL: the label in the trace. NULL with an
 * error: T has failed. */
static const struct otf2_comm *need_comm(struct otf2_thread *t, uint32_t number, int32_t *label)
{
    const struct otf2_comm *c =
        t->failed ? NULL : mpg_otf2_need_comm(&t->import->archive, t->import->build, number, t->rank, label, t->err);
    if (!c)
        mpg_otf2_fail(t);
    return c;
}

/* Sets the communicator of E, NUMBER in the archive, and the partner PEER. Counts a message to PEER, or with RECEIVES
 * from PEER. */
static void set_peer(struct otf2_thread *t, struct mpg_event *e, uint32_t number, uint32_t peer, bool receives)
{
    const struct otf2_comm *c = need_comm(t, number, &e->comm);
    if (!c)
        return;
    const int32_t other = mpg_otf2_world_rank(c, t->rank, peer);
    *(receives ? &e->from : &e->to) = (int32_t)peer;
    if (other < 0) {
        mpg_error_set(t->err, "damaged: rank %u is no member of communicator %u", peer, number);
        mpg_otf2_fail(t);
    } else if (mpg_otf2_count(receives ? &t->import->received : &t->import->sent, e->comm, receives ? other : t->rank,
                          receives ? t->rank : other, t->err) < 0)
        mpg_otf2_fail(t);
    t->import->messages += !receives;
}

static void remark(struct otf2_thread *t, enum otf2_remark remark)
{
    t->import->remarks.count[remark]++;
}

/* Returns the first message received (IS_RECEIVE) or sent by the current call; NULL: none. */
static const struct otf2_message *find_message(const struct otf2_thread *t, bool is_receive)
{
    for (size_t i = 0; i < t->call.n; i++)
        if (t->call.messages[i].is_receive == is_receive)
            return &t->call.messages[i];
    return NULL;
}

/* --- point to point --- */

static void set_send(struct otf2_thread *t, struct mpg_event *e, const struct otf2_message *m)
{
    e->to = MPG_PROC_NULL;
    if (!m) {
        remark(t, OTF2_NULL_SENDS);
        return;
    }
    e->tag = (int32_t)m->tag;
    e->bytes = (int64_t)(m->bytes & INT64_MAX >> 2);
    set_peer(t, e, m->comm, m->peer, false);
}

static void emit_send(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    set_send(t, &e, find_message(t, false));
    mpg_otf2_emit(t, &e, NULL);
}

static void set_receive(struct otf2_thread *t, struct mpg_event *e, const struct otf2_message *m, int32_t *tag, int64_t *bytes)
{
    e->from = MPG_PROC_NULL;
    if (!m) {
        remark(t, OTF2_NULL_RECEIVES);
        return;
    }
    e->any = m->any & (MPG_ANY_SOURCE | MPG_ANY_TAG);
    *tag = (int32_t)m->tag;
    *bytes = (int64_t)(m->bytes & INT64_MAX >> 2);
    set_peer(t, e, m->comm, m->peer, true);
}

static void emit_receive(struct otf2_thread *t, int64_t leave_ns)
{
    const enum mpg_call call = t->call.region->call;
    struct mpg_event e = make(t, mpg_call_kind(call) == MPG_KIND_RECV ? call : MPG_CALL_Recv, leave_ns);
    set_receive(t, &e, find_message(t, true), &e.tag, &e.bytes);
    mpg_otf2_emit(t, &e, NULL);
}

static void emit_sendrecv(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    const struct otf2_message *send = find_message(t, false), *receive = find_message(t, true);
    set_receive(t, &e, receive, &e.recvtag, &e.recvbytes);
    set_send(t, &e, send);
    mpg_otf2_emit(t, &e, NULL);
}

/* Emits a free of REQUEST, because no later record of the archive completes it. */
static void emit_free(struct otf2_thread *t, int64_t request, int64_t at_ns)
{
    struct mpg_event e = make(t, MPG_CALL_Request_free, at_ns);
    e.enter_ns = at_ns;
    e.requests = &request;
    e.request_number = 1;
    mpg_otf2_emit(t, &e, NULL);
}

/* Emits a nonblocking send. M: the record of the send; NULL: no record in the archive. */
static void emit_isend(struct otf2_thread *t, enum mpg_call call, const struct otf2_message *m, int64_t enter_ns,
                       int64_t leave_ns)
{
    struct mpg_event e = make(t, call, leave_ns);
    const int64_t request = m && m->request ? m->request : ++t->requests;
    e.enter_ns = enter_ns;
    e.requests = &request;
    e.request_number = 1;
    set_send(t, &e, m);
    mpg_otf2_emit(t, &e, NULL);
    if (m && m->request)
        return;
    if (m)
        remark(t, OTF2_SENDS_WITHOUT_REQUEST);
    emit_free(t, request, leave_ns);
}

/* Emits a nonblocking receive. R: source, tag and size, found by the first pass at the completion. REQUEST: number in the
 * trace. ANY: MPG_ANY_ flags of the post. */
static void emit_irecv(struct otf2_thread *t, const struct otf2_record *r, int64_t request, uint32_t any, int64_t enter_ns,
                       int64_t leave_ns)
{
    const enum mpg_call call = t->call.region->call;
    struct mpg_event e = make(t, mpg_call_kind(call) == MPG_KIND_IRECV ? call : MPG_CALL_Irecv, leave_ns);
    if (!r)
        return;
    e.enter_ns = enter_ns;
    e.requests = &request;
    e.request_number = 1;
    if (r->state == OTF2_DONE) {
        e.tag = (int32_t)r->tag;
        e.bytes = (int64_t)(r->bytes & INT64_MAX >> 2);
        e.any = any & (MPG_ANY_SOURCE | MPG_ANY_TAG);
        set_peer(t, &e, r->comm, r->peer, true);
    } else {
        e.from = e.tag = MPG_UNKNOWN;
        e.any = MPG_ANY_SOURCE | MPG_ANY_TAG;
        if (r->state == OTF2_OPEN)
            remark(t, OTF2_NEVER_COMPLETED);
    }
    mpg_otf2_emit(t, &e, NULL);
}

/* Emits a nonblocking receive without a record of the post. Records of completions without a request belong to these receives
 * in the order of posting. A receive without completion becomes a receive from MPI_PROC_NULL. */
static void emit_nameless_irecv(struct otf2_thread *t, int64_t leave_ns)
{
    const struct otf2_record *r = mpg_otf2_record_at(t, t->postings++);
    const int64_t request = ++t->requests;
    if (!r)
        return;
    if (r->state == OTF2_DONE) {
        remark(t, OTF2_RECEIVES_BY_ORDER);
        mpg_otf2_append(t, &t->nameless, request);
        emit_irecv(t, r, request, 0, t->call.enter_ns, leave_ns);
        return;
    }
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    e.requests = &request;
    e.request_number = 1;
    e.from = MPG_PROC_NULL;
    remark(t, OTF2_NULL_RECEIVES);
    mpg_otf2_emit(t, &e, NULL);
    emit_free(t, request, leave_ns);
}

/* Returns the number of receives without a record that the current call, MPI_Start or MPI_Startall, starts: for MPI_Startall,
 * all persistent receives made so far; for MPI_Start, one at most; 0 if the call has records of receives. */
static uint32_t nameless_starts(const struct otf2_thread *t)
{
    if (mpg_call_kind(t->call.region->call) != MPG_KIND_START)
        return 0;
    for (size_t i = 0; i < t->call.n; i++)
        if (t->call.messages[i].is_receive)
            return 0;
    return t->call.region->call == MPG_CALL_Startall ? t->receive_inits : t->call.n == 0 && t->receive_inits > 0;
}

/* Emits an MPI_Start, MPI_Startall or MPI_Isendrecv with records as nonblocking operations. The first operation gets the whole
 * time of the call. */
static void emit_starts(struct otf2_thread *t, int64_t leave_ns)
{
    const uint32_t nameless = nameless_starts(t);
    int64_t enter_ns = t->call.enter_ns;
    for (uint32_t i = 0; i < nameless && !t->failed; i++) {
        const struct otf2_record *r = mpg_otf2_record_at(t, t->postings++);
        if (!r || r->state != OTF2_DONE)
            continue;
        remark(t, OTF2_RECEIVES_BY_ORDER);
        mpg_otf2_append(t, &t->nameless, ++t->requests);
        emit_irecv(t, r, t->requests, 0, enter_ns, leave_ns);
        enter_ns = leave_ns;
    }
    for (size_t i = 0; i < t->call.n && !t->failed; i++, enter_ns = leave_ns) {
        const struct otf2_message *m = &t->call.messages[i];
        if (mpg_call_kind(t->call.region->call) == MPG_KIND_START)
            remark(t, OTF2_PERSISTENT);
        if (m->is_receive && m->is_nonblocking)
            emit_irecv(t, mpg_otf2_record_at(t, m->bytes), m->request, m->any, enter_ns, leave_ns);
        else if (!m->is_receive)
            emit_isend(t, MPG_CALL_Isend, m, enter_ns, leave_ns);
    }
    if (t->call.n == 0 && nameless == 0)
        t->local_calls[t->call.region->call]++;
}

static void emit_completion(struct otf2_thread *t, int64_t leave_ns)
{
    struct otf2_call *c = &t->call;
    struct mpg_event e = make(t, c->region->call, leave_ns);
    const uint32_t completed = c->completed.n;
    const bool tests = e.call == MPG_CALL_Test || e.call == MPG_CALL_Testall || e.call == MPG_CALL_Testany ||
                       e.call == MPG_CALL_Testsome;
    if (completed + c->tested.n == 0 && !tests) {
        emit_unknown(t, leave_ns); /* the call waited for MPI_PROC_NULL, or for an operation without a record */
        return;
    }
    for (uint32_t i = 0; i < c->tested.n; i++)
        mpg_otf2_append(t, &c->completed, c->tested.at[i]);
    e.requests = c->completed.at;
    e.request_number = c->completed.n;
    e.done_all = c->tested.n == 0;
    e.done = e.done_all ? NULL : c->completed.at;
    e.done_number = e.done_all ? 0 : completed;
    e.cancelled = c->cancelled.at;
    e.cancelled_number = c->cancelled.n;
    mpg_otf2_emit(t, &e, NULL);
}

/* --- collectives and communicators --- */

static int32_t root_of(uint32_t root)
{
    return root == OTF2_COLLECTIVE_ROOT_SELF         ? MPG_ROOT
           : root == OTF2_COLLECTIVE_ROOT_THIS_GROUP ? MPG_PROC_NULL
           : root == OTF2_COLLECTIVE_ROOT_NONE       ? 0
                                                     : (int32_t)(root & INT32_MAX);
}

/* Emits the collective with the record R. REQUEST: the collective's request; 0: blocking. */
static void emit_collective(struct otf2_thread *t, const struct otf2_record *r, int64_t request, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    const struct otf2_comm *c = need_comm(t, r->comm, &e.comm);
    bool spread = false;
    if (!c)
        return;
    e.root = root_of(r->peer);
    if (e.root >= 0 && mpg_otf2_world_rank(c, t->rank, (uint32_t)e.root) < 0) {
        mpg_error_set(t->err, "damaged: root %d is no member of communicator %u", e.root, r->comm);
        mpg_otf2_fail(t);
        return;
    }
    e.is_root = e.root == MPG_ROOT ||
                (e.root >= 0 && c->remote_size == 0 && mpg_otf2_world_rank(c, t->rank, (uint32_t)e.root) == t->rank);
    const int32_t size = c->remote_size > 0 ? c->remote_size : c->size;
    int64_t *counts = calloc((size_t)size, sizeof *counts);
    if (!counts) {
        out_of_memory(t);
        return;
    }
    mpg_otf2_collective_bytes(t->import, r, size, &e, counts, &spread);
    if (t->call.counts.n == (uint32_t)size) {
        e.counts = t->call.counts.at;
        e.count_number = (uint32_t)size;
        e.bytes = 0;
    } else if (spread)
        remark(t, OTF2_SPREAD);
    e.requests = &request;
    e.request_number = request > 0;
    t->import->collectives++;
    mpg_otf2_emit(t, &e, NULL);
    free(counts);
}

static void emit_icollective(struct otf2_thread *t, int64_t leave_ns)
{
    struct otf2_call *c = &t->call;
    const struct otf2_record *r = c->collective_request ? mpg_otf2_record_at(t, c->collective_record) : NULL;
    if (!r || r->state != OTF2_DONE)
        emit_unknown(t, leave_ns);
    else
        emit_collective(t, r, c->collective_request, leave_ns);
}

static void emit_constructor(struct otf2_thread *t, int64_t leave_ns)
{
    struct otf2_call *c = &t->call;
    struct mpg_event e = make(t, c->region->call, leave_ns);
    const bool is_nonblocking = mpg_call_kind(e.call) == MPG_KIND_ICONSTRUCTOR;
    const struct otf2_record *r = is_nonblocking ? (c->collective_request ? mpg_otf2_record_at(t, c->collective_record) : NULL)
                                                 : &c->collective;
    if (!r || (is_nonblocking ? r->state != OTF2_DONE || !c->has_created : !c->has_collective)) {
        emit_unknown(t, leave_ns);
        return;
    }
    if (!need_comm(t, r->comm, &e.comm) || (c->has_created && !need_comm(t, c->created, &e.newcomm)))
        return;
    e.requests = &c->collective_request;
    e.request_number = is_nonblocking;
    mpg_otf2_emit(t, &e, NULL);
}

static void emit_comm_free(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    if (!t->call.has_created) {
        t->local_calls[e.call]++;
        return;
    }
    if (need_comm(t, t->call.created, &e.comm))
        mpg_otf2_emit(t, &e, NULL);
}

/* --- any call --- */

/* Emits the current call as a call that returned an error. Records of messages are ignored. */
static void emit_failed(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    e.failed = true;
    mpg_otf2_emit(t, &e, NULL);
}

static void emit_plain(struct otf2_thread *t, int64_t leave_ns)
{
    struct mpg_event e = make(t, t->call.region->call, leave_ns);
    mpg_otf2_emit(t, &e, NULL);
}

/* Emits an MPI_Init at the first call, because the archive has no MPI_Init. */
static void make_init(struct otf2_thread *t)
{
    struct mpg_event e = make(t, MPG_CALL_Init, t->call.enter_ns);
    remark(t, OTF2_MADE_INIT);
    t->has_init = true;
    mpg_otf2_emit(t, &e, NULL);
}

/* Returns the remark that counts calls of KIND, of which the import takes only the times. */
static enum otf2_remark remark_of(enum mpg_kind kind)
{
    if (kind >= MPG_KIND_WIN_CONSTRUCTOR && kind <= MPG_KIND_IRMA)
        return OTF2_ONE_SIDED;
    return kind >= MPG_KIND_FILE_OPEN && kind <= MPG_KIND_FILE_COLLECTIVE ? OTF2_FILES : OTF2_TIMES_ONLY;
}

void mpg_otf2_finish_call(struct otf2_thread *t, int64_t leave_ns)
{
    struct otf2_call *c = &t->call;
    const enum mpg_kind kind = mpg_call_kind(c->region->call);
    if (t->pass == 1) {
        t->has_init = t->has_init || kind == MPG_KIND_INIT;
        const uint32_t nameless = c->failed ? 0 : kind == MPG_KIND_IRECV ? c->n == 0 : nameless_starts(t);
        for (uint32_t i = 0; i < nameless && !t->failed; i++) {
            (void)mpg_otf2_record_at(t, t->postings);
            mpg_otf2_append(t, &t->nameless, (int64_t)t->postings++);
        }
        t->receive_inits += kind == MPG_KIND_RECV_INIT;
        return;
    }
    t->receive_inits += kind == MPG_KIND_RECV_INIT;
    if (!t->has_init && t->thread == 0 && kind != MPG_KIND_OTHER)
        make_init(t);
    t->import->calls++;
    if (c->failed) {
        emit_failed(t, leave_ns);
        return;
    }
    switch (kind) {
    case MPG_KIND_FINALIZE:
        t->has_finalize = true;
        emit_plain(t, leave_ns);
        break;
    case MPG_KIND_INIT:
    case MPG_KIND_ABORT:
    case MPG_KIND_OTHER:
        emit_plain(t, leave_ns);
        break;
    case MPG_KIND_SEND:
        emit_send(t, leave_ns);
        break;
    case MPG_KIND_RECV:
        emit_receive(t, leave_ns);
        break;
    case MPG_KIND_MRECV: /* not all recorders write a record of the message received by MPI_Mrecv */
        if (find_message(t, true))
            emit_receive(t, leave_ns);
        else
            emit_unknown(t, leave_ns);
        break;
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_IMRECV:
        if (c->n > 0)
            emit_starts(t, leave_ns);
        else
            emit_unknown(t, leave_ns);
        break;
    case MPG_KIND_SENDRECV:
        emit_sendrecv(t, leave_ns);
        break;
    case MPG_KIND_ISEND:
        emit_isend(t, c->region->call, find_message(t, false), c->enter_ns, leave_ns);
        break;
    case MPG_KIND_IRECV:
        if (c->n > 0 && c->messages[0].is_receive && c->messages[0].request)
            emit_irecv(t, mpg_otf2_record_at(t, c->messages[0].bytes), c->messages[0].request, c->messages[0].any, c->enter_ns,
                       leave_ns);
        else
            emit_nameless_irecv(t, leave_ns);
        break;
    case MPG_KIND_START:
        emit_starts(t, leave_ns);
        break;
    case MPG_KIND_COMPLETE:
        emit_completion(t, leave_ns);
        break;
    case MPG_KIND_COLLECTIVE:
        if (c->has_collective)
            emit_collective(t, &c->collective, 0, leave_ns);
        else
            emit_unknown(t, leave_ns);
        break;
    case MPG_KIND_ICOLLECTIVE:
        emit_icollective(t, leave_ns);
        break;
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICONSTRUCTOR:
        emit_constructor(t, leave_ns);
        break;
    case MPG_KIND_COMM_FREE:
        emit_comm_free(t, leave_ns);
        break;
    case MPG_KIND_SEND_INIT: /* archives have no records of the calls below, only of the start of a persistent operation */
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
    case MPG_KIND_REQUEST:
    case MPG_KIND_PCONTROL:
        t->local_calls[c->region->call]++;
        break;
    default:
        if (mpg_otf2_emit_one_sided(t, leave_ns))
            break;
        remark(t, remark_of(kind));
        t->import->remarks.time_ns[remark_of(kind)] += leave_ns - c->enter_ns;
        emit_unknown(t, leave_ns);
    }
}
