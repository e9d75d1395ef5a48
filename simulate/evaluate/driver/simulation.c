/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the passes over a trace: a pass that bounds the clocks, if the trace has no clock facts; the pre-pass for minimum
 * times and compute-interval classes; a pass for choices; then the passes of the replicas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/work/bound_hypotheses.h"
#include "simulate/evaluate/driver/simulation_private.h"
#include "simulate/passes/by_ranks.h"
#include "simulate/rules.h"

struct mpg_pass_config mpg_simulation_pass_config(const struct simulation *sim, const char *label)
{
    return (struct mpg_pass_config){.trace = sim->trace, .clocks = sim->clocks, .graph = &sim->graph, .label = label,
                                    .passes = sim->passes, .cache = sim->options->cache, .together = sim->together,
                                    .slots = sim->passed.slots};
}

static int pass_bounds(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_pass_config pass_config = mpg_simulation_pass_config(sim, "bounding the clocks");
    struct mpg_clock_bounds *bounds = mpg_clock_bounds_new(mpg_trace_ranks(sim->trace), err);
    if (!bounds)
        return -1;
    const struct mpg_step_consumer consumer = {.take = mpg_clock_bounds_take, .context = bounds, .wants = MPG_STEPS_LEAVES};
    int status = mpg_pass(&pass_config, &consumer, 1, 1, &sim->passed, err);
    if (status == 0)
        status = mpg_clock_map_bound(sim->clocks, bounds, err);
    mpg_clock_bounds_free(bounds);
    return status < 0 ? -1 : 0;
}

static bool are_comparable(const struct simulation *sim)
{
    return mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
}

/* Appends to FOUND the findings of the pass over clocks: whether messages bound the clocks, and the offset of each rank. */
static void put_bounds(struct mpg_bytes *found, const struct simulation *sim, double *offsets)
{
    mpg_passed_put(found, &sim->passed);
    mpg_bytes_put_u64(found, are_comparable(sim));
    mpg_clock_map_offsets(sim->clocks, offsets);
    for (int32_t r = 0; r < sim->result->ranks; r++)
        mpg_bytes_put_double(found, offsets[r]);
}

static bool get_bounds(struct simulation *sim, struct mpg_bytes_left *left, double *offsets)
{
    struct mpg_passed passed;
    bool is_good = mpg_passed_get(left, &passed) == 0;
    const bool bounded = mpg_bytes_get_below(left, 2);
    for (int32_t r = 0; is_good && r < sim->result->ranks; r++) {
        offsets[r] = mpg_bytes_get_double(left);
        is_good = isfinite(offsets[r]);
    }
    if (!is_good || left->failed || left->p != left->end)
        return false;
    sim->passed = passed;
    if (bounded)
        mpg_clock_map_take_offsets(sim->clocks, offsets);
    return true;
}

/* Bounds the clocks by the cache, or else by a pass. FOUND: the findings. */
static int find_bounds(struct simulation *sim, struct mpg_bytes *found, double *offsets, struct mpg_error *err)
{
    struct mpg_bytes key = {0};
    struct mpg_bytes_left left;
    mpg_cache_key(&key, "bounds", &sim->graph, MPG_CLOCK_NONE);
    const bool is_known = mpg_cache_find(sim->options->cache, &key, &left) && get_bounds(sim, &left, offsets);
    const int status = is_known ? 0 : pass_bounds(sim, err);
    if (status == 0)
        put_bounds(found, sim, offsets);
    if (!is_known && status == 0)
        mpg_cache_add(sim->options->cache, &key, found);
    mpg_bytes_clear(&key);
    return status;
}

static int bound_clocks(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_bytes found = {0};
    double *offsets = calloc((size_t)sim->result->ranks, sizeof *offsets);
    if (!offsets)
        return mpg_error_set(err, "out of memory");
    const bool finds = mpg_together_finds(sim->together);
    int status = finds ? find_bounds(sim, &found, offsets, err) : 0;
    status = mpg_together_tell(sim->together, status, &found, err);
    struct mpg_bytes_left left = {.p = found.data, .end = found.data + found.size};
    if (status == 0 && !finds && !get_bounds(sim, &left, offsets))
        status = mpg_error_set(err, "out of memory");
    mpg_bytes_clear(&found);
    free(offsets);
    return status;
}

static bool wants_clock(const struct simulation *sim)
{
    return !sim->options->predicts && (!sim->options->absorb_given || sim->options->absorb == MPG_ABSORB_CLOCK);
}

/* Returns true if A and B have equal steps, provided that the clocks are equal. */
static bool same_graph(const struct simulation *a, const struct simulation *b)
{
    struct mpg_pass_config x = mpg_simulation_pass_config(a, NULL), y = mpg_simulation_pass_config(b, NULL);
    x.clocks = y.clocks;
    return mpg_pass_config_same(&x, &y);
}

static bool same_pass_config(const struct simulation *a, const struct simulation *b)
{
    return a->clocks == b->clocks && same_graph(a, b);
}

/* Returns the first simulation before SIM in ALL for which LIKE is true; SIM: none. */
static struct simulation *find_like(struct simulation *all, struct simulation *sim,
                                    bool (*like)(const struct simulation *, const struct simulation *))
{
    struct simulation *x = all;
    while (x < sim && !like(x, sim))
        x++;
    return x;
}

/* --- clocks --- */

/* Returns true if A, whose clocks are known, and B have equal clocks. Clocks are bounded by messages only if a simulation
 * needs comparable clocks. */
static bool same_clocks(const struct simulation *a, const struct simulation *b)
{
    const enum mpg_clock_source source = mpg_clock_map_source(a->clocks);
    const bool is_given = source != MPG_CLOCK_NONE && source != MPG_CLOCK_BOUNDED;
    return same_graph(a, b) && (is_given || wants_clock(a) == wants_clock(b));
}

static int find_clocks(struct simulation *all, struct simulation *sim, struct mpg_error *err)
{
    struct simulation *like = find_like(all, sim, same_clocks);
    if (like != sim) {
        sim->clocks = like->clocks;
        return 0;
    }
    sim->owns_clocks = true;
    if (!(sim->clocks = mpg_clock_map_from_trace(sim->trace, err)))
        return -1;
    return wants_clock(sim) && !are_comparable(sim) ? bound_clocks(sim, err) : 0;
}

/* Returns whether hypotheses insert messages. */
static bool inserts(const struct simulation *sim)
{
    const struct mpg_graph_options *o = &sim->options->graph;
    return o->bound && mpg_bound_inserting(o->bound, o->active);
}

static int choose_absorb(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = sim->options;
    if (o->predicts) /* in predict mode times have no slack */
        return 0;
    if (o->absorb_given && o->absorb == MPG_ABSORB_CLOCK && !are_comparable(sim))
        return mpg_error_set(err,
                             "--absorb=clock: offsets between the ranks' clocks are unknown, and the messages do "
                             "not bound them (--absorb=wait needs no clocks)");
    sim->absorb = o->absorb_given        ? o->absorb
                  : are_comparable(sim) ? MPG_ABSORB_CLOCK
                                        : MPG_ABSORB_WAIT;
    if (inserts(sim) && sim->absorb != MPG_ABSORB_CLOCK)
        return mpg_error_set(err, "an inserted message needs %s (--predict does not)",
                             are_comparable(sim) ? "--absorb=clock, as its arrival depends on the ranks' clocks"
                                                 : "comparable clocks, which this trace lacks");
    return 0;
}

/* --- the first pass --- */

/* Returns whether the pre-pass finds minimum message times, which needs comparable clocks. Unless slack is measured by clocks,
 * the message times only limit negative perturbations, and serve as traced times of messages in expanded collectives. */
static bool has_message_minima(const struct simulation *sim)
{
    return sim->message_minima && are_comparable(sim);
}

static bool can_speed_messages(const struct simulation *sim)
{
    return mpg_perturbation_can_speed_messages(sim->p) || (sim->paths && sim->paths->speeds);
}

static bool may_choose(const struct simulation *sim)
{
    return !sim->options->deterministic && (sim->options->predicts || sim->absorb != MPG_ABSORB_NONE);
}

static void set_wants(struct simulation *sim)
{
    sim->uses_classes = mpg_perturbation_noise_by_class(sim->p);
    sim->call_minima = true; /* minimum times of calls */
    if (sim->options->predicts)
        return;
    sim->reports_message_minima = sim->absorb == MPG_ABSORB_CLOCK || can_speed_messages(sim) ||
                        sim->options->graph.expand;
    sim->message_minima = sim->reports_message_minima || may_choose(sim); /* choices also need the times of answers */
    sim->call_minima = sim->absorb != MPG_ABSORB_NONE || sim->message_minima ||
                  mpg_perturbation_call_noise_measured(sim->p);
}

static bool same_prepass(const struct simulation *a, const struct simulation *b)
{
    return a->scenario->family == b->scenario->family && same_pass_config(a, b) && a->absorb == b->absorb &&
           a->message_minima == b->message_minima && a->reports_message_minima == b->reports_message_minima &&
               a->call_minima == b->call_minima && a->uses_classes == b->uses_classes;
}

static int begin_prepass(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_floor_options floors = {0};
    if (!sim->options->predicts) {
        floors = sim->options->floors;
        floors.less_overheads = mpg_overheads_of_both(sim->p);
        floors.knows_waits = sim->absorb == MPG_ABSORB_CLOCK;
        floors.knows_calls = sim->options->graph.has_weak_progress;
        floors.paths = sim->paths;
    }
    sim->owns_prepass = true;
    if (mpg_prepass_init(&sim->prepass, sim->trace, sim->call_minima ? &floors : NULL, has_message_minima(sim),
                         sim->uses_classes ? sim->p : NULL, sim->options->removals, err) < 0)
        return -1;
    if (sim->uses_classes && sim->options->predicts)
        mpg_classes_prefer_cpu(sim->prepass.classes);
    return 0;
}

/* Copies the findings of the pre-pass into the result of SIM. */
static int conclude_prepass(struct simulation *sim, struct mpg_error *err)
{
    sim->passed = sim->prepass.passed;
    if (sim->uses_classes)
        sim->result->cpu = mpg_classes_cpu(sim->prepass.classes);
    if (sim->options->predicts)
        return 0;
    if (sim->call_minima && ((sim->reports_message_minima && are_comparable(sim)) || sim->options->floors.has_source_cost))
        sim->result->floor_rule = mpg_floors_rule(sim->prepass.floors);
    if (inserts(sim) && !mpg_flight_target_known(sim->p) && !mpg_floors_know_messages(sim->prepass.floors))
        return mpg_error_set(
            err, "the cost of an inserted message is unknown: the trace has no messages, and neither --signature nor "
                 "--source or --source=latency is given");
    return 0;
}

static void share_prepass(struct simulation *sim, const struct simulation *like)
{
    sim->prepass = like->prepass;
    sim->passed = like->passed;
    sim->result->cpu = like->result->cpu;
    sim->result->floor_rule = like->result->floor_rule;
}

/* Completes the pre-passes, among N simulations from SIM on, whose graphs equal SIM's. GROUP: memory for N pointers. */
static int find_prepasses(struct simulation *sim, size_t n, struct mpg_prepass **group, struct mpg_error *err)
{
    const struct mpg_pass_config pass_config = mpg_simulation_pass_config(sim, "finding minimum times");
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (sim[i].owns_prepass && !sim[i].prepass.is_done && same_pass_config(sim, &sim[i]))
            group[k++] = &sim[i].prepass;
    return mpg_prepass_find(&pass_config, group, k, sim->options->threads, err);
}

static int prepass(struct simulation *all, size_t n, struct mpg_error *err)
{
    struct mpg_prepass **group = calloc(n, sizeof *group);
    int status = group ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        set_wants(&all[i]);
        if (find_like(all, &all[i], same_prepass) == &all[i] && (all[i].call_minima || all[i].uses_classes))
            status = begin_prepass(&all[i], err);
    }
    for (size_t i = 0; i < n && status == 0; i++) {
        if (all[i].owns_prepass && !all[i].prepass.is_done)
            status = find_prepasses(&all[i], n - i, group, err);
        if (status == 0 && all[i].owns_prepass)
            status = conclude_prepass(&all[i], err);
        else if (status == 0)
            share_prepass(&all[i], find_like(all, &all[i], same_prepass));
    }
    free(group);
    return status;
}

/* --- messages with changed protocol, calls that choose --- */

/* Sets the source's eager limit, which decides which messages change protocol. Without absolute times, no message does. */
static void choose_protocol(struct simulation *sim)
{
    const struct mpg_simulation_options *o = sim->options;
    if (o->predicts) /* in predict mode all messages have the protocol of the target */
        return;
    if (!mpg_rule_holds(MPG_RULE_PROTOCOLS))
        sim->graph.source_eager_limit_bytes = sim->graph.eager_limit_bytes;
    else if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_GIVEN)
        sim->graph.source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    else if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_IN_TRACE)
        sim->graph.source_eager_limit_bytes = sim->passed.evident_limit;
    sim->result->source_eager_limit_bytes = sim->graph.source_eager_limit_bytes;
}

/* Returns whether the pass for choices of A also serves B, because their configurations are equal. */
static bool same_choices(const struct simulation *a, const struct simulation *b)
{
    struct mpg_pass_config x = mpg_simulation_pass_config(a, NULL), y = mpg_simulation_pass_config(b, NULL);
    x.graph = &a->traced;
    y.graph = &b->traced;
    return mpg_pass_config_same(&x, &y) && may_choose(a) && a->options->horizon == b->options->horizon &&
           a->absorb == b->absorb && (a->passed.counts.calls > 0) == (b->passed.counts.calls > 0);
}

/* Applies the hypotheses SOME in SIM. Findings of earlier passes remain findings about the traced run. */
static void activate(struct simulation *sim, uint64_t some)
{
    sim->graph.active = some;
    sim->graph.bound = some ? sim->options->graph.bound : NULL;
    sim->graph.keeps_protocol =
        !sim->options->predicts && some && sim->absorb != MPG_ABSORB_CLOCK; /* without absolute times */
}

/* Returns the hypotheses that can change which messages a call completes. */
static uint64_t of_messages(const struct simulation *sim)
{
    const struct mpg_graph_options *o = &sim->options->graph;
    return o->bound ? mpg_bound_of_messages(o->bound, o->active) : 0;
}

/* Finds out whether calls can complete different messages than in the trace. This needs absolute times; without absolute
 * times, the completion times of each rank are used. */
static int choose_choice(struct simulation *all, struct simulation *sim, struct mpg_error *err)
{
    activate(sim, of_messages(sim));
    sim->traced = sim->graph;
    if (!may_choose(sim))
        return 0;
    const struct simulation *like = find_like(all, sim, same_choices);
    if (like != sim) {
        sim->graph = like->graph;
        sim->passed = like->passed;
    } else {
        struct mpg_pass_config pass_config = mpg_simulation_pass_config(sim, "finding choices");
        pass_config.cache = sim->graph.active ? NULL : pass_config.cache;
        sim->graph.by_completion = !sim->options->predicts && sim->absorb == MPG_ABSORB_WAIT;
        if (mpg_pass_choices(&pass_config, &sim->graph, sim->options->horizon, &sim->passed, err) < 0)
            return -1;
    }
    sim->result->chose = sim->graph.choose;
    return 0;
}

/* --- all scenarios --- */

static int begin(struct simulation *sim, struct mpg_trace *trace, const struct mpg_scenario *scenario,
                 struct mpg_share share, struct mpg_together *together, uint32_t *passes, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = scenario->options;
    *sim = (struct simulation){.trace = trace,
                               .scenario = scenario,
                               .p = scenario->p,
                               .options = o,
                               .graph = o->graph,
                               .result = scenario->result,
                               .together = together,
                               .passes = passes};
    activate(sim, 0);
    mpg_result_init(sim->result, mpg_trace_ranks(trace), share.n, o->first_replica + share.begin);
    sim->result->predicted = o->predicts;
    sim->result->source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    sim->graph.regions = sim->graph.regions || o->where.places;
    sim->graph.reports_unused = o->where.places;
    if (o->where.places && !(sim->result->where = mpg_attribution_new(share.n, err)))
        return -1;
    if (o->predicts)
        return mpg_target_init(&sim->target, sim->p, o->placement, err);
    sim->graph.source_eager_limit_bytes = o->graph.eager_limit_bytes;
    if (!o->placement && !o->source_placement)
        return 0;
    if (!(sim->paths = calloc(1, sizeof *sim->paths)) ||
        !(sim->unchanged = calloc(1, sizeof *sim->unchanged)))
        return mpg_error_set(err, "out of memory");
    return mpg_paths_init(sim->paths, sim->p, o->placement, o->source_placement, err);
}

static void end(struct simulation *sim)
{
    if (sim->owns_base) {
        free(sim->base_ns);
        free(sim->base_account);
    }
    if (sim->owns_prepass)
        mpg_prepass_clear(&sim->prepass);
    if (sim->owns_clocks)
        mpg_clock_map_free(sim->clocks);
    if (sim->paths)
        mpg_paths_clear(sim->paths);
    free(sim->paths);
    free(sim->unchanged);
    mpg_target_clear(&sim->target);
}

/* Returns STATUS; if it is an error, prefixes ERR with the scenario's name. */
static int of_one(int status, const struct mpg_scenario *scenario, struct mpg_error *err)
{
    return status < 0 && scenario->name ? mpg_error_prefix(err, "%s", scenario->name) : status;
}

/* --- messages that share capacities --- */

/* Finds whether messages of the first replica of S delay each other. */
static int find_need(struct mpg_trace *trace, const struct mpg_scenario *s, bool *is_needed, struct mpg_error *err)
{
    struct mpg_simulation_options first = *s->options;
    struct mpg_result result = {0};
    first.replicas = first.threads = 1;
    first.processes = NULL;
    first.observer = NULL;
    const int status = first.shared(trace, s->p, &first, &result, err);
    *is_needed = status == 0 && result.shared.delayed > 0;
    mpg_result_clear(&result);
    return status;
}

/* Predicts S, and sets *IS_DONE, if the messages of S share capacities and, with if_needed, delay each other. */
static int predict_shared(struct mpg_trace *trace, const struct mpg_scenario *s, bool *is_done, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = s->options;
    *is_done = o->predicts && o->shared;
    if (*is_done && o->if_needed && find_need(trace, s, is_done, err) < 0)
        return -1;
    if (!*is_done)
        return 0;
    if (o->shared(trace, s->p, o, s->result, err) < 0)
        return -1;
    return s->done && mpg_processes_first(o->processes) ? s->done(s->context, err) : 0;
}

static int simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                    struct mpg_error *err);

int mpg_simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                 struct mpg_error *err)
{
    size_t i = 0, rest = 0;
    while (i < n && !scenario[i].options->shared)
        i++;
    if (i == n)
        return simulate(trace, scenario, n, passes, err);
    struct mpg_scenario *others = malloc(n * sizeof *others);
    int status = others ? 0 : mpg_error_set(err, "out of memory");
    for (i = 0; i < n && status == 0; i++) {
        bool is_done;
        status = of_one(predict_shared(trace, &scenario[i], &is_done, err), &scenario[i], err);
        if (status == 0 && !is_done)
            others[rest++] = scenario[i];
    }
    if (status == 0 && rest > 0)
        status = simulate(trace, others, rest, passes, err);
    free(others);
    return status;
}

/* Simulates N scenarios in the replicas SHARE; if the processes share the ranks (TOGETHER), of the ranks of this process.
 * UNDIVIDED: as in struct simulation. IS_DONE: by scenario, set if done. */
static int simulate_share(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, struct mpg_share share,
                          struct mpg_together *together, const char *undivided, uint32_t *passes, bool *is_done,
                          struct mpg_error *err)
{
    struct simulation *all = calloc(n, sizeof *all);
    int status = all ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++)
        status = of_one(begin(&all[i], trace, &scenario[i], share, together, passes, err), &scenario[i], err);
    for (size_t i = 0; i < n && all; i++)
        all[i].undivided = undivided;
    for (size_t i = 0; i < n && status == 0; i++)
        if ((status = find_clocks(all, &all[i], err)) == 0)
            status = of_one(choose_absorb(&all[i], err), &scenario[i], err);
    if (status == 0)
        status = prepass(all, n, err);
    for (size_t i = 0; i < n && status == 0; i++) {
        choose_protocol(&all[i]);
        status = choose_choice(all, &all[i], err);
        activate(&all[i], all[i].options->graph.active);
    }
    if (status == 0 && !all->options->predicts) /* predict mode has no traced run to compare with */
        status = mpg_simulation_find_bases(all, n, err);
    if (status == 0 && !scenario->options->without_replicas)
        status = mpg_simulation_run(all, n, share, err);
    for (size_t i = 0; i < n && all; i++) {
        is_done[i] = all[i].is_done;
        if (status < 0 && !all[i].is_done && all[i].result)
            mpg_result_clear(all[i].result);
        end(&all[i]);
    }
    free(all);
    return status;
}

/* Moves to the front those of N scenarios that are not DONE. Returns their number. */
static size_t drop_done(struct mpg_scenario *scenario, size_t n, const bool *done)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (!done[i])
            scenario[left++] = scenario[i];
    return left;
}

/* Returns why processes cannot share the ranks in N scenarios, as far as options say; NULL: they can. */
static const char *indivisible(const struct mpg_scenario *scenario, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct mpg_simulation_options *o = scenario[i].options;
        if (o->observer || o->path)
            return "a replica is observed";
        if (o->where.places)
            return "times are attributed to places";
    }
    return NULL;
}

/* Decides whether processes share the ranks: sets the processes and threads of T, 0 threads if they share the replicas. Returns
 * 0, or -1 with ERR: a process has failed. */
static int plan_together(struct mpg_together *t, const struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n,
                         struct mpg_error *err)
{
    const struct mpg_simulation_options *o = scenario->options;
    struct mpg_processes *p = o->processes;
    *t = (struct mpg_together){.processes = p};
    if (!p || p->size == 1 || o->without_replicas)
        return 0;
    if (mpg_processes_agree(p, 0, 0, err) < 0)
        return -1;
    t->refused = indivisible(scenario, n);
    t->threads = (unsigned)p->messenger->min(t->refused ? 0 : (int)mpg_pass_parts(trace, (unsigned)p->size, o->threads));
    return 0;
}

static int simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                    struct mpg_error *err)
{
    const struct mpg_simulation_options *o = scenario->options;
    struct mpg_together together;
    struct mpg_scenario *left = malloc(n * sizeof *left);
    bool *is_done = calloc(n, sizeof *is_done);
    int status = left && is_done ? plan_together(&together, trace, scenario, n, err) : mpg_error_set(err, "out of memory");
    bool shares_replicas = status == 0 && together.threads == 0;
    if (left)
        memcpy(left, scenario, n * sizeof *left);
    if (status == 0 && together.threads > 0) {
        const struct mpg_share all = {.n = o->replicas};
        status = simulate_share(trace, left, n, all, &together, NULL, passes, is_done, err);
        shares_replicas = together.refused;
        n = drop_done(left, n, is_done);
    }
    if (shares_replicas) {
        const struct mpg_share share = mpg_share_own(o->replicas, o->processes);
        status = share.n == 0 ? mpg_results_await(n, o->processes, err)
                              : simulate_share(trace, left, n, share, NULL, together.refused, passes, is_done, err);
    }
    free(left);
    free(is_done);
    return status;
}
