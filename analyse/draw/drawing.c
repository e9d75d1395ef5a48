/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the graph from its steps. Each stream stores the current node; each slot stores the node that wrote the slot's value. */
#include "analyse/draw/drawing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/walk.h"
#include "common/map.h"
#include "common/reserve.h"

struct stream {
    bool begun;
    struct mpg_drawn_at at;
    double at_ns; /* time of node AT, on aligned clocks */
};

struct slot {
    struct mpg_drawn_at from, poster; /* node of the send; for a synchronous message also the node of the receive's post */
    double from_ns, poster_ns;
};

struct drawer {
    const struct mpg_drawing_options *options;
    struct mpg_drawing *d;
    struct mpg_trace *trace;
    struct mpg_clock_map *clocks;
    bool is_comparable;
    struct stream *stream;
    struct slot *slot;
    uint32_t stream_room, slot_room, call_room, edge_room, meeting_room;
    struct mpg_map meetings; /* (rank and index, call number) -> 1 + index of the drawn node of a collective */
    bool *done;              /* by rank: the rank has no further calls to draw */
    int32_t undone;
};

/* ---- nodes and edges ---- */

static bool is_drawn(const struct drawer *w, int32_t rank, uint64_t number)
{
    const struct mpg_drawing_options *o = w->options;
    return mpg_rank_set_contains(&o->ranks, rank) &&
           (!o->part || (number >= o->first && number <= o->last));
}

static int add_call(struct drawer *w, int32_t rank, uint64_t number, uint32_t thread, enum mpg_call call,
                    struct mpg_error *err)
{
    struct mpg_drawing *d = w->d;
    const size_t max = w->options->max_nodes;
    if (!is_drawn(w, rank, number))
        return 0;
    if (max > 0 && 2 * ((size_t)d->calls + 1) > max)
        return mpg_error_set(err, "more than %zu nodes: --calls=A-B draws those of each rank's calls A to B, "
                                  "--ranks=LIST those of some ranks", max);
    if (mpg_reserve_at(&d->call, sizeof *d->call, &w->call_room, d->calls + 1, err) < 0)
        return -1;
    d->call[d->calls++] = (struct mpg_drawn_call){rank, number, thread, call};
    return 0;
}

static struct mpg_drawn_at meeting_at(const struct mpg_origin *o)
{
    return (struct mpg_drawn_at){MPG_DRAWN_MEETING, o->rank, o->call, o->index};
}

static uint64_t *find_meeting(struct drawer *w, const struct mpg_drawn_at *at)
{
    return mpg_map_find(&w->meetings, (uint64_t)(uint32_t)at->rank << 32 | at->index, at->number);
}

/* Adds AT, the node of the collective CALL, to the drawing unless already drawn. *IS_NEW (NULL: not needed): whether the node was
 * added. Returns 0, or -1 with ERR: no memory. */
static int add_meeting(struct drawer *w, const struct mpg_drawn_at *at, enum mpg_call call, bool *is_new,
                       struct mpg_error *err)
{
    struct mpg_drawing *d = w->d;
    uint64_t *place = mpg_map_add(&w->meetings, (uint64_t)(uint32_t)at->rank << 32 | at->index, at->number);
    if (!place)
        return mpg_error_set(err, "out of memory");
    if (is_new)
        *is_new = *place == 0;
    if (*place > 0)
        return 0;
    if (mpg_reserve_at(&d->meeting, sizeof *d->meeting, &w->meeting_room, d->meetings + 1, err) < 0)
        return -1;
    d->meeting[d->meetings++] = (struct mpg_drawn_meeting){*at, call};
    *place = d->meetings;
    return 0;
}

static bool is_there(struct drawer *w, const struct mpg_drawn_at *at)
{
    return at->kind == MPG_DRAWN_MEETING ? find_meeting(w, at) != NULL : is_drawn(w, at->rank, at->number);
}

/* Adds EDGE if both ends are drawn; counts EDGE as cut if only one end is drawn. */
static int add_edge(struct drawer *w, const struct mpg_drawn_edge *edge, struct mpg_error *err)
{
    struct mpg_drawing *d = w->d;
    const bool from = is_there(w, &edge->from), to = is_there(w, &edge->to);
    if (!from || !to) {
        d->cut += from != to && edge->kind >= MPG_DRAWN_MESSAGE;
        return 0;
    }
    if (mpg_reserve_at(&d->edge, sizeof *d->edge, &w->edge_room, d->edges + 1, err) < 0)
        return -1;
    d->edge[d->edges++] = *edge;
    return 0;
}

/* Adds EDGE, between the node of the collective CALL and another node, if the other node is drawn; then the collective's node is
 * drawn, too. */
static int add_meeting_edge(struct drawer *w, const struct mpg_drawn_edge *edge, enum mpg_call call,
                            bool *is_new, struct mpg_error *err)
{
    const struct mpg_drawn_at *meeting = edge->kind == MPG_DRAWN_TO_MEETING ? &edge->to : &edge->from;
    const struct mpg_drawn_at *node = edge->kind == MPG_DRAWN_TO_MEETING ? &edge->from : &edge->to;
    if (!is_there(w, node))
        return 0;
    if (add_meeting(w, meeting, call, is_new, err) < 0)
        return -1;
    return add_edge(w, edge, err);
}

/* ---- steps ---- */

static int begin_rank(struct drawer *w, const struct mpg_step *s, struct stream *stream, struct mpg_error *err)
{
    stream->begun = true;
    stream->at = (struct mpg_drawn_at){MPG_DRAWN_LEAVE, s->rank, 0, 0};
    if (mpg_call_kind(s->from.call) != MPG_KIND_INIT) {
        stream->begun = false; /* with option lenient, a trace can begin later than MPI_Init */
        return 0;
    }
    if (add_call(w, s->rank, 0, s->thread, s->from.call, err) < 0)
        return -1;
    return add_edge(w, &(struct mpg_drawn_edge){.kind = MPG_DRAWN_OUTSIDE,
                                                .from = {MPG_DRAWN_ENTER, s->rank, 0, 0},
                                                .to = stream->at}, err);
}

static int enter(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *stream = &w->stream[s->stream];
    if (!stream->begun && begin_rank(w, s, stream, err) < 0)
        return -1;
    const struct mpg_drawn_at at = {MPG_DRAWN_ENTER, s->rank, s->number, 0};
    const struct mpg_drawn_edge edge = {
        .kind = MPG_DRAWN_COMPUTE, .from = stream->at, .to = at, .took_ns = (double)s->interval_ns};
    const bool ends = mpg_call_kind(s->to.call) == MPG_KIND_FINALIZE;
    if (!ends && add_call(w, s->rank, s->number, s->thread, s->to.call, err) < 0)
        return -1;
    if (stream->begun && add_edge(w, &edge, err) < 0)
        return -1;
    stream->begun = true;
    stream->at = at;
    stream->at_ns = mpg_clock_align(w->clocks, s->rank, s->begin_ns + s->interval_ns + s->tracer_ns);
    return 0;
}

/* Draws MPI_Finalize, which a rank calls once although each of its threads gets this step. */
static int finish(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    const struct stream *stream = &w->stream[s->stream];
    const struct mpg_drawn_edge edge = {
        .kind = MPG_DRAWN_OUTSIDE, .from = stream->at, .to = {MPG_DRAWN_LEAVE, s->rank, s->number, 0}};
    w->undone -= !w->done[s->rank];
    w->done[s->rank] = true;
    if (!stream->begun || stream->at.kind != MPG_DRAWN_ENTER || stream->at.number != s->number)
        return 0; /* with option lenient, there can be no MPI_Finalize */
    if (add_call(w, s->rank, s->number, s->thread, MPG_CALL_Finalize, err) < 0)
        return -1;
    return add_edge(w, &edge, err);
}

static double took(const struct drawer *w, double from_ns, const struct mpg_step *s)
{
    return w->is_comparable ? s->leave_ns - from_ns : NAN;
}

static int root_edges(struct drawer *w, const struct mpg_edge *e, const struct mpg_drawn_at *here,
                      struct mpg_error *err)
{
    const struct mpg_drawn_at meeting = meeting_at(&e->meeting);
    const struct mpg_drawn_edge met = {.kind = MPG_DRAWN_FROM_MEETING, .from = meeting, .to = *here,
                                       .bytes = e->bytes, .rounds = e->rounds};
    const struct mpg_drawn_edge come = {
        .kind = MPG_DRAWN_TO_MEETING, .from = w->slot[e->slot].from, .to = meeting};
    bool is_new = false;
    if (add_meeting_edge(w, &met, e->call, &is_new, err) < 0)
        return -1;
    return is_new ? add_edge(w, &come, err) : 0;
}

static int member_edges(struct drawer *w, const struct mpg_edge *e, const struct mpg_drawn_at *here,
                        struct mpg_error *err)
{
    const struct mpg_drawn_at meeting = meeting_at(&e->meeting);
    const struct mpg_drawn_edge come = {.kind = MPG_DRAWN_TO_MEETING, .from = w->slot[e->slot].from, .to = meeting,
                                        .bytes = e->bytes, .rounds = 1};
    const struct mpg_drawn_edge met = {.kind = MPG_DRAWN_FROM_MEETING, .from = meeting, .to = *here};
    bool is_new = false;
    if (is_there(w, here) && add_meeting(w, &meeting, e->call, &is_new, err) < 0)
        return -1;
    if (is_new && add_edge(w, &met, err) < 0)
        return -1;
    is_new = false;
    return add_meeting_edge(w, &come, e->call, &is_new, err);
}

static int take_edge(struct drawer *w, const struct mpg_step *s, const struct mpg_edge *e,
                     const struct mpg_drawn_at *here, struct mpg_error *err)
{
    const struct slot *slot = &w->slot[e->slot];
    struct mpg_drawn_edge edge = {.from = slot->from, .to = *here, .bytes = e->bytes};
    switch (e->kind) {
    case MPG_EDGE_ARRIVAL:
    case MPG_EDGE_ENVELOPE:
        edge.kind = e->kind == MPG_EDGE_ARRIVAL ? MPG_DRAWN_MESSAGE : MPG_DRAWN_ENVELOPE;
        edge.took_ns = took(w, slot->from_ns, s);
        return add_edge(w, &edge, err);
    case MPG_EDGE_ACK:
        edge.kind = MPG_DRAWN_ACK;
        edge.from = slot->poster;
        edge.took_ns = took(w, slot->poster_ns, s);
        return add_edge(w, &edge, err);
    case MPG_EDGE_MEETING:
    case MPG_EDGE_MET:
        edge.kind = MPG_DRAWN_FROM_MEETING;
        edge.bytes = 0;
        return add_meeting_edge(w, &edge, e->call, NULL, err);
    case MPG_EDGE_ROOT:
        return root_edges(w, e, here, err);
    case MPG_EDGE_MEMBER:
        return member_edges(w, e, here, err);
    case MPG_EDGE_HELD: /* occurs only with option sync_reduce */
        break;
    }
    return 0;
}

static int leave(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    struct stream *stream = &w->stream[s->stream];
    const struct mpg_drawn_at here = {MPG_DRAWN_LEAVE, s->rank, s->number, 0};
    const struct mpg_drawn_edge local = {
        .kind = MPG_DRAWN_CALL, .from = stream->at, .to = here, .took_ns = (double)s->duration_ns};
    const bool meets = s->edge_number > 0 && s->edges[0].kind == MPG_EDGE_MEETING;
    if (!meets && add_edge(w, &local, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->edge_number; i++)
        if (take_edge(w, s, &s->edges[i], &here, err) < 0)
            return -1;
    stream->at = here;
    const bool is_last = w->options->part && s->number >= w->options->last;
    if (is_last && !w->done[s->rank] && mpg_trace_threads(w->trace, s->rank) == 1) {
        w->done[s->rank] = true;
        w->undone--;
    }
    return 0;
}

/* Returns whether CALL is a collective whose root gets an edge from each member, labelled with the member's bytes. member_edges()
 * draws these edges; contribute() must not draw them again. */
static bool is_rooted(enum mpg_call call)
{
    return call == MPG_CALL_Reduce || call == MPG_CALL_Gather || call == MPG_CALL_Gatherv;
}

/* Draws the edge from a member's enter to the collective's node. */
static int contribute(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_drawn_edge edge = {.kind = MPG_DRAWN_TO_MEETING, .from = w->slot[s->a].from, .to = meeting_at(&s->meeting),
                                        .bytes = s->bytes, .rounds = s->rounds};
    if (is_rooted(s->call))
        return 0;
    w->slot[s->slot] = (struct slot){.from = edge.to};
    return add_meeting_edge(w, &edge, s->call, NULL, err);
}

static bool is_same(const struct mpg_drawn_at *a, const struct mpg_drawn_at *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->number == b->number && a->index == b->index;
}

/* For scans: draws an edge from the node in slot A, the result of the lower ranks, to the collective's node of the rank
 * in slot B. */
static int merge(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    const struct mpg_drawn_edge edge = {
        .kind = MPG_DRAWN_TO_MEETING, .from = w->slot[s->a].from, .to = w->slot[s->b].from};
    w->slot[s->slot] = w->slot[s->b];
    return is_same(&edge.from, &edge.to) ? 0 : add_edge(w, &edge, err);
}

static int take(struct drawer *w, const struct mpg_step *s, struct mpg_error *err)
{
    if (mpg_reserve_at(&w->stream, sizeof *w->stream, &w->stream_room, s->stream + 1, err) < 0)
        return -1;
    struct stream *stream = &w->stream[s->stream];
    switch (s->kind) {
    case MPG_STEP_ENTER:
        return enter(w, s, err);
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
        w->slot[s->slot] = (struct slot){.from = stream->at, .from_ns = stream->at_ns};
        return 0;
    case MPG_STEP_SYNCHRONOUS: {
        const struct slot a = w->slot[s->a], b = w->slot[s->b];
        w->slot[s->slot] = (struct slot){a.from, b.from, a.from_ns, b.from_ns};
        return 0;
    }
    case MPG_STEP_LOAD:
        stream->begun = true;
        stream->at = w->slot[s->slot].from;
        return 0;
    case MPG_STEP_CONTRIBUTE:
        return contribute(w, s, err);
    case MPG_STEP_MERGE:
        return merge(w, s, err);
    case MPG_STEP_VIEW:
        w->slot[s->slot] = w->slot[s->a];
        return 0;
    case MPG_STEP_LEAVE:
        return leave(w, s, err);
    case MPG_STEP_FINISH:
        return finish(w, s, err);
    case MPG_STEP_EXPORT: /* the graph is not divided */
    case MPG_STEP_IMPORT:
    case MPG_STEP_EXPAND:
    case MPG_STEP_JOIN: /* the ENTER step has drawn the thread's edge */
        break;
    }
    return 0;
}

static int take_all(void *drawer, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct drawer *w = drawer;
    if (mpg_reserve_at(&w->slot, sizeof *w->slot, &w->slot_room, steps->slots, err) < 0)
        return -1;
    for (size_t i = 0; i < steps->n; i++)
        if (take(w, &steps->step[i], err) < 0)
            return -1;
    return w->undone == 0;
}

/* ---- all of it ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct mpg_drawn_call *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int check_ranks(const struct mpg_trace *trace, const struct mpg_rank_set *set, struct mpg_error *err)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->ranges[i].last >= mpg_trace_ranks(trace))
            return mpg_error_set(err, "--ranks: there is no rank %" PRId32 ": they are 0 to %" PRId32,
                                 set->ranges[i].last, mpg_trace_ranks(trace) - 1);
    return 0;
}

static int draw(struct drawer *w, struct mpg_error *err)
{
    const struct mpg_drawing_options *o = w->options;
    const struct mpg_graph_options options = {.lenient = o->lenient,
                                              .eager_limit_bytes = o->eager_limit_bytes,
                                              .source_eager_limit_bytes = o->eager_limit_bytes};
    const int32_t ranks = mpg_trace_ranks(w->trace);
    if (!(w->clocks = mpg_clock_map_from_trace(w->trace, err)))
        return -1;
    w->is_comparable = ranks == 1 || mpg_clock_map_source(w->clocks) != MPG_CLOCK_NONE;
    if (!(w->done = calloc((size_t)ranks, sizeof *w->done)))
        return mpg_error_set(err, "out of memory");
    for (int32_t r = 0; r < ranks; r++) {
        w->done[r] = !mpg_rank_set_contains(&o->ranks, r);
        w->undone += !w->done[r];
    }
    const struct mpg_walk walk = {.trace = w->trace,
                                  .clocks = w->clocks,
                                  .options = &options,
                                  .label = "drawing",
                                  .take = take_all,
                                  .walker = w};
    if (mpg_walk(&walk, NULL, NULL, err) < 0)
        return -1;
    if (w->d->calls == 0)
        return mpg_error_set(err, "--calls: no rank has calls %" PRIu64 " to %" PRIu64, o->first, o->last);
    qsort(w->d->call, w->d->calls, sizeof *w->d->call, compare_calls);
    return 0;
}

int mpg_drawing_make(struct mpg_trace *trace, const struct mpg_drawing_options *options,
                     struct mpg_drawing *drawing, struct mpg_error *err)
{
    struct drawer w = {.options = options, .d = drawing, .trace = trace};
    *drawing = (struct mpg_drawing){.calls = 0};
    const int status = check_ranks(trace, &options->ranks, err) < 0 ? -1 : draw(&w, err);
    mpg_map_clear(&w.meetings);
    mpg_clock_map_free(w.clocks);
    free(w.stream);
    free(w.slot);
    free(w.done);
    return status;
}

void mpg_drawing_clear(struct mpg_drawing *d)
{
    free(d->call);
    free(d->edge);
    free(d->meeting);
    *d = (struct mpg_drawing){.calls = 0};
}
