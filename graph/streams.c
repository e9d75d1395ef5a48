/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's events in order: which thread makes the call, where a thread begins and
 * ends, what is not a call at all. */
#include <stdlib.h>

#include "graph/graph_private.h"

/* Whether what comes next has to wait for a thread that is in a call. */
static bool is_held(const struct rank_state *r)
{
    if (r->waiting == 0 || graph_ahead_first(r))
        return false;
    if (r->ended)
        return true;
    if (!r->has_next)
        return false;
    return mpg_call_kind(r->next.call) == MPG_KIND_FINALIZE || !graph_may_go(r, &r->next);
}

bool graph_rank_can_go(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_state *r = &g->rank[rank];
    return !r->finished && (r->ready > 0 || !is_held(r));
}

/* The stream of THREAD, new if it has made no call yet. Thread 0's number is the
 * rank's. */
static struct stream *find_stream(struct mpg_graph *g, int32_t rank, uint32_t thread,
                                  struct mpg_error *err)
{
    struct stream **link = &g->rank[rank].streams;
    for (; *link; link = &(*link)->sibling)
        if ((*link)->thread == thread)
            return *link;
    struct stream *s = calloc(1, sizeof *s);
    if (!s) {
        graph_out_of_memory(err);
        return NULL;
    }
    bool first = g->rank[rank].stream_count++ == 0;
    s->rank = rank;
    s->thread = thread;
    s->index = first ? (uint32_t)rank : g->streams++;
    g->counts.threads += !first;
    *link = s;
    return s;
}

static int enter(struct mpg_graph *g, const struct stream *s, const struct mpg_event *e,
                 uint64_t number, struct mpg_error *err)
{
    struct mpg_step *step = graph_emit(g, MPG_STEP_ENTER, s);
    if (!step)
        return graph_out_of_memory(err);
    int64_t interval_ns = e->enter_ns - s->last_leave_ns - s->flushed_ns;
    step->call = e->call;
    step->number = number;
    step->interval_ns = interval_ns > 0 ? interval_ns : 0;
    step->since_ns = s->last_leave_ns - g->rank[s->rank].start_ns;
    return 0;
}

/* While a rank has threads that are to come, where they may begin is kept. */
static int keep_fork(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (g->rank[s->rank].stream_count >= mpg_trace_threads(g->trace, s->rank))
        return 0;
    if (!s->has_fork_slot && graph_new_slot(g, &s->fork_slot, err) < 0)
        return -1;
    s->has_fork_slot = true;
    struct mpg_step *step = graph_emit(g, MPG_STEP_STORE, s);
    if (!step)
        return graph_out_of_memory(err);
    step->slot = s->fork_slot;
    return 0;
}

/* The time of T's last node at or before NOW, and whether that is where T is. */
static int64_t fork_time(const struct stream *t, int64_t now_ns, bool *is_current)
{
    bool has_left = t->phase == PHASE_READ && t->last_leave_ns <= now_ns;
    *is_current = t->phase == PHASE_WAIT || has_left;
    return has_left ? t->last_leave_ns : t->event.enter_ns;
}

/* Thread S's first event: it goes on from the last thing that any thread of its
 * rank did before. */
static int begin_thread(struct mpg_graph *g, struct stream *s, int64_t now_ns,
                        struct mpg_error *err)
{
    const struct stream *from = NULL;
    bool is_current;
    int64_t best_ns = 0;
    for (const struct stream *t = g->rank[s->rank].streams; t; t = t->sibling) {
        int64_t at_ns = fork_time(t, now_ns, &is_current);
        if (t == s || at_ns > now_ns || (!is_current && !t->has_fork_slot))
            continue;
        if (!from || at_ns > best_ns) {
            from = t;
            best_ns = at_ns;
        }
    }
    s->last_leave_ns = now_ns;
    if (!from)
        return 0;
    s->last_leave_ns = fork_time(from, now_ns, &is_current);
    uint32_t slot = from->fork_slot;
    if (is_current && graph_store(g, from, &slot, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(g, MPG_STEP_LOAD, s);
    if (!step)
        return graph_out_of_memory(err);
    step->slot = slot;
    if (is_current)
        graph_free_slot(g, slot);
    return 0;
}

static int start_rank(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    bool is_init = mpg_call_kind(s->event.call) == MPG_KIND_INIT;
    struct place here = graph_here(s);
    if (!is_init && !g->options.lenient)
        return graph_error(&here, err, "the rank's trace does not begin with MPI_Init");
    r->started = true;
    r->start_ns = s->last_leave_ns = is_init ? s->event.leave_ns : s->event.enter_ns;
    s->flushed_ns = 0;
    return is_init;
}

/* The rank's other threads end in MPI_Finalize as it does: the stretch since their
 * last call is a compute interval of the same draw. */
static int join_threads(struct mpg_graph *g, const struct stream *s, struct mpg_error *err)
{
    for (const struct stream *t = g->rank[s->rank].streams; t; t = t->sibling) {
        uint32_t slot;
        if (t == s)
            continue;
        if (enter(g, t, &s->event, s->number, err) < 0 || graph_store(g, t, &slot, err) < 0)
            return -1;
        struct mpg_step *step = graph_emit(g, MPG_STEP_JOIN, s);
        if (!step)
            return graph_out_of_memory(err);
        step->slot = slot;
        graph_free_slot(g, slot);
    }
    return 0;
}

static int end_rank(struct mpg_graph *g, const struct stream *s, int64_t end_ns,
                    struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    struct mpg_step *step = graph_emit(g, MPG_STEP_FINISH, s);
    if (!step)
        return graph_out_of_memory(err);
    step->since_ns = end_ns - r->start_ns;
    r->finished = true;
    g->finished++;
    if (graph_end_requests(g, s->rank, err) < 0)
        return -1;
    return graph_end_probes(g, s->rank, err);
}

static int finalize(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    if (enter(g, s, &s->event, s->number, err) < 0 || join_threads(g, s, err) < 0)
        return -1;
    g->rank[s->rank].finalized = true;
    return end_rank(g, s, s->event.enter_ns, err);
}

/* The rank's trace has no more events, and had no MPI_Finalize. */
static int end_early(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct stream *last = r->streams ? r->streams : find_stream(g, rank, 0, err);
    if (!last)
        return -1;
    for (struct stream *t = last; t; t = t->sibling)
        last = t->last_leave_ns > last->last_leave_ns ? t : last;
    if (!g->options.lenient)
        return graph_explain_end(g, last, err);
    g->counts.incomplete_ranks++;
    return end_rank(g, last, r->started ? last->last_leave_ns : r->start_ns, err);
}

static bool is_call(const struct mpg_event *e)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    return kind != MPG_KIND_FLUSH && kind != MPG_KIND_REGION_BEGIN && kind != MPG_KIND_REGION_END;
}

/* What is no call of MPI, or one outside of its reach. */
static bool is_aside(struct mpg_graph *g, struct stream *s)
{
    if (mpg_call_kind(s->event.call) == MPG_KIND_FLUSH) {
        s->flushed_ns += s->event.leave_ns - s->event.enter_ns;
        g->counts.flushed_ns += (uint64_t)(s->event.leave_ns - s->event.enter_ns);
    }
    return !is_call(&s->event);
}

/* Whether a call involves nobody else: a program that asks for its rank twice has no
 * second compute interval of it. */
static bool is_computation(const struct mpg_event *e)
{
    enum mpg_kind kind = mpg_call_kind(e->call);
    return !e->failed && (kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL);
}

static int make_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->rank];
    if (enter(g, s, &s->event, s->number, err) < 0 || keep_fork(g, s, err) < 0)
        return -1;
    s->flushed_ns = 0;
    s->phase = PHASE_WAIT;
    r->waiting++;
    s->unmet = 1; /* while it is being counted */
    if (graph_begin_call(g, s, err) < 0)
        return -1;
    r->ready += --s->unmet == 0;
    return 0;
}

static int take_event(struct mpg_graph *g, int32_t rank, const struct mpg_event *event,
                      uint64_t number, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    uint32_t known = r->stream_count;
    struct stream *s = find_stream(g, rank, event->thread, err);
    if (!s)
        return -1;
    if (known > 0 && r->stream_count > known && begin_thread(g, s, event->enter_ns, err) < 0)
        return -1;
    s->event = *event;
    if (is_aside(g, s))
        return 0;
    s->number = number;
    g->counts.calls++;
    if (is_computation(&s->event)) /* before MPI_Init, too: MPI_Initialized and its like */
        return 0;
    if (!r->started) {
        int is_init = start_rank(g, s, err);
        if (is_init)
            return is_init < 0 ? -1 : 0;
    }
    bool is_finalize = mpg_call_kind(s->event.call) == MPG_KIND_FINALIZE;
    return is_finalize && !s->event.failed ? finalize(g, s, err) : make_call(g, s, err);
}

/* A thread of the rank that need not wait any more leaves its call. */
static int leave_one(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct stream *s = r->streams;
    while (s->phase != PHASE_WAIT || s->unmet > 0)
        s = s->sibling;
    r->ready--;
    r->waiting--;
    s->phase = PHASE_READ;
    if (graph_leave_call(g, s, err) < 0)
        return -1;
    s->last_leave_ns = s->event.leave_ns;
    r->progress_ns = s->last_leave_ns - r->start_ns;
    return 0;
}

static int read_event(struct rank_state *r, struct mpg_error *err)
{
    int more = mpg_cursor_next(r->cursor, &r->next, err);
    if (more < 0)
        return -1;
    r->has_next = more > 0;
    r->ended = more == 0;
    if (more > 0 && is_call(&r->next))
        r->next_number = r->calls++;
    return 0;
}

/* Takes RANK one event further. */
int graph_advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    if (r->ready > 0)
        return leave_one(g, rank, err);
    graph_ahead_forget(r);
    struct ahead *ahead = graph_ahead_first(r);
    if (ahead) {
        uint64_t number;
        const struct mpg_event *event = graph_ahead_take(r, ahead, &number);
        return take_event(g, rank, event, number, err);
    }
    if (!r->has_next && !r->ended && read_event(r, err) < 0)
        return -1;
    if (is_held(r))
        return 0;
    if (r->ended)
        return end_early(g, rank, err);
    r->has_next = false;
    return take_event(g, rank, &r->next, r->next_number, err);
}

void graph_free_rank(struct rank_state *r)
{
    mpg_cursor_close(r->cursor);
    graph_free_ahead(r);
    for (struct stream *s = r->streams, *next; s; s = next) {
        next = s->sibling;
        free(s->completing);
        free(s->group);
        free(s);
    }
    for (size_t i = 0; i < r->requests.capacity; i++)
        if (r->requests.entries[i].used)
            free(((struct request *)(uintptr_t)r->requests.entries[i].value)->group);
    graph_free_windows(r);
    mpg_map_clear(&r->requests);
    mpg_map_clear(&r->persistent);
    mpg_map_clear(&r->probed);
}
