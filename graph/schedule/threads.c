/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of ranks and threads from first to last call, and the value from which a thread begins. */
#include "graph/schedule/threads.h"

#include <stddef.h>
#include <stdlib.h>

#include "graph/schedule/lookahead.h"
#include "graph/schedule/choosing.h"
#include "graph/schedule/queue.h"
#include "graph/schedule/completion_times.h"

/* Called when the call of WAITER waits for nothing any more: the rank can go on. */
static void stop_waiting(struct waiter *waiter)
{
    struct stream *s = (struct stream *)(void *)waiter;
    struct mpg_graph *g = s->graph;
    int32_t rank = s->call.rank;
    g->rank[rank].run->ready++;
    if (!g->rank[rank].queued && g->current != rank)
        mpg_graph_queue_push(&g->queue, rank);
}

/* Called when all messages between which a call can choose have arrived. */
static void stop_choosing(struct waiter *waiter)
{
    struct stream *s =
        (struct stream *)(void *)((char *)waiter - offsetof(struct stream, completing.choice));
    mpg_graph_forget_choosing(s);
    graph_satisfy(&s->call.waiter);
}

static const struct mpg_event nothing; /* event of threads without events */

struct stream *mpg_graph_further_stream(struct mpg_graph *g, int32_t rank, uint32_t thread, struct mpg_error *err)
{
    struct rank_run *r = g->rank[rank].run;
    struct stream **link = &r->streams;
    for (; *link; link = &(*link)->sibling)
        if ((*link)->thread == thread)
            return *link;
    struct stream *s = calloc(1, sizeof *s);
    if (!s) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    bool first = r->stream_count++ == 0;
    s->graph = g;
    s->state = &g->rank[rank];
    s->thread = thread;
    s->call.rank = rank;
    s->call.stream = first ? (uint32_t)(rank - g->first_own) : g->streams++;
    s->call.waiter.go = stop_waiting;
    s->completing.choice.go = stop_choosing;
    s->call.sent = &s->sent;
    s->call.event = &nothing;
    s->call.channel_cache = &s->channel_cache;
    g->counts.threads += !first;
    *link = s;
    return s;
}

int mpg_graph_keep_fork(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if ((s->has_fork_slot ? graph_renew_slot(&g->steps, &s->fork_slot, err) : graph_new_slot(&g->steps, &s->fork_slot, err)) < 0)
        return -1;
    s->has_fork_slot = true;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_STORE, &s->call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = s->fork_slot;
    return 0;
}

/* Returns the time, on the rank's clock, of T's last leave or enter at or before NOW_NS. *IS_CURRENT: T's present value
 * belongs to the returned time. */
static int64_t fork_time(const struct stream *t, int64_t now_ns, bool *is_current)
{
    bool has_left = t->phase == PHASE_READ && t->last_leave_ns <= now_ns;
    *is_current = t->phase == PHASE_WAIT || has_left;
    return has_left ? t->last_leave_ns : t->call.event->enter_ns;
}

int mpg_graph_begin_thread(struct mpg_graph *g, struct stream *s, const struct mpg_event *event, struct mpg_error *err)
{
    const int64_t now_ns = event->enter_ns;
    const struct stream *from = g->rank[s->call.rank].run->streams; /* the thread of MPI_Init */
    bool is_current;
    if (fork_time(from, now_ns, &is_current) > now_ns || (!is_current && !from->has_fork_slot))
        from = NULL;
    s->last_leave_ns = now_ns;
    mpg_graph_regions_begin(&s->regions, s->last_leave_ns);
    mpg_graph_visits_begin(&s->visits, s->last_leave_ns);
    s->from = graph_call_site_of(event);
    if (!from)
        return 0;
    s->last_leave_ns = fork_time(from, now_ns, &is_current);
    mpg_graph_regions_begin(&s->regions, s->last_leave_ns);
    mpg_graph_visits_begin(&s->visits, s->last_leave_ns);
    const bool has_left = from->phase == PHASE_READ && from->last_leave_ns <= now_ns;
    s->from = has_left ? from->from : graph_call_site_of(from->call.event);
    s->from_inserted = has_left ? from->from_inserted : mpg_is_inserted(from->call.number);
    uint32_t slot = from->fork_slot;
    if (is_current && mpg_graph_store(&g->steps, &from->call, &slot, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_LOAD, &s->call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = slot;
    if (is_current)
        graph_free_slot(&g->steps, slot);
    return 0;
}

int mpg_graph_begin_run(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_run *r = calloc(1, sizeof *r);
    if (!r)
        return mpg_graph_out_of_memory(err);
    if (!(r->cursor = mpg_cursor_open(g->trace, rank, err))) {
        free(r);
        return -1;
    }
    r->threads = mpg_trace_threads(g->trace, rank);
    r->tracer_overhead = mpg_graph_tracer_overhead_of(g->trace, rank);
    g->rank[rank].run = r;
    return 0;
}

void mpg_graph_end_run(struct mpg_graph *g, int32_t rank)
{
    struct rank_run *r = g->rank[rank].run;
    g->rank[rank].run = NULL;
    if (!r)
        return;
    mpg_cursor_close(r->cursor);
    mpg_graph_completion_times_close(r->completion_times);
    mpg_graph_held_calls_clear(r);
    for (struct stream *s = r->streams, *next; s; s = next) {
        next = s->sibling;
        mpg_graph_forget_choosing(s);
        mpg_graph_clear_channel_cache(&g->matching, &s->channel_cache);
        free(s->kept);
        free(s->kept_requests);
        free(s->inserted);
        free(s->completing.done);
        free(s->completing.given);
        free(s->group);
        free(s->sent.message);
        mpg_graph_regions_clear(&s->regions);
        mpg_graph_visits_clear(&s->visits);
        free(s);
    }
    mpg_graph_rank_requests_clear(&g->requests, &r->requests);
    mpg_graph_windows_clear(&r->windows);
    mpg_map_clear(&r->probed.messages);
    free(r);
}
