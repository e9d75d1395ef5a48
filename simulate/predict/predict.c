/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a trace: what its calls take at least and which intervals are alike, then the
 * replicas. */
#include "simulate/predict/predict.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/passes/replicas.h"

enum { VALUES_A_SLOT = 4 };

struct predicting {
    struct mpg_trace *trace;
    const struct mpg_predict_options *options;
    const struct mpg_perturbation *p;
    struct mpg_target target;
    struct mpg_clock_map *clocks;
    struct mpg_floors *floors;
    struct mpg_likes *likes; /* NULL: no noise is taken out */
    struct mpg_result *result;
    struct mpg_passed passed;
    struct mpg_graph_options graph; /* which asks for candidates, where there are any */
};

static int take_first(void *context, const struct mpg_step *s, uint32_t slots,
                      struct mpg_error *err)
{
    struct predicting *x = context;
    (void)slots;
    if (x->likes && mpg_likes_add(x->likes, s, err) < 0)
        return -1;
    return mpg_floors_add(x->floors, s, false, err);
}

static int find_floors(struct predicting *x, struct mpg_error *err)
{
    const struct mpg_floor_options none = {0};
    const struct mpg_course course = {x->trace, x->clocks, &x->graph, "finding floors"};
    const struct mpg_taker taker = {.take = take_first, .context = x};
    if (!(x->floors = mpg_floors_new(x->trace, &none, err)) ||
        (mpg_perturbation_noise_alike(x->p) && !(x->likes = mpg_likes_new(x->p, err))))
        return -1;
    if (x->likes)
        mpg_likes_prefer_cpu(x->likes);
    const int status = mpg_pass(&course, &taker, 1, 1, &x->passed, err);
    x->result->counts = x->passed.counts;
    if (status < 0 || (x->likes && mpg_likes_finish(x->likes, err) < 0))
        return -1;
    if (x->likes)
        x->result->cpu = mpg_likes_cpu(x->likes);
    return mpg_floors_finish(x->floors, err);
}

/* Whether calls may complete something else. */
static int choose_choice(struct predicting *x, struct mpg_error *err)
{
    if (x->options->deterministic)
        return 0;
    int status = mpg_pass_choices(x->trace, x->clocks, &x->graph, x->options->horizon, &x->passed, err);
    x->result->counts = x->passed.counts;
    x->result->chose = x->graph.choose;
    return status;
}

static void *begin_times(void *context, uint32_t first, uint32_t n, const bool *keeps,
                         const struct mpg_watch *watch, struct mpg_error *err)
{
    const struct predicting *x = context;
    struct mpg_times_options options = x->options->times;
    options.eager_limit_bytes = x->graph.eager_limit_bytes;
    struct mpg_times *times = mpg_times_new(x->result->ranks, n, first, &x->target, &options,
                                            x->floors, x->likes, err);
    if (!times || !x->graph.choose || mpg_times_use_choice(times, keeps, watch, err) == 0)
        return times;
    mpg_times_free(times);
    return NULL;
}

static int take_times(void *times, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return mpg_times_step(times, s, slots, err);
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
}

static uint32_t lanes_a_pass(const struct predicting *x)
{
    double slots = (double)x->passed.slots + x->result->ranks + 1;
    double values = VALUES_A_SLOT * slots + (double)MPG_ACCOUNT_TERMS * x->result->ranks;
    values += x->passed.expanded + mpg_expansion_values(x->passed.expanded);
    double lane_bytes = values * sizeof(double);
    lane_bytes += x->graph.choose ? slots * (double)mpg_choosing_view_bytes() : 0;
    return mpg_replicas_a_pass(lane_bytes);
}

static int run_all(struct predicting *x, struct mpg_error *err)
{
    const struct mpg_predict_options *o = x->options;
    struct mpg_mode mode = {.context = x,
                            .begin = begin_times,
                            .take = take_times,
                            .value = value_of,
                            .broken = broken_of,
                            .check = check_times,
                            .end = end_times,
                            .free = free_times};
    struct mpg_replicas replicas = {.course = {x->trace, x->clocks, &x->graph, "predicting"},
                                    .mode = &mode,
                                    .modes = 1,
                                    .threads = o->threads,
                                    .passed = &x->passed};
    int status = 0;
    for (uint32_t done = 0, n; done < o->replicas && status == 0; done += n) {
        uint32_t most = lanes_a_pass(x);
        n = o->replicas - done < most ? o->replicas - done : most;
        replicas.watch = done == 0 ? o->watch : NULL;
        status = mpg_replicas_evaluate(&replicas, o->first_replica + done, n, err);
        x->result->counts = x->passed.counts;
    }
    x->result->redone += mode.redone;
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

int mpg_predict(struct mpg_trace *trace, const struct mpg_perturbation *p,
                const struct mpg_predict_options *options, struct mpg_result *result,
                struct mpg_error *err)
{
    struct predicting x = {
        .trace = trace, .options = options, .p = p, .graph = options->graph, .result = result};
    int status = -1;
    if (mpg_result_init(result, mpg_trace_ranks(trace), options->replicas, options->first_replica,
                        err) < 0)
        return -1;
    result->predicted = true;
    result->source_eager_limit_bytes = options->graph.source_eager_limit_bytes;
    if (mpg_target_init(&x.target, p, options->places, err) < 0 ||
        !(x.clocks = mpg_clock_map_from_trace(trace, err)) || find_floors(&x, err) < 0 ||
        choose_choice(&x, err) < 0 || run_all(&x, err) < 0)
        goto out;
    result->clocks = mpg_clock_map_source(x.clocks);
    status = mpg_result_finish(result, err);
out:
    mpg_floors_free(x.floors);
    mpg_likes_free(x.likes);
    mpg_clock_map_free(x.clocks);
    mpg_target_clear(&x.target);
    if (status < 0)
        mpg_result_clear(result);
    return status;
}
