/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls, kind by kind. */
#include "graph/schedule/calls.h"

#include <math.h>

#include "graph/matching/starts.h"
#include "graph/schedule/choosing.h"
#include "graph/schedule/scout.h"

static bool is_choice(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_PROBE:
        return e->call == MPG_CALL_Iprobe;
    case MPG_KIND_MPROBE:
        return e->call == MPG_CALL_Improbe;
    case MPG_KIND_PARRIVED:
        return true;
    case MPG_KIND_COMPLETE:
        return e->request_number > 0 && e->call != MPG_CALL_Wait && e->call != MPG_CALL_Waitall;
    default:
        return false;
    }
}

static void await_message(struct stream *s, struct message *m, struct waiter **place)
{
    if (!m->arrived)
        graph_await(&s->call.waiter, place);
}

/* What the call of S receives or finds may be another rank's. */
static void begin_open(struct mpg_graph *g, struct stream *s)
{
    graph_begin_open(&g->requests, &s->call, &s->completing);
    graph_note_choosing(&g->choosing, s);
}

static inline int begin_receive(struct mpg_graph *g, struct stream *s, int32_t tag, int64_t bytes,
                         struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (e->from == MPG_PROC_NULL)
        return 0;
    if (graph_post(&g->matching, &s->call, e->comm, e->from, tag, e->any, bytes, &s->receiving,
                   err) < 0)
        return -1;
    if (!s->receiving)
        return 0;
    await_message(s, s->receiving, &s->receiving->receive_waiter);
    if (e->any & MPG_ANY_SOURCE)
        begin_open(g, s);
    return 0;
}

static inline int begin_send(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (e->to == MPG_PROC_NULL)
        return 0;
    if (graph_send(&g->matching, &s->call, e->call, e->comm, e->to, e->tag, e->bytes, 0,
                   &s->sending, err) < 0)
        return -1;
    if (s->sending && s->sending->synchronous)
        await_message(s, s->sending, &s->sending->send_waiter);
    if (s->sending)
        graph_await_carrier(&g->matching.carrying, s->sending, s->call.leave_ns, &s->call.waiter);
    return 0;
}

static int begin_matched_receive(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                                 struct mpg_error *err)
{
    if (graph_matched_receive(&g->matching, &r->probed, &s->call, &s->receiving, err) < 0)
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
    g->counts.choices += is_choice(e);
    if (e->found && e->from != MPG_PROC_NULL &&
        (takes ? graph_matched_probe(&g->matching, &r->probed, &s->call, &s->probing, err)
               : graph_probe(&g->matching, &s->call, &s->probing, err)) < 0)
        return -1;
    if (graph_begin_looking(&g->requests, &s->call, &s->completing))
        graph_note_choosing(&g->choosing, s);
    return 0;
}

/* A collective, a constructor, or a fence, which ends its window's epoch. */
static int begin_collective(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                            struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct load moved = graph_load(0);
    if (mpg_call_kind(e->call) == MPG_KIND_WIN_FENCE &&
        graph_end_epoch(&g->matching, &r->windows, g->trace, &s->call, &moved, err) < 0)
        return -1;
    if (graph_arrive(&g->meetings, &s->call, moved, &s->part, err) < 0)
        return -1;
    if (s->part.collective)
        graph_await_part(&s->part, &s->call.waiter);
    return 0;
}

/* A one-sided transfer with a request of its own. */
static int begin_transfer(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    struct load load;
    if (graph_requested_transfer(&g->matching, &r->windows, g->trace, &s->call, &load, err) < 0)
        return -1;
    return graph_start_transfer(&g->requests, &r->requests, &s->call, load, err);
}

static int begin_neighbors(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (graph_neighbors(&g->matching, &s->call, &s->group, err) < 0)
        return -1;
    graph_await_group(&s->call.waiter, s->group);
    return 0;
}

static int begin_completion(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                            struct mpg_error *err)
{
    g->counts.choices += is_choice(s->call.event);
    if (graph_begin_completion(&g->requests, &r->requests, &s->call, &s->completing, err) < 0 ||
        graph_begin_choice(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    graph_note_choosing(&g->choosing, s);
    return 0;
}

static int begin_asking(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    g->counts.choices++;
    s->call.asking = (struct mpg_asking){
        .asks = true, .found = e->found, .request = e->requests[0], .partition = e->root};
    if (e->found)
        return 0;
    if (graph_begin_asking(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    graph_note_choosing(&g->choosing, s);
    return 0;
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

/* The call's posting part, if it has one of its own. */
static int emit_post(struct mpg_graph *g, const struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (!g->posts)
        return 0;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_POST, &s->call);
    if (!step)
        return graph_out_of_memory(err);
    step->duration_ns = e->leave_ns - e->enter_ns;
    step->bytes = s->class_bytes;
    return 0;
}

int graph_begin_call(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                     struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    struct call *call = &s->call;
    s->class_bytes = 0;
    s->sent.n = s->sent.rooted = s->sent.parts = s->sent.dropped = s->sent.which = 0;
    s->sent.rooted_bytes = 0;
    call->changed = false;
    if (e->failed) {
        if (g->counts.failed++ == 0)
            g->first_failed = graph_here(call);
        return emit_post(g, s, err);
    }
    enum mpg_kind kind = mpg_call_kind(e->call);
    bool counts_bytes = kind != MPG_KIND_WIN_GROUP && kind != MPG_KIND_PREADY;
    s->class_bytes = counts_bytes ? class_bytes(e) : 0;
    if (emit_post(g, s, err) < 0)
        return -1;
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
        return graph_start_request(&g->requests, &r->requests, &r->probed, call, err);
    case MPG_KIND_IRMA:
        return begin_transfer(g, r, s, err);
    case MPG_KIND_PREADY:
        return graph_ready(&g->requests, &r->requests, call, err);
    case MPG_KIND_REQUEST_FREE:
        return graph_free_request(&g->requests, &r->requests, call, err);
    case MPG_KIND_CANCEL:
        graph_cancel_request(&r->requests, call);
        return 0;
    case MPG_KIND_COMPLETE:
        return begin_completion(g, r, s, err);
    case MPG_KIND_PARRIVED:
        return begin_asking(g, r, s, err);
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
        graph_forget_window(&r->windows, e->object);
        return begin_collective(g, r, s, err);
    case MPG_KIND_WIN_GROUP:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_RMA:
        return graph_begin_window_call(&g->matching, &r->windows, g->trace, call, &s->group,
                                       err);
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

/* Those of the message that it receives, or sends, by itself. */
static int leave_messages(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct matching *matching = &g->matching;
    struct message *m;
    if ((m = s->receiving)) {
        s->receiving = NULL;
        s->sent.dropped += m->dropped;
        if (m->arrived) {
            if (graph_list_open_receive(&g->requests, &s->call, m, err) < 0)
                return -1;
            if (graph_arrival_edge(matching, m, err) < 0)
                return -1;
            graph_note_received(matching, &s->call, m);
            graph_receiver_done(matching, m, false);
        }
    }
    if ((m = s->sending)) {
        s->sending = NULL;
        if (graph_sender_edge(matching, &s->call, m, err) < 0)
            return -1;
    }
    return 0;
}

/* What S, a probe, has found is what it is about. */
static int count_probed(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct message *m = graph_probed(&s->probing);
    s->sent.parts += m != NULL;
    s->sent.dropped += m && m->dropped;
    if (!m || !m->dropped)
        return 0;
    const struct mpg_told told = {.kind = MPG_TOLD_PROBED, .rank = s->call.rank, .number = s->call.number,
                                  .drops = true};
    return graph_tell(&g->matching.supposing, &told, graph_more(m)->dropper, err);
}

/* The edges into the call's leave besides its local one. Under `lenient` what
 * it waited for may be missing. */
static int leave_edges(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                       struct mpg_error *err)
{
    struct matching *matching = &g->matching;
    const enum mpg_kind kind = mpg_call_kind(s->call.event->call);
    if (leave_messages(g, s, err) < 0)
        return -1;
    if (kind == MPG_KIND_SEND || kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV)
        return 0;
    const bool looks = mpg_call_is_probe(s->call.event->call) && !s->call.event->failed;
    if (looks && count_probed(g, s, err) < 0)
        return -1;
    if (looks && (graph_list_looking(&g->requests, &s->call, &s->probing, err) < 0 ||
                  graph_probe_edges(matching, &s->probing, err) < 0))
        return -1;
    if (kind == MPG_KIND_COMPLETE || kind == MPG_KIND_PARRIVED)
        graph_count_given(&g->requests, &r->requests, &s->call);
    struct part part = s->part;
    s->part = (struct part){0};
    if (part.collective && graph_part_edges(&g->meetings, &part, s->call.leave_ns, err) < 0)
        return -1;
    struct group *group = s->group;
    s->group = NULL;
    if (group && s->call.event->call == MPG_CALL_Win_start)
        return graph_start_edges(matching, &r->windows, &s->call, group, err);
    if (group && s->call.event->call == MPG_CALL_Win_complete)
        graph_note_start(&matching->carrying, &r->windows, &s->call, group);
    if (group) {
        s->sent.parts += group->count;
        s->sent.dropped += graph_group_dropped(&matching->supposing, group);
    }
    if (group &&
        graph_group_edges(matching, group, s->call.event->call == MPG_CALL_Win_test, err) < 0)
        return -1;
    if (kind == MPG_KIND_COMPLETE &&
        graph_list_open_requests(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    if (s->completing.given_count &&
        graph_choice_candidates(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    return s->completing.count
               ? graph_completion_edges(&g->requests, &r->requests, &s->call, &s->completing, err)
               : 0;
}

/* What is worth telling of the messages that a call completes; what it probes is received by
 * another. */
static void note_messages(struct mpg_graph_counts *c, const struct mpg_step *step)
{
    for (uint32_t i = 0; i < step->edge_number; i++) {
        const struct mpg_edge *e = &step->edges[i];
        if (e->kind != MPG_EDGE_ARRIVAL || mpg_call_is_probe(step->call))
            continue;
        const double back_ns = e->sent_ns - step->leave_ns;
        c->largest_bytes = e->target_bytes > c->largest_bytes ? e->target_bytes : c->largest_bytes;
        c->backward += back_ns > 0;
        c->backward_ns = back_ns > c->backward_ns ? back_ns : c->backward_ns;
    }
}

/* Whether it may complete or find something else than in the trace. */
static void note_followed(struct mpg_graph_counts *c, const struct mpg_event *e, const struct mpg_alternatives *a)
{
    const bool looks = a->looking.looks && (a->looking.fits.any_source || !e->found);
    if (a->candidate_number == 0 && a->receive_number == 0 && !looks)
        return;
    c->followed += is_choice(e);
    c->followed_receives += !is_choice(e);
}

/* Whether the program asked for something that had not happened yet. */
static bool found_nothing(const struct mpg_event *e)
{
    if (!graph_is_among(mpg_call_kind(e->call), GRAPH_KIND(COMPLETE) | GRAPH_KIND(PROBE) | GRAPH_KIND(MPROBE) |
                                                    GRAPH_KIND(PARRIVED) | GRAPH_KIND(WIN_EPOCH)))
        return false;
    switch (e->call) {
    case MPG_CALL_Test:
    case MPG_CALL_Testall:
    case MPG_CALL_Testany:
    case MPG_CALL_Testsome:
        return !e->failed && e->request_number > 0 && !e->done_all && e->done_number == 0;
    case MPG_CALL_Iprobe:
    case MPG_CALL_Improbe:
    case MPG_CALL_Parrived:
    case MPG_CALL_Win_test:
        return !e->failed && !e->found;
    default:
        return false;
    }
}

static int open_scout(const struct mpg_graph *g, struct rank_run *r, int32_t rank,
                      struct mpg_error *err)
{
    if (!r->scout)
        r->scout = graph_scout_open(g->trace, rank, g->by_completion, err);
    return r->scout ? 0 : -1;
}

/* Says when CALL's candidates are completed; those of which that is not known are none, and if nothing
 * is left that CALL does not complete, there are none. */
static int date_candidates(struct mpg_graph *g, struct rank_run *r, const struct call *call,
                           struct mpg_error *err)
{
    struct steps *steps = &g->steps;
    size_t kept = 0, open = 0, completed = 0;
    if (steps->candidate_count > 0 && open_scout(g, r, call->rank, err) < 0)
        return -1;
    for (size_t i = 0; i < steps->candidate_count; i++) {
        struct mpg_candidate *c = &steps->candidates[i];
        int64_t leave_ns = call->event->leave_ns;
        int found = c->completed ? 1
                                 : graph_scout_completion(r->scout, call->number, c->request,
                                                          &leave_ns, err);
        if (found < 0)
            return -1;
        c->done_ns = mpg_clock_align(g->clocks, call->rank, leave_ns);
        open += found && !c->completed;
        completed += c->completed;
        if (found)
            steps->candidates[kept++] = *c;
    }
    const bool is_whole = kept == steps->candidate_count || call->event->call != MPG_CALL_Testall;
    steps->candidate_count = is_whole && (open > 0 || completed > 1) ? kept : 0;
    if (r->scout && mpg_call_kind(call->event->call) == MPG_KIND_COMPLETE)
        graph_scout_forget(r->scout, call->number);
    return 0;
}

/* Whether each of N portions of STRETCH, some calls each, is these and the interval after them, not that
 * before them: which of the first and the last is as long as those between two portions. */
static bool is_worked_on_last(const struct stretch *stretch, uint32_t n)
{
    const uint64_t calls_each = stretch->calls / n;
    double mean_ns = 0;
    for (uint32_t i = 1; i < n; i++)
        mean_ns += (double)stretch->interval_ns[i * calls_each] / (n - 1);
    return fabs((double)stretch->interval_ns[0] - mean_ns) >
           fabs((double)stretch->interval_ns[stretch->calls] - mean_ns);
}

/* Into how many portions what follows CALL, which has the alternatives A, is divided, one for each receive that it
 * completed. */
static int divide_stretch(struct mpg_graph *g, struct rank_run *r, const struct call *call, struct mpg_alternatives *a,
                          struct mpg_error *err)
{
    uint32_t completed = 0;
    struct stretch after;
    for (uint32_t i = 0; i < a->candidate_number; i++)
        completed += a->candidates[i].completed;
    if (completed < 2)
        return 0;
    if (open_scout(g, r, call->rank, err) < 0)
        return -1;
    if (graph_scout_stretch(r->scout, call->number, &after, err) < 0)
        return -1;
    const double whole_ns = (1 + 1.0 / completed) / 2 * (double)after.work_ns;
    const bool is_at_once = after.calls == 0 || (double)after.longest_ns > whole_ns;
    if (!is_at_once && (after.calls % completed != 0 || !after.interval_ns))
        return 0;
    a->portions = completed;
    a->portion_calls = is_at_once ? 0 : (uint32_t)(after.calls / completed);
    a->portion_interval = after.longest;
    a->portion_ends = !is_at_once && is_worked_on_last(&after, completed);
    return 0;
}

/* What CALL, which is being left, may do instead: *FOUND. */
static int find_alternatives(struct mpg_graph *g, struct rank_run *r, struct call *call,
                             const struct mpg_alternatives **found, struct mpg_error *err)
{
    struct mpg_alternatives *a = &g->steps.alternatives;
    const enum mpg_call name = call->event->call;
    *found = &mpg_no_alternatives;
    if (!g->requests.choose || (g->steps.candidate_count == 0 && g->steps.posted_count == 0 && !call->looking.looks &&
                                !call->asking.asks))
        return 0;
    *a = (struct mpg_alternatives){.completes_all = name == MPG_CALL_Waitsome || name == MPG_CALL_Testsome,
                                   .needs_all = name == MPG_CALL_Testall,
                                   .candidate_number = g->steps.candidate_count,
                                   .candidates = g->steps.candidates,
                                   .receive_number = g->steps.posted_count,
                                   .receives = g->steps.posted,
                                   .looking = call->looking,
                                   .asking = call->asking};
    *found = a;
    if (a->completes_all && divide_stretch(g, r, call, a, err) < 0)
        return -1;
    note_followed(&g->counts, call->event, a);
    return 0;
}

/* How long S's call, which completes nonblocking collectives, those of neighbours, too, still took once all had come to them,
 * and it was there; 0: it completes none. Of clocks that do not compare all that it took. */
static double after_all_came(const struct mpg_graph *g, const struct stream *s)
{
    const bool of_neighbors = s->call.completed & 1u << MPG_MATTER_COLLECTIVE; /* or of others */
    double came_ns = INFINITY;
    for (size_t i = g->steps.left_edges; i < g->steps.edge_count; i++) {
        const struct mpg_edge *e = &g->steps.edges[i];
        if (e->kind == MPG_EDGE_MET || (e->kind == MPG_EDGE_ARRIVAL && of_neighbors))
            came_ns = fmax(isfinite(came_ns) ? came_ns : s->call.enter_ns, e->sent_ns);
    }
    if (!isfinite(came_ns))
        return 0;
    if (mpg_clock_map_source(g->clocks) == MPG_CLOCK_NONE)
        came_ns = s->call.enter_ns;
    return fmax(0, s->call.leave_ns - came_ns);
}

/* With hypotheses: what S's call took is kept, whatever it waited for. */
static void note_kept(struct mpg_graph *g, const struct stream *s)
{
    if (!g->supposed)
        return;
    const enum mpg_kind kind = mpg_call_kind(s->call.event->call);
    const double took_ns = s->call.leave_ns - s->call.enter_ns;
    const bool on_window = kind == MPG_KIND_WIN_GROUP || kind == MPG_KIND_WIN_TARGET || kind == MPG_KIND_WIN_ALL;
    if (on_window && g->steps.edge_count == g->steps.left_edges)
        g->counts.alone_ns += took_ns;
    g->counts.posted_ns += after_all_came(g, s);
}

/* What STEP, which leaves CALL of S, says of the call beyond its times and edges. */
static int tell_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_step *step,
                     struct mpg_error *err)
{
    struct call *call = &s->call;
    if (s->sent.n > 0 && graph_keep_sent(&g->steps, step, s->sent.message, s->sent.n, err) < 0)
        return -1;
    step->changed = call->changed;
    step->dropped = s->sent.dropped > 0 && s->sent.dropped == s->sent.parts && !step->failed;
    step->rooted = s->sent.rooted;
    step->rooted_bytes = s->sent.rooted_bytes;
    step->found_nothing = s->found_nothing;
    step->round_trip = call->round_trip;
    step->round_trip_bytes = step->round_trip_target_bytes = 0;
    if (call->round_trip) {
        step->round_trip_bytes = (double)call->round_trip_bytes;
        step->round_trip_target_bytes = (double)call->round_trip_target_bytes;
    }
    step->completed = call->completed;
    if (graph_is_among(mpg_call_kind(call->event->call), GRAPH_KIND(WIN_TARGET) | GRAPH_KIND(RMA) | GRAPH_KIND(IRMA)) &&
        graph_transfer_of(&g->matching, g->trace, call, step, err) < 0)
        return -1;
    return find_alternatives(g, r, call, &step->alternatives, err);
}

int graph_leave_call(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                     struct mpg_error *err)
{
    struct call *call = &s->call;
    const struct part part = s->part;
    const bool is_awaited = graph_part_is_awaited(&part);
    g->steps.left_edges = g->steps.edge_count;
    g->steps.candidate_count = g->steps.posted_count = g->steps.lost_count = 0;
    graph_forget_choosing(s);
    if (leave_edges(g, r, s, err) < 0)
        return -1;
    graph_carried_note(&g->matching.carrying, call);
    note_kept(g, s);
    if (g->by_completion && date_candidates(g, r, call, err) < 0)
        return -1;
    const uint32_t edges = g->steps.edge_count - g->steps.left_edges;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_LEAVE, call);
    if (!step || graph_list_lost(&g->steps) < 0)
        return graph_out_of_memory(err);
    step->duration_ns = call->event->leave_ns - call->event->enter_ns;
    step->failed = call->event->failed;
    step->enter_ns = call->enter_ns;
    step->leave_ns = call->leave_ns;
    step->bytes = s->class_bytes;
    step->edges = g->steps.edges + g->steps.left_edges;
    step->edge_number = edges;
    step->lost_number = g->steps.lost_count;
    step->sent = NULL;
    step->sent_number = 0;
    step->transfer = &mpg_no_transfer;
    step->alternatives = &mpg_no_alternatives;
    s->found_nothing = found_nothing(call->event);
    const bool is_told = g->steps.wanted != MPG_STEPS_LEAVES || g->requests.choose || g->supposed;
    if (is_told && tell_call(g, r, s, step, err) < 0)
        return -1;
    call->completed = 0;
    if (call->round_trip)
        call->round_trip_bytes = call->round_trip_target_bytes = 0;
    call->round_trip = call->looking.looks = call->asking.asks = false;
    note_messages(&g->counts, step);
    return is_awaited ? graph_part_left(&g->meetings, &part, call, err) : 0;
}
