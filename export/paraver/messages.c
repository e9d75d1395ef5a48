/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs both ends of each message and makes a line of the file. Messages with equal communicator, sender, receiver and tag are
 * received in the order of sends, and in the order of posted receives. Wildcard receives have source and tag of the received
 * message before pairing. */
#include "export/paraver/writer.h"

#include <stdlib.h>

enum { SORT_BYTES = 4 << 20 }; /* memory of each of the three sorters */

int mpg_prv_messages_begin(struct mpg_prv_writer *w, struct mpg_error *err)
{
    w->requests.record_bytes = w->persistent.record_bytes = sizeof(struct prv_request);
    w->sends = mpg_sorter_new(sizeof(struct prv_end), 3, SORT_BYTES, err);
    w->receives = w->sends ? mpg_sorter_new(sizeof(struct prv_end), 3, SORT_BYTES, err) : NULL;
    w->lines = w->receives ? mpg_sorter_new(sizeof(struct prv_line), 2, SORT_BYTES, err) : NULL;
    return w->lines ? 0 : -1;
}

/* --- ends --- */

/* The rank being written belongs to one group of COMM, inter-communicator NUMBER. Returns the index in
 * COMM->world_ranks of the other group's first rank. */
static int32_t first_remote(struct mpg_prv_writer *w, int32_t number, const struct mpg_comm *comm)
{
    if (w->inter_comm != number) {
        int32_t i = 0;
        while (i < comm->size && comm->world_ranks[i] != w->rank)
            i++;
        w->inter_comm = number;
        w->is_in_first = i < comm->size;
    }
    return w->is_in_first ? comm->size : 0;
}

/* Returns the rank in MPI_COMM_WORLD of PEER, a rank in communicator NUMBER (of an inter-communicator: in the remote
 * group); -1: a process of another MPI_COMM_WORLD. */
static int32_t world_rank(struct mpg_prv_writer *w, int32_t number, int32_t peer)
{
    const struct mpg_comm *comm = mpg_trace_comm(w->trace, number);
    const int32_t first = comm->remote_size > 0 ? first_remote(w, number, comm) : 0;
    const int32_t n = first > 0 ? comm->remote_size : comm->size;
    const int32_t rank = peer >= 0 && peer < n ? comm->world_ranks[first + peer] : -1;
    return rank >= 0 ? rank : -1;
}

/* Fills *HALF, except times, with an end of E's message: the sending end if IS_SEND, else the receiving end. Returns false if the
 * file cannot show the message. */
static bool describe(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, bool is_send, struct prv_half *half)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_second = !is_send && (kind == MPG_KIND_SENDRECV || kind == MPG_KIND_ISENDRECV);
    const int32_t peer = is_send ? e->to : e->from;
    if (peer == MPG_PROC_NULL || peer == MPG_UNKNOWN || e->comm == MPG_NO_COMM)
        return false;
    const int32_t rank = world_rank(w, e->comm, peer);
    if (rank < 0) {
        mpg_left_out_add(w->left,
                         "messages from or to processes of another MPI_COMM_WORLD: only the times of their calls are written", 1);
        return false;
    }
    *half = (struct prv_half){.comm = e->comm, .from = is_send ? w->rank : rank, .to = is_send ? rank : w->rank,
                              .tag = is_second ? e->recvtag : e->tag, .order = w->order++,
                              .bytes = is_second ? e->recvbytes : e->bytes, .object = object};
    return true;
}

/* Adds HALF, which is complete, to the sorter of sending ends if IS_SEND, else to the sorter of receiving ends. */
static int keep(struct mpg_prv_writer *w, bool is_send, const struct prv_half *half, struct mpg_error *err)
{
    const struct prv_end end = {.group = mpg_sorter_pair(half->comm, half->tag),
                                .channel = mpg_sorter_pair(half->from, half->to), .order = half->order,
                                .logical_ns = half->logical_ns, .physical_ns = half->physical_ns, .bytes = half->bytes,
                                .object = half->object, .tag = half->tag};
    return mpg_sorter_add(is_send ? w->sends : w->receives, &end, err);
}

static int take_send(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t enter_ns, int64_t leave_ns,
                     struct mpg_error *err)
{
    struct prv_half half;
    if (e->request_number > 0 && mpg_request_is_listed(e->cancelled, e->cancelled_number, e->requests[0]))
        return 0;
    if (!describe(w, object, e, true, &half))
        return 0;
    half.logical_ns = enter_ns;
    half.physical_ns = leave_ns;
    return keep(w, true, &half, err);
}

/* If E receives a message found by a matched probe, HALF takes the probe's place in the order of receives: MPI_Mprobe determines
 * which message is received. */
static void take_place_of_probe(struct mpg_prv_writer *w, const struct mpg_event *e, struct prv_half *half)
{
    const uint64_t *order = e->message > 0 ? mpg_map_find(&w->probed, (uint64_t)e->message, 0) : NULL;
    if (!order)
        return;
    half->order = *order - 1;
    mpg_map_remove(&w->probed, (uint64_t)e->message, 0);
}

static int take_receive(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t enter_ns, int64_t leave_ns,
                        struct mpg_error *err)
{
    struct prv_half half;
    if (!describe(w, object, e, false, &half))
        return 0;
    take_place_of_probe(w, e, &half);
    half.logical_ns = enter_ns;
    half.physical_ns = leave_ns;
    return keep(w, false, &half, err);
}

static int open_request(struct mpg_open_requests *in, int64_t number, const struct prv_request *r, struct mpg_error *err)
{
    return mpg_open_requests_add(in, number, r) ? 0 : mpg_error_set(err, "out of memory");
}

/* Stores a nonblocking receive: Paraver's physical time of the receive is unknown until a later call completes the request. */
static int post_receive(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t leave_ns,
                        struct mpg_error *err)
{
    struct prv_request r = {.is_send = false};
    if (e->request_number == 0 || mpg_request_is_listed(e->cancelled, e->cancelled_number, e->requests[0]) ||
        !describe(w, object, e, false, &r.half))
        return 0;
    take_place_of_probe(w, e, &r.half);
    r.half.logical_ns = r.half.physical_ns = leave_ns;
    return open_request(&w->requests, e->requests[0], &r, err);
}

static int note_probe(struct mpg_prv_writer *w, const struct mpg_event *e, struct mpg_error *err)
{
    if (!e->found || e->message <= 0)
        return 0;
    uint64_t *order = mpg_map_add(&w->probed, (uint64_t)e->message, 0);
    if (!order)
        return mpg_error_set(err, "out of memory");
    *order = ++w->order;
    return 0;
}

/* --- persistent operations: a line for each start --- */

static int keep_persistent(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, bool is_send,
                           struct mpg_error *err)
{
    struct prv_request r = {.is_send = is_send};
    /* the source can differ from start to start: any valid source will do here */
    struct mpg_event plain = *e;
    if (!is_send && plain.from == MPG_UNKNOWN)
        plain.from = 0;
    if (!e->persistent || !describe(w, object, &plain, is_send, &r.half))
        return 0;
    return open_request(&w->persistent, e->persistent[0], &r, err);
}

/* HALF is wildcard receive NUMBER: sets source and tag to the received message's, if event E states both. Returns false if
 * unknown, as for a receive without a message. */
static bool resolve(struct mpg_prv_writer *w, const struct mpg_event *e, int64_t number, struct prv_half *half)
{
    for (uint32_t i = 0; i < e->resolution_number; i++) {
        const struct mpg_resolution *r = &e->resolutions[i];
        if (r->request != number)
            continue;
        half->from = r->source >= 0 ? world_rank(w, half->comm, r->source) : -1;
        half->tag = r->tag;
    }
    return half->from >= 0 && half->tag != MPG_UNKNOWN;
}

static int take_starts(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t enter_ns, int64_t leave_ns,
                       struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number && e->persistent; i++) {
        const struct prv_request *known = mpg_open_requests_find(&w->persistent, e->persistent[i]);
        if (!known || mpg_request_is_listed(e->cancelled, e->cancelled_number, e->requests[i]))
            continue;
        struct prv_request r = *known;
        r.half.object = object;
        r.half.order = w->order++;
        /* Logical time of a receive: when the call ends, as for MPI_Irecv. Extrae takes the start of MPI_Start; the MPI_Irecv
         * before can end at the same time. */
        r.half.logical_ns = r.half.physical_ns = r.is_send ? enter_ns : leave_ns;
        if (r.is_send ? keep(w, true, &r.half, err) < 0
                      : resolve(w, e, e->requests[i], &r.half) &&
                            open_request(&w->requests, e->requests[i], &r, err) < 0)
            return -1;
    }
    return 0;
}

/* --- completion --- */

static int complete(struct mpg_prv_writer *w, int64_t number, int64_t at_ns, struct mpg_error *err)
{
    const struct prv_request *known = mpg_open_requests_find(&w->requests, number);
    if (!known)
        return 0;
    struct prv_half half = known->half;
    mpg_open_requests_remove(&w->requests, number);
    half.physical_ns = at_ns;
    return keep(w, false, &half, err);
}

static int take_completion(struct mpg_prv_writer *w, const struct mpg_event *e, int64_t leave_ns, struct mpg_error *err)
{
    const uint32_t n = e->done_all ? e->request_number : e->done_number;
    const int64_t *done = e->done_all ? e->requests : e->done;
    for (uint32_t i = 0; i < n; i++)
        if (complete(w, done[i], leave_ns, err) < 0)
            return -1;
    return 0;
}

static void free_request(struct mpg_prv_writer *w, const struct mpg_event *e)
{
    if (e->persistent)
        mpg_open_requests_remove(&w->persistent, e->persistent[0]);
}

int mpg_prv_messages_take(struct mpg_prv_writer *w, uint32_t object, const struct mpg_event *e, int64_t enter_ns,
                          int64_t leave_ns, struct mpg_error *err)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_ISEND:
        return take_send(w, object, e, enter_ns, leave_ns, err);
    case MPG_KIND_RECV:
    case MPG_KIND_MRECV:
        return take_receive(w, object, e, enter_ns, leave_ns, err);
    case MPG_KIND_SENDRECV: /* Extrae shows the physical send at the time of the logical send, the start of the call */
        return take_send(w, object, e, enter_ns, enter_ns, err) < 0 ? -1 : take_receive(w, object, e, enter_ns, leave_ns, err);
    case MPG_KIND_ISENDRECV:
        return take_send(w, object, e, enter_ns, leave_ns, err) < 0 ? -1 : post_receive(w, object, e, leave_ns, err);
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
        return post_receive(w, object, e, leave_ns, err);
    case MPG_KIND_MPROBE:
        return note_probe(w, e, err);
    case MPG_KIND_SEND_INIT:
        return keep_persistent(w, object, e, true, err);
    case MPG_KIND_RECV_INIT:
        return keep_persistent(w, object, e, false, err);
    case MPG_KIND_START:
        return take_starts(w, object, e, enter_ns, leave_ns, err);
    case MPG_KIND_COMPLETE:
        return take_completion(w, e, leave_ns, err);
    case MPG_KIND_REQUEST_FREE:
        free_request(w, e);
        return 0;
    default:
        return 0;
    }
}

int mpg_prv_messages_end_rank(struct mpg_prv_writer *w, struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; i < w->requests.at.capacity && status == 0; i++) { /* receives not completed by any call */
        const struct mpg_map_entry *entry = &w->requests.at.entries[i];
        const struct prv_request *r = entry->used ? mpg_open_requests_find(&w->requests, (int64_t)entry->key[0]) : NULL;
        status = r ? keep(w, false, &r->half, err) : 0;
    }
    mpg_open_requests_clear(&w->requests);
    mpg_open_requests_clear(&w->persistent);
    mpg_map_clear(&w->probed);
    return status;
}

/* --- pairs --- */

static int compare_channels(const struct prv_end *a, const struct prv_end *b)
{
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

static int add_line(struct mpg_prv_writer *w, const struct prv_end *s, const struct prv_end *r, struct mpg_error *err)
{
    const struct prv_line line = {.sent_ns = s->physical_ns, .order = s->order, .logical_send_ns = s->logical_ns,
                                  .logical_receive_ns = r->logical_ns, .physical_receive_ns = r->physical_ns, .bytes = s->bytes,
                                  .sender = s->object, .receiver = r->object, .tag = s->tag};
    return mpg_sorter_add(w->lines, &line, err);
}

int mpg_prv_messages_pair(struct mpg_prv_writer *w, struct mpg_error *err)
{
    const void *send = NULL, *receive = NULL;
    uint64_t sends = 0, receives = 0;
    if (mpg_sorter_sort(w->sends, err) < 0 || mpg_sorter_sort(w->receives, err) < 0)
        return -1;
    int more = mpg_sorter_next(w->sends, &send, err), others = more < 0 ? -1 : mpg_sorter_next(w->receives, &receive, err);
    while (more >= 0 && others >= 0 && (more || others)) {
        const int which = !more ? 1 : !others ? -1 : compare_channels(send, receive);
        if (which == 0 && add_line(w, send, receive, err) < 0)
            return -1;
        sends += which < 0;
        receives += which > 0;
        if (which <= 0)
            more = mpg_sorter_next(w->sends, &send, err);
        if (more >= 0 && which >= 0)
            others = mpg_sorter_next(w->receives, &receive, err);
    }
    if (more < 0 || others < 0)
        return -1;
    mpg_left_out_add(w->left, "sends without a receive: only the times of their calls are written", sends);
    mpg_left_out_add(w->left, "receives without a send: only the times of their calls are written", receives);
    mpg_sorter_free(w->sends);
    mpg_sorter_free(w->receives);
    w->sends = w->receives = NULL;
    return mpg_sorter_sort(w->lines, err);
}
