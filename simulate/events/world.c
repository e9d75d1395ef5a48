/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event loop, and the state of streams. */
#include <math.h>
#include <stdlib.h>

#include "common/reserve.h"
#include "simulate/events/network.h"
#include "simulate/events/steps.h"

int mpg_events_world_go(struct world *w, uint32_t stream, double at_ns, struct mpg_error *err)
{
    struct stream *l = &w->stream[stream];
    l->turn++;
    l->due_ns = at_ns;
    return mpg_events_push(&w->heap, (struct event){.at_ns = at_ns, .kind = EVENT_STREAM, .id = stream, .turn = l->turn}, err);
}

int mpg_events_world_know(struct world *w, uint32_t slot, struct mpg_error *err)
{
    return mpg_events_program_know(&w->program, program_value(&w->program, slot), &w->calls, err);
}

int mpg_events_world_node_known(struct world *w, struct node *node, struct mpg_error *err)
{
    const int status = mpg_events_world_know(w, node->step->slot, err);
    mpg_events_program_drop_node(&w->program, node);
    return status;
}

/* --- notifications of the program --- */

static int reserve_streams(struct world *w, uint32_t n, struct mpg_error *err)
{
    if (n > w->streams && mpg_reserve_at(&w->stream, sizeof *w->stream, &w->stream_capacity, n, err) < 0)
        return -1;
    for (; w->streams < n; w->streams++)
        w->stream[w->streams] = (struct stream){.state = STREAM_WAITS};
    return mpg_evaluator_reserve(w->times, w->streams, w->program.slots, err);
}

static int appended(void *world, uint32_t stream, struct mpg_error *err)
{
    struct world *w = world;
    if (reserve_streams(w, stream + 1, err) < 0)
        return -1;
    /* the first thread of a rank continues by itself */
    const bool waits = stream >= (uint32_t)w->ranks && w->stream[stream].state == STREAM_WAITS;
    return waits ? mpg_events_world_go(w, stream, w->now_ns, err) : 0;
}

static int wake(void *world, uint32_t stream, struct mpg_error *err)
{
    struct world *w = world;
    struct stream *l = &w->stream[stream];
    l->watches = false;
    return l->state == STREAM_WAITS && !l->left ? mpg_events_world_go(w, stream, w->now_ns, err) : 0;
}

static int evaluate(void *world, struct node *node, struct mpg_error *err)
{
    struct world *w = world;
    const struct mpg_step *s = node->step;
    if (mpg_events_steps_take(w, s, err) < 0)
        return -1;
    if (s->kind != MPG_STEP_SYNCHRONOUS)
        return mpg_events_world_node_known(w, node, err);
    if (w->counts) {
        mpg_events_steps_count(w, s->bytes);
        w->x->messages++;
    }
    const bool asks = w->serves && s->rank != s->receiver;
    return asks ? mpg_events_serve_match(w, node, err) : mpg_events_network_send_node(w, node, err);
}

/* --- events --- */

static int release(struct world *w, int32_t rank, uint64_t wait, struct mpg_error *err)
{
    const struct rank *r = &w->rank[rank];
    const bool waits = stream_of(w, rank)->state == STREAM_WAITS && r->waits == wait;
    return waits && r->holds && !r->switching && !r->current ? mpg_events_share_release(w, rank, err) : 0;
}

/* RANK has received the processor. */
static int granted(struct world *w, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &w->rank[rank];
    r->switching = false;
    if (stream_of(w, rank)->state == STREAM_READY)
        return mpg_events_steps_granted(w, rank, err);
    if (mpg_events_serve_next(w, rank, err) < 0)
        return -1;
    const enum stream_state state = stream_of(w, rank)->state;
    const bool idles = state == STREAM_WAITS || state == STREAM_DONE;
    return idles && !r->current ? mpg_events_share_release(w, rank, err) : 0;
}

static int happen(struct world *w, const struct event *e, struct mpg_error *err)
{
    const int32_t rank = (int32_t)e->id;
    switch (e->kind) {
    case EVENT_LAND:
        mpg_events_network_land(w, e);
        return 0;
    case EVENT_REPLY:
        return mpg_events_transfers_reply(w, e->what, err);
    case EVENT_REQUEST:
        return mpg_events_serve_request(w, e->what, err);
    case EVENT_SERVED:
        return mpg_events_serve_done(w, rank, err);
    case EVENT_CHECK:
        return mpg_events_serve_check(w, rank, e->turn, err);
    case EVENT_INJECT:
        return mpg_events_network_inject(w, e, err);
    case EVENT_RELEASE:
        return release(w, rank, e->turn, err);
    case EVENT_GRANT:
        return granted(w, rank, err);
    case EVENT_STREAM:
        return w->stream[e->id].turn == e->turn ? mpg_events_steps_go(w, e->id, err) : 0;
    }
    return 0;
}

static int begin(struct world *w, struct mpg_graph *graph, struct mpg_evaluator *times, struct mpg_error *err)
{
    const bool meets = w->parameters->barrier != MPG_BARRIER_ROUNDS && w->x->models_barrier;
    w->times = times;
    w->serves = w->parameters->policy != MPG_POLICY_OFFLOAD;
    w->serves_transfers = w->serves && w->parameters->policy != MPG_POLICY_CALLS;
    w->calls = (struct program_calls){w, appended, wake, evaluate, mpg_events_barrier_meet};
    w->requests.size = sizeof(struct request);
    w->transfers.size = sizeof(struct transfer);
    if (!(w->rank = calloc((size_t)w->ranks, sizeof *w->rank)))
        return mpg_error_set(err, "out of memory");
    if (!(w->network = mpg_events_network_new(w->parameters, w->processors, err)))
        return -1;
    for (int32_t r = 0; r < w->ranks; r++)
        w->rank[r].last = &w->rank[r].first;
    if (mpg_events_program_init(&w->program, graph, (uint32_t)w->ranks, meets, err) < 0 || mpg_events_share_init(w, err) < 0 ||
        reserve_streams(w, (uint32_t)w->ranks, err) < 0)
        return -1;
    w->running = w->ranks;
    for (int32_t r = 0; r < w->ranks; r++) {
        w->stream[r].state = STREAM_GOES;
        *mpg_times_stream(times, (uint32_t)r) = 0;
        if (mpg_events_world_go(w, (uint32_t)r, 0, err) < 0)
            return -1;
    }
    return 0;
}

/* Prefetches the state of the next event's stream while this event is handled. */
static void look_ahead(const struct world *w)
{
    const struct event *next = w->heap.event;
    if (w->heap.n == 0 || next->kind != EVENT_STREAM || next->id >= w->program.streams)
        return;
    enum { LOOKED_AT = 3 * sizeof(struct mpg_step) }; /* the next steps */
    const struct span *first = w->program.queue[next->id].first;
    __builtin_prefetch(&w->stream[next->id]);
    for (size_t i = 0; first && i < LOOKED_AT; i += 64)
        __builtin_prefetch((const char *)first->step + i);
}

int mpg_events_world_run(struct world *w, struct mpg_graph *graph, struct mpg_evaluator *times, struct mpg_error *err)
{
    if (begin(w, graph, times, err) < 0)
        return -1;
    while (w->heap.n > 0) {
        const struct event e = mpg_events_pop(&w->heap);
        const bool is_later = e.at_ns > w->now_ns || e.kind > w->latest.kind;
        w->latest = is_later || (e.kind == w->latest.kind && e.id > w->latest.id) ? e : w->latest;
        w->now_ns = fmax(w->now_ns, e.at_ns);
        w->events++;
        look_ahead(w);
        if (happen(w, &e, err) < 0)
            return -1;
    }
    int more = 1; /* the rest of the graph is read for errors */
    while (w->running == 0 && (more = mpg_events_program_pull(&w->program, &w->calls, err)) > 0)
        continue;
    if (more < 0)
        return -1;
    return w->running == 0 ? 0 : mpg_error_set(err, "%d of %d ranks wait for each other", w->running, w->ranks);
}

void mpg_events_world_clear(struct world *w)
{
    mpg_events_clear(&w->heap);
    mpg_events_program_clear(&w->program);
    mpg_events_share_clear(w);
    mpg_pool_clear(&w->requests);
    mpg_pool_clear(&w->transfers);
    mpg_events_network_free(w->network);
    free(w->rank);
    free(w->stream);
}
