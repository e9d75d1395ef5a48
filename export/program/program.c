/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the events of a trace to the actions of a program of messages. */
#include "export/program/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/polling.h"

static int remember(struct mpg_open_requests *r, int64_t number, const struct mpg_program_action *a, struct mpg_error *err)
{
    return mpg_open_requests_add(r, number, a) ? 0 : mpg_error_set(err, "out of memory");
}

int mpg_program_tag(struct mpg_message_program *p, int32_t comm, int64_t tag, uint32_t *number, struct mpg_error *err)
{
    uint64_t *slot = mpg_map_add(&p->tags, (uint64_t)comm, (uint64_t)tag);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    if (*slot == 0)
        *slot = p->tags.count;
    *number = (uint32_t)(*slot - 1);
    return 0;
}

/* --- actions --- */

int mpg_program_act(struct mpg_message_program *p, const struct mpg_program_action *a, struct mpg_error *err)
{
    const struct mpg_program_writer *w = p->writer;
    const struct mpg_program_action work = {.kind = MPG_ACTION_COMPUTE, .ns = p->pending_ns};
    struct mpg_program_action known;
    if (p->pending_ns > 0 && w->act(w->context, &work, err) < 0)
        return -1;
    p->pending_ns = 0;
    if (a->kind == MPG_ACTION_WAIT) {
        const struct mpg_program_action *posted = mpg_open_requests_find(&p->posted, a->request);
        if (!posted)
            return 0;
        known = *posted;
        known.kind = MPG_ACTION_WAIT;
        mpg_open_requests_remove(&p->posted, a->request);
        return w->act(w->context, &known, err);
    }
    if ((a->kind == MPG_ACTION_POST_SEND || a->kind == MPG_ACTION_POST_RECEIVE) && remember(&p->posted, a->request, a, err) < 0)
        return -1;
    return w->act(w->context, a, err);
}

int mpg_program_refuse(struct mpg_message_program *p, const struct mpg_event *e, const char *why, struct mpg_error *err)
{
    if (!p->lenient)
        return mpg_error_set(err, "rank %d, call %" PRIu64 " (MPI_%s): in %s, %s (--lenient leaves such calls out)", p->rank,
                             p->calls, mpg_call_name(e->call), p->writer->format, why);
    mpg_left_out_add(p->left, why, 1);
    p->pending_ns += e->leave_ns - e->enter_ns - e->off_in_ns;
    return 0;
}

/* Fills *A with the message that E receives, if RECEIVES, or sends. *IS_NONE: the partner is MPI_PROC_NULL. Returns 0, or -1 with
 * ERR. */
static int describe(struct mpg_message_program *p, const struct mpg_event *e, bool receives, struct mpg_program_action *a,
                    bool *is_none, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool second = receives && (kind == MPG_KIND_SENDRECV || kind == MPG_KIND_ISENDRECV);
    const int32_t peer = receives ? e->from : e->to;
    *is_none = true;
    if (peer == MPG_PROC_NULL)
        return 0;
    if (peer == MPG_UNKNOWN || e->comm == MPG_NO_COMM) {
        mpg_left_out_add(p->left, "receives that no message reaches: left out", 1);
        return 0;
    }
    const struct mpg_comm *c = mpg_trace_comm(p->trace, e->comm);
    const int32_t *group = c->world_ranks, n = c->remote_size > 0 ? c->remote_size : c->size;
    for (int32_t i = 0; i < c->size && c->remote_size > 0 && group == c->world_ranks; i++)
        if (c->world_ranks[i] == p->rank)
            group = c->world_ranks + c->size;
    if (peer < 0 || peer >= n || group[peer] < 0)
        return mpg_program_refuse(p, e, "messages of processes of another MPI_COMM_WORLD are not written", err);
    *is_none = false;
    *a = (struct mpg_program_action){.peer = group[peer], .bytes = second ? e->recvbytes : e->bytes, .sends = !receives};
    return mpg_program_tag(p, e->comm, second ? e->recvtag : e->tag, &a->tag, err);
}

static int write_message(struct mpg_message_program *p, const struct mpg_event *e, bool receives, struct mpg_error *err)
{
    struct mpg_program_action a;
    bool is_none;
    if (describe(p, e, receives, &a, &is_none, err) < 0)
        return -1;
    a.kind = receives ? MPG_ACTION_RECEIVE : MPG_ACTION_SEND;
    return is_none ? 0 : mpg_program_act(p, &a, err);
}

/* Posts E's receive, if RECEIVES, or E's send as REQUEST. Does nothing if the program cancelled the request later. */
static int post(struct mpg_message_program *p, const struct mpg_event *e, bool receives, int64_t request, struct mpg_error *err)
{
    struct mpg_program_action a;
    bool is_none;
    if (mpg_request_is_listed(e->cancelled, e->cancelled_number, e->requests[0]))
        return 0;
    if (describe(p, e, receives, &a, &is_none, err) < 0)
        return -1;
    a.kind = receives ? MPG_ACTION_POST_RECEIVE : MPG_ACTION_POST_SEND;
    a.request = request;
    return is_none ? 0 : mpg_program_act(p, &a, err);
}

/* Writes MPI_Sendrecv: posts the receive, then the send, and waits for both. */
static int write_sendrecv(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_program_action a;
    bool is_none;
    for (int half = 0; half < 2; half++) {
        if (describe(p, e, half == 0, &a, &is_none, err) < 0)
            return -1;
        a.kind = half == 0 ? MPG_ACTION_POST_RECEIVE : MPG_ACTION_POST_SEND;
        a.request = half - 2;
        if (!is_none && mpg_program_act(p, &a, err) < 0)
            return -1;
    }
    for (int half = 0; half < 2; half++) {
        const struct mpg_program_action wait = {.kind = MPG_ACTION_WAIT, .request = half - 2};
        if (mpg_program_act(p, &wait, err) < 0)
            return -1;
    }
    return 0;
}

static int keep_persistent(struct mpg_message_program *p, const struct mpg_event *e, bool receives, struct mpg_error *err)
{
    struct mpg_program_action a = {.peer = MPG_UNKNOWN, .bytes = e->bytes, .sends = !receives};
    bool is_none = false;
    if ((!receives || e->from != MPG_UNKNOWN) && describe(p, e, receives, &a, &is_none, err) < 0)
        return -1;
    /* for a start: the communicator, since events give the received message's source as a rank of this communicator */
    a.ns = e->comm;
    return e->persistent && !is_none ? remember(&p->persistent, e->persistent[0], &a, err) : 0;
}

static int write_starts(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number && e->persistent; i++) {
        const struct mpg_program_action *known = mpg_open_requests_find(&p->persistent, e->persistent[i]);
        if (mpg_program_start_collective(p, e->persistent[i], e->requests[i], err) < 0)
            return -1;
        if (!known || mpg_request_is_listed(e->cancelled, e->cancelled_number, e->requests[i]))
            continue;
        struct mpg_program_action a = *known;
        for (uint32_t k = 0; k < e->resolution_number; k++)
            if (e->resolutions[k].request == e->requests[i]) {
                const struct mpg_event found = {.call = MPG_CALL_Irecv, .comm = (int32_t)a.ns, .from = e->resolutions[k].source,
                                                .tag = e->resolutions[k].tag, .bytes = a.bytes};
                bool is_none;
                if (describe(p, &found, true, &a, &is_none, err) < 0)
                    return -1;
            }
        a.kind = a.sends ? MPG_ACTION_POST_SEND : MPG_ACTION_POST_RECEIVE;
        a.request = e->requests[i];
        if (a.peer >= 0 && mpg_program_act(p, &a, err) < 0)
            return -1;
    }
    return 0;
}

static int write_waits(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number; i++) {
        const int64_t request = e->requests[i];
        if (!e->done_all && !mpg_request_is_listed(e->done, e->done_number, request))
            continue;
        const struct mpg_program_action first = {.kind = MPG_ACTION_WAIT, .request = request},
                                second = {.kind = MPG_ACTION_WAIT, .request = request | MPG_SECOND_HALF};
        if (mpg_program_act(p, &first, err) < 0 || mpg_program_act(p, &second, err) < 0 ||
            mpg_program_complete_group(p, request, err) < 0)
            return -1;
    }
    return 0;
}

/* --- any call --- */

static int write_call(struct mpg_message_program *p, const struct mpg_event *e, struct mpg_error *err)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_INIT:
    case MPG_KIND_FINALIZE:
    case MPG_KIND_REQUEST_FREE:
    case MPG_KIND_CANCEL:
    case MPG_KIND_COMM_FREE:
        return 0;
    case MPG_KIND_SEND:
        mpg_left_out_add(p->left, "synchronous sends: written as standard ones", mpg_call_is_synchronous(e->call));
        return write_message(p, e, false, err);
    case MPG_KIND_RECV:
    case MPG_KIND_MRECV:
        return write_message(p, e, true, err);
    case MPG_KIND_SENDRECV:
        return write_sendrecv(p, e, err);
    case MPG_KIND_ISEND:
        mpg_left_out_add(p->left, "synchronous sends: written as standard ones", mpg_call_is_synchronous(e->call));
        return post(p, e, false, e->requests[0], err);
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
        return post(p, e, true, e->requests[0], err);
    case MPG_KIND_ISENDRECV:
        return post(p, e, true, e->requests[0] | MPG_SECOND_HALF, err) < 0 ? -1 : post(p, e, false, e->requests[0], err);
    case MPG_KIND_SEND_INIT:
        return keep_persistent(p, e, false, err);
    case MPG_KIND_RECV_INIT:
        return keep_persistent(p, e, true, err);
    case MPG_KIND_START:
        return write_starts(p, e, err);
    case MPG_KIND_COMPLETE:
        return write_waits(p, e, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_NEIGHBOR:
    case MPG_KIND_INEIGHBOR:
        return mpg_program_collective(p, e, err);
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
        return mpg_program_keep_collective(p, e, err);
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        mpg_left_out_add(p->left, "probes: left out", 1);
        return 0;
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return mpg_program_refuse(p, e, "partitioned communication is not written", err);
    case MPG_KIND_DYNAMIC:
        return mpg_program_refuse(p, e, "processes of another MPI_COMM_WORLD are not written", err);
    default:
        mpg_left_out_add(p->left, "calls of one-sided communication, MPI-IO or unknown functions: written as computation of "
                                  "the same duration", 1);
        p->pending_ns += e->leave_ns - e->enter_ns - e->off_in_ns;
        return 0;
    }
}

/* Returns the computation between the previous call and E, ns, as mpgsim counts it. If E repeats an unsuccessful test,
 * the time between is waiting: 0. */
static int64_t computation_before(struct mpg_message_program *p, const struct mpg_event *e)
{
    const int64_t traced_ns = e->enter_ns - p->last_ns;
    const int64_t work_ns = traced_ns - p->sums.flushed_ns - mpg_graph_interval_tracer_ns(&p->sums, &p->overhead, traced_ns);
    if (p->polled == mpg_call_plain(e->call) && p->polled_site == e->site && work_ns <= MPG_POLLING_NS) {
        mpg_left_out_add(p->left, "intervals between unsuccessful tests: left out, as waiting", work_ns > 0);
        return 0;
    }
    if (work_ns <= 0)
        return 0;
    const int64_t off_ns = mpg_graph_interval_off_ns(&p->sums, e, true, work_ns);
    const int64_t cpu_ns = mpg_graph_interval_cpu_ns(&p->sums, &p->overhead, e);
    mpg_left_out_add(p->left, "intervals with time off the CPU: it is left out", off_ns > 0);
    return cpu_ns >= 0 && cpu_ns < work_ns - off_ns ? cpu_ns : work_ns - off_ns;
}

static int take_event(void *context, const struct mpg_event *e, struct mpg_error *err)
{
    struct mpg_message_program *p = context;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END || kind == MPG_KIND_FLUSH || e->sum.calls > 0 ||
        graph_is_computation(e)) {
        mpg_graph_interval_add(&p->sums, &p->overhead, e);
        p->calls += mpg_event_is_call(e);
        return 0;
    }
    if (p->has_begun)
        p->pending_ns += computation_before(p, e);
    p->sums = (struct interval_sums){.flushed_ns = 0};
    p->last_ns = e->leave_ns;
    if (kind == MPG_KIND_INIT)
        p->has_begun = true;
    p->polled = mpg_event_found_nothing(e) ? mpg_call_plain(e->call) : MPG_CALL_COUNT;
    p->polled_site = e->site;
    if (e->failed) {
        mpg_left_out_add(p->left, "failed calls: written as computation of the same duration", 1);
        p->pending_ns += e->leave_ns - e->enter_ns - e->off_in_ns;
    } else if (write_call(p, e, err) < 0) {
        return -1;
    }
    p->calls++;
    return 0;
}

static int take_fact(void *context, const char *key, const char *value, struct mpg_error *err)
{
    struct mpg_message_program *p = context;
    (void)value;
    if (strcmp(key, "died") != 0)
        return 0;
    if (!p->lenient)
        return mpg_error_set(err, "rank %d ended without MPI_Finalize: others may wait for it for ever (--lenient writes its "
                                  "recorded calls)", p->rank);
    mpg_left_out_add(p->left, "ranks that ended without MPI_Finalize: others may wait for them for ever", 1);
    return 0;
}

static int begin_rank(void *context, int32_t rank, struct mpg_error *err)
{
    struct mpg_message_program *p = context;
    p->rank = rank;
    p->calls = 0;
    p->has_begun = false;
    p->polled = MPG_CALL_COUNT;
    p->pending_ns = 0;
    mpg_program_collectives_begin_rank(p);
    p->sums = (struct interval_sums){.flushed_ns = 0};
    p->overhead = mpg_graph_tracer_overhead_of(p->trace, rank);
    if (mpg_trace_threads(p->trace, rank) > 1)
        return mpg_error_set(err, "rank %d has several threads that call MPI, which %s cannot hold", rank, p->writer->format);
    return p->writer->begin(p->writer->context, rank, err);
}

static int end_rank(void *context, bool last, struct mpg_error *err)
{
    struct mpg_message_program *p = context;
    const struct mpg_program_action none = {.kind = MPG_ACTION_WAIT, .request = INT64_MIN};
    (void)last;
    if (mpg_program_act(p, &none, err) < 0)
        return -1;
    mpg_left_out_add(p->left, "sends and receives that no call completes", mpg_open_requests_number(&p->posted));
    mpg_open_requests_clear(&p->posted);
    mpg_open_requests_clear(&p->persistent);
    return p->writer->end(p->writer->context, err);
}

struct mpg_message_program *mpg_program_new(struct mpg_trace *trace, const struct mpg_program_writer *writer, bool lenient,
                                    struct mpg_left_out *left, struct mpg_error *err)
{
    struct mpg_message_program *p = calloc(1, sizeof *p);
    if (!p) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    p->trace = trace;
    p->writer = writer;
    p->lenient = lenient;
    p->left = left;
    mpg_program_collectives_init(p);
    p->posted.record_bytes = p->persistent.record_bytes = sizeof(struct mpg_program_action);
    if (!(p->table = mpg_collective_table_default(err))) {
        mpg_program_free(p);
        return NULL;
    }
    return p;
}

struct mpg_sink mpg_program_sink(struct mpg_message_program *p)
{
    return (struct mpg_sink){.context = p, .begin = begin_rank, .fact = take_fact, .event = take_event, .end = end_rank};
}

void mpg_program_free(struct mpg_message_program *p)
{
    if (!p)
        return;
    mpg_open_requests_clear(&p->posted);
    mpg_open_requests_clear(&p->persistent);
    mpg_program_collectives_begin_rank(p);
    mpg_program_lists_clear(&p->lists);
    free(p->before);
    mpg_map_clear(&p->tags);
    mpg_collective_table_free(p->table);
    free(p);
}
