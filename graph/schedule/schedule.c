/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Produces the stream of steps. Ranks take turns: a rank goes on until the rank must wait or the turn is over; then the
 * rank with the least progress goes on. */
#include <stdlib.h>

#include "graph/matching/rma_progress.h"
#include "graph/schedule/lookahead.h"
#include "graph/schedule/choosing.h"
#include "graph/schedule/fused.h"
#include "graph/schedule/import.h"
#include "graph/schedule/queue.h"
#include "graph/schedule/stall.h"
#include "graph/schedule/streams.h"
#include "graph/schedule/threads.h"
#include "graph/work/bound_hypotheses.h"

uint32_t mpg_graph_slots(const struct mpg_graph *g)
{
    return g->steps.slots;
}

struct mpg_graph_counts mpg_graph_counts(const struct mpg_graph *g)
{
    struct mpg_graph_counts counts = g->counts;
    mpg_graph_count_waits(&g->matching.eager_evidence, &counts);
    return counts;
}

int32_t mpg_graph_expanded_members(const struct mpg_graph *g)
{
    return g->collectives.expanded_members;
}

int64_t mpg_graph_source_eager_limit(const struct mpg_graph *g, int64_t target_bytes)
{
    return mpg_graph_estimate_eager_limit(&g->matching.eager_evidence, target_bytes);
}

bool mpg_graph_is_below_limit(const struct mpg_graph *g, int64_t limit_bytes)
{
    return g->matching.eager_evidence.below_bytes - 1 <= limit_bytes;
}

struct mpg_weak_progress mpg_graph_weak_progress(const struct mpg_graph *g)
{
    struct mpg_weak_progress found = mpg_graph_progress_found(&g->matching.progress);
    mpg_graph_rma_found(&g->matching.progress, &found);
    mpg_graph_nbc_progress_found(g->requests.nbc_progress, &found);
    return found;
}

static int check_end(struct mpg_graph *g, struct mpg_error *err)
{
    uint64_t unmatched;
    const struct message *m = mpg_graph_first_unmatched(&g->matching.channels, &unmatched);
    g->counts.unmatched += unmatched;
    if (g->part && unmatched > 0) /* a cancelled or abandoned end may be in another part */
        return mpg_part_refuse(g->part, MPG_PARTS_UNRECEIVED, err);
    if (g->lenient)
        return 0;
    const struct call_ref call_ref = !m ? (struct call_ref){0} : m->is_sent ? graph_sending_call(m) : graph_posting_call(m);
    if (m && m->is_sent)
        return mpg_graph_error_lenient(&call_ref, err, "no receive matches its message of %lld bytes%s", (long long)m->bytes,
                                       unmatched > 1 ? " (nor other messages)" : "");
    if (m)
        return mpg_graph_error_lenient(&call_ref, err, "no send matches");
    return mpg_graph_check_collectives(&g->collectives, err);
}

/* No rank can go on with the next call: lets ranks of several threads go on with a later call, of another thread. */
static int look_ahead(struct mpg_graph *g, struct mpg_error *err)
{
    if (mpg_graph_read_on(g, err) < 0)
        return -1;
    for (int32_t rank = 0; rank < g->ranks; rank++) {
        struct rank_run *r = g->rank[rank].run;
        int status = r ? mpg_graph_look_ahead(r, err) : 0;
        if (status < 0)
            return -1;
        if (status > 0)
            mpg_graph_queue_push(&g->queue, rank);
    }
    return 0;
}

/* Returns whether the current rank goes on: the turn is not over, or no other rank is ready. */
static bool keeps_turn(const struct mpg_graph *g)
{
    return g->turn < GRAPH_TURN || g->queue.count == 0;
}

/* No own rank can go on: looks for ranks that can go on under other rules. Returns 0; -1 with ERR if there is none. */
static int resolve_stall(struct mpg_graph *g, struct mpg_error *err)
{
    if (g->choosing)
        (void)mpg_graph_release_choosing(g);
    /* With inexact clocks, ranks can wait mutually for progress calls: gives up the waits. */
    if (g->queue.count == 0 && g->finished < g->ranks)
        (void)mpg_graph_abandon_progress(&g->matching.progress);
    if (g->queue.count == 0 && g->finished < g->ranks && look_ahead(g, err) < 0)
        return -1;
    if (g->queue.count > 0 || g->finished == g->ranks)
        return 0;
    return g->lenient ? mpg_graph_drop_needs(g, err) : mpg_graph_explain_stall(g, err);
}

/* Chooses the rank to go on, g->current. Returns 1; 0 if all ranks have finished, or if no own rank of a part can go on; -1 with
 * ERR if no rank can go on. */
static int choose_rank(struct mpg_graph *g, struct mpg_error *err)
{
    if (mpg_graph_is_beyond_horizon(g) && mpg_graph_release_choosing(g))
        g->counts.beyond_horizon++;
    if (g->current != NO_RANK) {
        bool can_continue = mpg_graph_rank_can_continue(g, g->current);
        if (can_continue && keeps_turn(g))
            return 1;
        if (can_continue)
            mpg_graph_queue_push(&g->queue, g->current);
        g->current = NO_RANK;
    }
    if (g->queue.count == 0 && g->part)
        return 0;
    if (g->queue.count == 0 && resolve_stall(g, err) < 0)
        return -1;
    if (g->finished == g->own)
        return 0;
    g->current = mpg_graph_queue_pop(&g->queue);
    g->turn = 0;
    return 1;
}

/* Adds the first call that returned an error to ERR: the missing operation may belong to the call. Returns -1. */
static int name_failed(const struct mpg_graph *g, struct mpg_error *err)
{
    const struct call_ref *f = &g->first_failed;
    if (g->counts.failed == 0)
        return -1;
    struct mpg_error cause = *err;
    return mpg_error_set(err, "%.*s (rank %d, call %llu, MPI_%s, returned an error)",
                         MPG_ERROR_SIZE - 100, cause.text, f->rank, (unsigned long long)f->number,
                         mpg_call_name(f->call));
}

/* Leaves a call of the current rank if possible. Otherwise begins and leaves calls of the rank until there are ENOUGH
 * steps, a call must wait, or the turn is over. */
static int advance(struct mpg_graph *g, size_t enough, struct mpg_error *err)
{
    const int32_t rank = g->current;
    struct rank_state *state = &g->rank[rank];
    if (state->run && state->run->ready > 0)
        return mpg_graph_leave_one(g, state, err);
    while (g->steps.count < enough && !mpg_graph_lists_are_full(&g->steps)) {
        const int made = mpg_graph_advance(g, rank, err);
        if (made < 0)
            return -1;
        if (made > 0) /* the call has been begun and left: go on */
            continue;
        const struct rank_run *r = state->run;
        g->turn += r && r->streams ? graph_turn_of(r->streams->call.event->call) : GRAPH_POSTS_A_CALL;
        if (!r || !keeps_turn(g) || mpg_graph_is_beyond_horizon(g))
            return 0;
        if (r->ready > 0 && mpg_graph_leave_one(g, state, err) < 0)
            return -1;
        if (r->waiting > 0 || !keeps_turn(g) || g->choosing)
            return 0;
    }
    return 0;
}

/* Returns whether unused slots must be reported now. Depends on the steps only, not on the evaluator. */
static bool must_report_unused(const struct mpg_graph *g)
{
    enum { MIN_STEPS = 1024 };
    const uint64_t unreported = g->unreported + g->steps.count;
    return g->reports_unused && unreported >= MIN_STEPS && unreported >= g->steps.slots;
}

static int report_unused(struct mpg_graph *g, struct mpg_steps *steps, struct mpg_error *err)
{
    g->unreported = 0;
    uint32_t *unused = mpg_graph_steps_list(&g->steps, g->steps.unused_count * sizeof *unused, err);
    if (!unused)
        return -1;
    memcpy(unused, g->steps.unused_slots, g->steps.unused_count * sizeof *unused);
    steps->reports_unused = true;
    steps->unused = unused;
    steps->unused_number = g->steps.unused_count;
    return 0;
}

int mpg_graph_next(struct mpg_graph *g, struct mpg_steps *steps, struct mpg_error *err)
{
    enum { SOME = 128 }; /* number of steps returned at once: few enough to be still in the cache during evaluation */
    if (mpg_graph_steps_begin(&g->steps, err) < 0 || (g->part && mpg_graph_exchange(g, err) < 0))
        return -1;
    while (g->steps.count < SOME && !must_report_unused(g) && !mpg_graph_lists_are_full(&g->steps)) {
        int status = choose_rank(g, err);
        if (status == 0 && g->steps.count > 0)
            break;
        if (status == 0 && g->part && (status = mpg_graph_await_parts(g, err)) > 0)
            continue;
        if (status == 0)
            return check_end(g, err) < 0 ? name_failed(g, err) : 0;
        if (status < 0 || advance(g, g->reports_unused ? g->steps.count + 1 : SOME, err) < 0)
            return name_failed(g, err);
    }
    *steps = (struct mpg_steps){g->steps.steps, g->steps.count, g->steps.slots, g->steps.batch, false, NULL, 0};
    if (must_report_unused(g))
        return report_unused(g, steps, err) < 0 ? -1 : 1;
    g->unreported += steps->n;
    return 1;
}

/* Returns the active hypotheses about messages; if none is active, `bound` is NULL. */
static struct applied_hypotheses applied_hypotheses_of(const struct mpg_graph *g)
{
    const uint64_t some = g->bound ? mpg_bound_of_messages(g->bound, g->active) : 0;
    return (struct applied_hypotheses){some ? g->bound : NULL, some, g->trace};
}

/* Connects the parts of G (matching, requests, collectives, work) and applies OPTIONS. */
static void connect(struct mpg_graph *g, const struct mpg_graph_options *options)
{
    g->lenient = options->lenient;
    g->part = options->part;
    g->horizon = options->horizon;
    g->names_regions = options->regions;
    g->reports_unused = options->reports_unused;
    g->marks = options->marks && options->bound;
    g->parallel = options->parallel;
    g->ratios = options->ratios && options->ratios->n > 0 ? options->ratios : NULL;
    g->active = options->bound ? options->active : 0;
    g->bound = g->active ? options->bound : NULL;
    g->has_regions = g->ratios || g->bound || g->names_regions;
    g->steps.wanted = options->wanted;
    g->steps.keeps_slots = options->keeps_slots;
    g->members.trace = g->trace;
    g->matching = (struct matching){.eager_limit_bytes = options->eager_limit_bytes,
                                    .source_eager_limit_bytes = options->source_eager_limit_bytes,
                                    .lenient = options->lenient,
                                    .applied_hypotheses = applied_hypotheses_of(g),
                                    .part = g->part,
                                    .notes_progress = g->bound != NULL,
                                    .of_target = options->of_target,
                                    .keeps_protocol = options->keeps_protocol,
                                    .counts = &g->counts,
                                    .members = &g->members,
                                    .steps = &g->steps};
    mpg_graph_channels_init(&g->matching.channels,
                            options->choose || options->bound || options->has_weak_progress || options->observes_progress);
    g->collectives = (struct collectives){.lenient = options->lenient,
                                          .sync_reduce = options->sync_reduce,
                                          .expand = options->expand,
                                          .expand_some = options->expand_some,
                                          .unexpanded = options->unexpanded,
                                          .eager_limit_bytes = options->eager_limit_bytes,
                                          .weak_bytes = options->has_weak_progress ? options->weak.blocking_bytes : INT64_MAX,
                                          .tree_bytes = options->has_weak_progress ? options->weak.tree_bytes : INT64_MAX,
                                          .observed_progress = options->nonblocking_table ? &g->matching.progress.limits : NULL,
                                          .trace = g->trace,
                                          .applied_hypotheses = applied_hypotheses_of(g),
                                          .ranks = g->part,
                                          .of_target = options->of_target,
                                          .counts = &g->counts,
                                          .members = &g->members,
                                          .steps = &g->steps};
    if (options->observes_progress)
        g->collectives.observed = (struct tree_progress_evidence){&g->matching.progress.blocking, &g->matching.progress.posted};
    g->fuses = mpg_graph_fuses(g, options);
    mpg_graph_requests_init(&g->requests, &g->matching, &g->collectives);
    g->by_completion = options->choose && options->by_completion;
    g->requests.choose = options->choose;
    g->requests.choose_sources = g->matching.posted.follows =
        options->choose && options->choose_sources;
}

struct mpg_graph *mpg_graph_open(struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                                 const struct mpg_graph_options *options, struct mpg_error *err)
{
    struct mpg_graph *g = calloc(1, sizeof *g);
    if (!g) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    g->trace = trace;
    g->clocks = clocks;
    g->shares_clock = mpg_clock_map_is_shared(clocks, &g->origin_ns);
    g->ranks = g->own = mpg_trace_ranks(trace);
    if (options->part) {
        options->part->trace = trace;
        g->first_own = options->part->first;
        g->own = options->part->end - options->part->first;
    }
    g->streams = (uint32_t)g->own;
    g->current = NO_RANK;
    connect(g, options);
    if (mpg_graph_progress_init(&g->matching.progress, options->has_weak_progress || options->bound ? &options->weak : NULL,
                                options->observes_progress, g->ranks, &g->steps, err) < 0) {
        mpg_graph_close(g);
        return NULL;
    }
    if (options->nonblocking_table && (options->has_weak_progress || options->observes_progress) &&
        !(g->requests.nbc_progress =
          mpg_graph_nbc_progress_new(&g->matching.progress, &g->collectives, &g->matching.progress.limits,
                                     options->nonblocking_table,
                                     options->source_eager_limit_bytes, options->observes_progress, err))) {
        mpg_graph_close(g);
        return NULL;
    }
    if (options->progresses_in_calls && mpg_graph_deferred_init(&g->matching.deferred, g->ranks, err) < 0) {
        mpg_graph_close(g);
        return NULL;
    }
    g->rank = g->queue.rank = calloc((size_t)g->ranks, sizeof *g->rank);
    g->queue.heap = calloc((size_t)g->ranks, sizeof *g->queue.heap);
    if (!g->rank || !g->queue.heap) {
        mpg_graph_out_of_memory(err);
        mpg_graph_close(g);
        return NULL;
    }
    for (int32_t r = g->first_own; r < g->first_own + g->own; r++)
        mpg_graph_queue_push(&g->queue, r);
    return g;
}

void mpg_graph_close(struct mpg_graph *g)
{
    if (!g)
        return;
    for (int32_t r = 0; g->rank && r < g->ranks; r++)
        mpg_graph_end_run(g, r);
    mpg_graph_nbc_progress_free(g->requests.nbc_progress);
    mpg_graph_requests_clear(&g->requests);
    mpg_graph_collectives_clear(&g->collectives);
    mpg_graph_matching_clear(&g->matching);
    mpg_graph_members_clear(&g->members);
    mpg_graph_steps_clear(&g->steps);
    free(g->rank);
    free(g->queue.heap);
    free(g);
}

int mpg_graph_learn(struct mpg_trace *trace, const struct mpg_graph_options *options, struct mpg_error *err)
{
    struct mpg_graph_options leaves = *options; /* nobody evaluates the steps of this pass: makes as few as possible */
    leaves.wanted = MPG_STEPS_LEAVES;
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(trace, err);
    struct mpg_graph *graph = clocks ? mpg_graph_open(trace, clocks, &leaves, err) : NULL;
    struct mpg_steps steps;
    int more = graph ? 1 : -1;
    mpg_bound_learn(options->bound, true);
    while (more > 0)
        more = mpg_graph_next(graph, &steps, err);
    mpg_bound_learn(options->bound, false);
    mpg_graph_close(graph);
    mpg_clock_map_free(clocks);
    return more < 0 ? mpg_trace_prefix_call(trace, err) : mpg_bound_check(options->bound, err);
}
