/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a trace: clock bounds if nothing else is known of the clocks,
 * floors if slack or negative perturbations need them, what is alike if the source's noise is to
 * be taken out of it, then the replicas. */
#include <math.h>
#include <stdlib.h>

#include "graph/work/bound_hypotheses.h"
#include "simulate/evaluate/first.h"
#include "simulate/evaluate/simulation_private.h"
#include "simulate/rules.h"

struct mpg_course mpg_simulation_course(const struct simulation *sim, const char *label)
{
    return (struct mpg_course){.trace = sim->trace, .clocks = sim->clocks, .graph = &sim->graph, .label = label,
                               .passes = sim->passes, .kept = sim->options->kept, .slots = sim->slots};
}

void mpg_simulation_take_passed(struct simulation *sim, const struct mpg_passed *passed)
{
    sim->result->counts = passed->counts;
    sim->slots = passed->slots;
    sim->expanded = passed->expanded;
    sim->evident_limit = passed->evident_limit;
}

static struct mpg_passed passed_of(const struct simulation *sim)
{
    return (struct mpg_passed){.counts = sim->result->counts,
                               .slots = sim->slots,
                               .expanded = sim->expanded,
                               .evident_limit = sim->evident_limit};
}

static int pass_bounds(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_course course = mpg_simulation_course(sim, "bounding the clocks");
    struct mpg_passed passed = {.evident_limit = sim->evident_limit};
    struct mpg_clock_bounds *bounds = mpg_clock_bounds_new(mpg_trace_ranks(sim->trace), err);
    if (!bounds)
        return -1;
    const struct mpg_taker taker = {.take = mpg_clock_bounds_take, .context = bounds, .wants = MPG_STEPS_LEAVES};
    int status = mpg_pass(&course, &taker, 1, 1, &passed, err);
    mpg_simulation_take_passed(sim, &passed);
    if (status == 0)
        status = mpg_clock_map_bound(sim->clocks, bounds, err);
    mpg_clock_bounds_free(bounds);
    return status < 0 ? -1 : 0;
}

static bool are_comparable(const struct simulation *sim)
{
    return mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
}

/* What the pass has told, whether messages bound the clocks, and their offsets, one a rank. */
static void keep_bounds(struct simulation *sim, const struct mpg_bytes *key, double *offsets)
{
    struct mpg_bytes found = {0};
    const struct mpg_passed passed = passed_of(sim);
    mpg_passed_put(&found, &passed);
    mpg_bytes_put_u64(&found, are_comparable(sim));
    mpg_clock_map_offsets(sim->clocks, offsets);
    for (int32_t r = 0; r < sim->result->ranks; r++)
        mpg_bytes_put_double(&found, offsets[r]);
    mpg_kept_add(sim->options->kept, key, &found);
    mpg_bytes_clear(&found);
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
    mpg_simulation_take_passed(sim, &passed);
    if (bounded)
        mpg_clock_map_take_offsets(sim->clocks, offsets);
    return true;
}

static int bound_clocks(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_bytes key = {0};
    struct mpg_bytes_left left;
    double *offsets = calloc((size_t)sim->result->ranks, sizeof *offsets);
    if (!offsets)
        return mpg_error_set(err, "out of memory");
    mpg_kept_key(&key, "bounds", &sim->graph, MPG_CLOCK_NONE);
    const bool is_known = mpg_kept_find(sim->options->kept, &key, &left) &&
                          get_bounds(sim, &left, offsets);
    const int status = is_known ? 0 : pass_bounds(sim, err);
    if (!is_known && status == 0)
        keep_bounds(sim, &key, offsets);
    mpg_bytes_clear(&key);
    free(offsets);
    return status;
}

static bool wants_clock(const struct simulation *sim)
{
    return !sim->options->predicts && (!sim->options->absorb_given || sim->options->absorb == MPG_ABSORB_CLOCK);
}

/* Whether A and B have the same steps, once they have the same clocks. */
static bool same_graph(const struct simulation *a, const struct simulation *b)
{
    struct mpg_course x = mpg_simulation_course(a, NULL), y = mpg_simulation_course(b, NULL);
    x.clocks = y.clocks;
    return mpg_course_same(&x, &y);
}

static bool same_course(const struct simulation *a, const struct simulation *b)
{
    return a->clocks == b->clocks && same_graph(a, b);
}

/* The first of those before SIM, in ALL, that is LIKE it; SIM itself: none is. */
static struct simulation *find_like(struct simulation *all, struct simulation *sim,
                                    bool (*like)(const struct simulation *, const struct simulation *))
{
    struct simulation *x = all;
    while (x < sim && !like(x, sim))
        x++;
    return x;
}

/* --- clocks --- */

/* Whether B's clocks are those of A, which has them: what bounds them is looked for where it is wanted. */
static bool same_clocks(const struct simulation *a, const struct simulation *b)
{
    const enum mpg_clock_source source = mpg_clock_map_source(a->clocks);
    const bool is_told = source != MPG_CLOCK_NONE && source != MPG_CLOCK_BOUNDED;
    return same_graph(a, b) && (is_told || wants_clock(a) == wants_clock(b));
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

/* Whether hypotheses insert messages. */
static bool inserts(const struct simulation *sim)
{
    const struct mpg_graph_options *o = &sim->options->graph;
    return o->bound && mpg_bound_inserting(o->bound, o->active);
}

static int choose_absorb(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = sim->options;
    if (o->predicts) /* times have no slack */
        return 0;
    if (o->absorb_given && o->absorb == MPG_ABSORB_CLOCK && !are_comparable(sim))
        return mpg_error_set(err,
                             "--absorb=clock: the ranks' clocks are not known to each other and "
                             "the messages do not bound them (--absorb=wait needs no clocks)");
    sim->absorb = o->absorb_given        ? o->absorb
                  : are_comparable(sim) ? MPG_ABSORB_CLOCK
                                        : MPG_ABSORB_WAIT;
    if (inserts(sim) && sim->absorb != MPG_ABSORB_CLOCK)
        return mpg_error_set(err, "an inserted message needs %s (--predict does not)",
                             are_comparable(sim) ? "--absorb=clock: it comes when the ranks' clocks say"
                                                 : "clocks that the ranks have in common, and these have not");
    return 0;
}

/* --- the first pass --- */

/* Without `clock` floors of messages only stop negative perturbations, and are what the messages of expanded
 * collectives took. */
static bool has_flights(const struct simulation *sim)
{
    return sim->flights && are_comparable(sim);
}

static int take_first(void *context, const struct mpg_steps *steps, struct mpg_error *err)
{
    struct simulation *sim = context;
    for (size_t i = 0; sim->classes && i < steps->n; i++)
        if (mpg_classes_add(sim->classes, &steps->step[i], err) < 0)
            return -1;
    return sim->floors ? mpg_floors_add(sim->floors, steps, has_flights(sim), err) : 0;
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
    sim->alike = mpg_perturbation_noise_by_class(sim->p);
    sim->wanted = true; /* what calls take */
    if (sim->options->predicts)
        return;
    sim->says_flights = sim->absorb == MPG_ABSORB_CLOCK || can_speed_messages(sim) ||
                        sim->options->graph.expand;
    sim->flights = sim->says_flights || may_choose(sim); /* answers fly, too */
    sim->wanted = sim->absorb != MPG_ABSORB_NONE || sim->flights ||
                  mpg_perturbation_call_noise_measured(sim->p);
}

static bool same_floors(const struct simulation *a, const struct simulation *b)
{
    return a->scenario->kin == b->scenario->kin && same_course(a, b) && a->absorb == b->absorb &&
           a->flights == b->flights && a->says_flights == b->says_flights && a->wanted == b->wanted && a->alike == b->alike;
}

static int begin_floors(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_floor_options floors = {0};
    if (!sim->options->predicts) {
        floors = sim->options->floors;
        floors.less_overheads = mpg_overheads_of_both(sim->p);
        floors.knows_waits = sim->absorb == MPG_ABSORB_CLOCK;
        floors.knows_calls = sim->options->graph.has_weak_progress;
        floors.paths = sim->paths;
    }
    sim->owns_floors = true;
    if ((sim->wanted && !(sim->floors = mpg_floors_new(sim->trace, &floors, err))) ||
        (sim->alike && !(sim->classes = mpg_classes_new(sim->p, err))))
        return -1;
    if (sim->classes && sim->options->predicts)
        mpg_classes_prefer_cpu(sim->classes);
    return 0;
}

static int finish_floors(struct simulation *sim, struct mpg_error *err)
{
    if ((sim->alike && mpg_classes_finish(sim->classes, err) < 0) ||
        (sim->wanted && mpg_floors_finish(sim->floors, err) < 0))
        return -1;
    if (sim->alike)
        sim->result->cpu = mpg_classes_cpu(sim->classes);
    if (sim->options->predicts)
        return 0;
    if (sim->wanted && ((sim->says_flights && are_comparable(sim)) || sim->options->floors.has_source_cost))
        sim->result->floor_rule = mpg_floors_rule(sim->floors);
    if (inserts(sim) && !mpg_flight_target_known(sim->p) && !mpg_floors_know_messages(sim->floors))
        return mpg_error_set(
            err, "nothing says what an inserted message takes: the trace has no messages, and neither --signature nor "
                 "--source or --source=latency is given");
    return 0;
}

static void take_floors(struct simulation *sim, const struct simulation *like)
{
    sim->floors = like->floors;
    sim->classes = like->classes;
    sim->result->cpu = like->result->cpu;
    sim->result->floor_rule = like->result->floor_rule;
    const struct mpg_passed passed = passed_of(like);
    mpg_simulation_take_passed(sim, &passed);
}

/* Whether what SIM is to find is known from an earlier run: then it has it. */
static int know_floors(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_course course = mpg_simulation_course(sim, NULL);
    struct mpg_passed passed;
    if (!mpg_first_known(&course, has_flights(sim), sim->floors, sim->classes, &passed))
        return 0;
    sim->passed_first = true;
    mpg_simulation_take_passed(sim, &passed);
    return finish_floors(sim, err);
}

/* Those of N simulations from SIM on that have its course and floors of their own: one pass for all. TAKERS
 * has room for all. */
static int pass_floors(struct simulation *sim, size_t n, struct mpg_taker *takers, struct mpg_error *err)
{
    const struct mpg_course course = mpg_simulation_course(sim, "finding floors");
    struct mpg_passed passed = {.evident_limit = sim->evident_limit};
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (sim[i].owns_floors && !sim[i].passed_first && same_course(sim, &sim[i]))
            takers[k++] = (struct mpg_taker){
                .take = take_first, .context = &sim[i], .wants = sim[i].classes ? MPG_STEPS_ALL : MPG_STEPS_LEAVES};
    int status = mpg_pass(&course, takers, k, sim->options->threads, &passed, err);
    for (size_t i = 0; i < k; i++) {
        struct simulation *x = takers[i].context;
        x->passed_first = true;
        mpg_simulation_take_passed(x, &passed);
        if (status == 0)
            mpg_first_keep(&course, has_flights(x), x->floors, x->classes, &passed);
        if (status == 0)
            status = finish_floors(x, err);
    }
    return status;
}

static int find_floors(struct simulation *all, size_t n, struct mpg_error *err)
{
    struct mpg_taker *takers = calloc(n, sizeof *takers);
    int status = takers ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        set_wants(&all[i]);
        if (find_like(all, &all[i], same_floors) == &all[i] && (all[i].wanted || all[i].alike))
            status = begin_floors(&all[i], err);
        if (status == 0 && all[i].owns_floors)
            status = know_floors(&all[i], err);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        if (all[i].owns_floors && !all[i].passed_first)
            status = pass_floors(&all[i], n - i, takers, err);
    for (size_t i = 0; i < n && status == 0; i++)
        if (!all[i].owns_floors)
            take_floors(&all[i], find_like(all, &all[i], same_floors));
    free(takers);
    return status;
}

/* --- messages that change their protocol, calls that choose --- */

/* Which messages change their protocol: none, where there are no absolute times. */
static void choose_protocol(struct simulation *sim)
{
    const struct mpg_simulation_options *o = sim->options;
    if (o->predicts) /* all messages are the target's */
        return;
    if (!mpg_rule_holds(MPG_RULE_PROTOCOLS))
        sim->graph.source_eager_limit_bytes = sim->graph.eager_limit_bytes;
    else if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_GIVEN)
        sim->graph.source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    else if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_IN_TRACE)
        sim->graph.source_eager_limit_bytes = sim->evident_limit; /* of the floors' pass */
    sim->result->source_eager_limit_bytes = sim->graph.source_eager_limit_bytes;
}

/* Whether B, which has not asked, has the same to ask as A had. */
static bool same_choices(const struct simulation *a, const struct simulation *b)
{
    struct mpg_course x = mpg_simulation_course(a, NULL), y = mpg_simulation_course(b, NULL);
    x.graph = &a->traced;
    y.graph = &b->traced;
    return mpg_course_same(&x, &y) && may_choose(a) && a->options->horizon == b->options->horizon &&
           a->absorb == b->absorb && (a->result->counts.calls > 0) == (b->result->counts.calls > 0);
}

/* Hypotheses of SIM hold from here on: those of SOME. What passes before found is of the traced run. */
static void suppose(struct simulation *sim, uint64_t some)
{
    sim->graph.active = some;
    sim->graph.bound = some ? sim->options->graph.bound : NULL;
    sim->graph.keeps_protocol =
        !sim->options->predicts && some && sim->absorb != MPG_ABSORB_CLOCK; /* there are no absolute times */
}

/* Those that change what calls may complete. */
static uint64_t of_messages(const struct simulation *sim)
{
    const struct mpg_graph_options *o = &sim->options->graph;
    return o->bound ? mpg_bound_of_messages(o->bound, o->active) : 0;
}

/* Whether calls may complete something else, which takes absolute times: where there are none, by
 * those of one rank, when what a message was received for was complete. */
static int choose_choice(struct simulation *all, struct simulation *sim, struct mpg_error *err)
{
    struct mpg_passed passed = passed_of(sim);
    suppose(sim, of_messages(sim));
    sim->traced = sim->graph;
    if (!may_choose(sim))
        return 0;
    const struct simulation *like = find_like(all, sim, same_choices);
    if (like != sim) {
        sim->graph = like->graph;
        passed = passed_of(like);
    } else {
        struct mpg_course course = mpg_simulation_course(sim, "finding choices");
        course.kept = sim->graph.active ? NULL : course.kept;
        sim->graph.by_completion = !sim->options->predicts && sim->absorb == MPG_ABSORB_WAIT;
        if (mpg_pass_choices(&course, &sim->graph, sim->options->horizon, &passed, err) < 0)
            return -1;
    }
    mpg_simulation_take_passed(sim, &passed);
    sim->result->chose = sim->graph.choose;
    return 0;
}

/* --- all of it --- */

static int begin(struct simulation *sim, struct mpg_trace *trace, const struct mpg_scenario *scenario,
                 struct mpg_share share, uint32_t *passes, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = scenario->options;
    *sim = (struct simulation){.trace = trace,
                               .scenario = scenario,
                               .p = scenario->p,
                               .options = o,
                               .graph = o->graph,
                               .result = scenario->result,
                               .passes = passes};
    suppose(sim, 0);
    mpg_result_init(sim->result, mpg_trace_ranks(trace), share.n, o->first_replica + share.begin);
    sim->result->predicted = o->predicts;
    sim->result->source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    sim->graph.regions = sim->graph.regions || o->where.places;
    sim->graph.reports_unused = o->where.places;
    if (o->where.places && !(sim->result->where = mpg_attribution_new(share.n, err)))
        return -1;
    if (o->predicts)
        return mpg_target_init(&sim->target, sim->p, o->places, err);
    sim->graph.source_eager_limit_bytes = o->graph.eager_limit_bytes;
    if (!o->places && !o->source_places)
        return 0;
    if (!(sim->paths = calloc(1, sizeof *sim->paths)) ||
        !(sim->unchanged = calloc(1, sizeof *sim->unchanged)))
        return mpg_error_set(err, "out of memory");
    return mpg_paths_init(sim->paths, sim->p, o->places, o->source_places, err);
}

static void end(struct simulation *sim)
{
    if (sim->owns_base) {
        free(sim->base_ns);
        free(sim->base_account);
    }
    if (sim->owns_floors) {
        mpg_floors_free(sim->floors);
        mpg_classes_free(sim->classes);
    }
    if (sim->owns_clocks)
        mpg_clock_map_free(sim->clocks);
    if (sim->paths)
        mpg_paths_clear(sim->paths);
    free(sim->paths);
    free(sim->unchanged);
    mpg_target_clear(&sim->target);
}

/* STATUS of SCENARIO alone, whose error says so. */
static int of_one(int status, const struct mpg_scenario *scenario, struct mpg_error *err)
{
    return status < 0 && scenario->name ? mpg_error_prefix(err, "%s", scenario->name) : status;
}

int mpg_simulate(struct mpg_trace *trace, const struct mpg_scenario *scenario, size_t n, uint32_t *passes,
                 struct mpg_error *err)
{
    const struct mpg_share share = mpg_share_own(scenario->options->replicas, scenario->options->processes);
    if (share.n == 0)
        return mpg_results_await(n, scenario->options->processes, err);
    struct simulation *all = calloc(n, sizeof *all);
    int status = all ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++)
        status = of_one(begin(&all[i], trace, &scenario[i], share, passes, err), &scenario[i], err);
    for (size_t i = 0; i < n && status == 0; i++)
        if ((status = find_clocks(all, &all[i], err)) == 0)
            status = of_one(choose_absorb(&all[i], err), &scenario[i], err);
    if (status == 0)
        status = find_floors(all, n, err);
    for (size_t i = 0; i < n && status == 0; i++) {
        choose_protocol(&all[i]);
        status = choose_choice(all, &all[i], err);
        suppose(&all[i], all[i].options->graph.active);
    }
    if (status == 0 && !all->options->predicts) /* times are against nothing */
        status = mpg_simulation_find_bases(all, n, err);
    if (status == 0)
        status = mpg_simulation_run(all, n, share, err);
    for (size_t i = 0; i < n && all; i++) {
        if (status < 0 && !all[i].is_done && all[i].result)
            mpg_result_clear(all[i].result);
        end(&all[i]);
    }
    free(all);
    return status;
}
