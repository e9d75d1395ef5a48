/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes each event of the trace as an Enter record, records of messages, requests and collectives, and a Leave record. */
#include "export/otf2/writer.h"

#include <stdlib.h>
#include <string.h>

/* Evaluates CALL of libotf2; returns -1 with ERR if CALL fails. */
#define WRITE(CALL) \
    do { \
        if ((CALL) != OTF2_SUCCESS) \
            return mpg_otf2_write_error(w, err); \
    } while (0)

static int remember(struct mpg_open_requests *r, int64_t number, const struct otf2_request *request, struct mpg_error *err)
{
    return mpg_open_requests_add(r, number, request) ? 0 : mpg_error_set(err, "out of memory");
}

/* --- regions and counters --- */

/* Writes S's N counters at AT_NS. The archive's counters are sums since the thread's first values; zeros are written before the
 * first values. */
static int write_values(struct mpg_otf2_writer *w, struct otf2_stream *s, uint32_t n, int64_t at_ns, struct mpg_error *err)
{
    static const OTF2_MetricValue zeros[OTF2_MAX_VALUES];
    OTF2_Type types[OTF2_MAX_VALUES];
    const uint32_t class = w->locations[s->location].value_class;
    if (n == 0 || n > OTF2_MAX_VALUES || class == UINT32_MAX)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        types[i] = OTF2_TYPE_INT64;
    if (!s->has_values)
        WRITE(OTF2_EvtWriter_Metric(s->w, NULL, mpg_otf2_tick(w, at_ns), class, (uint8_t)n, types, zeros));
    s->has_values = true;
    WRITE(OTF2_EvtWriter_Metric(s->w, NULL, mpg_otf2_tick(w, at_ns), class, (uint8_t)n, types, s->values));
    return 0;
}

/* Adds the counters of event E to the sums of thread S. */
static void count_values(struct otf2_stream *s, const struct mpg_event *e)
{
    for (uint32_t i = 0; i < e->value_number && i < OTF2_MAX_VALUES; i++)
        s->values[i].signed_int += e->values[i];
}

static int enter(struct mpg_otf2_writer *w, struct otf2_stream *s, uint32_t region, const struct mpg_event *e,
                 struct mpg_error *err)
{
    OTF2_AttributeList *attributes = e->failed ? w->attributes : NULL;
    uint32_t number;
    if (mpg_otf2_number(&w->regions, region, &number, err) < 0 || write_values(w, s, e->value_number, e->enter_ns, err) < 0)
        return -1;
    if (attributes)
        WRITE(OTF2_AttributeList_AddUint8(attributes, OTF2_OWN_FAILED, 1));
    WRITE(OTF2_EvtWriter_Enter(s->w, attributes, mpg_otf2_tick(w, e->enter_ns), number));
    return 0;
}

static int leave(struct mpg_otf2_writer *w, struct otf2_stream *s, uint32_t region, uint32_t values, int64_t at_ns,
                 struct mpg_error *err)
{
    uint32_t number;
    if (mpg_otf2_number(&w->regions, region, &number, err) < 0 || write_values(w, s, values, at_ns, err) < 0)
        return -1;
    WRITE(OTF2_EvtWriter_Leave(s->w, NULL, mpg_otf2_tick(w, at_ns), number));
    return 0;
}

static int begin_region(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_grow(&s->regions, s->depth, &s->capacity, sizeof *s->regions, err) < 0)
        return -1;
    s->regions[s->depth++] = e->string;
    return enter(w, s, mpg_otf2_user_region(e->string), e, err);
}

/* Ends the innermost open region with E's name. Regions of an archive must be nested: regions that began inside this region and
 * are still open are ended first. */
static int end_region(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    size_t depth = s->depth;
    while (depth > 0 && s->regions[depth - 1] != e->string)
        depth--;
    if (depth == 0) {
        mpg_left_out_add(w->left, "ends of regions that have not begun: left out", 1);
        return 0;
    }
    mpg_left_out_add(w->left, "regions without an end of their own: end with the region around them", s->depth - depth);
    do
        if (leave(w, s, mpg_otf2_user_region(s->regions[--s->depth]), e->value_number, e->enter_ns, err) < 0)
            return -1;
    while (s->depth >= depth);
    return 0;
}

int mpg_otf2_leave_regions(struct mpg_otf2_writer *w, struct otf2_stream *s, struct mpg_error *err)
{
    mpg_left_out_add(w->left, "regions without an end: end with their thread", s->depth);
    while (s->depth > 0)
        if (leave(w, s, mpg_otf2_user_region(s->regions[--s->depth]), 0, s->last_ns, err) < 0)
            return -1;
    return 0;
}

/* --- messages --- */

static uint64_t plain_bytes(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Fills R with the message that E receives, if RECEIVES, or sends. Returns false without a message: MPI_PROC_NULL or an unknown
 * communicator. */
static bool describe(struct mpg_otf2_writer *w, const struct mpg_event *e, bool receives, struct otf2_request *r)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_second = receives && (kind == MPG_KIND_SENDRECV || kind == MPG_KIND_ISENDRECV);
    const int32_t peer = receives ? e->from : e->to;
    *r = (struct otf2_request){.kind = receives ? OTF2_REQUEST_RECEIVE : OTF2_REQUEST_SEND,
                               .comm = mpg_otf2_comm_number(w, e->comm), .peer = (uint32_t)peer,
                               .tag = (uint32_t)(is_second ? e->recvtag : e->tag),
                               .bytes = plain_bytes(is_second ? e->recvbytes : e->bytes), .any = (uint8_t)e->any};
    if (peer == MPG_PROC_NULL)
        return false;
    if (r->comm == OTF2_UNDEFINED_COMM) {
        mpg_left_out_add(w->left,
                         "messages from or to processes of another MPI_COMM_WORLD: only the times of their calls are written", 1);
        return false;
    }
    return true;
}

static int write_send(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_request r;
    if (describe(w, e, false, &r))
        WRITE(OTF2_EvtWriter_MpiSend(s->w, NULL, mpg_otf2_tick(w, e->enter_ns), r.peer, r.comm, r.tag, r.bytes));
    return 0;
}

/* Returns an attribute list with ANY, the wildcards of a receive (MPI_ANY_SOURCE, MPI_ANY_TAG); NULL: no wildcards. */
static OTF2_AttributeList *any_of(struct mpg_otf2_writer *w, uint8_t any)
{
    if (any == 0 || OTF2_AttributeList_AddUint8(w->attributes, OTF2_OWN_ANY, any) != OTF2_SUCCESS)
        return NULL;
    return w->attributes;
}

static int write_receive(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_request r;
    if (describe(w, e, true, &r))
        WRITE(OTF2_EvtWriter_MpiRecv(s->w, any_of(w, r.any), mpg_otf2_tick(w, e->leave_ns), r.peer, r.comm, r.tag, r.bytes));
    return 0;
}

/* Writes the record that operation R has been posted at AT_NS as request NUMBER. */
static int post(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct otf2_request *r, int64_t number, int64_t at_ns,
                struct mpg_error *err)
{
    const uint64_t tick = mpg_otf2_tick(w, at_ns), id = (uint64_t)number;
    if (r->kind == OTF2_REQUEST_SEND)
        WRITE(OTF2_EvtWriter_MpiIsend(s->w, NULL, tick, r->peer, r->comm, r->tag, r->bytes, id));
    else if (r->kind == OTF2_REQUEST_RECEIVE)
        WRITE(OTF2_EvtWriter_MpiIrecvRequest(s->w, any_of(w, r->any), tick, id));
    else
        WRITE(OTF2_EvtWriter_NonBlockingCollectiveRequest(s->w, NULL, tick, id));
    return remember(&w->requests, number, r, err);
}

static int post_message(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, bool receives,
                        struct mpg_error *err)
{
    struct otf2_request r;
    return e->request_number > 0 && describe(w, e, receives, &r) ? post(w, s, &r, e->requests[0], e->enter_ns, err) : 0;
}

/* Writes MPI_Isendrecv as two requests, since a request of an archive is either a send or a receive. */
static int post_both(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_request r;
    if (e->request_number == 0)
        return 0;
    if (describe(w, e, false, &r) && post(w, s, &r, e->requests[0], e->enter_ns, err) < 0)
        return -1;
    return describe(w, e, true, &r) ? post(w, s, &r, e->requests[0] | MPG_SECOND_HALF, e->enter_ns, err) : 0;
}

/* Stores the operation of MPI_Send_init or MPI_Recv_init: an archive has records only of the starts. */
static int keep_persistent(struct mpg_otf2_writer *w, const struct mpg_event *e, bool receives, struct mpg_error *err)
{
    struct otf2_request r;
    return e->persistent && describe(w, e, receives, &r) ? remember(&w->persistent, e->persistent[0], &r, err) : 0;
}

/* R is a wildcard receive that E completes as request NUMBER: sets source and tag to the received message's source and tag. */
static void resolve(const struct mpg_event *e, int64_t number, struct otf2_request *r)
{
    for (uint32_t i = 0; i < e->resolution_number; i++)
        if (e->resolutions[i].request == number) {
            r->peer = (uint32_t)e->resolutions[i].source;
            r->tag = (uint32_t)e->resolutions[i].tag;
        }
}

static int write_starts(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number && e->persistent; i++) {
        const struct otf2_request *known = mpg_open_requests_find(&w->persistent, e->persistent[i]);
        if (!known) {
            mpg_left_out_add(w->left, "starts of persistent operations without records", 1);
            continue;
        }
        struct otf2_request r = *known;
        resolve(e, e->requests[i], &r);
        if (post(w, s, &r, e->requests[i], e->enter_ns, err) < 0)
            return -1;
    }
    return 0;
}

/* Writes the record that request NUMBER was completed, or cancelled, at AT_NS. */
static int complete(struct mpg_otf2_writer *w, struct otf2_stream *s, int64_t number, bool is_cancelled, int64_t at_ns,
                    struct mpg_error *err)
{
    const struct otf2_request *r = mpg_open_requests_find(&w->requests, number);
    const uint64_t tick = mpg_otf2_tick(w, at_ns), id = (uint64_t)number;
    if (!r)
        return 0;
    if (is_cancelled)
        WRITE(OTF2_EvtWriter_MpiRequestCancelled(s->w, NULL, tick, id));
    else if (r->kind == OTF2_REQUEST_SEND)
        WRITE(OTF2_EvtWriter_MpiIsendComplete(s->w, NULL, tick, id));
    else if (r->kind == OTF2_REQUEST_RECEIVE)
        WRITE(OTF2_EvtWriter_MpiIrecv(s->w, NULL, tick, r->peer, r->comm, r->tag, r->bytes, id));
    else
        WRITE(OTF2_EvtWriter_NonBlockingCollectiveComplete(s->w, NULL, tick, (OTF2_CollectiveOp)r->op, r->comm, r->peer, r->bytes,
                                                           r->received, id));
    mpg_open_requests_remove(&w->requests, number);
    return 0;
}

/* Writes the record of an unsuccessful test of request NUMBER at AT_NS. */
static int test(struct mpg_otf2_writer *w, struct otf2_stream *s, int64_t number, int64_t at_ns, struct mpg_error *err)
{
    if (mpg_open_requests_find(&w->requests, number))
        WRITE(OTF2_EvtWriter_MpiRequestTest(s->w, NULL, mpg_otf2_tick(w, at_ns), (uint64_t)number));
    return 0;
}

static int write_completion(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const int64_t number = e->requests[i];
        const bool is_cancelled = mpg_request_is_listed(e->cancelled, e->cancelled_number, number);
        if (!e->done_all && !mpg_request_is_listed(e->done, e->done_number, number)) {
            if (test(w, s, number, e->leave_ns, err) < 0 || test(w, s, number | MPG_SECOND_HALF, e->leave_ns, err) < 0)
                return -1;
        } else if (complete(w, s, number, is_cancelled, e->leave_ns, err) < 0 ||
                   complete(w, s, number | MPG_SECOND_HALF, false, e->leave_ns, err) < 0)
            return -1;
    }
    return 0;
}

static void free_request(struct mpg_otf2_writer *w, const struct mpg_event *e)
{
    if (e->persistent)
        mpg_open_requests_remove(&w->persistent, e->persistent[0]);
}

/* --- collectives --- */

int32_t mpg_otf2_place_in(struct mpg_otf2_writer *w, int32_t comm)
{
    uint64_t *slot = mpg_map_add(&w->places, (uint64_t)comm, 0);
    if (slot && *slot == 0) {
        const struct mpg_comm *c = mpg_trace_comm(w->trace, comm);
        int32_t i = 0;
        while (i < c->size + c->remote_size && c->world_ranks[i] != w->rank)
            i++;
        *slot = (uint64_t)(i < c->size ? i : i - c->size) + 1;
    }
    return slot ? (int32_t)(*slot - 1) : 0;
}

/* Returns an attribute list with the bytes of each member; NULL if E lists no bytes, or for more members than an archive can
 * hold. */
static OTF2_AttributeList *counts_of(struct mpg_otf2_writer *w, const struct mpg_event *e)
{
    if (e->count_number == 0)
        return NULL;
    if (e->count_number > OTF2_MAX_COUNTS) {
        mpg_left_out_add(w->left, "collectives with more than 256 sizes each: only their sum is written", 1);
        return NULL;
    }
    for (uint32_t i = 0; i < e->count_number; i++)
        if (OTF2_AttributeList_AddInt64(w->attributes, OTF2_OWN_COUNTS + i, e->counts[i]) != OTF2_SUCCESS)
            return NULL;
    if (e->count_number > w->max_counts)
        w->max_counts = e->count_number;
    return w->attributes;
}

/* Fills R with E, a collective or a call that makes a communicator. Returns false if processes of another MPI_COMM_WORLD take
 * part: an archive cannot show these processes. */
static bool describe_collective(struct mpg_otf2_writer *w, const struct mpg_event *e, struct otf2_request *r)
{
    *r = (struct otf2_request){.kind = OTF2_REQUEST_COLLECTIVE, .comm = mpg_otf2_comm_number(w, e->comm)};
    if (r->comm == OTF2_UNDEFINED_COMM) {
        mpg_left_out_add(w->left, "collectives with processes of another MPI_COMM_WORLD: only their times are written", 1);
        return false;
    }
    mpg_otf2_collective_record(e, mpg_otf2_place_in(w, e->comm), r);
    return true;
}

static int write_created(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, int64_t at_ns,
                         struct mpg_error *err)
{
    const uint32_t created = mpg_otf2_comm_number(w, e->newcomm);
    if (created == OTF2_UNDEFINED_COMM)
        return 0;
    if (!mpg_map_add(&w->made, created, 0))
        return mpg_error_set(err, "out of memory");
    WRITE(OTF2_EvtWriter_CommCreate(s->w, NULL, mpg_otf2_tick(w, at_ns), created));
    return 0;
}

static int write_collective(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_request r;
    if (!describe_collective(w, e, &r))
        return 0;
    WRITE(OTF2_EvtWriter_MpiCollectiveBegin(s->w, NULL, mpg_otf2_tick(w, e->enter_ns)));
    if (mpg_call_kind(e->call) == MPG_KIND_CONSTRUCTOR && write_created(w, s, e, e->leave_ns, err) < 0)
        return -1;
    WRITE(OTF2_EvtWriter_MpiCollectiveEnd(s->w, counts_of(w, e), mpg_otf2_tick(w, e->leave_ns), (OTF2_CollectiveOp)r.op, r.comm,
                                          r.peer, r.bytes, r.received));
    return 0;
}

static int post_collective(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_request r;
    if (e->request_number == 0 || !describe_collective(w, e, &r))
        return 0;
    WRITE(OTF2_EvtWriter_NonBlockingCollectiveRequest(s->w, counts_of(w, e), mpg_otf2_tick(w, e->enter_ns),
                                                      (uint64_t)e->requests[0]));
    if (mpg_call_kind(e->call) == MPG_KIND_ICONSTRUCTOR && write_created(w, s, e, e->enter_ns, err) < 0)
        return -1;
    return remember(&w->requests, e->requests[0], &r, err);
}

static int write_comm_free(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    const uint32_t comm = mpg_otf2_comm_number(w, e->comm);
    if (comm == OTF2_UNDEFINED_COMM || comm == OTF2_OWN_SELF)
        return 0;
    if (!mpg_map_add(&w->made, comm, 0))
        return mpg_error_set(err, "out of memory");
    WRITE(OTF2_EvtWriter_MpiCollectiveBegin(s->w, NULL, mpg_otf2_tick(w, e->enter_ns)));
    WRITE(OTF2_EvtWriter_CommDestroy(s->w, NULL, mpg_otf2_tick(w, e->leave_ns), comm));
    WRITE(OTF2_EvtWriter_MpiCollectiveEnd(s->w, NULL, mpg_otf2_tick(w, e->leave_ns), OTF2_COLLECTIVE_OP_DESTROY_HANDLE, comm,
                                          OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
    return 0;
}

/* --- any call --- */

/* Counts a call of KIND, written only as Enter and Leave. */
static void count_times_only(struct mpg_otf2_writer *w, enum mpg_kind kind)
{
    const char *text = NULL;
    switch (kind) {
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        text = "probes: only their times are written";
        break;
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_PREADY:
    case MPG_KIND_PARRIVED:
        text = "calls of partitioned communication: only their times are written";
        break;
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_NEIGHBOR_INIT:
        text = "collectives of neighbours: only their times are written";
        break;
    case MPG_KIND_COLLECTIVE_INIT:
        text = "persistent collectives: only their times are written";
        break;
    case MPG_KIND_DYNAMIC:
        text = "calls that join processes of another MPI_COMM_WORLD: only their times are written";
        break;
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
    case MPG_KIND_IRMA:
        text = "calls of one-sided communication: only their times are written";
        break;
    case MPG_KIND_FILE_OPEN:
    case MPG_KIND_FILE_CLOSE:
    case MPG_KIND_FILE:
    case MPG_KIND_IFILE:
    case MPG_KIND_FILE_COLLECTIVE:
        text = "calls of MPI-IO: only their times are written";
        break;
    default:
        return;
    }
    mpg_left_out_add(w->left, text, 1);
}

/* Writes E's records of messages, requests and collectives, between Enter and Leave. */
static int write_records(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    switch (kind) {
    case MPG_KIND_SEND:
        return write_send(w, s, e, err);
    case MPG_KIND_RECV:
    case MPG_KIND_MRECV:
        return write_receive(w, s, e, err);
    case MPG_KIND_SENDRECV:
        return write_send(w, s, e, err) < 0 ? -1 : write_receive(w, s, e, err);
    case MPG_KIND_ISEND:
        return post_message(w, s, e, false, err);
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
        return post_message(w, s, e, true, err);
    case MPG_KIND_ISENDRECV:
        return post_both(w, s, e, err);
    case MPG_KIND_SEND_INIT:
        return keep_persistent(w, e, false, err);
    case MPG_KIND_RECV_INIT:
        return keep_persistent(w, e, true, err);
    case MPG_KIND_START:
        return write_starts(w, s, e, err);
    case MPG_KIND_COMPLETE:
        return write_completion(w, s, e, err);
    case MPG_KIND_REQUEST_FREE:
        free_request(w, e);
        return 0;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
        return write_collective(w, s, e, err);
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
        return post_collective(w, s, e, err);
    case MPG_KIND_COMM_FREE:
        return write_comm_free(w, s, e, err);
    default: {
        const int written = mpg_otf2_write_one_sided(w, s, e, err);
        if (written == 0)
            count_times_only(w, kind);
        return written < 0 ? -1 : 0;
    }
    }
}

static int write_flush(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    if (write_values(w, s, e->value_number, e->enter_ns, err) < 0)
        return -1;
    WRITE(OTF2_EvtWriter_BufferFlush(s->w, NULL, mpg_otf2_tick(w, e->enter_ns), mpg_otf2_tick(w, e->leave_ns)));
    return 0;
}

static int write_call(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    const uint32_t region = mpg_call_kind(e->call) == MPG_KIND_UNKNOWN ? mpg_otf2_unknown_region(e->string) : (uint32_t)e->call;
    return enter(w, s, region, e, err) < 0 || (!e->failed && write_records(w, s, e, err) < 0) ||
                   leave(w, s, region, e->value_number, e->leave_ns, err) < 0
               ? -1 : 0;
}

int mpg_otf2_write_event(struct mpg_otf2_writer *w, struct otf2_stream *s, const struct mpg_event *e, struct mpg_error *err)
{
    struct otf2_location *l = &w->locations[s->location];
    count_values(s, e);
    if (e->sum.calls > 0) {
        mpg_left_out_add(w->left, "local calls that the trace only counts", (uint64_t)e->sum.calls);
        return 0;
    }
    if (l->first_ns == INT64_MAX)
        l->first_ns = e->enter_ns;
    l->last_ns = s->last_ns = e->leave_ns;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_FLUSH:
        return write_flush(w, s, e, err);
    case MPG_KIND_REGION_BEGIN:
        return begin_region(w, s, e, err);
    case MPG_KIND_REGION_END:
        return end_region(w, s, e, err);
    default:
        return write_call(w, s, e, err);
    }
}
