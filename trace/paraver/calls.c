/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes events of the calls in a Paraver trace. A call and its messages have equal times. */
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "trace/paraver/import.h"
#include "trace/paraver/window.h"

static const char null_sends[] = "sends without a message record: taken as sends to MPI_PROC_NULL";
static const char null_receives[] = "receives without a message record: taken as receives from MPI_PROC_NULL";
static const char sends_end[] = "nonblocking sends: complete when posted, their completion is not recorded";
static const char restarted[] = "starts of persistent requests: shown as nonblocking sends and receives";
static const char spread[] = "collectives whose bytes are recorded as a sum: spread evenly over the members";
static const char own_comms[] = "messages that overtake another of their sender, receiver and tag: in a communicator of their "
                                "own";
static const char halves[] = "Sendrecv whose halves overtake others: shown as Isend, Irecv and Waitall";
static const char cut_calls[] = "calls without an end: left out";

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

static const struct prv_names *names_of(const struct prv_import *im, const struct prv_call *call)
{
    const uint64_t *number = mpg_map_find(&im->name_numbers, call->type, call->value);
    return number && *number ? &im->names[*number - 1] : NULL;
}

const char *mpg_prv_name_of(const struct prv_import *im, const struct prv_call *call)
{
    const struct prv_names *names = names_of(im, call);
    return names ? names->name : "MPI_?";
}

enum mpg_kind mpg_prv_kind_of(const struct prv_import *im, const struct prv_call *call, enum mpg_call *which)
{
    const struct prv_names *names = names_of(im, call);
    *which = names ? names->call : MPG_CALL_COUNT;
    return *which < MPG_CALL_COUNT ? mpg_call_kind(*which) : MPG_KIND_OTHER;
}

const struct mpg_foreign_comm *mpg_prv_comm_of(const struct prv_import *im, const struct prv_call *call)
{
    return call->comm >= 1 && (size_t)call->comm <= im->comm_number ? &im->comms[call->comm - 1] : NULL;
}

int32_t mpg_prv_position_in(const struct prv_import *im, const struct mpg_foreign_comm *comm, int32_t rank)
{
    if (rank < comm->size && comm->members[rank] == rank)
        return rank;
    const uint64_t *position = mpg_map_find(&im->positions, (uint64_t)(comm - im->comms) + 1, (uint64_t)rank);
    return position && *position ? (int32_t)*position - 1 : -1;
}

/* --- messages --- */

/* Defines a communicator for a message alone, which overtakes an earlier message with equal sender, receiver and tag. N: number
 * of overtaking messages so far, including this one. */
static int define_own(struct prv_import *im, uint64_t n, struct mpg_error *err)
{
    enum { MAX_OWN = 4096 };
    if (n > MAX_OWN)
        return mpg_error_set(err, "more than %d messages overtake others of their sender, receiver and tag", MAX_OWN);
    const struct mpg_build_comm built = {++im->labels, 0, -1, im->ranks, 0, im->own.members};
    return mpg_build_comm(im->foreign.build, &built, err);
}

/* Adds both sides of M, in communicator COMM, to the sorters by sender and by receiver. */
static int add_sides(struct prv_import *im, const struct prv_message *m, int32_t comm, struct mpg_error *err)
{
    enum { ORDER_BITS = 47 };
    const int32_t source = mpg_sorter_high(m->channel), destination = mpg_sorter_low(m->channel), tag = (int32_t)m->tag;
    const struct prv_side send = {source, m->sent_ns, (int64_t)m->source_thread << ORDER_BITS | m->order, m->left_ns, m->bytes,
                                  destination, tag, comm, m->source_thread};
    const struct prv_side receive = {destination, m->posted_ns, (int64_t)m->destination_thread << ORDER_BITS | m->order,
                                     m->received_ns, m->bytes, source, tag, comm, m->destination_thread};
    return mpg_sorter_add(im->sends, &send, err) < 0 ? -1 : mpg_sorter_add(im->receives, &receive, err);
}

/* Gives each message that overtakes an earlier message with equal sender, receiver and tag a communicator for itself,
 * because MPI forbids overtaking. Adds the sides of all messages to the sorters by sender and by receiver. */
static int separate(struct prv_import *im, struct mpg_error *err)
{
    const void *item;
    int64_t channel = 0, tag = -1, latest_ns = INT64_MIN;
    uint64_t own = 0;
    int more;
    if (mpg_sorter_sort(im->channels, err) < 0)
        return -1;
    while ((more = mpg_sorter_next(im->channels, &item, err)) > 0) {
        const struct prv_message *m = item;
        if (channel != m->channel || tag != m->tag)
            latest_ns = INT64_MIN;
        const bool is_own = m->posted_ns < latest_ns;
        if (is_own && define_own(im, ++own, err) < 0)
            return -1;
        latest_ns = m->posted_ns > latest_ns ? m->posted_ns : latest_ns;
        channel = m->channel;
        tag = m->tag;
        if (add_sides(im, m, is_own ? im->labels : 0, err) < 0)
            return -1;
    }
    mpg_foreign_remark(&im->foreign, own_comms, own);
    mpg_sorter_free(im->channels);
    im->channels = NULL;
    return more < 0 || mpg_sorter_sort(im->sends, err) < 0 || mpg_sorter_sort(im->receives, err) < 0 ||
                   mpg_sorter_sort(im->calls, err) < 0
               ? -1 : 0;
}

/* --- the events of a rank --- */

/* A nonblocking receive that is not complete yet, in a list of receives with equal completion times. */
struct open_receive {
    int64_t request;
    size_t next; /* 1 + index of the next receive in the list; 0: none */
};

struct state {
    struct prv_import *im;
    int32_t rank;
    struct prv_window sends, receives;
    int32_t root;          /* root of the current collective, as recorded by the root; 0 if not recorded */
    struct mpg_map open;   /* time of physical receive -> 1 + index of the list's first receive in OPEN_RECEIVES */
    struct open_receive *open_receives;
    /* UNUSED: 1 + index of the first free entry of OPEN_RECEIVES; free entries form a list. */
    size_t open_number, open_capacity, unused;
    int64_t *requests;     /* requests completed by the current call */
    size_t request_capacity;
    int64_t *counts;
};

static struct mpg_event make(const struct prv_call *call, enum mpg_call which)
{
    struct mpg_event e = mpg_foreign_make(which, call->enter_ns, call->leave_ns);
    e.thread = call->thread;
    return e;
}

static int emit(struct state *s, struct mpg_event *e, const struct prv_side *m, const char *name, struct mpg_error *err)
{
    s->im->own.label = m ? m->comm : 0;
    return mpg_foreign_event(&s->im->foreign, s->rank, e, m ? &s->im->own : NULL, name, err);
}

static int emit_unknown(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Unknown);
    return emit(s, &e, NULL, mpg_prv_name_of(s->im, call), err);
}

/* Stands for the message of a call with MPI_PROC_NULL, in MPI_COMM_WORLD. */
static const struct prv_side nobody = {.comm = 0};

/* Takes a message sent by CALL: logical send at CALL's enter, and preferably physical send at CALL's leave, as Extrae
 * writes. Each message is taken once. Returns NULL if none is left. */
static const struct prv_side *take_send(struct state *s, const struct prv_call *call)
{
    return mpg_prv_window_take(&s->sends, call->thread, call->enter_ns, call->leave_ns, -1);
}

/* Takes a message received by CALL: logical receive at CALL's enter, and preferably physical receive at CALL's leave.
 * Each message is taken once. Returns NULL if none is left. */
static const struct prv_side *take_received(struct state *s, const struct prv_call *call)
{
    return mpg_prv_window_take(&s->receives, call->thread, call->enter_ns, call->leave_ns, -1);
}

/* Takes a message whose receive CALL posted: logical receive at CALL's leave. Messages with physical receive at
 * call->not_ns are excluded: the next call has received them. Returns NULL if none is left. */
static const struct prv_side *take_posted(struct state *s, const struct prv_call *call)
{
    return mpg_prv_window_take(&s->receives, call->thread, call->leave_ns, -1, call->not_ns);
}

/* Notes that the receive with REQUEST completes at RECEIVED_NS. */
static int open_request(struct state *s, int64_t received_ns, int64_t request, struct mpg_error *err)
{
    uint64_t *first = mpg_map_add(&s->open, (uint64_t)received_ns, 0);
    if (!first)
        return out_of_memory(err);
    size_t place = s->unused;
    if (place)
        s->unused = s->open_receives[place - 1].next;
    else if (mpg_grow(&s->open_receives, s->open_number, &s->open_capacity, sizeof *s->open_receives, err) < 0)
        return -1;
    else
        place = ++s->open_number;
    s->open_receives[place - 1] = (struct open_receive){request, *first};
    *first = place;
    return 0;
}

static int compare_requests(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Moves the requests with completion time LEAVE_NS from s->open to s->requests, in the order of posting. *N: number of
 * requests. */
static int take_requests(struct state *s, int64_t leave_ns, uint32_t *n, struct mpg_error *err)
{
    const uint64_t *first = mpg_map_find(&s->open, (uint64_t)leave_ns, 0);
    *n = 0;
    for (size_t place = first ? *first : 0; place;) {
        struct open_receive *r = &s->open_receives[place - 1];
        const size_t next = r->next;
        if (mpg_grow(&s->requests, *n, &s->request_capacity, sizeof *s->requests, err) < 0)
            return -1;
        s->requests[(*n)++] = r->request;
        r->next = s->unused;
        s->unused = place;
        place = next;
    }
    mpg_map_remove(&s->open, (uint64_t)leave_ns, 0);
    if (*n > 1)
        qsort(s->requests, *n, sizeof *s->requests, compare_requests);
    return 0;
}

static void set_send(struct state *s, struct mpg_event *e, const struct prv_side *m)
{
    e->to = m ? m->peer : MPG_PROC_NULL;
    e->tag = m ? m->tag : 0;
    e->bytes = m ? m->bytes : 0;
    if (!m)
        mpg_foreign_remark(&s->im->foreign, null_sends, 1);
}

/* Emits a free of REQUEST at the end of CALL, because no later call completes REQUEST. */
static int emit_free(struct state *s, const struct prv_call *call, int64_t request, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Request_free);
    e.enter_ns = e.leave_ns;
    e.requests = &request;
    e.request_number = 1;
    return emit(s, &e, NULL, NULL, err);
}

static int emit_isend(struct state *s, const struct prv_call *call, enum mpg_call which, const struct prv_side *m,
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

static int emit_irecv(struct state *s, const struct prv_call *call, const struct prv_side *m, int64_t enter_ns,
                      struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Irecv);
    const int64_t request = ++s->im->foreign.rank[s->rank].requests;
    e.enter_ns = enter_ns;
    e.requests = &request;
    e.request_number = 1;
    e.from = m ? m->peer : MPG_PROC_NULL;
    e.tag = m ? m->tag : 0;
    e.bytes = m ? m->bytes : 0;
    if (!m)
        mpg_foreign_remark(&s->im->foreign, null_receives, 1);
    if (m && open_request(s, m->physical_ns, request, err) < 0)
        return -1;
    if (emit(s, &e, m ? m : &nobody, NULL, err) < 0)
        return -1;
    return m ? 0 : emit_free(s, call, request, err);
}

/* Emits a Sendrecv whose two messages are in different communicators, as Isend, Irecv and Waitall. */
static int emit_halves(struct state *s, const struct prv_call *call, const struct prv_side *send,
                       const struct prv_side *receive, struct mpg_error *err)
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
    second.from = receive->peer;
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
    const struct prv_side *send = kind != MPG_KIND_RECV ? take_send(s, call) : NULL;
    const struct prv_side *receive = kind != MPG_KIND_SEND ? take_received(s, call) : NULL;
    const bool both = kind == MPG_KIND_SENDRECV;
    if (both && send && receive && send->comm != receive->comm)
        return emit_halves(s, call, send, receive, err);
    if (kind != MPG_KIND_RECV)
        set_send(s, &e, send);
    if (kind != MPG_KIND_SEND) {
        e.from = receive ? receive->peer : MPG_PROC_NULL;
        *(both ? &e.recvtag : &e.tag) = receive ? receive->tag : 0;
        *(both ? &e.recvbytes : &e.bytes) = receive ? receive->bytes : 0;
        if (!receive)
            mpg_foreign_remark(&s->im->foreign, null_receives, 1);
    }
    return emit(s, &e, send ? send : receive ? receive : &nobody, NULL, err);
}

/* Emits each operation started by CALL (MPI_Start or MPI_Startall) as a nonblocking call. The first gets the time of CALL. */
static int emit_starts(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    int64_t enter_ns = call->enter_ns;
    const struct prv_side *m;
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
    return any ? 0 : mpg_foreign_untraced(&s->im->foreign, s->rank, mpg_prv_name_of(s->im, call), err);
}

static int emit_completion(struct state *s, const struct prv_call *call, enum mpg_call which, struct mpg_error *err)
{
    struct mpg_event e = make(call, which);
    if (take_requests(s, call->leave_ns, &e.request_number, err) < 0)
        return -1;
    e.requests = s->requests;
    e.done_all = true;
    const bool tests = which == MPG_CALL_Test || which == MPG_CALL_Testall || which == MPG_CALL_Testany ||
        which == MPG_CALL_Testsome;
    if (e.request_number == 0 && tests)
        return mpg_foreign_untraced(&s->im->foreign, s->rank, mpg_prv_name_of(s->im, call), err);
    if (e.request_number == 0)
        return emit_unknown(s, call, err);
    return emit(s, &e, NULL, NULL, err);
}

/* --- collectives --- */

/* Sets E's bytes, defined in mpgtext(5), from the recorded bytes sent and received by CALL. SIZE: number of ranks in the
 * communicator. */
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
    const struct mpg_foreign_comm *comm = mpg_prv_comm_of(im, call);
    if (!comm)
        return emit_unknown(s, call, err);
    if (mpg_call_kind(which) != MPG_KIND_COLLECTIVE)
        return emit_unknown(s, call, err); /* nonblocking collectives: their completion is not recorded */
    if (mpg_prv_position_in(im, comm, s->rank) < 0)
        return mpg_error_set(err, "%s in a communicator without the rank", mpg_prv_name_of(im, call));
    struct mpg_event e = make(call, which);
    e.root = s->root;
    set_bytes(s, &e, call, comm->size, comm->members[e.root] == s->rank);
    return mpg_foreign_event(&im->foreign, s->rank, &e, comm, NULL, err);
}

/* --- any call --- */

/* Emits CALL, a flush of the recorder's buffer, if between MPI_Init and MPI_Finalize. */
static int emit_flush(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    struct mpg_event e = make(call, MPG_CALL_Flush);
    const struct mpg_foreign_rank *r = &s->im->foreign.rank[s->rank];
    return r->has_init && !r->has_finalize ? emit(s, &e, NULL, NULL, err) : 0;
}

static int emit_call(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    enum mpg_call which;
    const enum mpg_kind kind = mpg_prv_kind_of(s->im, call, &which);
    if (call->type == PRV_FLUSH)
        return emit_flush(s, call, err);
    if (which == MPG_CALL_COUNT)
        return emit_unknown(s, call, err);
    struct mpg_event e = make(call, which);
    switch (kind) {
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
        return mpg_foreign_untraced(&s->im->foreign, s->rank, mpg_prv_name_of(s->im, call), err);
    default:
        return emit_unknown(s, call, err);
    }
}

/* Makes the events of CALL, a call of rank s->rank. */
static int take_call(struct state *s, const struct prv_call *call, struct mpg_error *err)
{
    if (call->leave_ns < 0) {
        mpg_foreign_remark(&s->im->foreign, cut_calls, 1);
        return 0;
    }
    const int64_t until_ns = call->leave_ns > call->enter_ns ? call->leave_ns : call->enter_ns;
    const uint64_t *root =
        mpg_prv_comm_of(s->im, call) ? mpg_map_find(&s->im->roots, (uint64_t)call->comm, call->number) : NULL;
    s->root = root ? (int32_t)*root : 0;
    if (mpg_prv_window_move(&s->sends, s->rank, call->enter_ns, call->enter_ns, err) < 0 ||
        mpg_prv_window_move(&s->receives, s->rank, call->enter_ns, until_ns, err) < 0)
        return -1;
    return emit_call(s, call, err);
}

/* Returns -1 with ERR if sends or receives of messages belong to no call, unless the import is lenient; else 0. */
static int check_taken(const struct state *s, struct mpg_error *err)
{
    const uint64_t n = s->sends.left + s->receives.left;
    if (n == 0 || s->im->foreign.config->lenient)
        return 0;
    return mpg_error_set(err, "%llu of the %llu ends of messages belong to no call at their times; 'mpgtrace import --lenient' "
                              "imports the others",
                         (unsigned long long)n, 2 * (unsigned long long)s->im->message_number);
}

/* Makes the events of all ranks, rank after rank. Returns 0, or -1 with ERR. */
static int make_ranks(struct state *s, struct mpg_error *err)
{
    const void *item = NULL;
    int more = mpg_sorter_next(s->im->calls, &item, err);
    for (; s->rank < s->im->ranks && more >= 0; s->rank++) {
        uint64_t n = 0;
        mpg_map_clear(&s->open);
        s->open_number = s->unused = 0;
        while (more > 0 && ((const struct prv_call *)item)->task == s->rank) {
            const struct prv_call call = *(const struct prv_call *)item;
            n++;
            if (take_call(s, &call, err) < 0)
                return mpg_error_prefix(err, "task %d, call %llu", s->rank + 1, (unsigned long long)n);
            more = mpg_sorter_next(s->im->calls, &item, err);
        }
        if (mpg_prv_window_end(&s->sends, s->rank, err) < 0 || mpg_prv_window_end(&s->receives, s->rank, err) < 0)
            return -1;
    }
    return more;
}

int mpg_prv_make_calls(struct prv_import *im, struct mpg_error *err)
{
    struct state s = {.im = im, .sends = {.from = im->sends}, .receives = {.from = im->receives},
                      .counts = calloc((size_t)im->ranks, sizeof(int64_t))};
    int status = s.counts ? separate(im, err) : out_of_memory(err);
    if (status == 0 && (mpg_prv_window_begin(&s.sends, err) < 0 || mpg_prv_window_begin(&s.receives, err) < 0 ||
                        make_ranks(&s, err) < 0 || check_taken(&s, err) < 0))
        status = -1;
    mpg_map_clear(&s.open);
    free(s.open_receives);
    free(s.sends.items);
    free(s.receives.items);
    free(s.requests);
    free(s.counts);
    return status;
}
