/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a graph, and asking for its steps. */
#include "simulate/passes/pass.h"

#include "common/progress.h"

/* Who takes the steps: takers one after the other, or a crew of them. */
struct takers {
    const struct mpg_taker *taker;
    size_t n;
    struct mpg_crew *crew; /* or NULL */
};

static int take(const struct takers *t, const struct mpg_steps *steps, struct mpg_error *err)
{
    if (t->crew)
        return mpg_crew_take(t->crew, steps, err);
    for (size_t i = 0; i < t->n; i++)
        if (t->taker[i].take(t->taker[i].context, steps, err) < 0)
            return -1;
    return 0;
}

/* All of G's steps; -1 with ERR. */
static int take_all(struct mpg_graph *g, const struct takers *t, struct mpg_progress *progress,
                    struct mpg_error *err)
{
    enum { STEPS_A_LOOK = 4096 };
    struct mpg_steps steps;
    int more;
    size_t n = 0;
    while ((more = mpg_graph_next(g, &steps, err)) > 0) {
        if (take(t, &steps, err) < 0)
            return -1;
        n += steps.n;
        if (n < STEPS_A_LOOK)
            continue;
        n = 0;
        mpg_progress_update(progress, (double)mpg_graph_counts(g).calls);
    }
    return more < 0 || !t->crew ? more : mpg_crew_finish(t->crew, err);
}

/* Steps have their own only where there are regions. */
static bool same_ratios(const struct mpg_region_ratios *a, const struct mpg_region_ratios *b)
{
    return a == b || ((!a || a->n == 0) && (!b || b->n == 0));
}

/* What says how to choose says nothing where nothing is chosen. */
static bool same_choice(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return a->choose == b->choose &&
           (!a->choose || (a->by_completion == b->by_completion &&
                           a->choose_sources == b->choose_sources && a->horizon == b->horizon));
}

static bool same_carried(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return a->carries == b->carries && a->moves_by == b->moves_by &&
           (!a->carries || mpg_carries_same(&a->carried, &b->carried));
}

static bool same_options(const struct mpg_graph_options *a, const struct mpg_graph_options *b)
{
    return same_ratios(a->ratios, b->ratios) && a->supposed == b->supposed && a->suppose == b->suppose &&
           a->keeps_protocol == b->keeps_protocol && a->of_target == b->of_target &&
           a->eager_limit_bytes == b->eager_limit_bytes &&
           a->source_eager_limit_bytes == b->source_eager_limit_bytes &&
           a->sync_reduce == b->sync_reduce && a->progresses_in_calls == b->progresses_in_calls && a->lenient == b->lenient &&
           a->expand == b->expand && a->expand_some == b->expand_some &&
           mpg_wholes_same(a->wholes, b->wholes) && same_carried(a, b) && a->regions == b->regions &&
           a->tells_unused == b->tells_unused && same_choice(a, b);
}

bool mpg_course_same(const struct mpg_course *a, const struct mpg_course *b)
{
    return a->trace == b->trace && a->clocks == b->clocks && same_options(a->graph, b->graph);
}

int mpg_pass(const struct mpg_course *course, const struct mpg_taker *takers, size_t n,
             unsigned threads, struct mpg_passed *passed, struct mpg_error *err)
{
    struct takers t = {.taker = takers, .n = n};
    struct mpg_graph_options options = *course->graph;
    options.wanted = MPG_STEPS_LEAVES;
    for (size_t i = 0; i < n; i++)
        options.wanted = takers[i].wants < options.wanted ? takers[i].wants : options.wanted;
    struct mpg_graph *g = mpg_graph_open(course->trace, course->clocks, &options, err);
    if (!g)
        return -1;
    threads = threads < n ? threads : (unsigned)n;
    if (threads > 1 && !(t.crew = mpg_crew_new(takers, n, threads, err))) {
        mpg_graph_close(g);
        return -1;
    }
    struct mpg_progress progress = {0};
    if (course->passes)
        ++*course->passes;
    if (!course->is_silent)
        mpg_progress_start(&progress, course->label, (double)mpg_trace_events(course->trace, -1));
    int status = take_all(g, &t, &progress, err);
    mpg_progress_end(&progress);
    mpg_crew_free(t.crew);
    passed->counts = mpg_graph_counts(g);
    passed->expanded = mpg_graph_expanded_members(g);
    passed->slots = mpg_graph_slots(g);
    if (status == 0)
        passed->evident_limit = mpg_graph_source_eager_limit(g, course->graph->eager_limit_bytes);
    mpg_graph_close(g);
    return status;
}

/* The pass, unless it is known what it finds. */
static int find_choices(const struct mpg_course *course, struct mpg_passed *passed,
                        struct mpg_error *err)
{
    struct mpg_bytes key = {0}, found = {0};
    struct mpg_bytes_left left;
    mpg_kept_key(&key, "choices", course->graph, mpg_clock_map_source(course->clocks));
    const bool is_known =
        mpg_kept_find(course->kept, &key, &left) && mpg_passed_get(&left, passed) == 0;
    const int status = is_known ? 0 : mpg_pass(course, NULL, 0, 1, passed, err);
    if (!is_known && status == 0) {
        mpg_passed_put(&found, passed);
        mpg_kept_add(course->kept, &key, &found);
    }
    mpg_bytes_clear(&key);
    mpg_bytes_clear(&found);
    return status;
}

int mpg_pass_choices(const struct mpg_course *course, struct mpg_graph_options *options, uint64_t horizon,
                     struct mpg_passed *passed, struct mpg_error *err)
{
    const struct mpg_graph_counts *c = &passed->counts;
    if (c->choices + c->open_receives == 0)
        return 0;
    options->horizon = horizon;
    options->choose = true;
    options->choose_sources = c->open_receives > 0 && !options->by_completion;
    if (find_choices(course, passed, err) < 0)
        return -1;
    options->choose = c->followed + c->followed_receives + c->beyond_horizon > 0;
    return 0;
}
