/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the events of a rank in order and begins calls. */
#include "graph/schedule/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "graph/schedule/lookahead.h"
#include "graph/schedule/calls.h"
#include "graph/schedule/incomplete.h"
#include "graph/schedule/fused.h"
#include "graph/schedule/insert_calls.h"
#include "graph/schedule/threads.h"

/* At least one thread of R is in a call. Returns whether a call must be left before R's next event can be handled. */
static bool has_to_wait(const struct rank_state *rank, const struct rank_run *r)
{
    if (r->held_call && mpg_graph_held_call_can_begin(r))
        return false;
    if (rank->ended || r->threads == 1)
        return true;
    if (!r->next)
        return false;
    return mpg_call_kind(r->next->call) == MPG_KIND_FINALIZE || !mpg_graph_may_begin(r, r->next);
}

static inline bool is_held(const struct rank_state *rank, const struct rank_run *r)
{
    return r->waiting > 0 && has_to_wait(rank, r);
}

bool mpg_graph_rank_can_continue(const struct mpg_graph *g, int32_t rank)
{
    const struct rank_state *state = &g->rank[rank];
    const struct rank_run *r = state->run;
    return !state->finished && (!r || r->ready > 0 || !is_held(state, r));
}

static inline struct stream *find_stream(struct mpg_graph *g, int32_t rank, uint32_t thread,
                                         struct mpg_error *err)
{
    struct stream *first = g->rank[rank].run->streams;
    return first && first->thread == thread ? first : mpg_graph_further_stream(g, rank, thread, err);
}

static struct region_rules region_rules(const struct mpg_graph *g, const struct stream *s)
{
    return (struct region_rules){.ratios = g->ratios,
                                 .bound = g->bound,
                                 .active = g->active,
                                 .trace = g->trace,
                                 .tracer_overhead = &g->rank[s->call.rank].run->tracer_overhead,
                                 .rank = s->call.rank,
                                 .thread = s->thread,
                                 .marks = g->marks,
                                 .by_work = g->matching.of_target};
}

/* Stores in STEP the changes of S's compute interval before E by regions: ratios, hypotheses, and times. */
static int change_interval(struct mpg_graph *g, const struct stream *s, const struct mpg_event *e, struct mpg_step *step,
                           struct mpg_error *err)
{
    const struct region_rules of = region_rules(g, s);
    struct mpg_change *change = mpg_graph_add_change(&g->steps, step, err);
    if (!change)
        return -1;
    *change = mpg_graph_regions_change(&s->regions, &of, s->last_leave_ns, e, e->thread == s->thread);
    struct mpg_mark *marks = mpg_graph_steps_list(&g->steps, change->mark_number * sizeof *marks, err);
    if (!marks)
        return -1;
    for (uint32_t i = 0; i < change->mark_number; i++)
        marks[i] = change->marks[i];
    change->marks = marks;
    return 0;
}

/* Stores in STEP the visits of parallel regions in S's compute interval before E. */
static int list_visits(struct mpg_graph *g, struct stream *s, const struct mpg_event *e, struct mpg_step *step,
                       struct mpg_error *err)
{
    const struct mpg_change before = *step->change;
    if (mpg_graph_visits_end(&s->visits, e->enter_ns, err) < 0)
        return -1;
    if (s->visits.number == 0 || step->inserted)
        return 0;
    struct mpg_change *change = mpg_graph_add_change(&g->steps, step, err);
    struct mpg_visit *visits = change ? mpg_graph_steps_list(&g->steps, s->visits.number * sizeof *visits, err) : NULL;
    if (!visits)
        return -1;
    memcpy(visits, s->visits.visit, s->visits.number * sizeof *visits);
    *change = before;
    change->visits = visits;
    change->visit_number = s->visits.number;
    return 0;
}

/* Emits the step of S's compute interval before E: TRACED_NS as traced, of which TRACER_NS are the tracer's. */
static int emit_enter(struct mpg_graph *g, struct stream *s, const struct mpg_event *e, uint64_t number,
                      int64_t traced_ns, int64_t tracer_ns, struct mpg_error *err)
{
    const struct tracer_overhead *tracer_overhead = &s->state->run->tracer_overhead;
    const bool knows_cpu = tracer_overhead->cpu >= 0 && e->thread == s->thread;
    const int64_t interval_ns = traced_ns - s->interval_sums.flushed_ns - tracer_ns;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_ENTER, &s->call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->call = e->call;
    step->number = number;
    step->from = s->from;
    step->to = graph_call_site_of(e);
    step->polls = (s->found_nothing || step->to.call == MPG_CALL_Win_sync) && e->thread == s->thread &&
                  step->from.call == step->to.call && step->from.site == step->to.site;
    step->interval_ns = interval_ns > 0 ? interval_ns : 0;
    step->tracer_ns = traced_ns > step->interval_ns ? traced_ns - step->interval_ns : 0;
    step->inserted = s->from_inserted || mpg_is_inserted(number);
    step->off_ns = mpg_graph_interval_off_ns(&s->interval_sums, e, e->thread == s->thread, step->interval_ns);
    step->change = &mpg_no_change;
    if (((g->ratios || g->bound) && change_interval(g, s, e, step, err) < 0) ||
        (g->parallel && list_visits(g, s, e, step, err) < 0))
        return -1;
    step->region = g->names_regions ? mpg_graph_regions_innermost(&s->regions) : -1;
    step->work_region = g->names_regions ? mpg_graph_regions_longest(&s->regions, e->enter_ns) : -1;
    step->flushed_ns = s->interval_sums.flushed_ns;
    step->begin_ns = s->last_leave_ns;
    step->cpu_ns = knows_cpu ? mpg_graph_interval_cpu_ns(&s->interval_sums, tracer_overhead, e) : -1;
    step->alone_ns = knows_cpu ? mpg_graph_interval_work_ns(&s->interval_sums, tracer_overhead, e) : -1;
    step->since_ns = s->last_leave_ns - s->state->start_ns;
    return 0;
}

/* Returns whether the evaluator does without the step of a compute interval. TRACER_NS: the tracer's part of the interval. */
static inline bool is_unwanted(const struct mpg_graph *g, const struct stream *s, int64_t tracer_ns)
{
    if (g->steps.wanted == MPG_STEPS_ALL || g->has_regions)
        return false;
    return g->steps.wanted == MPG_STEPS_LEAVES || (tracer_ns == 0 && s->interval_sums.flushed_ns == 0);
}

/* Ends S's compute interval before E. If E belongs to another thread (S ends at MPI_Finalize), S's CPU time is not known. */
static inline int enter(struct mpg_graph *g, struct stream *s, const struct mpg_event *e,
                        uint64_t number, struct mpg_error *err)
{
    const struct tracer_overhead *tracer_overhead = &s->state->run->tracer_overhead;
    const int64_t traced_ns = e->enter_ns - s->last_leave_ns;
    const int64_t tracer_ns = mpg_graph_interval_tracer_ns(&s->interval_sums, tracer_overhead, traced_ns);
    g->counts.tracer_ns += (uint64_t)tracer_ns;
    if (traced_ns > tracer_ns + s->interval_sums.flushed_ns)
        g->counts.interval_ns += (uint64_t)(traced_ns - tracer_ns - s->interval_sums.flushed_ns);
    g->counts.off_ns += (uint64_t)mpg_graph_interval_off_ns(&s->interval_sums, e, e->thread == s->thread, traced_ns);
    if (mpg_call_kind(e->call) != MPG_KIND_FINALIZE) { /* MPI_Finalize, which can wait for the launcher, does not count */
        g->counts.call_off_ns += (uint64_t)e->off_in_ns;
        g->counts.calls_ns += (uint64_t)(e->leave_ns - e->enter_ns);
    }
    g->counts.cpu_intervals += graph_has_cpu(tracer_overhead, e) && e->thread == s->thread;
    return is_unwanted(g, s, tracer_ns) ? 0 : emit_enter(g, s, e, number, traced_ns, tracer_ns, err);
}

/* Handles the first call of S's rank. Returns 1: MPI_Init; 0: another call, allowed by option lenient; -1 with ERR. */
static int start_rank(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[s->call.rank];
    bool is_init = mpg_call_kind(s->call.event->call) == MPG_KIND_INIT;
    struct call_ref here = graph_call_ref(&s->call);
    if (!is_init && !g->lenient)
        return mpg_graph_error_lenient(&here, err, "the rank's trace does not begin with MPI_Init");
    r->started = true;
    r->start_ns = s->last_leave_ns = is_init ? s->call.event->leave_ns : s->call.event->enter_ns;
    mpg_graph_regions_begin(&s->regions, s->last_leave_ns);
    mpg_graph_visits_begin(&s->visits, s->last_leave_ns);
    s->interval_sums = (struct interval_sums){0};
    s->from = graph_call_site_of(s->call.event);
    return is_init;
}

/* Ends all threads of S's rank but S, at MPI_Finalize. The time since a thread's last call is a compute interval, with
 * random draws as usual. */
static int join_threads(struct mpg_graph *g, const struct stream *s, struct mpg_error *err)
{
    for (struct stream *t = g->rank[s->call.rank].run->streams; t; t = t->sibling) {
        uint32_t slot;
        if (t == s)
            continue;
        if (enter(g, t, s->call.event, s->call.number, err) < 0 || mpg_graph_store(&g->steps, &t->call, &slot, err) < 0)
            return -1;
        struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_JOIN, &s->call);
        if (!step)
            return mpg_graph_out_of_memory(err);
        step->slot = slot;
        graph_free_slot(&g->steps, slot);
    }
    return 0;
}

static int end_rank(struct mpg_graph *g, const struct stream *s, int64_t end_ns,
                    struct mpg_error *err)
{
    int32_t rank = s->call.rank;
    struct rank_state *state = &g->rank[rank];
    if (mpg_graph_progress_receives(&g->matching, &s->call, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(&g->steps, MPG_STEP_FINISH, &s->call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->since_ns = end_ns - state->start_ns;
    state->finished = true;
    g->finished++;
    mpg_graph_end_progress(&g->matching.progress, rank);
    if (mpg_graph_end_requests(&g->requests, &state->run->requests, err) < 0 ||
        mpg_graph_end_probes(&g->matching, &state->run->probed, err) < 0)
        return -1;
    mpg_graph_end_run(g, rank);
    return 0;
}

static int finalize(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (enter(g, s, e, s->call.number, err) < 0 || join_threads(g, s, err) < 0)
        return -1;
    s->call.enter_ns = graph_align(g, s->call.rank, e->enter_ns);
    if (g->matching.progress.is_on &&
        mpg_graph_note_progress_call(&g->matching.progress, &s->call, INFINITY, g->rank[s->call.rank].run->threads == 1, err) < 0)
        return -1;
    g->rank[s->call.rank].finalized = true;
    return end_rank(g, s, e->enter_ns, err);
}

/* Ends RANK, whose trace ends without MPI_Finalize. Returns -1 with ERR unless option lenient is given. */
static int end_early(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *r = &g->rank[rank];
    struct stream *last = r->run->streams ? r->run->streams : find_stream(g, rank, 0, err);
    if (!last)
        return -1;
    for (struct stream *t = last; t; t = t->sibling)
        last = t->last_leave_ns > last->last_leave_ns ? t : last;
    if (!g->lenient)
        return mpg_graph_read_on(g, err) < 0 ? -1 : mpg_graph_explain_end(g, last, err);
    g->counts.incomplete_ranks++;
    return end_rank(g, last, r->started ? last->last_leave_ns : r->start_ns, err);
}

/* If the event of S is not a call of the graph (*IS_NO_CALL), handles the event. The time of aggregated local calls
 * belongs to the compute interval. */
static int handle_non_call(struct mpg_graph *g, struct stream *s, bool *is_no_call, struct mpg_error *err)
{
    const struct mpg_event *e = s->call.event;
    if (mpg_call_kind(e->call) == MPG_KIND_FLUSH)
        g->counts.flushed_ns += (uint64_t)(e->leave_ns - e->enter_ns);
    g->counts.calls += (uint64_t)e->sum.calls;
    *is_no_call = !mpg_event_is_call(e);
    if (!*is_no_call)
        return 0;
    const uint64_t inserted = mpg_graph_inserts(g, s, e);
    if (!inserted) /* otherwise the first inserted call ends the compute interval, and counts the time of recording E */
        mpg_graph_interval_add(&s->interval_sums, &g->rank[s->call.rank].run->tracer_overhead, e);
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_mark = kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END;
    if (g->parallel && is_mark && mpg_graph_visits_mark(&s->visits, &g->parallel[s->call.rank], g->trace, e, err) < 0)
        return -1;
    if (!g->has_regions)
        return 0;
    const struct region_rules of = region_rules(g, s);
    if (is_mark)
        return mpg_graph_regions_mark(&s->regions, &of, e, err) < 0 ? -1
               : inserted                                           ? mpg_graph_insert(g, s, inserted, e, err)
                                                                    : 0;
    mpg_graph_regions_skip(&s->regions, &of, e);
    return 0;
}

/* Begins a compute interval of S, after the leave of a call. */
static inline void note_left(const struct mpg_graph *g, struct stream *s)
{
    s->last_leave_ns = s->call.event->leave_ns;
    if (g->has_regions)
        mpg_graph_regions_begin(&s->regions, s->last_leave_ns);
    if (g->parallel)
        mpg_graph_visits_begin(&s->visits, s->last_leave_ns);
    s->from = graph_call_site_of(s->call.event);
    s->from_inserted = mpg_is_inserted(s->call.number);
    s->state->progress_ns = s->last_leave_ns - s->state->start_ns;
}

/* Returns whether calls of R that need not wait are fused. The last call of a turn is not, because the turn ends between
 * begin and leave. */
static inline bool may_fuse(const struct mpg_graph *g, const struct rank_run *r)
{
    return g->fuses && r->threads == 1 && g->turn + GRAPH_POSTS_A_CALL < GRAPH_TURN;
}

/* Begins the call of S. Returns 1 if the call was fused, hence also left; 0 if not; -1 with ERR. */
static int make_call(struct mpg_graph *g, struct stream *s, struct mpg_error *err)
{
    struct rank_run *r = s->state->run;
    const struct mpg_event *e = s->call.event;
    if (enter(g, s, e, s->call.number, err) < 0 ||
        (s == r->streams && r->stream_count < r->threads && mpg_graph_keep_fork(g, s, err) < 0))
        return -1;
    g->counts.device_calls += e->device != 0;
    s->call.region = g->has_regions ? mpg_graph_regions_innermost(&s->regions) : -1;
    s->call.enter_ns = graph_align(g, s->call.rank, e->enter_ns);
    s->call.leave_ns = graph_align(g, s->call.rank, e->leave_ns);
    s->interval_sums = (struct interval_sums){0};
    if (may_fuse(g, r)) {
        const int made = mpg_graph_fuse(g, s, err);
        if (made > 0)
            note_left(g, s);
        if (made != 0)
            return made;
    }
    s->phase = PHASE_WAIT;
    r->waiting++;
    s->call.progressed_ns = -INFINITY;
    const bool has_weak_progress = g->matching.progress.is_on;
    const bool sees =
        has_weak_progress && (mpg_call_kind(e->call) != MPG_KIND_COMPLETE ||
                              !mpg_graph_is_given_transfers(&r->requests, &s->call));
    if (sees && mpg_graph_note_progress_call(&g->matching.progress, &s->call, s->call.leave_ns, r->threads == 1, err) < 0)
        return -1;
    s->call.waiter.unmet = 1; /* keeps the call from ending before all waits are known */
    if (mpg_graph_begin_call(g, r, s, err) < 0)
        return -1;
    /* In a rank of several threads pass_on() does this, because another thread's call may come first. */
    if (has_weak_progress && r->threads == 1)
        mpg_graph_advance_progress(&g->matching.progress, s->call.rank, s->call.leave_ns);
    r->ready += --s->call.waiter.unmet == 0;
    return 0;
}

/* Makes a copy of EVENT the event of S's call, because the cursor that read EVENT can move on before S leaves the call. */
static int keep_event(struct stream *s, const struct mpg_event *event, struct mpg_error *err)
{
    if (!s->kept && !(s->kept = malloc(sizeof *s->kept)))
        return mpg_graph_out_of_memory(err);
    if (mpg_reserve_at(&s->kept_requests, sizeof *s->kept_requests, &s->kept_capacity, event->request_number, err) < 0)
        return -1;
    *s->kept = *event;
    if (event->requests && event->request_number > 0) {
        memcpy(s->kept_requests, event->requests, event->request_number * sizeof *s->kept_requests);
        s->kept->requests = s->kept_requests;
    }
    s->call.event = s->kept;
    return 0;
}

/* Returns whether EVENT is an ordinary send or receive in a rank with a single thread, after MPI_Init. */
static inline bool is_on_its_way(const struct rank_state *state, const struct mpg_event *event)
{
    const uint64_t kinds = GRAPH_KIND(SEND) | GRAPH_KIND(RECV) | GRAPH_KIND(ISEND) | GRAPH_KIND(IRECV);
    return graph_is_among(mpg_call_kind(event->call), kinds) && state->started && state->run->threads == 1;
}

/* The thread of MPI_Init goes on with EVENT: first begins the threads of RANK whose first event came before EVENT and is
 * held. */
static int begin_threads(struct mpg_graph *g, int32_t rank, const struct mpg_event *event, struct mpg_error *err)
{
    const struct rank_run *r = g->rank[rank].run;
    const struct mpg_event *first;
    while (r->held_call && (first = mpg_graph_held_call_first(r, event))) {
        struct stream *s = find_stream(g, rank, first->thread, err);
        if (!s || mpg_graph_begin_thread(g, s, first, err) < 0)
            return -1;
    }
    return 0;
}

/* Handles EVENT, of any kind. */
static __attribute__((noinline)) int take_any(struct mpg_graph *g, int32_t rank, const struct mpg_event *event,
                                              uint64_t number, struct mpg_error *err)
{
    struct rank_state *state = &g->rank[rank];
    struct rank_run *r = state->run;
    uint32_t known = r->stream_count;
    struct stream *s = find_stream(g, rank, event->thread, err);
    if (!s)
        return -1;
    if (known > 0 && r->stream_count > known && mpg_graph_begin_thread(g, s, event, err) < 0)
        return -1;
    if (s == r->streams && begin_threads(g, rank, event, err) < 0)
        return -1;
    s->call.event = event;
    if (r->threads > 1 && keep_event(s, event, err) < 0)
        return -1;
    bool is_no_call;
    if (handle_non_call(g, s, &is_no_call, err) < 0)
        return -1;
    if (is_no_call)
        return 0;
    s->call.number = number;
    g->counts.calls += !mpg_is_inserted(number);
    if (graph_is_computation(event)) { /* calls like MPI_Initialized may also come before MPI_Init */
        const struct region_rules of = region_rules(g, s);
        mpg_graph_interval_add(&s->interval_sums, &r->tracer_overhead, event);
        mpg_graph_regions_skip(&s->regions, &of, event);
        return 0;
    }
    if (!state->started) {
        int is_init = start_rank(g, s, err);
        if (is_init)
            return is_init < 0 ? -1 : 0;
    }
    bool is_finalize = mpg_call_kind(event->call) == MPG_KIND_FINALIZE;
    return is_finalize && !event->failed ? finalize(g, s, err) : make_call(g, s, err);
}

static inline int take_event(struct mpg_graph *g, int32_t rank, const struct mpg_event *event,
                             uint64_t number, struct mpg_error *err)
{
    const struct rank_state *state = &g->rank[rank];
    if (!is_on_its_way(state, event))
        return take_any(g, rank, event, number, err);
    struct stream *s = state->run->streams;
    s->call.event = event;
    s->call.number = number;
    g->counts.calls++;
    return make_call(g, s, err);
}

int mpg_graph_leave_one(struct mpg_graph *g, struct rank_state *state, struct mpg_error *err)
{
    struct rank_run *r = state->run;
    struct stream *s = r->streams;
    while (s->phase != PHASE_WAIT || s->call.waiter.unmet > 0)
        s = s->sibling;
    r->ready--;
    r->waiting--;
    s->phase = PHASE_READ;
    if (mpg_graph_leave_call(g, r, s, err) < 0)
        return -1;
    note_left(g, s);
    return 0;
}

/* Tells the progress engine of a rank of several threads the time of the event just read: events are read in order of
 * time, so no thread makes an earlier MPI call. */
static void pass_on(struct mpg_graph *g, int32_t rank, const struct rank_run *r)
{
    if (g->matching.progress.is_on && r->threads > 1 && !r->held_call)
        mpg_graph_advance_progress(&g->matching.progress, rank, graph_align(g, rank, r->next->enter_ns));
}

static inline int read_event(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *state = &g->rank[rank];
    struct rank_run *r = state->run;
    int more = mpg_cursor_read(r->cursor, &r->next, err);
    if (more < 0)
        return -1;
    state->ended = more == 0;
    if (more > 0 && mpg_event_is_call(r->next))
        r->next_number = state->calls++;
    if (more > 0)
        pass_on(g, rank, r);
    return 0;
}

int mpg_graph_read_on(struct mpg_graph *g, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < g->ranks; rank++) {
        struct rank_state *state = &g->rank[rank];
        struct rank_run *r = state->run;
        if (!r || r->waiting == 0 || r->ready > 0 || r->next || state->ended)
            continue;
        for (struct stream *s = r->streams; s; s = s->sibling)
            if (s->call.event != s->kept && keep_event(s, s->call.event, err) < 0)
                return -1;
        if (read_event(g, rank, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_graph_advance(struct mpg_graph *g, int32_t rank, struct mpg_error *err)
{
    struct rank_state *state = &g->rank[rank];
    if (!state->run && mpg_graph_begin_run(g, rank, err) < 0)
        return -1;
    struct rank_run *r = state->run;
    if (r->held_call || r->taken) {
        uint64_t number;
        const struct mpg_event *event = mpg_graph_held_call_take(r, &number);
        if (event)
            return take_event(g, rank, event, number, err);
    }
    if (is_held(state, r))
        return 0;
    if (!r->next && !state->ended) {
        if (read_event(g, rank, err) < 0)
            return -1;
        if (is_held(state, r))
            return 0;
    }
    if (state->ended)
        return end_early(g, rank, err);
    const struct mpg_event *event = r->next;
    r->next = NULL;
    return take_event(g, rank, event, r->next_number, err);
}
