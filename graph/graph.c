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
    char thread[16] = "";
    if (place->thread)
        snprintf(thread, sizeof thread, ".%u", place->thread);
    return mpg_error_set(err, "rank %d%s, call %llu (MPI_%s): %s", place->rank, thread,
                         (unsigned long long)place->number, mpg_call_name(place->call), text);
}

struct place graph_here(const struct stream *s)
{
    return (struct place){s->rank, s->thread, s->event.call, s->number};
}

double graph_enter_ns(const struct mpg_graph *g, const struct stream *s)
{
    return mpg_clock_align(g->clocks, s->rank, s->event.enter_ns);
}

/* --- steps, edges, slots --- */

struct mpg_step *graph_emit_at(struct mpg_graph *g, enum mpg_step_kind kind,
                               const struct place *place)
{
    if (g->step_count == g->step_capacity) {
        size_t capacity = g->step_capacity ? 2 * g->step_capacity : 64;
        void *grown = realloc(g->steps, capacity * sizeof *g->steps);
        if (!grown)
            return NULL;
        g->steps = grown;
        g->step_capacity = capacity;
    }
    struct mpg_step *step = &g->steps[g->step_count++];
    *step = (struct mpg_step){
        .kind = kind, .rank = place->rank, .call = place->call, .number = place->number};
    return step;
}

struct mpg_step *graph_emit(struct mpg_graph *g, enum mpg_step_kind kind, const struct stream *s)
{
    struct place here = graph_here(s);
    struct mpg_step *step = graph_emit_at(g, kind, &here);
    if (step)
        step->stream = s->index;
    return step;
}

int graph_store(struct mpg_graph *g, const struct stream *s, uint32_t *slot, struct mpg_error *err)
{
    if (graph_new_slot(g, slot, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(g, MPG_STEP_STORE, s);
    if (!step)
        return graph_out_of_memory(err);
    step->slot = *slot;
    return 0;
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

static bool is_behind(const struct mpg_graph *g, int32_t a, int32_t b)
{
    int64_t p = g->rank[a].progress_ns, q = g->rank[b].progress_ns;
    return p != q ? p < q : a < b;
}

static void heap_push(struct mpg_graph *g, int32_t rank)
{
    int32_t i = g->heap_count++;
    g->rank[rank].queued = true;
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
    g->rank[top].queued = false;
    return top;
}

void graph_satisfy(struct mpg_graph *g, struct stream *s)
{
    if (--s->unmet > 0)
        return;
    struct rank_state *r = &g->rank[s->rank];
    r->ready++;
    if (!r->queued && g->current != s->rank)
        heap_push(g, s->rank);
}

void graph_wake(struct mpg_graph *g, struct stream **waiter)
{
    struct stream *s = *waiter;
    *waiter = NULL;
    if (s)
        graph_satisfy(g, s);
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

/* No rank can go on as it is: those that can with other calls than their next are made
 * to. */
static int look_ahead(struct mpg_graph *g, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < g->ranks; rank++) {
        int status = graph_look_ahead(g, rank, err);
        if (status < 0)
            return -1;
        if (status > 0)
            heap_push(g, rank);
    }
    return 0;
}

/* Chooses the rank to advance: 1, 0 when all have finished, -1 when none can. */
static int choose_rank(struct mpg_graph *g, struct mpg_error *err)
{
    if (g->current != NO_RANK) {
        bool can_go = graph_rank_can_go(g, g->current);
        if (can_go && (++g->quantum < CALLS_A_TURN || g->heap_count == 0))
            return 1;
        if (can_go)
            heap_push(g, g->current);
        g->current = NO_RANK;
    }
    if (g->heap_count == 0 && g->finished < g->ranks && look_ahead(g, err) < 0)
        return -1;
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

/* What others waited for in vain may be a call that returned an error. */
static int name_failed(const struct mpg_graph *g, struct mpg_error *err)
{
    const struct place *f = &g->first_failed;
    if (g->counts.failed == 0)
        return -1;
    struct mpg_error cause = *err;
    return mpg_error_set(err, "%.*s (rank %d, call %llu, MPI_%s, returned an error)",
                         MPG_ERROR_SIZE - 100, cause.text, f->rank, (unsigned long long)f->number,
                         mpg_call_name(f->call));
}

int mpg_graph_next(struct mpg_graph *g, struct mpg_step *step, struct mpg_error *err)
{
    while (g->step_first == g->step_count) {
        g->step_first = g->step_count = 0;
        int status = choose_rank(g, err);
        if (status == 0)
            return check_end(g, err) < 0 ? name_failed(g, err) : 0;
        if (status < 0 || graph_advance(g, g->current, err) < 0)
            return name_failed(g, err);
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
    g->streams = (uint32_t)g->ranks;
    for (int32_t r = 0; r < g->ranks; r++) {
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
    for (int32_t r = 0; g->rank && r < g->ranks; r++)
        graph_free_rank(&g->rank[r]);
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
