/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one scenario for each distinct set of hypotheses. */
#include "simulate/scenarios/hypothesis_runs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "graph/work/bound_hypotheses.h"

struct variant {
    uint64_t some; /* bit mask of the applied hypotheses */
    struct mpg_perturbation p;
    struct mpg_simulation_options options;
    struct mpg_result result;
    double *run_ns; /* by replica: run time, ns; NULL: not simulated */
};

/* All variants. The first applies all hypotheses. */
struct variants {
    struct variant *variant;
    size_t n;
};

static int done(void *context, struct mpg_error *err)
{
    struct variant *v = context;
    const size_t bytes = v->result.replicas * sizeof *v->run_ns;
    v->run_ns = malloc(bytes);
    if (v->run_ns)
        memcpy(v->run_ns, v->result.run_ns, bytes);
    mpg_result_clear(&v->result);
    return v->run_ns ? 0 : mpg_error_set(err, "out of memory");
}

/* Returns the index of the variant with the hypotheses SOME, adding a missing variant. */
static size_t place_of(struct variants *x, uint64_t some)
{
    size_t i = 0;
    while (i < x->n && x->variant[i].some != some)
        i++;
    if (i == x->n)
        x->variant[x->n++].some = some;
    return i;
}

static void begin(struct variant *v, const struct mpg_setting *setting, const struct mpg_files *files,
                  const struct mpg_observer *observer)
{
    v->p = setting->p;
    v->options = setting->simulation;
    v->options.observer = observer;
    if (files->bound) {
        v->options.graph.active = v->some;
        v->options.graph.bound = v->some ? files->bound : NULL;
        v->p.changes_work = mpg_bound_of_work(files->bound, v->some) != 0;
    }
}

static int predict_each(struct variants *x, const struct mpg_hypothesis_engine *engine, struct mpg_result *result,
                        struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; i < x->n && status == 0; i++) {
        struct variant *v = &x->variant[i];
        struct mpg_result *to = i == 0 ? result : &v->result;
        status = engine->predict(engine->context, &v->p, &v->options, i == 0, to, err);
        if (i == 0)
            continue;
        if (status == 0 && mpg_processes_first(v->options.processes))
            status = done(v, err);
        mpg_result_clear(to);
    }
    return status;
}

static int evaluate(struct variants *x, const struct mpg_setting *setting, const struct mpg_files *files,
                    const struct mpg_hypothesis_engine *engine, const struct mpg_observer *observer, struct mpg_result *result,
                    struct mpg_error *err)
{
    struct mpg_scenario *scenario = calloc(x->n, sizeof *scenario);
    if (!scenario)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < x->n; i++) {
        struct variant *v = &x->variant[i];
        begin(v, setting, files, i == 0 ? observer : NULL);
        if (i > 0) /* attributions are needed only for the answer, which is the first variant */
            v->options.where = (struct mpg_attribution_wanted){.places = false};
        scenario[i] = (struct mpg_scenario){.p = &v->p, .options = &v->options, .result = i == 0 ? result : &v->result,
                                            .done = i == 0 ? NULL : done, .context = v};
    }
    const int status = engine ? predict_each(x, engine, result, err) : mpg_simulate(files->trace, scenario, x->n, NULL, err);
    free(scenario);
    return status;
}

/* Indices of the variants with each hypothesis alone, and with all hypotheses but this one (REST). NOWHERE: no variant, because
 * the hypotheses would drop a collective on some ranks only, or balance ranks with different scale factors. */
enum { NOWHERE = -1 };
struct places {
    size_t none;
    ptrdiff_t alone[MPG_HYPOTHESES_MAX], rest[MPG_HYPOTHESES_MAX];
};

static ptrdiff_t place_if_valid(struct variants *x, const struct mpg_bound_hypotheses *bound, uint64_t some)
{
    const bool is_invalid = mpg_bound_split_collective(bound, some) || mpg_bound_unbalanced(bound, some);
    return is_invalid ? NOWHERE : (ptrdiff_t)place_of(x, some);
}

static void list_variants(struct variants *x, const struct mpg_bound_hypotheses *bound, struct places *at)
{
    const uint64_t all = bound ? mpg_bound_all(bound) : 0;
    place_of(x, all);
    at->none = place_of(x, 0);
    for (size_t i = 0; bound && i < mpg_bound_list(bound)->n; i++) {
        at->alone[i] = place_if_valid(x, bound, UINT64_C(1) << i);
        at->rest[i] = place_if_valid(x, bound, all & ~(UINT64_C(1) << i));
    }
}

/* Returns the run times of the variant with index PLACE; NULL: no variant. */
static const double *find_run(const struct mpg_hypothesis_shares *s, ptrdiff_t place)
{
    return place == NOWHERE ? NULL : place == 0 ? s->all_ns : s->runs[place - 1];
}

/* Moves the results of X to S; pointers already set in S stay unchanged. */
static int take(struct mpg_hypothesis_shares *s, const struct variants *x, const struct places *at,
                const struct mpg_bound_hypotheses *bound, const struct mpg_result *result, struct mpg_error *err)
{
    s->list = mpg_bound_list(bound);
    s->replicas = result->replicas;
    s->first_replica = result->first_replica;
    s->all_ns = result->run_ns;
    s->runs = calloc(x->n, sizeof *s->runs);
    s->alone_ns = calloc(s->list->n, sizeof *s->alone_ns);
    s->rest_ns = calloc(s->list->n, sizeof *s->rest_ns);
    s->needed_by = calloc(s->list->n, sizeof *s->needed_by);
    if (!s->runs || !s->alone_ns || !s->rest_ns || !s->needed_by)
        return mpg_error_set(err, "out of memory");
    for (size_t i = 1; i < x->n; i++) {
        s->runs[s->run_number++] = x->variant[i].run_ns;
        x->variant[i].run_ns = NULL;
    }
    s->none_ns = s->runs[at->none - 1];
    for (size_t i = 0; i < s->list->n; i++) {
        s->alone_ns[i] = find_run(s, at->alone[i]);
        s->rest_ns[i] = find_run(s, at->rest[i]);
        s->needed_by[i] = mpg_bound_unbalanced(bound, mpg_bound_all(bound) & ~(UINT64_C(1) << i));
    }
    return 0;
}

int mpg_hypothesis_runs(const struct mpg_setting *setting, const struct mpg_files *files,
                     const struct mpg_hypothesis_engine *engine, const struct mpg_observer *observer,
                     struct mpg_result *result, struct mpg_hypothesis_shares *s, struct mpg_error *err)
{
    const size_t max = files->bound ? 2 * mpg_bound_list(files->bound)->n + 2 : 1;
    struct variants x = {.variant = calloc(max, sizeof *x.variant)};
    struct places at;
    if (!x.variant)
        return mpg_error_set(err, "out of memory");
    list_variants(&x, files->bound, &at);
    int status = evaluate(&x, setting, files, engine, observer, result, err);
    if (status == 0 && files->bound && mpg_processes_first(setting->simulation.processes))
        status = take(s, &x, &at, files->bound, result, err);
    s->resampling = mpg_perturbation_resampling(&setting->p);
    for (size_t i = 0; i < x.n; i++)
        free(x.variant[i].run_ns);
    free(x.variant);
    return status;
}

void mpg_hypothesis_shares_clear(struct mpg_hypothesis_shares *s)
{
    for (size_t i = 0; i < s->run_number; i++)
        free(s->runs[i]);
    free(s->runs);
    free(s->alone_ns);
    free(s->rest_ns);
    free(s->needed_by);
    *s = (struct mpg_hypothesis_shares){0};
}
