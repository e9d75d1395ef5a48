/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advancing ranks through their traces until they need one another. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_private.h"

/* Calls a rank makes before a ready rank that is further behind gets its turn. */
enum { CALLS_A_TURN = 32 };

int graph_out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

int graph_error(const struct place *place, struct mpg_error *err, const char *format, ...)
{
    char text[MPG_ERROR_SIZE / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mpg_error_set(err, "rank %d, call %llu (MPI_%s): %s", place->rank,
                         (unsigned long long)place->number, mpg_call_name(place->call), text);
}

struct place graph_here(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_state *r = &g->rank[rank];
    return (struct place){rank, r->event.call, r->number};
}

double graph_enter_ns(const struct mpg_graph *g, int32_t rank)
{
    return mpg_clock_align(g->clocks, rank, g->rank[rank].event.enter_ns);
}

/* --- steps, edges, slots --- */

struct mpg_step *graph_emit(struct mpg_graph *g, enum mpg_step_kind kind, int32_t rank)
{
    if (g->step_count == g->step_capacity) {
        size_t capacity = g->step_capacity ? 2 * g->step_capacity : 64;
        void *grown = realloc(g->steps, capacity * sizeof *g->steps);
        if (!grown)
            return NULL;
        g->steps = grown;
        g->step_capacity = capacity;
    }
    struct mpg_step *s = &g->steps[g->step_count++];
    *s = (struct mpg_step){.kind = kind,
                           .rank = rank,
                           .call = g->rank[rank].event.call,
                           .number = g->rank[rank].number};
    return s;
}

struct mpg_edge *graph_add_edge(struct mpg_graph *g, enum mpg_edge_kind kind)
{
    if (g->edge_count == g->edge_capacity) {
        size_t capacity = g->edge_capacity ? 2 * g->edge_capacity : 64;
        void *grown = realloc(g->edges, capacity * sizeof *g->edges);
        if (!grown)
            return NULL;
        g->edges = grown;
        g->edge_capacity = capacity;
    }
    struct mpg_edge *edge = &g->edges[g->edge_count++];
    *edge = (struct mpg_edge){.kind = kind};
    return edge;
}

int graph_new_slot(struct mpg_graph *g, uint32_t *slot, struct mpg_error *err)
{
    if (g->unused_count) {
        *slot = g->unused_slots[--g->unused_count];
        return 0;
    }
    if (g->slots == g->unused_capacity) { /* room for giving all of them back */
        uint32_t capacity = g->unused_capacity ? 2 * g->unused_capacity : 64;
        void *grown = realloc(g->unused_slots, capacity * sizeof *g->unused_slots);
        if (!grown)
            return graph_out_of_memory(err);
        g->unused_slots = grown;
        g->unused_capacity = capacity;
    }
    *slot = g->slots++;
    return 0;
}

void graph_free_slot(struct mpg_graph *g, uint32_t slot)
{
    g->unused_slots[g->unused_count++] = slot;
}

uint32_t mpg_graph_slots(const struct mpg_graph *g)
{
    return g->slots;
}

struct mpg_graph_counts mpg_graph_counts(const struct mpg_graph *g)
{
    return g->counts;
}

/* --- the heap of ready ranks: the one least far in its run goes first --- */

static int64_t progress(const struct mpg_graph *g, int32_t rank)
{
    return g->rank[rank].last_leave_ns - g->rank[rank].start_ns;
}

static bool is_behind(const struct mpg_graph *g, int32_t a, int32_t b)
{
    int64_t p = progress(g, a), q = progress(g, b);
    return p != q ? p < q : a < b;
}

static void heap_push(struct mpg_graph *g, int32_t rank)
{
    int32_t i = g->heap_count++;
    for (; i > 0 && is_behind(g, rank, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = rank;
}

static int32_t heap_pop(struct mpg_graph *g)
{
    int32_t top = g->heap[0], last = g->heap[--g->heap_count], i = 0;
    for (int32_t child; (child = 2 * i + 1) < g->heap_count; i = child) {
        if (child + 1 < g->heap_count && is_behind(g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!is_behind(g, g->heap[child], last))
            break;
        g->heap[i] = g->heap[child];
    }
    g->heap[i] = last;
    return top;
}

void graph_satisfy(struct mpg_graph *g, int32_t rank)
{
    if (--g->rank[rank].unmet == 0)
        heap_push(g, rank);
}

/* --- communicators --- */

static uint64_t member_key(int32_t comm, int32_t rank)
{
    return (uint64_t)(uint32_t)comm << 32 | (uint32_t)rank;
}

int32_t graph_member_index(struct mpg_graph *g, int32_t comm, int32_t rank)
{
    for (; g->indexed_comms <= comm; g->indexed_comms++) {
        const struct mpg_comm *c = mpg_trace_comm(g->trace, g->indexed_comms);
        for (int32_t i = 0; i < c->size + c->remote_size; i++) {
            uint64_t *slot =
                mpg_map_add(&g->members, member_key(g->indexed_comms, c->world_ranks[i]), 0);
            if (!slot)
                return -1;
            *slot = (uint64_t)i;
        }
    }
    uint64_t *slot = mpg_map_find(&g->members, member_key(comm, rank), 0);
    return slot ? (int32_t)*slot : -1;
}

int32_t graph_peer(struct mpg_graph *g, int32_t rank, int32_t comm, int32_t peer,
                   struct mpg_error *err)
{
    const struct mpg_comm *c = mpg_trace_comm(g->trace, comm);
    struct place here = graph_here(g, rank);
    int32_t first = 0, size = c->size;
    if (c->remote_size > 0 && graph_member_index(g, comm, rank) < c->size) {
        first = c->size;
        size = c->remote_size;
    }
    if (peer < 0 || peer >= size)
        return graph_error(&here, err, "rank %d is not in communicator %d (%d ranks)", peer,
                           c->label, size);
    return c->world_ranks[first + peer];
}

/* --- one call --- */

static int enter(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct mpg_step *s = graph_emit(g, MPG_STEP_ENTER, rank);
    if (!s)
        return graph_out_of_memory(err);
    s->interval_ns = r->event.enter_ns - r->last_leave_ns;
    s->since_ns = r->last_leave_ns - r->start_ns;
    return 0;
}

static int begin_receive(struct mpg_graph *g, int32_t rank, int32_t tag, int64_t bytes,
                         struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    if (r->event.from == MPG_PROC_NULL)
        return 0;
    if (graph_post(g, rank, r->event.comm, r->event.from, tag, bytes, &r->receiving, err) < 0)
        return -1;
    if (!r->receiving->arrived) {
        r->receiving->receive_waiter = rank;
        r->unmet++;
    }
    return 0;
}

static int begin_send(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct mpg_event *e = &r->event;
    if (e->to == MPG_PROC_NULL)
        return 0;
    if (graph_send(g, rank, e->call, e->comm, e->to, e->tag, e->bytes, 0, &r->sending, err) < 0)
        return -1;
    if (r->sending->synchronous && !r->sending->arrived) {
        r->sending->send_waiter = rank;
        r->unmet++;
    }
    return 0;
}

static bool is_choice(const struct mpg_event *e)
{
    return e->call == MPG_CALL_Iprobe ||
           (mpg_call_kind(e->call) == MPG_KIND_COMPLETE && e->request_number > 0 &&
            e->call != MPG_CALL_Wait && e->call != MPG_CALL_Waitall);
}

/* Starts what the call starts and counts what it has to wait for. */
static int begin_call(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    const struct mpg_event *e = &r->event;
    g->counts.choices += is_choice(e);
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
        return begin_send(g, rank, err);
    case MPG_KIND_RECV:
        return begin_receive(g, rank, e->tag, e->bytes, err);
    case MPG_KIND_SENDRECV:
        if (begin_send(g, rank, err) < 0)
            return -1;
        return begin_receive(g, rank, e->recvtag, e->recvbytes, err);
    case MPG_KIND_ISEND:
    case MPG_KIND_IRECV:
    case MPG_KIND_START:
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
        return graph_start_request(g, rank, err);
    case MPG_KIND_REQUEST_FREE:
        return graph_free_request(g, rank, err);
    case MPG_KIND_COMPLETE:
        return graph_completion_needs(g, rank, err);
    case MPG_KIND_PROBE:
        if (!e->found || e->from == MPG_PROC_NULL)
            return 0;
        if (graph_probe(g, rank, err) < 0)
            return -1;
        r->unmet += !graph_channel_ready(r->probing);
        return 0;
    case MPG_KIND_COLLECTIVE:
    case MPG_KIND_CONSTRUCTOR:
        if (graph_arrive(g, rank, err) < 0)
            return -1;
        r->unmet += r->collective && !graph_collective_ready(g, rank);
        return 0;
    default:
        return 0;
    }
}

/* The edges into the call's leave besides its local one. Under `lenient` what
 * it waited for may be missing. */
static int leave_edges(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct message *m;
    if ((m = r->receiving)) {
        r->receiving = NULL;
        if (m->arrived) {
            if (graph_arrival_edge(g, m, err) < 0)
                return -1;
            graph_receiver_done(g, m, false);
        }
    }
    if ((m = r->sending)) {
        r->sending = NULL;
        if (m->synchronous && m->arrived && graph_ack_edge(g, m, err) < 0)
            return -1;
        if (!m->synchronous || m->arrived)
            graph_sender_done(g, m, false);
    }
    if (r->probing && graph_channel_ready(r->probing) && graph_probe_edge(g, rank, err) < 0)
        return -1;
    r->probing = NULL;
    if (r->collective && graph_collective_edges(g, rank, err) < 0)
        return -1;
    return mpg_call_kind(r->event.call) == MPG_KIND_COMPLETE ? graph_completion_edges(g, rank, err)
                                                             : 0;
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

static int leave(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    g->edge_count = 0;
    if (leave_edges(g, rank, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_LEAVE, rank);
    if (!s)
        return graph_out_of_memory(err);
    s->duration_ns = r->event.leave_ns - r->event.enter_ns;
    s->enter_ns = graph_enter_ns(g, rank);
    s->leave_ns = mpg_clock_align(g->clocks, rank, r->event.leave_ns);
    s->bytes = class_bytes(&r->event);
    s->edge_number = (uint32_t)g->edge_count;
    s->edges = g->edges;
    r->last_leave_ns = r->event.leave_ns;
    r->phase = PHASE_READ;
    return 0;
}

static int start_rank(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    bool is_init = mpg_call_kind(r->event.call) == MPG_KIND_INIT;
    struct place here = graph_here(g, rank);
    if (!is_init && !g->options.lenient)
        return graph_error(&here, err, "the rank's trace does not begin with MPI_Init");
    r->started = true;
    r->start_ns = r->last_leave_ns = is_init ? r->event.leave_ns : r->event.enter_ns;
    return is_init;
}

static int finish_rank(struct mpg_graph *g, int32_t rank, bool complete, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    if (!complete) {
        struct place here = graph_here(g, rank);
        if (!g->options.lenient)
            return r->started ? graph_error(&here, err, "the rank's trace ends here, without "
                                                        "MPI_Finalize")
                              : mpg_error_set(err, "rank %d: no calls", rank);
        g->counts.incomplete_ranks++;
    } else if (enter(g, rank, err) < 0)
        return -1;
    struct mpg_step *s = graph_emit(g, MPG_STEP_FINISH, rank);
    if (!s)
        return graph_out_of_memory(err);
    s->since_ns = (complete ? r->event.enter_ns : r->last_leave_ns) - r->start_ns;
    r->phase = PHASE_FINISHED;
    g->finished++;
    return graph_end_requests(g, rank, err);
}

/* Reads RANK's next call and takes it as far as it goes. */
static int advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    if (r->phase == PHASE_WAIT)
        return leave(g, rank, err);
    int more = mpg_cursor_next(r->cursor, &r->event, err);
    if (more < 0)
        return -1;
    if (more == 0)
        return finish_rank(g, rank, false, err);
    r->number = r->started ? r->number + 1 : 0;
    g->counts.calls++;
    if (!r->started) {
        int is_init = start_rank(g, rank, err);
        if (is_init)
            return is_init < 0 ? -1 : 0;
    }
    if (mpg_call_kind(r->event.call) == MPG_KIND_FINALIZE)
        return finish_rank(g, rank, true, err);
    if (enter(g, rank, err) < 0)
        return -1;
    r->phase = PHASE_WAIT;
    r->unmet = 1; /* while it is being counted */
    if (begin_call(g, rank, err) < 0)
        return -1;
    return --r->unmet == 0 ? leave(g, rank, err) : 0;
}

static int check_end(struct mpg_graph *g, struct mpg_error *err)
{
    uint64_t unmatched;
    const struct message *m = graph_first_unmatched(g, &unmatched);
    g->counts.unmatched += unmatched;
    if (g->options.lenient)
        return 0;
    if (m && m->is_sent)
        return graph_error(&m->sent, err, "no receive matches its message of %lld bytes%s",
                           (long long)m->bytes,
                           unmatched > 1 ? " (and there are more such)" : "");
    if (m)
        return graph_error(&m->posted, err, "no send matches");
    return graph_check_collectives(g, err);
}

/* Chooses the rank to advance: 1, 0 when all have finished, -1 when none can. */
static int choose_rank(struct mpg_graph *g, struct mpg_error *err)
{
    if (g->current != NO_RANK) {
        const struct rank_state *r = &g->rank[g->current];
        bool can_go = r->phase == PHASE_READ || (r->phase == PHASE_WAIT && r->unmet == 0);
        if (can_go && (++g->quantum < CALLS_A_TURN || g->heap_count == 0))
            return 1;
        if (can_go)
            heap_push(g, g->current);
        g->current = NO_RANK;
    }
    if (g->heap_count == 0 && g->finished < g->ranks) {
        if (!g->options.lenient)
            return graph_explain_stall(g, err);
        if (graph_drop_needs(g, err) < 0)
            return -1;
    }
    if (g->finished == g->ranks)
        return 0;
    g->current = heap_pop(g);
    g->quantum = 0;
    return 1;
}

int mpg_graph_next(struct mpg_graph *g, struct mpg_step *step, struct mpg_error *err)
{
    while (g->step_first == g->step_count) {
        g->step_first = g->step_count = 0;
        int status = choose_rank(g, err);
        if (status == 0)
            return check_end(g, err);
        if (status < 0 || advance(g, g->current, err) < 0)
            return -1;
    }
    *step = g->steps[g->step_first++];
    return 1;
}

struct mpg_graph *mpg_graph_open(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                 const struct mpg_graph_options *options, struct mpg_error *err)
{
    struct mpg_graph *g = calloc(1, sizeof *g);
    if (!g) {
        graph_out_of_memory(err);
        return NULL;
    }
    g->trace = trace;
    g->clocks = clocks;
    g->options = *options;
    g->ranks = mpg_trace_ranks(trace);
    g->current = NO_RANK;
    g->message_pool.size = sizeof(struct message);
    g->channel_pool.size = sizeof(struct channel);
    g->request_pool.size = sizeof(struct request);
    g->persistent_pool.size = sizeof(struct persistent);
    g->rank = calloc((size_t)g->ranks, sizeof *g->rank);
    g->heap = calloc((size_t)g->ranks, sizeof *g->heap);
    if (!g->rank || !g->heap) {
        graph_out_of_memory(err);
        goto fail;
    }
    for (int32_t r = 0; r < g->ranks; r++) {
        g->rank[r].start_ns = g->rank[r].last_leave_ns = 0;
        if (!(g->rank[r].cursor = mpg_cursor_open(trace, r, err)))
            goto fail;
        heap_push(g, r);
    }
    return g;
fail:
    mpg_graph_close(g);
    return NULL;
}

void mpg_graph_close(struct mpg_graph *g)
{
    if (!g)
        return;
    for (int32_t r = 0; g->rank && r < g->ranks; r++) {
        mpg_cursor_close(g->rank[r].cursor);
        mpg_map_clear(&g->rank[r].requests);
        mpg_map_clear(&g->rank[r].persistent);
    }
    graph_free_collectives(g);
    mpg_map_clear(&g->channels);
    mpg_pool_clear(&g->message_pool);
    mpg_pool_clear(&g->channel_pool);
    mpg_pool_clear(&g->request_pool);
    mpg_pool_clear(&g->persistent_pool);
    free(g->rank);
    free(g->heap);
    free(g->steps);
    free(g->edges);
    free(g->unused_slots);
    free(g);
}
