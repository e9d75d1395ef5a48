/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call: what it starts, what it waits for, the edges into its leave. */
#include "graph/graph_private.h"

static void await_message(struct stream *s, struct message *m, struct stream **waiter)
{
    if (!m || m->arrived)
        return;
    *waiter = s;
    s->unmet++;
}

static int begin_receive(struct mpg_graph *g, struct stream *s, int32_t tag, int64_t bytes,
                         struct mpg_error *err)
{
    if (s->event.from == MPG_PROC_NULL)
        return 0;
    if (graph_post(g, s, s->event.comm, s->event.from, tag, bytes, &s->receiving, err) < 0)
        return -1;
    if (s->receiving)
        await_message(s, s->receiving, &s->receiving->receive_waiter);
    return 0;
}

static int begin_send(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    if (e->to == MPG_PROC_NULL)
        return 0;
    if (graph_send(g, s, e->call, e->comm, e->to, e->tag, e->bytes, 0, &s->sending, err) < 0)
        return -1;
    if (s->sending && s->sending->synchronous)
        await_message(s, s->sending, &s->sending->send_waiter);
    return 0;
}

static int begin_matched_receive(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (graph_matched_receive(g, s, &s->receiving, err) < 0)
        return -1;
    if (s->receiving)
        await_message(s, s->receiving, &s->receiving->receive_waiter);
    return 0;
}

static int begin_collective(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (graph_arrive(g, s, &s->collective, err) < 0)
        return -1;
    s->unmet += s->collective && !graph_collective_ready(g, s->collective, s);
    return 0;
}

static int begin_neighbors(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (graph_neighbors(g, s, &s->group, err) < 0)
        return -1;
    graph_await_group(s, s->group);
    return 0;
}

static bool is_choice(const struct mpg_event *e)
{
    return e->call == MPG_CALL_Iprobe || e->call == MPG_CALL_Improbe ||
           (mpg_call_kind(e->call) == MPG_KIND_COMPLETE && e->request_number > 0 &&
            e->call != MPG_CALL_Wait && e->call != MPG_CALL_Waitall);
}

/* Bytes that the call's size class goes by. */
static double class_bytes(const struct mpg_event *e)
{
    double sum = 0;
    if (mpg_call_kind(e->call) == MPG_KIND_COMPLETE)
        return 0;
    for (uint32_t i = 0; i < e->count_number; i++)
        sum += (double)e->counts[i];
    return e->count_number ? sum : (double)e->bytes;
}

int graph_begin_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = &s->event;
    s->class_bytes = 0;
    if (e->failed) {
        if (g->counts.failed++ == 0)
            g->first_failed = graph_here(s);
        return 0;
    }
    enum mpg_kind kind = mpg_call_kind(e->call);
    bool has_group = kind == MPG_KIND_WIN_GROUP; /* ranks, not bytes */
    s->class_bytes = has_group ? 0 : class_bytes(e);
    g->counts.choices += is_choice(e);
    switch (kind) {
    case MPG_KIND_SEND:
        return begin_send(g, s, err);
    case MPG_KIND_RECV:
        return begin_receive(g, s, e->tag, e->bytes, err);
    case MPG_KIND_SENDRECV:
        if (begin_send(g, s, err) < 0)
            return -1;
        return begin_receive(g, s, e->recvtag, e->recvbytes, err);
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_START:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_REQUEST:
    case MPG_KIND_IFILE:
    case MPG_KIND_IRMA:
        return graph_start_request(g, s, err);
    case MPG_KIND_REQUEST_FREE:
        return graph_free_request(g, s, err);
    case MPG_KIND_COMPLETE:
        return graph_completion_needs(g, s, err);
    case MPG_KIND_PROBE:
        return e->found && e->from != MPG_PROC_NULL ? graph_probe(g, s, err) : 0;
    case MPG_KIND_MPROBE:
        return e->found && e->from != MPG_PROC_NULL ? graph_matched_probe(g, s, err) : 0;
    case MPG_KIND_MRECV:
        return begin_matched_receive(g, s, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
        return begin_collective(g, s, err);
    case MPG_KIND_NEIGHBOR:
        return begin_neighbors(g, s, err);
    case MPG_KIND_WIN_FREE:
        graph_forget_window(g, s);
        return begin_collective(g, s, err);
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
        return graph_begin_window_call(g, s, err);
    case MPG_KIND_DYNAMIC:
        g->counts.foreign++;
        return 0;
    case MPG_KIND_FILE_OPEN:
    case MPG_KIND_FILE_CLOSE:
    case MPG_KIND_FILE:
    case MPG_KIND_FILE_COLLECTIVE:
        g->counts.file_calls++;
        return 0;
    default:
        return 0;
    }
}

/* The edges into the call's leave besides its local one. Under `lenient` what
 * it waited for may be missing. */
static int leave_edges(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct message *m;
    if ((m = s->receiving)) {
        s->receiving = NULL;
        if (m->arrived) {
            if (graph_arrival_edge(g, m, err) < 0)
                return -1;
            graph_receiver_done(g, m, false);
        }
    }
    if ((m = s->sending)) {
        s->sending = NULL;
        if (m->synchronous && m->arrived && graph_ack_edge(g, m, err) < 0)
            return -1;
        if (!m->synchronous || m->arrived)
            graph_sender_done(g, m, false);
    }
    if (graph_probe_edges(g, s, err) < 0)
        return -1;
    struct collective *c = s->collective;
    s->collective = NULL;
    if (c && graph_collective_edges(g, c, s, err) < 0)
        return -1;
    struct group *group = s->group;
    s->group = NULL;
    if (group && graph_group_edges(g, group, s->event.call == MPG_CALL_Win_test, err) < 0)
        return -1;
    return s->completing_count ? graph_completion_edges(g, s, err) : 0;
}

int graph_leave_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    g->edge_count = 0;
    if (leave_edges(g, s, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(g, MPG_STEP_LEAVE, s);
    if (!step)
        return graph_out_of_memory(err);
    step->duration_ns = s->event.leave_ns - s->event.enter_ns;
    step->failed = s->event.failed;
    step->enter_ns = graph_enter_ns(g, s);
    step->leave_ns = mpg_clock_align(g->clocks, s->rank, s->event.leave_ns);
    step->bytes = s->class_bytes;
    step->round_trip = s->round_trip;
    step->round_trip_bytes = (double)s->round_trip_bytes;
    s->round_trip = false;
    s->round_trip_bytes = 0;
    step->edge_number = (uint32_t)g->edge_count;
    step->edges = g->edges;
    return 0;
}
