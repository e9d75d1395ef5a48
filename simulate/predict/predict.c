/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a trace: what its calls take at least and which intervals are alike, then the
 * replicas. */
#include "simulate/predict/predict.h"

#include <stdlib.h>
#include <string.h>

#include "graph/work/supposed.h"
#include "simulate/algorithms/expand.h"
#include "simulate/engine/first.h"
#include "simulate/passes/runs.h"
#include "simulate/where/trail.h"

enum { VALUES_A_SLOT = 4 };

/* A scenario. What others of its kin found, too, is the first one's. */
struct predicting {
    struct mpg_trace *trace;
    const struct mpg_prediction *prediction;
    const struct mpg_predict_options *options;
    const struct mpg_perturbation *p;
    struct mpg_target target;
    const struct mpg_clock_map *clocks;
    struct mpg_floors *floors;
    struct mpg_classes *classes; /* NULL: no noise is taken out */
    bool owns_floors, alike, passed_first;
    struct mpg_result *result;
    struct mpg_passed passed;
    struct mpg_graph_options graph;  /* which asks for candidates, where there are any */
    struct mpg_graph_options traced; /* the same before it asked */
    const struct mpg_run *run;
    uint32_t *passes;
    bool is_done;
};

static struct mpg_course course_of(const struct predicting *x, const char *label)
{
    return (struct mpg_course){.trace = x->trace, .clocks = x->clocks, .graph = &x->graph, .label = label,
                               .passes = x->passes, .kept = x->options->kept, .slots = x->passed.slots};
}

static bool same_course(const struct predicting *a, const struct predicting *b)
{
    const struct mpg_course x = course_of(a, NULL), y = course_of(b, NULL);
    return mpg_course_same(&x, &y);
}

/* --- the first pass --- */

static int take_first(void *context, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct predicting *x = context;
    for (size_t i = 0; x->classes && i < steps->n; i++)
        if (mpg_classes_add(x->classes, &steps->step[i], err) < 0)
            return -1;
    return mpg_floors_add(x->floors, steps, false, err);
}

/* The first before X, in ALL, that finds the same; X itself: none does. */
static struct predicting *find_like(struct predicting *all, struct predicting *x)
{
    struct predicting *like = all;
    while (like < x && !(like->prediction->kin == x->prediction->kin && like->alike == x->alike &&
                         same_course(like, x)))
        like++;
    return like;
}

static int begin_floors(struct predicting *x, struct mpg_error *err)
{
    const struct mpg_floor_options none = {0};
    x->owns_floors = true;
    if (!(x->floors = mpg_floors_new(x->trace, &none, err)) ||
        (x->alike && !(x->classes = mpg_classes_new(x->p, err))))
        return -1;
    if (x->classes)
        mpg_classes_prefer_cpu(x->classes);
    return 0;
}

static int finish_floors(struct predicting *x, struct mpg_error *err)
{
    if (x->classes && mpg_classes_finish(x->classes, err) < 0)
        return -1;
    if (x->classes)
        x->result->cpu = mpg_classes_cpu(x->classes);
    return mpg_floors_finish(x->floors, err);
}

static void tell(struct predicting *x, const struct mpg_passed *passed)
{
    x->passed_first = true;
    x->passed = *passed;
    x->result->counts = passed->counts;
}

/* Whether what X is to find is known from an earlier run: then it has it. */
static int know_floors(struct predicting *x, struct mpg_error *err)
{
    const struct mpg_course course = course_of(x, NULL);
    struct mpg_passed passed;
    if (!mpg_first_known(&course, false, x->floors, x->classes, &passed))
        return 0;
    tell(x, &passed);
    return finish_floors(x, err);
}

/* Those of N predictions from X on that have its course and floors of their own: one pass for all. TAKERS
 * has room for all. */
static int pass_floors(struct predicting *x, size_t n, struct mpg_taker *takers, struct mpg_error *err)
{
    const struct mpg_course course = course_of(x, "finding floors");
    struct mpg_passed passed = {.slots = 0};
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i].owns_floors && !x[i].passed_first && same_course(x, &x[i]))
            takers[k++] = (struct mpg_taker){
                .take = take_first, .context = &x[i], .wants = x[i].classes ? MPG_STEPS_ALL : MPG_STEPS_LEAVES};
    int status = mpg_pass(&course, takers, k, x->options->threads, &passed, err);
    for (size_t i = 0; i < k; i++) {
        struct predicting *other = takers[i].context;
        tell(other, &passed);
        if (status == 0)
            mpg_first_keep(&course, false, other->floors, other->classes, &passed);
        if (status == 0)
            status = finish_floors(other, err);
    }
    return status;
}

static void take_floors(struct predicting *x, const struct predicting *like)
{
    x->floors = like->floors;
    x->classes = like->classes;
    x->passed = like->passed;
    x->result->counts = like->passed.counts;
    x->result->cpu = like->result->cpu;
}

static int find_floors(struct predicting *all, size_t n, struct mpg_error *err)
{
    struct mpg_taker *takers = calloc(n, sizeof *takers);
    int status = takers ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        all[i].alike = mpg_perturbation_noise_alike(all[i].p);
        if (find_like(all, &all[i]) == &all[i])
            status = begin_floors(&all[i], err);
        if (status == 0 && all[i].owns_floors)
            status = know_floors(&all[i], err);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        if (all[i].owns_floors && !all[i].passed_first)
            status = pass_floors(&all[i], n - i, takers, err);
    for (size_t i = 0; i < n && status == 0; i++)
        if (!all[i].owns_floors)
            take_floors(&all[i], find_like(all, &all[i]));
    free(takers);
    return status;
}

/* --- choices --- */

/* The first before X, in ALL, that asked the same; X itself: none did. */
static const struct predicting *find_chooser(const struct predicting *all, const struct predicting *x)
{
    const struct predicting *like = all;
    for (; like < x; like++) {
        struct mpg_course a = course_of(like, NULL), b = course_of(x, NULL);
        a.graph = &like->traced;
        b.graph = &x->traced;
        if (!like->options->deterministic && mpg_course_same(&a, &b) &&
            like->options->horizon == x->options->horizon)
            break;
    }
    return like;
}

/* Hypotheses of X hold from here on: those of SOME. What passes before found is of the traced run. */
static void suppose(struct predicting *x, uint64_t some)
{
    x->graph.suppose = some;
    x->graph.supposed = some ? x->options->graph.supposed : NULL;
}

/* Those that change what calls may complete. */
static uint64_t of_messages(const struct predicting *x)
{
    const struct mpg_graph_options *o = &x->options->graph;
    return o->supposed ? mpg_supposed_of_messages(o->supposed, o->suppose) : 0;
}

/* Whether calls may complete something else. */
static int choose_choice(const struct predicting *all, struct predicting *x, struct mpg_error *err)
{
    suppose(x, of_messages(x));
    x->traced = x->graph;
    if (x->options->deterministic)
        return 0;
    const struct predicting *like = find_chooser(all, x);
    struct mpg_course course = course_of(x, "finding choices");
    int status = 0;
    course.kept = x->graph.suppose ? NULL : course.kept;
    if (like != x) {
        x->graph = like->graph;
        x->passed = like->passed;
    } else
        status = mpg_pass_choices(&course, &x->graph, x->options->horizon, &x->passed, err);
    x->result->counts = x->passed.counts;
    x->result->chose = x->graph.choose;
    return status;
}

/* --- replicas --- */

static void *begin_times(void *context, uint32_t first, uint32_t n, const bool *keeps,
                         const struct mpg_watch *watch, struct mpg_error *err)
{
    const struct predicting *x = context;
    struct mpg_times_options options = x->options->times;
    options.eager_limit_bytes = x->graph.eager_limit_bytes;
    struct mpg_times *times = mpg_times_new(x->result->ranks, n, first, &x->target, &options,
                                            x->floors, x->classes, err);
    const struct mpg_where_wanted *where = &x->options->where;
    if (times && x->options->path && mpg_times_use_path(times, x->options->path, err) < 0) {
        mpg_times_free(times);
        return NULL;
    }
    if (!times || ((!where->places || mpg_times_use_tally(times, where->pairs, err) == 0) &&
                   (!where->places || mpg_times_use_trail(times, err) == 0) &&
                   (!x->graph.choose || mpg_times_use_choice(times, keeps, watch, err) == 0)))
        return times;
    mpg_times_free(times);
    return NULL;
}

static int take_times(void *times, const struct mpg_steps *steps, struct mpg_error *err)
{
    int (*step)(struct mpg_times *, const struct mpg_step *, uint32_t, struct mpg_error *) =
        mpg_times_tallied(times) ? mpg_times_step_tallied
        : mpg_times_path(times)  ? mpg_times_step_recorded
                                 : mpg_times_step;
    for (size_t i = 0; i < steps->n; i++)
        if (step(times, &steps->step[i], steps->slots, err) < 0)
            return -1;
    return mpg_times_has_trail(times) ? mpg_times_cut_trail(times, steps, err) : 0;
}

static const double *value_of(const void *times, uint32_t stream)
{
    return mpg_times_value(times, stream);
}

static const bool *broken_of(const void *times)
{
    const struct mpg_choosing *choice = mpg_times_choice(times);
    return choice ? mpg_choosing_broken_lanes(choice) : NULL;
}

static int check_times(const void *times, struct mpg_error *err)
{
    const struct mpg_choosing *choice = mpg_times_choice(times);
    if (mpg_times_has_trail(times) && mpg_times_finish_trail(times, err) < 0)
        return -1;
    return choice ? mpg_choosing_said(choice, err) : 0;
}

static void free_times(void *times)
{
    mpg_times_free(times);
}

static void end_times(void *context, const void *times, uint32_t first, uint32_t n)
{
    const struct predicting *x = context;
    struct mpg_result *r = x->result;
    const uint32_t begin = first - r->first_replica;
    if (x->graph.choose)
        mpg_choices_add(&r->choices, mpg_choosing_counts(mpg_times_choice(times)));
    for (int32_t i = 0; i < r->ranks; i++) {
        const double *run_ns = mpg_times_run(times, i);
        r->recorded_ns[i] = mpg_times_traced(times, i);
        r->traced_ns[i] = (double)r->recorded_ns[i];
        for (uint32_t w = 0; w < n; w++)
            r->delay_ns[(size_t)i * r->replicas + begin + w] = run_ns[w] - r->traced_ns[i];
        mpg_result_add(r, i, begin, n, mpg_times_account(times, i));
    }
    if (mpg_times_path(times))
        mpg_times_end_path(times);
    if (!r->where)
        return;
    mpg_where_take(r->where, mpg_times_tallied(times), begin);
}

static double lane_bytes_of(const void *context)
{
    const struct predicting *x = context;
    double slots = (double)x->passed.slots + x->result->ranks + 1;
    double values = VALUES_A_SLOT * slots + (double)MPG_ACCOUNT_TERMS * x->result->ranks;
    const bool has_trail = x->result->where;
    values += (x->passed.expanded + mpg_expansion_values(x->passed.expanded)) * (has_trail ? 1 + MPG_CAME_TERMS : 1);
    double lane_bytes = values * sizeof(double);
    if (x->result->where)
        lane_bytes += mpg_tally_lane_bytes(x->result->ranks, mpg_trace_site_count(x->trace), MPG_WHERE_TERMS,
                                           x->options->where.pairs);
    if (has_trail)
        lane_bytes += mpg_trail_lane_bytes(x->passed.slots);
    return lane_bytes + (x->graph.choose ? slots * (double)mpg_choosing_view_bytes() : 0);
}

static void fill_passing(const void *context, struct mpg_passed *passed)
{
    *passed = ((const struct predicting *)context)->passed;
}

static void take_passed(void *context, const struct mpg_passed *passed)
{
    struct predicting *x = context;
    x->passed = *passed;
    x->result->counts = passed->counts;
}

static int start(void *context, struct mpg_error *err)
{
    return mpg_result_reserve(((struct predicting *)context)->result, err);
}

static int finish(void *context, struct mpg_error *err)
{
    struct predicting *x = context;
    x->result->redone = x->run->mode.redone;
    x->result->clocks = mpg_clock_map_source(x->clocks);
    if (mpg_result_gather(x->result, x->options->replicas, x->options->processes, err) < 0)
        return -1;
    if (!mpg_processes_first(x->options->processes)) {
        mpg_result_clear(x->result);
        x->is_done = true;
        return 0;
    }
    if (mpg_result_finish(x->result, err) < 0)
        return -1;
    x->is_done = true;
    return x->prediction->done ? x->prediction->done(x->prediction->context, err) : 0;
}

static int run_all(struct predicting *all, size_t n, struct mpg_share share, struct mpg_error *err)
{
    const struct mpg_predict_options *o = all->options;
    struct mpg_run *run = calloc(n, sizeof *run);
    if (!run)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n; i++) {
        all[i].run = &run[i];
        run[i] = (struct mpg_run){.course = course_of(&all[i], "predicting"),
                                  .mode = {.context = &all[i],
                                           .begin = begin_times,
                                           .take = take_times,
                                           .value = value_of,
                                           .broken = broken_of,
                                           .check = check_times,
                                           .end = end_times,
                                           .free = free_times},
                                  .lane_bytes = lane_bytes_of,
                                  .told = true,
                                  .start = start,
                                  .finish = finish,
                                  .passing = fill_passing,
                                  .passed = take_passed};
    }
    int status = mpg_runs_evaluate(run, n, o->first_replica + share.begin, share.n, o->threads,
                                   share.begin == 0 ? o->watch : NULL, err);
    for (size_t i = 0; i < n && status < 0; i++)
        if (!all[i].is_done)
            mpg_result_clear(all[i].result);
    free(run);
    return status;
}

/* Whether any rank's intervals have CPU times. */
static bool has_cpu_times(const struct mpg_trace *trace)
{
    for (int32_t r = 0; r < mpg_trace_ranks(trace); r++) {
        const char *values = mpg_trace_find_fact(trace, r, "values");
        if (values && strstr(values, "cpu_ns"))
            return true;
    }
    return false;
}

void mpg_predict_prepare(struct mpg_perturbation *p, const struct mpg_trace *trace)
{
    p->same_noise = p->same_noise && !has_cpu_times(trace);
}

static int begin(struct predicting *x, struct mpg_trace *trace, const struct mpg_clock_map *clocks,
                 const struct mpg_prediction *prediction, struct mpg_share share, uint32_t *passes,
                 struct mpg_error *err)
{
    const struct mpg_predict_options *o = prediction->options;
    *x = (struct predicting){.trace = trace,
                             .prediction = prediction,
                             .options = o,
                             .p = prediction->p,
                             .clocks = clocks,
                             .graph = o->graph,
                             .result = prediction->result,
                             .passes = passes};
    suppose(x, 0);
    mpg_result_init(x->result, mpg_trace_ranks(trace), share.n, o->first_replica + share.begin);
    x->result->predicted = true;
    x->graph.regions = x->graph.regions || o->where.places;
    x->graph.tells_unused = o->where.places;
    if (o->where.places && !(x->result->where = mpg_where_new(share.n, err)))
        return -1;
    x->result->source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    return mpg_target_init(&x->target, x->p, o->places, err);
}

static void end(struct predicting *x)
{
    if (x->owns_floors) {
        mpg_floors_free(x->floors);
        mpg_classes_free(x->classes);
    }
    mpg_target_clear(&x->target);
}

int mpg_predict(struct mpg_trace *trace, const struct mpg_prediction *prediction, size_t n, uint32_t *passes,
                struct mpg_error *err)
{
    const struct mpg_share share =
        mpg_share_own(prediction->options->replicas, prediction->options->processes);
    if (share.n == 0)
        return mpg_results_await(n, prediction->options->processes, err);
    struct predicting *all = calloc(n, sizeof *all);
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(trace, err);
    int status = !clocks ? -1 : all ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++)
        if ((status = begin(&all[i], trace, clocks, &prediction[i], share, passes, err)) < 0 && prediction[i].name)
            mpg_error_prefix(err, "%s", prediction[i].name);
    if (status == 0)
        status = find_floors(all, n, err);
    for (size_t i = 0; i < n && status == 0; i++)
        if ((status = choose_choice(all, &all[i], err)) == 0)
            suppose(&all[i], all[i].options->graph.suppose);
    if (status == 0)
        status = run_all(all, n, share, err);
    for (size_t i = 0; i < n && all; i++) {
        if (status < 0 && !all[i].is_done && all[i].result)
            mpg_result_clear(all[i].result);
        end(&all[i]);
    }
    free(all);
    mpg_clock_map_free(clocks);
    return status;
}
