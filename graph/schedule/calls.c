/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Begins calls: starts operations and counts the events to wait for. */
#include "graph/schedule/calls.h"

#include "graph/matching/exchanges.h"
#include "graph/schedule/alternatives.h"
#include "graph/schedule/choosing.h"
#include "graph/schedule/import.h"

static void await_message(struct stream *s, struct message *m, struct waiter **event)
{
    if (!m->arrived)
        graph_await(&s->call.waiter, event);
}

/* Makes the call of S, a receive from MPI_ANY_SOURCE, also wait for the candidates to replace the traced message. */
static void begin_open(struct mpg_graph *g, struct stream *s)
{
    mpg_graph_begin_open(&g->requests, &s->call, &s->completing);
    mpg_graph_note_choosing(&g->choosing, s);
}

static inline int begin_receive(struct mpg_graph *g, struct stream *s, int32_t tag, int64_t bytes,
                         struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (e->from == MPG_PROC_NULL)
        return 0;
    if (mpg_graph_post(&g->matching, &s->call, e->comm, e->from, tag, e->any, bytes, &s->receiving, err) < 0)
        return -1;
    if (!s->receiving)
        return 0;
    await_message(s, s->receiving, &s->receiving->receive_waiter);
    if (e->any & MPG_ANY_SOURCE)
        begin_open(g, s);
    return 0;
}

/* Makes the call of S wait for the receiver of a synchronous message. Meanwhile the rank's receives progress. */
static inline int await_sending(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct message *m = s->sending;
    if (!m)
        return 0;
    if (m->synchronous)
        await_message(s, m, &m->send_waiter);
    if ((m->synchronous || m->is_weak) && mpg_graph_progress_receives(&g->matching, &s->call, err) < 0)
        return -1;
    mpg_graph_await_weak_send(&g->matching.progress, m, s->call.leave_ns, &s->call.waiter);
    return 0;
}

static inline int begin_send(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (e->to == MPG_PROC_NULL)
        return 0;
    if (mpg_graph_send(&g->matching, &s->call, e->call, e->comm, e->to, e->tag, e->bytes, 0, &s->sending, err) < 0)
        return -1;
    return await_sending(g, s, err);
}

static int begin_matched_receive(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                                 struct mpg_error *err)
{
    if (mpg_graph_matched_receive(&g->matching, &r->probed, &s->call, &s->receiving, err) < 0)
        return -1;
    if (s->receiving)
        await_message(s, s->receiving, &s->receiving->receive_waiter);
    return 0;
}

static int begin_probe(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                       struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    const bool takes = mpg_call_kind(e->call) == MPG_KIND_MPROBE;
    g->counts.choices += mpg_graph_is_choice(e);
    if (e->found && e->from != MPG_PROC_NULL &&
        (takes ? mpg_graph_matched_probe(&g->matching, &r->probed, &s->call, &s->probing, err)
               : mpg_graph_probe(&g->matching, &s->call, &s->probing, err)) < 0)
        return -1;
    if (mpg_graph_begin_probe_choice(&g->requests, &s->call, &s->completing))
        mpg_graph_note_choosing(&g->choosing, s);
    return 0;
}

/* Begins a collective, a constructor, or a fence. A fence first ends the window's epoch. */
static int begin_collective(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                            struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct load rma_load = graph_load(0);
    g->counts.shared_windows += mpg_call_plain(e->call) == MPG_CALL_Win_allocate_shared;
    if (mpg_call_kind(e->call) == MPG_KIND_WIN_FENCE &&
        mpg_graph_end_epoch(&g->matching, &r->windows, g->trace, &s->call, &rma_load, err) < 0)
        return -1;
    if (mpg_graph_arrive(&g->collectives, &s->call, rma_load, &s->part, err) < 0)
        return -1;
    if (s->part.collective)
        mpg_graph_await_part(&s->part, &s->call.waiter);
    return 0;
}

/* Begins a one-sided transfer with a request (MPI_Rput, MPI_Rget and the like). */
static int begin_transfer(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    struct load load;
    if (mpg_graph_requested_transfer(&g->matching, &r->windows, g->trace, &s->call, &load, err) < 0)
        return -1;
    return mpg_graph_start_transfer(&g->requests, &r->requests, &s->call, load, err);
}

static int begin_neighbors(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (mpg_graph_neighbors(&g->matching, &s->call, &s->group, err) < 0)
        return -1;
    mpg_graph_await_group(&s->call.waiter, s->group);
    return 0;
}

static int begin_completion(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                            struct mpg_error *err)
{
    g->counts.choices += mpg_graph_is_choice(s->call.event);
    if (mpg_graph_begin_completion(&g->requests, &r->requests, &s->call, &s->completing, err) < 0 ||
        mpg_graph_begin_choice(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    mpg_graph_note_choosing(&g->choosing, s);
    return 0;
}

static int begin_parrived(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    g->counts.choices++;
    s->call.parrived = (struct mpg_parrived){
        .asks = true, .found = e->found, .request = e->requests[0], .partition = e->root};
    if (e->found)
        return 0;
    if (mpg_graph_begin_parrived_choice(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    mpg_graph_note_choosing(&g->choosing, s);
    return 0;
}

/* Returns the number of bytes for the size class of the call's overhead. */
static double class_bytes(const struct mpg_event *e)
{
    double sum = 0;
    if (mpg_call_kind(e->call) == MPG_KIND_COMPLETE)
        return 0;
    for (uint32_t i = 0; i < e->count_number; i++)
        sum += (double)e->counts[i];
    return e->count_number ? sum : (double)e->bytes;
}

/* Begins the sends and receives of a call inserted by hypotheses. */
static int begin_inserted(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (mpg_graph_begin_exchange(&g->matching, &s->call, &s->sending, &s->group, err) < 0 || await_sending(g, s, err) < 0)
        return -1;
    mpg_graph_await_group(&s->call.waiter, s->group);
    return 0;
}

int mpg_graph_begin_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct call *call = &s->call;
    s->class_bytes = 0;
    graph_begin_sent(&s->sent);
    call->changed = false;
    if (e->failed) {
        if (g->counts.failed++ == 0)
            g->first_failed = graph_call_ref(call);
        return 0;
    }
    if (graph_progress_receives_at(&g->matching, call, err) < 0)
        return -1;
    if (mpg_is_inserted(call->number))
        return begin_inserted(g, s, err);
    enum mpg_kind kind = mpg_call_kind(e->call);
    if (g->part && mpg_graph_check_shared(g, kind, err) < 0)
        return -1;
    bool counts_bytes = kind != MPG_KIND_WIN_GROUP && kind != MPG_KIND_PREADY;
    s->class_bytes = counts_bytes ? class_bytes(e) : 0;
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
    case MPG_KIND_ISENDRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_START:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_COLLECTIVE_INIT:
    case MPG_KIND_NEIGHBOR_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
    case MPG_KIND_ICOLLECTIVE:
    case MPG_KIND_ICONSTRUCTOR:
    case MPG_KIND_INEIGHBOR:
    case MPG_KIND_REQUEST:
    case MPG_KIND_IFILE:
        return mpg_graph_start_request(&g->requests, &r->requests, &r->probed, call, err);
    case MPG_KIND_IRMA:
        return begin_transfer(g, r, s, err);
    case MPG_KIND_PREADY:
        return mpg_graph_ready(&g->requests, &r->requests, call, err);
    case MPG_KIND_REQUEST_FREE:
        return mpg_graph_free_request(&g->requests, &r->requests, call, err);
    case MPG_KIND_CANCEL:
        mpg_graph_cancel_request(&r->requests, call);
        return 0;
    case MPG_KIND_COMPLETE:
        return begin_completion(g, r, s, err);
    case MPG_KIND_PARRIVED:
        return begin_parrived(g, r, s, err);
    case MPG_KIND_PROBE:
    case MPG_KIND_MPROBE:
        return begin_probe(g, r, s, err);
    case MPG_KIND_MRECV:
        return begin_matched_receive(g, r, s, err);
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
    case MPG_KIND_WIN_CONSTRUCTOR:
    case MPG_KIND_WIN_FENCE:
        return begin_collective(g, r, s, err);
    case MPG_KIND_NEIGHBOR:
        return begin_neighbors(g, s, err);
    case MPG_KIND_WIN_FREE:
        mpg_graph_forget_window(&r->windows, e->object);
        return begin_collective(g, r, s, err);
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
        return mpg_graph_begin_window_call(&g->matching, &r->windows, g->trace, call, &s->group, err);
    case MPG_KIND_DYNAMIC:
        g->counts.foreign++;
        return 0;
    case MPG_KIND_UNKNOWN:
        g->counts.unknown++;
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
