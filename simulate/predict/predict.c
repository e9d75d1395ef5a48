/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a trace: what its calls take at least and which intervals are alike, then the
 * replicas. */
#include "simulate/predict/predict.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/engine/pass.h"

/* Of one pass: lanes, and the bytes that their values may take where many messages are in flight.
 * One lane is always evaluated. */
enum { LANES_A_PASS = 1024, VALUES_A_PASS_BYTES = 256 << 20, VALUES_A_SLOT = 4 };

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

static int pass(struct predicting *x, const char *label, mpg_take *take, void *context,
                struct mpg_error *err)
{
    int status = mpg_pass(x->trace, x->clocks, &x->graph, label, take, context,
                          &x->passed, err);
    x->result->counts = x->passed.counts;
    return status;
}

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
    if (!(x->floors = mpg_floors_new(x->trace, &none, err)) ||
        (mpg_perturbation_noise_alike(x->p) && !(x->likes = mpg_likes_new(x->p, err))))
        return -1;
    if (x->likes)
        mpg_likes_prefer_cpu(x->likes);
    if (pass(x, "finding floors", take_first, x, err) < 0 ||
        (x->likes && mpg_likes_finish(x->likes, err) < 0))
        return -1;
    if (x->likes)
        x->result->cpu = mpg_likes_cpu(x->likes);
    return mpg_floors_finish(x->floors, err);
}

/* A pass of lanes, and who watches the first of them. */
struct timing {
    struct mpg_times *times;
    const struct mpg_watch *watch; /* or NULL */
};

static int take_times(void *context, const struct mpg_step *s, uint32_t slots,
                      struct mpg_error *err)
{
    const struct timing *x = context;
    if (mpg_times_step(x->times, s, slots, err) < 0)
        return -1;
    return x->watch ? x->watch->take(x->watch->watcher, s, mpg_times_value(x->times, s->stream)[0], err)
                    : 0;
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

/* Evaluates N replicas from FIRST on; KEEPS: those that keep the traced order, or NULL; WATCH, or NULL,
 * sees the first. The caller frees what it gets; NULL with ERR. */
static struct mpg_times *evaluate(struct predicting *x, uint32_t first, uint32_t n, const bool *keeps,
                                  const struct mpg_watch *watch, struct mpg_error *err)
{
    struct mpg_times_options options = x->options->times;
    options.eager_limit_bytes = x->graph.eager_limit_bytes;
    struct mpg_times *times = mpg_times_new(x->result->ranks, n, first, &x->target, &options,
                                            x->floors, x->likes, err);
    if (!times)
        return NULL;
    struct timing timing = {.times = times, .watch = watch};
    if ((!x->graph.choose || mpg_times_use_choice(times, keeps, watch, err) == 0) &&
        pass(x, "predicting", take_times, &timing, err) == 0 &&
        (!x->graph.choose || mpg_choosing_said(mpg_times_choice(times), err) == 0))
        return times;
    mpg_times_free(times);
    return NULL;
}

/* The same, with lanes in which a message would leave before its cause done again in the traced
 * order. */
static struct mpg_times *evaluate_all(struct predicting *x, uint32_t first, uint32_t n,
                                      const struct mpg_watch *watch, struct mpg_error *err)
{
    struct mpg_times *times = evaluate(x, first, n, NULL, watch, err), *again = NULL;
    const struct mpg_choosing *choice = times && x->graph.choose ? mpg_times_choice(times) : NULL;
    const uint32_t redone = choice ? mpg_choosing_broken(choice) : 0;
    if (redone == 0)
        return times;
    x->result->redone += redone;
    watch = mpg_choosing_broken_lanes(choice)[0] ? watch : NULL; /* else it was seen as it is */
    if (!watch || watch->restart(watch->watcher, err) == 0)
        again = evaluate(x, first, n, mpg_choosing_broken_lanes(choice), watch, err);
    mpg_times_free(times);
    return again;
}

/* Runs replicas BEGIN .. BEGIN + N - 1 of the result's. */
static int run_lanes(struct predicting *x, uint32_t begin, uint32_t n, struct mpg_error *err)
{
    struct mpg_result *r = x->result;
    const struct mpg_watch *watch = begin == 0 ? x->options->watch : NULL;
    struct mpg_times *times = evaluate_all(x, r->first_replica + begin, n, watch, err);
    if (!times)
        return -1;
    if (x->graph.choose)
        mpg_choices_add(&r->choices, mpg_choosing_counts(mpg_times_choice(times)));
    for (int32_t i = 0; i < r->ranks; i++) {
        const double *run_ns = mpg_times_run(times, i);
        r->recorded_ns[i] = mpg_times_traced(times, i);
        r->traced_ns[i] = (double)r->recorded_ns[i];
        for (uint32_t w = 0; w < n; w++)
            r->delay_ns[(size_t)i * r->replicas + begin + w] = run_ns[w] - r->traced_ns[i];
        mpg_run_account_add(&r->run_account[i], mpg_times_account(times, i), 1.0 / r->replicas);
    }
    mpg_times_free(times);
    return 0;
}

/* Results do not depend on how many lanes a pass has, its memory does. */
static uint32_t lanes_a_pass(const struct predicting *x)
{
    double slots = (double)x->passed.slots + x->result->ranks + 1;
    double values = VALUES_A_SLOT * slots;
    values += x->passed.expanded + mpg_expansion_values(x->passed.expanded);
    double lane_bytes = values * sizeof(double);
    lane_bytes += x->graph.choose ? slots * (double)mpg_choosing_view_bytes() : 0;
    double most = VALUES_A_PASS_BYTES / lane_bytes;
    return most < 1 ? 1 : most < LANES_A_PASS ? (uint32_t)most : LANES_A_PASS;
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
        choose_choice(&x, err) < 0)
        goto out;
    for (uint32_t done = 0, n; done < options->replicas; done += n) {
        uint32_t most = lanes_a_pass(&x);
        n = options->replicas - done < most ? options->replicas - done : most;
        if (run_lanes(&x, done, n, err) < 0)
            goto out;
    }
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
