/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event loop, and the state of streams. */
#include <math.h>
#include <stdlib.h>

#include "common/prefetch.h"
#include "common/reserve.h"
#include "simulate/evaluate/vectors.h"
#include "simulate/events/collective.h"
#include "simulate/events/costs.h"
#include "simulate/events/network.h"
#include "simulate/events/steps.h"

int mpg_events_replica_schedule(struct replica *rep, uint32_t stream, double at_ns, struct mpg_error *err)
{
    struct stream *l = &rep->stream[stream];
    l->turn++;
    l->due_ns = at_ns;
    return mpg_events_push(&rep->heap, (struct event){.at_ns = at_ns, .kind = EVENT_STREAM, .id = stream, .turn = l->turn}, err);
}

int mpg_events_replica_set_known(struct replica *rep, uint32_t slot, struct mpg_error *err)
{
    return mpg_events_program_set_known(&rep->program, program_value(&rep->program, slot), &rep->calls, err);
}

int mpg_events_replica_node_known(struct replica *rep, struct node *node, struct mpg_error *err)
{
    int status = mpg_events_replica_set_known(rep, node->step->slot, err);
    struct value *sent = &rep->program.slot[node->step->slot].left;
    if (status == 0 && node->step->kind == MPG_STEP_SYNCHRONOUS && !value_is_known(sent))
        status = mpg_events_program_set_known(&rep->program, sent, &rep->calls, err);
    mpg_events_program_drop_node(&rep->program, node);
    return status;
}

/* --- notifications of the program --- */

static int reserve_streams(struct replica *rep, uint32_t n, struct mpg_error *err)
{
    if (n > rep->streams && mpg_reserve_at(&rep->stream, sizeof *rep->stream, &rep->stream_capacity, n, err) < 0)
        return -1;
    for (; rep->streams < n; rep->streams++)
        rep->stream[rep->streams] = (struct stream){.state = STREAM_WAITS};
    return mpg_evaluator_reserve(rep->times, rep->streams, rep->program.slots, err);
}

static int appended(void *replica, uint32_t stream, struct mpg_error *err)
{
    struct replica *rep = replica;
    if (reserve_streams(rep, stream + 1, err) < 0)
        return -1;
    /* the first thread of a rank continues by itself */
    const bool waits = stream >= (uint32_t)rep->ranks && rep->stream[stream].state == STREAM_WAITS;
    return waits ? mpg_events_replica_schedule(rep, stream, rep->now_ns, err) : 0;
}

static int wake(void *replica, uint32_t stream, struct mpg_error *err)
{
    struct replica *rep = replica;
    struct stream *l = &rep->stream[stream];
    if (--l->watched > 0)
        return 0;
    return l->state == STREAM_WAITS && !l->left ? mpg_events_replica_schedule(rep, stream, rep->now_ns, err) : 0;
}

/* Returns whether the receiver of S, a SYNCHRONOUS step, had read the envelope before posting the receive: then the receiver asks
 * for the bytes when posting the receive (docs/MODEL.md, section 5, Requests that wait). */
static bool has_read_envelope(const struct replica *rep, const struct mpg_step *s)
{
    double lambda_ns, tau_ns;
    const double posted_ns = *mpg_times_slot(rep->times, s->b, MPG_SLOT_TIME);
    const double progressed_ns = rep->rank[s->receiver].progressed_ns;
    const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    mpg_events_message_times(rep, &m, &lambda_ns, &tau_ns);
    return progressed_ns <= posted_ns && *mpg_times_slot(rep->times, s->a, MPG_SLOT_TIME) + lambda_ns <= progressed_ns;
}

static int evaluate(void *replica, struct node *node, struct mpg_error *err)
{
    struct replica *rep = replica;
    const struct mpg_step *s = node->step;
    if (s->kind == MPG_STEP_EXPAND)
        return mpg_events_collective_enter(rep, node, err);
    if (s->kind == MPG_STEP_SYNCHRONOUS && !node->awaits_progress && mpg_times_progress_slot(rep->times, s) != s->b) {
        if (!has_read_envelope(rep, s)) {
            node->awaits_progress = true;
            return mpg_events_program_await(&rep->program, node, mpg_times_progress_slot(rep->times, s), &rep->calls, err);
        }
        struct mpg_step at_once = *s;
        at_once.progress_slot = s->b;
        if (mpg_events_steps_take(rep, &at_once, err) < 0)
            return -1;
    } else if (mpg_events_steps_take(rep, s, err) < 0)
        return -1;
    if (s->kind != MPG_STEP_SYNCHRONOUS)
        return mpg_events_replica_node_known(rep, node, err);
    if (rep->counts) {
        mpg_events_steps_count(rep, s->bytes);
        rep->x->messages++;
    }
    const bool asks = rep->serves && s->rank != s->receiver;
    return asks ? mpg_events_serve_match(rep, node, err) : mpg_events_network_send_node(rep, node, err);
}

/* --- events --- */

static int release(struct replica *rep, int32_t rank, uint64_t wait, struct mpg_error *err)
{
    const struct rank *r = &rep->rank[rank];
    const bool waits = stream_of(rep, rank)->state == STREAM_WAITS && r->waits == wait;
    return waits && r->holds && !r->switching && !r->current ? mpg_events_share_release(rep, rank, err) : 0;
}

/* RANK has received the processor. */
static int granted(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    r->switching = false;
    if (stream_of(rep, rank)->state == STREAM_READY)
        return mpg_events_steps_granted(rep, rank, err);
    if (mpg_events_serve_next(rep, rank, err) < 0)
        return -1;
    const enum stream_state state = stream_of(rep, rank)->state;
    const bool idles = state == STREAM_WAITS || state == STREAM_DONE;
    return idles && !r->current ? mpg_events_share_release(rep, rank, err) : 0;
}

static int happen(struct replica *rep, const struct event *e, struct mpg_error *err)
{
    const int32_t rank = (int32_t)e->id;
    switch (e->kind) {
    case EVENT_DELIVER:
        mpg_events_network_end_message(rep, e);
        return 0;
    case EVENT_FLOW:
        return mpg_events_network_end_flows(rep, err);
    case EVENT_REPLY:
        return mpg_events_transfers_reply(rep, e->what, err);
    case EVENT_REQUEST:
        return mpg_events_serve_request(rep, e->what, err);
    case EVENT_SERVED:
        return mpg_events_serve_done(rep, rank, err);
    case EVENT_CHECK:
        return mpg_events_serve_check(rep, rank, e->turn, err);
    case EVENT_INJECT:
        return mpg_events_network_inject(rep, e, err);
    case EVENT_SETTLE:
        mpg_events_network_settle(rep);
        return 0;
    case EVENT_RELEASE:
        return release(rep, rank, e->turn, err);
    case EVENT_GRANT:
        return granted(rep, rank, err);
    case EVENT_STREAM:
        return rep->stream[e->id].turn == e->turn ? mpg_events_steps_run(rep, e->id, err) : 0;
    }
    return 0;
}

static uint32_t progress_slot(const void *replica, const struct mpg_step *s)
{
    const struct replica *rep = replica;
    return mpg_events_network_asks(rep, s) ? s->b : mpg_times_progress_slot(rep->times, s);
}

static int begin(struct replica *rep, struct program_source *source, struct mpg_evaluator *times, struct mpg_error *err)
{
    const bool meets = rep->parameters->barrier != MPG_BARRIER_ROUNDS && rep->x->models_barrier;
    rep->times = times;
    rep->serves = rep->parameters->policy != MPG_POLICY_OFFLOAD;
    rep->serves_transfers = rep->serves && rep->parameters->policy != MPG_POLICY_CALLS;
    rep->calls = (struct program_calls){rep, appended, wake, evaluate, mpg_events_barrier_meet, progress_slot};
    rep->requests.size = sizeof(struct request);
    rep->transfers.size = sizeof(struct transfer);
    rep->letters.size = sizeof(struct letter);
    if (!(rep->rank = calloc((size_t)rep->ranks, sizeof *rep->rank)))
        return mpg_error_set(err, "out of memory");
    if (!(rep->network = mpg_events_network_new(rep->parameters, rep->processors, rep->capacities, err)))
        return -1;
    for (int32_t r = 0; r < rep->ranks; r++)
        rep->rank[r].last = &rep->rank[r].first;
    if (mpg_events_program_init(&rep->program, source, (uint32_t)rep->ranks, meets, err) < 0 ||
        mpg_events_share_init(rep, err) < 0 ||
        reserve_streams(rep, (uint32_t)rep->ranks, err) < 0)
        return -1;
    rep->runs_ahead = !rep->serves && !rep->shares;
    rep->running = rep->ranks;
    for (int32_t r = 0; r < rep->ranks; r++) {
        rep->stream[r].state = STREAM_RUNS;
        *mpg_times_stream(times, (uint32_t)r) = 0;
        if (mpg_events_replica_schedule(rep, (uint32_t)r, 0, err) < 0)
            return -1;
    }
    return 0;
}

/* Prefetches the state of the next event's stream while this event is handled. */
static void look_ahead(const struct replica *rep)
{
    const struct event *next = rep->heap.event;
    if (rep->heap.n == 0 || next->kind != EVENT_STREAM || next->id >= rep->program.streams)
        return;
    enum { LOOKED_AT = 3 * sizeof(struct mpg_step) }; /* prefetched bytes: three steps */
    const struct span *first = rep->program.queue[next->id].first;
    mpg_prefetch(&rep->stream[next->id]);
    if (first)
        mpg_prefetch_bytes(first->step, LOOKED_AT);
}

/* Removes the next event: of the network, whose events are not in the heap, or of the heap. Returns false if there is none. */
static bool take_next(struct replica *rep, struct event *e)
{
    const struct event *first = rep->heap.n > 0 ? rep->heap.event : NULL;
    if (mpg_events_network_next(rep, e) &&
        (!first || e->at_ns < first->at_ns || (e->at_ns <= first->at_ns && e->kind < first->kind)))
        return true;
    if (first)
        *e = mpg_events_pop(&rep->heap);
    return first != NULL;
}

int mpg_events_replica_run(struct replica *rep, struct program_source *source, struct mpg_evaluator *times,
                           struct mpg_error *err)
{
    if (begin(rep, source, times, err) < 0)
        return -1;
    for (struct event e; take_next(rep, &e);) {
        const bool is_later = e.at_ns > rep->now_ns || e.kind > rep->latest.kind;
        rep->latest = is_later || (e.kind == rep->latest.kind && e.id > rep->latest.id) ? e : rep->latest;
        rep->now_ns = fmax(rep->now_ns, e.at_ns);
        rep->events++;
        look_ahead(rep);
        if (happen(rep, &e, err) < 0)
            return -1;
    }
    int more = 1; /* the rest of the graph is read for errors */
    while (rep->running == 0 && (more = mpg_events_program_pull(&rep->program, &rep->calls, err)) > 0)
        continue;
    if (more < 0)
        return -1;
    return rep->running == 0 ? 0 : mpg_error_set(err, "%d of %d ranks wait for each other", rep->running, rep->ranks);
}

void mpg_events_replica_clear(struct replica *rep)
{
    mpg_events_clear(&rep->heap);
    mpg_events_collectives_clear(rep);
    mpg_events_program_clear(&rep->program);
    mpg_events_share_clear(rep);
    mpg_pool_clear(&rep->requests);
    mpg_pool_clear(&rep->transfers);
    mpg_events_network_free(rep->network);
    free(rep->rank);
    free(rep->stream);
}
