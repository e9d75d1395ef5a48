/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves calls: the edges into a call's leave, and the step of the leave. */
#include "graph/schedule/calls.h"

#include <math.h>

#include "graph/matching/win_start.h"
#include "graph/schedule/alternatives.h"
#include "graph/schedule/choosing.h"
#include "trace/polling.h"

/* Adds the edges of the messages that the call of S, if blocking, receives and sends. */
static int leave_messages(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct matching *matching = &g->matching;
    struct message *m;
    if ((m = s->receiving)) {
        s->receiving = NULL;
        s->sent.dropped += m->dropped;
        if (m->arrived) {
            if (mpg_graph_list_open_receive(&g->requests, &s->call, m, err) < 0)
                return -1;
            if (mpg_graph_arrival_edge(matching, m, err) < 0)
                return -1;
            mpg_graph_note_received(matching, &s->call, m);
            mpg_graph_receiver_done(matching, m, false);
        }
    }
    if ((m = s->sending)) {
        s->sending = NULL;
        if (mpg_graph_sender_edge(matching, &s->call, m, err) < 0)
            return -1;
    }
    return 0;
}

/* Adds the edges of the messages received by the inserted call of S. */
static int leave_exchange(struct matching *matching, struct stream *s, struct mpg_error *err)
{
    struct group *group = s->group;
    s->group = NULL;
    return mpg_graph_group_edges(matching, group, false, err);
}

/* If the call of S is a probe that has found a message, counts the message as a part of the call. */
static int count_probed(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct message *m = mpg_graph_probed(&s->probing);
    s->sent.parts += m != NULL;
    s->sent.dropped += m && m->dropped;
    if (!m || !m->dropped)
        return 0;
    const struct mpg_hypothesis_effect effect = {.kind = MPG_EFFECT_PROBED, .rank = s->call.rank, .number = s->call.number,
                                                 .drops = true};
    return mpg_graph_report_effect(&g->matching.applied_hypotheses, &effect, graph_more(m)->dropper, err);
}

/* Adds all edges into the leave of S's call but the local edge, which comes from the call's own enter. With option
 * lenient, operations that the call waits for can be missing. */
static int leave_edges(struct mpg_graph *g, struct rank_run *r, struct stream *s,
                       struct mpg_error *err)
{
    struct matching *matching = &g->matching;
    const enum mpg_kind kind = mpg_call_kind(s->call.event->call);
    if (mpg_is_inserted(s->call.number) && leave_exchange(matching, s, err) < 0)
        return -1;
    if (leave_messages(g, s, err) < 0)
        return -1;
    if (kind == MPG_KIND_SEND || kind == MPG_KIND_RECV || kind == MPG_KIND_SENDRECV)
        return 0;
    const bool looks = mpg_call_is_probe(s->call.event->call) && !s->call.event->failed;
    if (looks && count_probed(g, s, err) < 0)
        return -1;
    if (looks && (mpg_graph_list_probe(&g->requests, &s->call, &s->probing, err) < 0 ||
                  mpg_graph_probe_edges(matching, &s->probing, err) < 0))
        return -1;
    if (kind == MPG_KIND_COMPLETE || kind == MPG_KIND_PARRIVED)
        mpg_graph_count_given(&g->requests, &r->requests, &s->call);
    struct part part = s->part;
    s->part = (struct part){0};
    if (part.collective && mpg_graph_part_edges(&g->collectives, &part, s->call.leave_ns, err) < 0)
        return -1;
    struct group *group = s->group;
    s->group = NULL;
    if (group && s->call.event->call == MPG_CALL_Win_start)
        return mpg_graph_win_start_edges(matching, &r->windows, &s->call, group, err);
    if (group && s->call.event->call == MPG_CALL_Win_complete)
        mpg_graph_note_win_start(&matching->progress, &r->windows, &s->call, group);
    if (group) {
        s->sent.parts += group->count;
        s->sent.dropped += mpg_graph_group_dropped(&matching->applied_hypotheses, group);
    }
    if (group && mpg_graph_group_edges(matching, group, s->call.event->call == MPG_CALL_Win_test, err) < 0)
        return -1;
    if (graph_is_among(kind, GRAPH_KIND(RMA) | GRAPH_KIND(IRMA) | GRAPH_KIND(WIN_TARGET) | GRAPH_KIND(WIN_ALL) |
                                 GRAPH_KIND(WIN_EPOCH)) &&
        mpg_graph_window_edges(matching, &r->windows, &s->call, err) < 0)
        return -1;
    if (kind == MPG_KIND_COMPLETE && mpg_graph_list_open_requests(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    if (s->completing.given_count && mpg_graph_choice_candidates(&g->requests, &r->requests, &s->call, &s->completing, err) < 0)
        return -1;
    return s->completing.count ? mpg_graph_completion_edges(&g->requests, &r->requests, &s->call, &s->completing, err) : 0;
}

/* Counts the messages completed by a call. A probed message counts at the receiving call. */
static void note_messages(struct mpg_graph_counts *c, const struct mpg_step *step)
{
    if (mpg_is_inserted(step->number)) /* an inserted call has no traced times */
        return;
    for (uint32_t i = 0; i < step->edge_number; i++) {
        const struct mpg_edge *e = &step->edges[i];
        if (e->kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(step->call))
            graph_note_arrival(c, e, step->leave_ns);
    }
}

/* For a call of S that completes nonblocking collectives (also of neighbourhoods): returns the time, in ns, from the last
 * member's enter, or from the call's enter if later, to the call's leave; if clocks cannot be compared, the whole
 * duration of the call. Returns 0 for any other call. */
static double after_all_came(const struct mpg_graph *g, const struct stream *s)
{
    /* true: neighbourhood collectives; false: other nonblocking collectives */
    const bool of_neighbors = s->call.completed & 1u << MPG_CATEGORY_COLLECTIVE;
    double came_ns = INFINITY;
    for (size_t i = 0; i < g->steps.edge_count; i++) {
        const struct mpg_edge *e = &g->steps.edges[i];
        if (e->kind == MPG_EDGE_MET || (e->kind == MPG_EDGE_ARRIVAL && of_neighbors))
            came_ns = fmax(isfinite(came_ns) ? came_ns : s->call.enter_ns, e->sent_ns);
    }
    for (size_t i = 0; i < g->steps.edge_count; i++) /* waits for other members' MPI calls have edges and do not count */
        if (g->steps.edges[i].awaits_call)
            came_ns = fmax(came_ns, g->steps.edges[i].from_ns);
    if (!isfinite(came_ns))
        return 0;
    if (mpg_clock_map_source(g->clocks) == MPG_CLOCK_NONE)
        came_ns = s->call.enter_ns;
    return fmax(0, s->call.leave_ns - came_ns);
}

/* With hypotheses: counts durations that the graph cannot attribute to waits, and which therefore stay as traced. */
static void note_kept(struct mpg_graph *g, const struct stream *s)
{
    if (!g->bound)
        return;
    const enum mpg_kind kind = mpg_call_kind(s->call.event->call);
    const double took_ns = s->call.leave_ns - s->call.enter_ns;
    const bool on_window = graph_is_among(kind, GRAPH_KIND(WIN_GROUP) | GRAPH_KIND(WIN_TARGET) | GRAPH_KIND(WIN_ALL) |
                                                    GRAPH_KIND(RMA) | GRAPH_KIND(IRMA));
    if (on_window && g->steps.edge_count == 0)
        g->counts.alone_ns += took_ns;
    g->counts.posted_ns += after_all_came(g, s);
}

/* Fills STEP, the leave of S's call, with all data but times and edges. */
static int describe_call(struct mpg_graph *g, struct stream *s, struct mpg_step *step, struct mpg_error *err)
{
    struct call *call = &s->call;
    if (s->sent.n > 0 && mpg_graph_keep_sent(&g->steps, step, s->sent.message, s->sent.n, err) < 0)
        return -1;
    step->changed = call->changed;
    step->dropped = s->sent.dropped > 0 && s->sent.dropped == s->sent.parts && !step->failed;
    step->rooted = s->sent.rooted;
    step->rooted_bytes = s->sent.rooted_bytes;
    step->found_nothing = s->found_nothing;
    step->round_trip = call->round_trip;
    if (call->round_trip) {
        step->round_trip_call = (uint16_t)call->round_trip_call;
        step->round_trip_bytes = (double)call->round_trip_bytes;
        step->round_trip_target_bytes = (double)call->round_trip_target_bytes;
    }
    step->completed = call->completed;
    if (graph_is_among(mpg_call_kind(call->event->call), GRAPH_KIND(WIN_TARGET) | GRAPH_KIND(RMA) | GRAPH_KIND(IRMA)) &&
        mpg_graph_transfer_of(&g->matching, g->trace, call, step, err) < 0)
        return -1;
    return mpg_graph_find_alternatives(g, call, step, err);
}

int mpg_graph_leave_call(struct mpg_graph *g, struct rank_run *r, struct stream *s, struct mpg_error *err)
{
    struct call *call = &s->call;
    const struct part part = s->part;
    const bool is_awaited = mpg_graph_part_is_awaited(&part);
    graph_begin_edges(&g->steps);
    g->steps.candidate_count = g->steps.posted_count = g->steps.lost_count = 0;
    mpg_graph_forget_choosing(s);
    if (leave_edges(g, r, s, err) < 0)
        return -1;
    mpg_graph_observe_weak_sends(&g->matching.progress, call);
    note_kept(g, s);
    if (g->by_completion && mpg_graph_date_candidates(g, r, call, err) < 0)
        return -1;
    const uint32_t edges = g->steps.edge_count;
    struct mpg_step *step = graph_emit_leave(&g->steps, call, s->class_bytes);
    if (!step || mpg_graph_list_lost(&g->steps) < 0)
        return mpg_graph_out_of_memory(err);
    step->failed = call->event->failed;
    step->edges = g->steps.edge_count > 0 ? g->steps.edges : NULL;
    step->edge_number = edges;
    step->lost_number = g->steps.lost_count;
    s->found_nothing = mpg_event_found_nothing(call->event);
    const bool is_told = g->steps.wanted != MPG_STEPS_LEAVES || g->requests.choose || g->bound;
    if (is_told && describe_call(g, s, step, err) < 0)
        return -1;
    call->completed = 0;
    if (call->round_trip)
        call->round_trip_bytes = call->round_trip_target_bytes = 0;
    call->round_trip = call->probe.looks = call->parrived.asks = false;
    note_messages(&g->counts, step);
    return is_awaited ? mpg_graph_part_left(&g->collectives, &part, call, err) : 0;
}
