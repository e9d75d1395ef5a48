/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of a Paraver trace, joined with messages of the same times, as events. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "trace/paraver/import.h"

static const char null_sends[] = "sends without a message: to MPI_PROC_NULL";
static const char null_receives[] = "receives without a message: from MPI_PROC_NULL";
static const char sends_end[] = "nonblocking sends: complete when posted, their completion is not recorded";
static const char restarted[] = "starts of persistent requests: shown as nonblocking sends and receives";
static const char spread[] = "collectives with a total only: spread evenly over the members";
static const char own_comms[] = "messages that overtake another of their sender, receiver and tag: in a communicator of their "
                                "own";
static const char halves[] = "Sendrecv whose halves overtake others: shown as Isend, Irecv and Waitall";
static const char cut_calls[] = "calls without an end: left out";

/* --- messages --- */

enum by { BY_SEND, BY_POST, BY_RECEIPT };

static int64_t time_by(const struct prv_message *m, enum by by)
{
    return by == BY_SEND ? m->sent_ns : by == BY_POST ? m->posted_ns : m->received_ns;
}

struct sorting {
    const struct prv_message *messages;
    enum by by;
};

static int compare(const void *a, const void *b, void *context)
{
    const struct sorting *s = context;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const int64_t x = time_by(&s->messages[i], s->by), y = time_by(&s->messages[j], s->by);
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

/* By channel, then time of the send. */
static int compare_channels(const void *a, const void *b, void *context)
{
    const struct prv_message *all = ((const struct sorting *)context)->messages;
    const struct prv_message *x = &all[*(const size_t *)a], *y = &all[*(const size_t *)b];
    if (x->source != y->source)
        return x->source - y->source;
    if (x->destination != y->destination)
        return x->destination - y->destination;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return compare(a, b, context);
}

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* Puts each message that overtakes an earlier message of the same sender, receiver and tag into a new communicator. */
static int separate(struct prv_import *im, struct mpg_error *err)
{
    enum { MAX_OWN = 4096 };
    struct sorting sorting = {im->messages, BY_SEND};
    size_t *order = malloc((im->message_number + 1) * sizeof *order), own = 0;
    if (!order)
        return out_of_memory(err);
    for (size_t i = 0; i < im->message_number; i++)
        order[i] = i;
    if (im->message_number > 0)
        qsort_r(order, im->message_number, sizeof *order, compare_channels, &sorting);
    int64_t latest_ns = INT64_MIN;
    for (size_t i = 0; i < im->message_number; i++) {
        struct prv_message *m = &im->messages[order[i]], *last = i > 0 ? &im->messages[order[i - 1]] : NULL;
        const bool is_same = last && last->source == m->source && last->destination == m->destination && last->tag == m->tag;
        if (!is_same)
            latest_ns = INT64_MIN;
        if (m->posted_ns < latest_ns) {
            m->comm = ++im->labels;
            own++;
        } else
            latest_ns = m->posted_ns;
    }
    free(order);
    if (own > MAX_OWN)
        return mpg_error_set(err, "%zu messages overtake others of their sender, receiver and tag", own);
    mpg_foreign_remark(&im->foreign, own_comms, own);
    for (size_t i = 0; i < im->message_number; i++) {
        const struct mpg_build_comm built = {im->messages[i].comm, 0, -1, im->ranks, 0, im->own.members};
        if (built.label > 0 && mpg_build_comm(im->foreign.build, &built, err) < 0)
            return -1;
    }
    return 0;
}

/* Sorts each rank's messages by each of three times. */
static int sort_messages(struct prv_import *im, struct mpg_error *err)
{
    for (size_t i = 0; i < im->message_number; i++) {
        im->rank[im->messages[i].source].send_number++;
        im->rank[im->messages[i].destination].receive_number++;
    }
    for (int32_t k = 0; k < im->ranks; k++) {
        struct prv_rank *r = &im->rank[k];
        r->sends = malloc((r->send_number + 1) * sizeof *r->sends);
        r->receives = malloc((r->receive_number + 1) * sizeof *r->receives);
        r->completions = malloc((r->receive_number + 1) * sizeof *r->completions);
        if (!r->sends || !r->receives || !r->completions)
            return out_of_memory(err);
        r->send_number = r->receive_number = 0;
    }
    for (size_t i = 0; i < im->message_number; i++) {
        struct prv_rank *from = &im->rank[im->messages[i].source], *to = &im->rank[im->messages[i].destination];
        from->sends[from->send_number++] = i;
        to->receives[to->receive_number] = i;
        to->completions[to->receive_number++] = i;
    }
    for (int32_t k = 0; k < im->ranks; k++) {
        struct prv_rank *r = &im->rank[k];
        struct sorting s = {im->messages, BY_SEND};
        if (r->send_number > 0)
            qsort_r(r->sends, r->send_number, sizeof *r->sends, compare, &s);
        s.by = BY_POST;
        if (r->receive_number > 0)
            qsort_r(r->receives, r->receive_number, sizeof *r->receives, compare, &s);
        s.by = BY_RECEIPT;
        if (r->receive_number > 0)
            qsort_r(r->completions, r->receive_number, sizeof *r->completions, compare, &s);
    }
    return 0;
}

/* The first of the N messages in LIST, sorted BY a time, at AT_NS or later. */
static size_t lower_bound(const struct prv_import *im, const size_t *list, size_t n, enum by by, int64_t at_ns)
{
    size_t low = 0;
    while (n > 0) {
        const size_t half = n / 2;
        if (time_by(&im->messages[list[low + half]], by) < at_ns) {
            low += half + 1;
            n -= half + 1;
        } else
            n = half;
    }
    return low;
}

/* --- the events of a rank --- */

struct state {
    struct prv_import *im;
    int32_t rank;
    bool *sent, *received; /* by message: a call has taken it */
    int32_t root;          /* of the call, if it is a collective and its root says so; else 0 */
    int64_t *requests;     /* of a completion */
    int64_t *counts;
};

static const char *name_of(const struct prv_import *im, const struct prv_call *call)
{
    const uint64_t *number = mpg_map_find(&im->name_numbers, call->type, call->value);
    return number && *number ? im->names[*number - 1].name : "MPI_?";
}

static struct mpg_event make(const struct prv_call *call, enum mpg_call which)
{
    struct mpg_event e = mpg_foreign_make(which, call->enter_ns, call->leave_ns);
    e.thread = (uint32_t)call->thread;
    return e;
}

static int emit(struct state *s, struct mpg_event *e, const struct prv_message *m, const char *name, struct mpg_error *err)
{
    s->im->own.label = m ? m->comm : 0;
    return mpg_foreign_event(&s->im->foreign, s->rank, e, m ? &s->im->own : NULL, name, err);
}

static int emit_unknown(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Unknown);
    return emit(s, &e, NULL, name_of(s->im, call), err);
}

/* MPI_PROC_NULL is in the world. */
static const struct prv_message nobody = {.comm = 0};

/* Returns a message sent by CALL and by no earlier call: the logical send is CALL's enter, the physical send CALL's leave, except
 * by recorders other than Extrae. NULL: none. */
static struct prv_message *take_send(struct state *s, const struct prv_call *call)
{
    const struct prv_rank *r = &s->im->rank[s->rank];
    struct prv_message *found = NULL;
    for (size_t i = lower_bound(s->im, r->sends, r->send_number, BY_SEND, call->enter_ns); i < r->send_number; i++) {
        struct prv_message *m = &s->im->messages[r->sends[i]];
        if (m->sent_ns != call->enter_ns)
            break;
        if (s->sent[r->sends[i]] || m->source_thread != call->thread)
            continue;
        if (!found || m->left_ns == call->leave_ns)
            found = m;
        if (m->left_ns == call->leave_ns)
            break;
    }
    if (found)
        s->sent[found - s->im->messages] = true;
    return found;
}

/* Returns a message with the logical receive AT_NS in THREAD, not yet taken by a call; with the physical receive RECEIVED_NS, if
 * there is one, and never with NOT_NS. NULL: none. */
static struct prv_message *take_receive(struct state *s, int32_t thread, int64_t at_ns, int64_t received_ns, int64_t not_ns)
{
    const struct prv_rank *r = &s->im->rank[s->rank];
    struct prv_message *found = NULL;
    for (size_t i = lower_bound(s->im, r->receives, r->receive_number, BY_POST, at_ns); i < r->receive_number; i++) {
        struct prv_message *m = &s->im->messages[r->receives[i]];
        if (m->posted_ns != at_ns)
            break;
        if (s->received[r->receives[i]] || m->destination_thread != thread || m->received_ns == not_ns)
            continue;
        if (!found || m->received_ns == received_ns)
            found = m;
        if (m->received_ns == received_ns || received_ns < 0)
            break;
    }
    if (found)
        s->received[found - s->im->messages] = true;
    return found;
}

/* Returns a message received by CALL before CALL's end. */
static struct prv_message *take_received(struct state *s, const struct prv_call *call)
{
    return take_receive(s, call->thread, call->enter_ns, call->leave_ns, -1);
}

static enum mpg_call call_of(const struct prv_import *im, const struct prv_call *call)
{
    const char *name = name_of(im, call);
    return strncmp(name, "MPI_", 4) == 0 ? mpg_call_by_name(name + 4) : MPG_CALL_COUNT;
}

/* Returns a message with a receive posted by CALL. If the thread's next call begins at the end of CALL and receives a message,
 * that message has the same logical time. */
static struct prv_message *take_posted(struct state *s, const struct prv_call *call)
{
    const struct prv_rank *r = &s->im->rank[s->rank];
    const struct prv_call *next = call + 1, *end = r->calls + r->n;
    int64_t not_ns = -1;
    while (next < end && (next->thread != call->thread || next->leave_ns == call->leave_ns)) /* others, or no time */
        next++;
    if (next < end && next->enter_ns == call->leave_ns) {
        const enum mpg_call which = call_of(s->im, next);
        const enum mpg_kind kind = which < MPG_CALL_COUNT ? mpg_call_kind(which) : MPG_KIND_OTHER;
        if (kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV || kind == MPG_KIND_MRECV)
            not_ns = next->leave_ns;
    }
    return take_receive(s, call->thread, call->leave_ns, -1, not_ns);
}

static void set_send(struct state *s, struct mpg_event *e, const struct prv_message *m)
{
    e->to = m ? m->destination : MPG_PROC_NULL;
    e->tag = m ? m->tag : 0;
    e->bytes = m ? m->bytes : 0;
    if (!m)
        mpg_foreign_remark(&s->im->foreign, null_sends, 1);
}

/* Frees REQUEST at AT_NS: no call waits for it. */
static int emit_free(struct state *s, const struct prv_call *call, int64_t request, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Request_free);
    e.enter_ns = e.leave_ns;
    e.requests = &request;
    e.request_number = 1;
    return emit(s, &e, NULL, NULL, err);
}

static int emit_isend(struct state *s, const struct prv_call *call, enum mpg_call which, const struct prv_message *m,
                      int64_t enter_ns,
                      struct mpg_error *err)
{
    struct mpg_event e = make(call, which);
    const int64_t request = ++s->im->foreign.rank[s->rank].requests;
    e.enter_ns = enter_ns;
    e.requests = &request;
    e.request_number = 1;
    set_send(s, &e, m);
    mpg_foreign_remark(&s->im->foreign, sends_end, 1);
    return emit(s, &e, m ? m : &nobody, NULL, err) < 0 ? -1 : emit_free(s, call, request, err);
}

static int emit_irecv(struct state *s, const struct prv_call *call, struct prv_message *m, int64_t enter_ns,
                      struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Irecv);
    const int64_t request = ++s->im->foreign.rank[s->rank].requests;
    e.enter_ns = enter_ns;
    e.requests = &request;
    e.request_number = 1;
    e.from = m ? m->source : MPG_PROC_NULL;
    e.tag = m ? m->tag : 0;
    e.bytes = m ? m->bytes : 0;
    if (m)
        m->request = request;
    else
        mpg_foreign_remark(&s->im->foreign, null_receives, 1);
    if (emit(s, &e, m ? m : &nobody, NULL, err) < 0)
        return -1;
    return m ? 0 : emit_free(s, call, request, err);
}

/* Writes a Sendrecv with halves in two communicators: two operations and a wait. */
static int emit_halves(struct state *s, const struct prv_call *call, const struct prv_message *send,
                       const struct prv_message *receive, struct mpg_error *err)
{
    struct mpg_event first = make(call, MPG_CALL_Isend), second = make(call, MPG_CALL_Irecv), wait = make(call, MPG_CALL_Waitall);
    int64_t *last = &s->im->foreign.rank[s->rank].requests;
    const int64_t requests[] = {*last + 1, *last + 2};
    *last += 2;
    first.leave_ns = second.leave_ns = call->enter_ns;
    first.requests = requests;
    second.requests = requests + 1;
    wait.requests = requests;
    first.request_number = second.request_number = 1;
    wait.request_number = 2;
    wait.done_all = true;
    set_send(s, &first, send);
    second.from = receive->source;
    second.tag = receive->tag;
    second.bytes = receive->bytes;
    mpg_foreign_remark(&s->im->foreign, halves, 1);
    return emit(s, &first, send, NULL, err) < 0 || emit(s, &second, receive, NULL, err) < 0 || emit(s, &wait, NULL, NULL, err) < 0
               ? -1 : 0;
}

static int emit_blocking(struct state *s, const struct prv_call *call, enum mpg_call which, struct mpg_error *err)
{
    struct mpg_event e = make(call, which);
    const enum mpg_kind kind = mpg_call_kind(which);
    const struct prv_message *send = kind != MPG_KIND_RECV ? take_send(s, call) : NULL;
    const struct prv_message *receive = kind != MPG_KIND_SEND ? take_received(s, call) : NULL;
    const bool both = kind == MPG_KIND_SENDRECV;
    if (both && send && receive && send->comm != receive->comm)
        return emit_halves(s, call, send, receive, err);
    if (kind != MPG_KIND_RECV)
        set_send(s, &e, send);
    if (kind != MPG_KIND_SEND) {
        e.from = receive ? receive->source : MPG_PROC_NULL;
        *(both ? &e.recvtag : &e.tag) = receive ? receive->tag : 0;
        *(both ? &e.recvbytes : &e.bytes) = receive ? receive->bytes : 0;
        if (!receive)
            mpg_foreign_remark(&s->im->foreign, null_receives, 1);
    }
    return emit(s, &e, send ? send : receive ? receive : &nobody, NULL, err);
}

/* Writes a Start: each operation as a nonblocking call. The first has the Start's time. */
static int emit_starts(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    int64_t enter_ns = call->enter_ns;
    struct prv_message *m;
    bool any = false;
    while ((m = take_posted(s, call)) || (m = take_received(s, call))) {
        mpg_foreign_remark(&s->im->foreign, restarted, 1);
        if (emit_irecv(s, call, m, enter_ns, err) < 0)
            return -1;
        enter_ns = call->leave_ns;
        any = true;
    }
    while ((m = take_send(s, call))) {
        mpg_foreign_remark(&s->im->foreign, restarted, 1);
        if (emit_isend(s, call, MPG_CALL_Isend, m, enter_ns, err) < 0)
            return -1;
        enter_ns = call->leave_ns;
        any = true;
    }
    return any ? 0 : mpg_foreign_untraced(&s->im->foreign, s->rank, name_of(s->im, call), err);
}

static int emit_completion(struct state *s, const struct prv_call *call, enum mpg_call which, struct mpg_error *err)
{
    const struct prv_rank *r = &s->im->rank[s->rank];
    struct mpg_event e = make(call, which);
    size_t i = lower_bound(s->im, r->completions, r->receive_number, BY_RECEIPT, call->leave_ns);
    for (; i < r->receive_number && s->im->messages[r->completions[i]].received_ns == call->leave_ns; i++) {
        struct prv_message *m = &s->im->messages[r->completions[i]];
        if (m->request <= 0)
            continue;
        s->requests[e.request_number++] = m->request;
        m->request = -1;
    }
    e.requests = s->requests;
    e.done_all = true;
    const bool tests = which == MPG_CALL_Test || which == MPG_CALL_Testall || which == MPG_CALL_Testany ||
        which == MPG_CALL_Testsome;
    if (e.request_number == 0)
        return tests ? mpg_foreign_untraced(&s->im->foreign, s->rank, name_of(s->im, call), err) : emit_unknown(s, call, err);
    return emit(s, &e, NULL, NULL, err);
}

/* --- collectives --- */

static const struct mpg_foreign_comm *comm_of(const struct prv_import *im, const struct prv_call *call)
{
    return call->comm >= 1 && (size_t)call->comm <= im->comm_number ? &im->comms[call->comm - 1] : NULL;
}

/* The rank in COMM of world rank RANK, or -1. */
static int32_t position_in(const struct prv_import *im, const struct mpg_foreign_comm *comm, int32_t rank)
{
    if (rank < comm->size && comm->members[rank] == rank)
        return rank;
    const uint64_t *position = mpg_map_find(&im->positions, (uint64_t)(comm - im->comms) + 1, (uint64_t)rank);
    return position && *position ? (int32_t)*position - 1 : -1;
}

/* The number, from 0, of RANK's next collective of CALL's communicator. */
static uint64_t *collective_number(struct prv_import *im, int32_t rank, const struct prv_call *call)
{
    return mpg_map_add(&im->collectives, (uint64_t)call->comm, (uint64_t)rank);
}

/* Only the root's call names the root. */
static int find_roots(struct prv_import *im, struct mpg_error *err)
{
    for (int32_t r = 0; r < im->ranks; r++)
        for (size_t i = 0; i < im->rank[r].n; i++) {
            const struct prv_call *call = &im->rank[r].calls[i];
            const struct mpg_foreign_comm *comm = comm_of(im, call);
            uint64_t *number = comm ? collective_number(im, r, call) : NULL;
            if (comm && !number)
                return out_of_memory(err);
            if (!comm || !call->is_root) {
                if (number)
                    ++*number;
                continue;
            }
            uint64_t *root = mpg_map_add(&im->roots, (uint64_t)call->comm, (*number)++);
            const int32_t position = position_in(im, comm, r);
            if (!root)
                return out_of_memory(err);
            if (position < 0)
                return mpg_error_set(err, "rank %d is the root of a communicator without it", r);
            *root = (uint64_t)position + 1;
        }
    mpg_map_clear(&im->collectives);
    return 0;
}

/* Bytes as mpgtext(5) counts them, from what is sent and received. */
static void set_bytes(struct state *s, struct mpg_event *e, const struct prv_call *call, int32_t size, bool is_root)
{
    const int64_t sent = call->sent > 0 && call->sent < INT64_MAX / 8 ? call->sent : 0;
    const int64_t received = call->received > 0 && call->received < INT64_MAX / 8 ? call->received : 0;
    const enum mpg_call which = mpg_call_blocking(e->call);
    switch (which) {
    case MPG_CALL_Bcast:
    case MPG_CALL_Scatterv:
    case MPG_CALL_Scatter:
        e->bytes = which == MPG_CALL_Scatter && is_root ? sent : received > 0 ? received : sent;
        break;
    default:
        e->bytes = sent > 0 ? sent : received / (which == MPG_CALL_Gather || which == MPG_CALL_Alltoall ? size : 1);
        break;
    }
    const bool has_list = which == MPG_CALL_Alltoallv || which == MPG_CALL_Alltoallw || (which == MPG_CALL_Scatterv && is_root);
    if (!has_list)
        return;
    for (int32_t i = 0; i < size; i++)
        s->counts[i] = sent / size + (i < sent % size);
    e->counts = s->counts;
    e->count_number = (uint32_t)size;
    if (size > 1)
        mpg_foreign_remark(&s->im->foreign, spread, 1);
}

static int emit_collective(struct state *s, const struct prv_call *call, enum mpg_call which, struct mpg_error *err)
{
    struct prv_import *im = s->im;
    const struct mpg_foreign_comm *comm = comm_of(im, call);
    if (!comm)
        return emit_unknown(s, call, err);
    if (mpg_call_kind(which) != MPG_KIND_COLLECTIVE)
        return emit_unknown(s, call, err); /* its request is not recorded */
    if (position_in(im, comm, s->rank) < 0)
        return mpg_error_set(err, "%s in a communicator without the rank", name_of(im, call));
    struct mpg_event e = make(call, which);
    e.root = s->root;
    set_bytes(s, &e, call, comm->size, comm->members[e.root] == s->rank);
    return mpg_foreign_event(&im->foreign, s->rank, &e, comm, NULL, err);
}

/* --- any call --- */

/* Leaves out the recorder's time after MPI_Finalize. */
static int emit_flush(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Flush);
    const struct mpg_foreign_rank *r = &s->im->foreign.rank[s->rank];
    return r->has_init && !r->has_finalize ? emit(s, &e, NULL, NULL, err) : 0;
}

static int emit_call(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    const char *name = name_of(s->im, call);
    const enum mpg_call which = call_of(s->im, call);
    if (call->type == PRV_FLUSH)
        return emit_flush(s, call, err);
    if (which == MPG_CALL_COUNT)
        return emit_unknown(s, call, err);
    struct mpg_event e = make(call, which);
    switch (mpg_call_kind(which)) {
    case MPG_KIND_SEND:
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
        return emit_blocking(s, call, which, err);
    case MPG_KIND_ISEND:
        return emit_isend(s, call, which, take_send(s, call), call->enter_ns, err);
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
        return emit_irecv(s, call, take_posted(s, call), call->enter_ns, err);
    case MPG_KIND_MRECV:
        return emit_blocking(s, call, MPG_CALL_Recv, err);
    case MPG_KIND_ISENDRECV:
        return emit_isend(s, call, MPG_CALL_Isend, take_send(s, call), call->enter_ns, err) < 0
                   ? -1 : emit_irecv(s, call, take_posted(s, call), call->leave_ns, err);
    case MPG_KIND_START:
        return emit_starts(s, call, err);
    case MPG_KIND_COMPLETE:
        return emit_completion(s, call, which, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_ICOLLECTIVE:
        return emit_collective(s, call, which, err);
    case MPG_KIND_INIT:
    case MPG_KIND_FINALIZE:
    case MPG_KIND_ABORT:
    case MPG_KIND_OTHER:
        return emit(s, &e, NULL, NULL, err);
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_COMM_FREE:
    case MPG_KIND_CANCEL:
    case MPG_KIND_PCONTROL:
        return mpg_foreign_untraced(&s->im->foreign, s->rank, name, err);
    default:
        return emit_unknown(s, call, err);
    }
}

/* Finds the root of CALL, the next one in its communicator. */
static int set_root(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    s->root = 0;
    if (!comm_of(s->im, call))
        return 0;
    uint64_t *number = collective_number(s->im, s->rank, call);
    if (!number)
        return out_of_memory(err);
    const uint64_t *root = mpg_map_find(&s->im->roots, (uint64_t)call->comm, (*number)++);
    s->root = root && *root ? (int32_t)*root - 1 : 0;
    return 0;
}

static int make_rank(struct state *s, struct mpg_error *err)
{
    const struct prv_rank *r = &s->im->rank[s->rank];
    for (size_t i = 0; i < r->n; i++) {
        if (set_root(s, &r->calls[i], err) < 0)
            return -1;
        if (r->calls[i].leave_ns < 0) {
            mpg_foreign_remark(&s->im->foreign, cut_calls, 1);
            continue;
        }
        if (emit_call(s, &r->calls[i], err) < 0)
            return mpg_error_prefix(err, "task %d, call %zu", s->rank + 1, i + 1);
    }
    return 0;
}

/* Refuses messages without a call. */
static int check_taken(const struct prv_import *im, const struct state *s, struct mpg_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < im->message_number; i++)
        n += !s->sent[i] || !s->received[i];
    if (n == 0 || im->foreign.config->lenient)
        return 0;
    return mpg_error_set(err, "%zu of %zu messages belong to no call at their times; 'mpgtrace import --lenient' imports the "
                              "others", n,
                         im->message_number);
}

int mpg_prv_make_calls(struct prv_import *im, struct mpg_error *err)
{
    size_t max = 0;
    if (separate(im, err) < 0 || sort_messages(im, err) < 0 || find_roots(im, err) < 0)
        return -1;
    for (int32_t r = 0; r < im->ranks; r++)
        max = im->rank[r].receive_number > max ? im->rank[r].receive_number : max;
    struct state s = {im, 0, calloc(im->message_number + 1, sizeof(bool)), calloc(im->message_number + 1, sizeof(bool)),
                      0, calloc(max + 1, sizeof(int64_t)), calloc(im->ranks > 0 ? (size_t)im->ranks : 1, sizeof(int64_t))};
    int status = s.sent && s.received && s.requests && s.counts ? 0 : out_of_memory(err);
    for (; s.rank < im->ranks && status == 0; s.rank++)
        status = make_rank(&s, err);
    if (status == 0)
        status = check_taken(im, &s, err);
    free(s.sent);
    free(s.received);
    free(s.requests);
    free(s.counts);
    return status;
}
