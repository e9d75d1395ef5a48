/* SPDX-License-Identifier: GPL-3.0-or-later */
/* same_steps TRACE ...: compares the steps of each trace between two graphs. The first graph makes non-waiting calls in a
 * single step (graph/schedule/fused.h), the second in separate enter and leave steps. Repeats the comparison for all options
 * that affect these calls. Prints for each trace the number of steps and of single-step calls. At the first difference, prints
 * the difference and exits with 1. */
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"

static bool same_origin(const struct mpg_origin *a, const struct mpg_origin *b)
{
    return a->rank == b->rank && a->index == b->index && a->call == b->call && a->to == b->to && a->thread == b->thread &&
           a->nth == b->nth;
}

static bool same_sent(const struct mpg_sent *a, const struct mpg_sent *b)
{
    return same_origin(&a->origin, &b->origin) && a->bytes == b->bytes && a->target_bytes == b->target_bytes &&
           a->blocking == b->blocking && a->sync_source == b->sync_source && a->sync_target == b->sync_target;
}

static bool same_edge(const struct mpg_edge *a, const struct mpg_edge *b)
{
    return a->kind == b->kind && a->source == b->source && a->slot == b->slot && a->rounds == b->rounds &&
           same_origin(&a->origin, &b->origin) && a->from_ns == b->from_ns && a->sent_ns == b->sent_ns &&
           a->receive == b->receive && a->bytes == b->bytes && a->target_bytes == b->target_bytes &&
           a->base_ns == b->base_ns && same_origin(&a->meeting, &b->meeting) && a->members == b->members &&
           a->call == b->call && a->contributed_bytes == b->contributed_bytes && a->message == b->message &&
           a->request == b->request && a->is_followed == b->is_followed && a->is_view == b->is_view &&
           a->requested == b->requested && a->awaited == b->awaited && a->changed == b->changed &&
           a->awaits_call == b->awaits_call && a->expanded == b->expanded;
}

static bool same_leave(const struct mpg_step *a, const struct mpg_step *b)
{
    bool same = a->leave_ns == b->leave_ns && a->rooted_bytes == b->rooted_bytes && a->round_trip_bytes == b->round_trip_bytes &&
                a->round_trip_target_bytes == b->round_trip_target_bytes && a->rooted == b->rooted && a->failed == b->failed &&
                a->dropped == b->dropped && a->found_nothing == b->found_nothing && a->round_trip == b->round_trip &&
                a->completed == b->completed && a->sent_number == b->sent_number && a->edge_number == b->edge_number &&
                a->lost_number == b->lost_number && a->transfer->owner == b->transfer->owner &&
                a->alternatives->candidate_number == b->alternatives->candidate_number;
    for (uint32_t i = 0; same && i < a->sent_number; i++)
        same = same_sent(&a->sent[i], &b->sent[i]);
    for (uint32_t i = 0; same && i < a->edge_number + a->lost_number; i++)
        same = same_edge(&a->edges[i], &b->edges[i]);
    return same;
}

static bool same_place(struct mpg_call_site a, struct mpg_call_site b)
{
    return a.call == b.call && a.site == b.site;
}

static bool same_enter(const struct mpg_step *a, const struct mpg_step *b)
{
    return same_place(a->from, b->from) && same_place(a->to, b->to) && a->interval_ns == b->interval_ns &&
           a->tracer_ns == b->tracer_ns && a->flushed_ns == b->flushed_ns && a->begin_ns == b->begin_ns &&
           a->cpu_ns == b->cpu_ns && a->alone_ns == b->alone_ns && a->polls == b->polls && a->region == b->region;
}

static bool same_eager(const struct mpg_step *a, const struct mpg_step *b)
{
    return same_origin(&a->origin, &b->origin) && a->message == b->message && a->sender_ns == b->sender_ns &&
           a->poster_ns == b->poster_ns && a->poster == b->poster && a->progress_slot == b->progress_slot &&
           a->posted == b->posted &&
           a->requested == b->requested && a->receiver == b->receiver && a->comm == b->comm && a->tag == b->tag &&
           a->is_followed == b->is_followed;
}

static bool same_step(const struct mpg_step *a, const struct mpg_step *b)
{
    const bool same = a->kind == b->kind && a->rank == b->rank && a->stream == b->stream && a->thread == b->thread &&
                      a->call == b->call && a->slot == b->slot && a->a == b->a && a->b == b->b && a->window == b->window &&
                      a->changed == b->changed && a->number == b->number && a->bytes == b->bytes &&
                      a->target_bytes == b->target_bytes && a->enter_ns == b->enter_ns &&
                      a->duration_ns == b->duration_ns && a->since_ns == b->since_ns;
    if (!same)
        return false;
    switch (a->kind) {
    case MPG_STEP_ENTER:
        return same_enter(a, b);
    case MPG_STEP_LEAVE:
        return same_leave(a, b);
    case MPG_STEP_EAGER:
    case MPG_STEP_SYNCHRONOUS:
        return same_eager(a, b);
    default:
        return true;
    }
}

/* One of the two graphs, the last batch of steps, and the number of steps compared in the batch. */
struct side {
    struct mpg_graph *graph;
    struct mpg_steps steps;
    size_t i;
    int more;
};

static const struct mpg_step *next(struct side *s, struct mpg_error *err)
{
    while (s->more > 0 && s->i == s->steps.n) {
        s->more = mpg_graph_next(s->graph, &s->steps, err);
        s->i = 0;
    }
    return s->more > 0 ? &s->steps.step[s->i++] : NULL;
}

/* Returns whether both graphs continue equally to the end, or to the same error. */
static bool compare(struct side *x, struct side *y, uint64_t *steps)
{
    struct mpg_error a = {.text = ""}, b = {.text = ""};
    const struct mpg_step *p, *q;
    do {
        p = next(x, &a);
        q = next(y, &b);
        if (!p != !q || (p && !same_step(p, q))) {
            const struct mpg_step *s = p ? p : q;
            printf("step %llu: rank %d, call %llu, kind %d\n", (unsigned long long)*steps, s->rank,
                   (unsigned long long)s->number, s->kind);
            return false;
        }
        *steps += p != NULL;
    } while (p);
    const struct mpg_graph_counts c = mpg_graph_counts(x->graph), d = mpg_graph_counts(y->graph);
    if (x->more == y->more && strcmp(a.text, b.text) == 0 && memcmp(&c, &d, sizeof c) == 0 &&
        mpg_graph_slots(x->graph) == mpg_graph_slots(y->graph) && mpg_graph_at_once(y->graph) == 0 &&
        mpg_graph_source_eager_limit(x->graph, 1000) == mpg_graph_source_eager_limit(y->graph, 1000))
        return true;
    printf("they end otherwise: %d %s, %d %s\n", x->more, a.text, y->more, b.text);
    return false;
}

static bool check(struct mpg_trace *t[2], struct mpg_graph_options options, uint64_t *steps, uint64_t *at_once)
{
    struct mpg_error err;
    struct side side[2] = {{.more = 1}, {.more = 1}};
    struct mpg_clock_map *clocks[2];
    for (int i = 0; i < 2; i++) {
        options.unfused = i == 1;
        clocks[i] = mpg_clock_map_from_trace(t[i], &err);
        side[i].graph = clocks[i] ? mpg_graph_open(t[i], clocks[i], &options, &err) : NULL;
        if (!side[i].graph) {
            printf("%s\n", err.text);
            return false;
        }
    }
    const bool same = compare(&side[0], &side[1], steps);
    *at_once += mpg_graph_at_once(side[0].graph);
    for (int i = 0; i < 2; i++) {
        mpg_graph_close(side[i].graph);
        mpg_clock_map_free(clocks[i]);
    }
    return same;
}

static bool check_trace(const char *path)
{
    static const struct mpg_graph_options ways[] = {
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX},
        {.eager_limit_bytes = 500, .source_eager_limit_bytes = INT64_MAX},
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = 500},
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX, .lenient = true},
        {.eager_limit_bytes = 1000, .source_eager_limit_bytes = 1000, .sync_reduce = true, .wanted = MPG_STEPS_NOT_IDLE},
        {.eager_limit_bytes = 500, .source_eager_limit_bytes = INT64_MAX, .progresses_in_calls = true},
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX, .wanted = MPG_STEPS_LEAVES},
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX, .regions = true},
        {.eager_limit_bytes = INT64_MAX, .source_eager_limit_bytes = INT64_MAX},
    };
    struct mpg_error err;
    struct mpg_trace *t[2] = {mpg_trace_open(path, &err), mpg_trace_open(path, &err)};
    uint64_t steps = 0, at_once = 0;
    bool same = t[0] && t[1];
    if (!same)
        printf("%s\n", err.text);
    for (size_t i = 0; same && i < sizeof ways / sizeof *ways; i++)
        same = check(t, ways[i], &steps, &at_once);
    if (same)
        printf("%llu steps, %llu calls at once\n", (unsigned long long)steps, (unsigned long long)at_once);
    mpg_trace_close(t[0]);
    mpg_trace_close(t[1]);
    return same;
}

int main(int argc, char **argv)
{
    bool same = argc > 1;
    for (int i = 1; same && i < argc; i++)
        same = check_trace(argv[i]);
    return same ? 0 : 1;
}
