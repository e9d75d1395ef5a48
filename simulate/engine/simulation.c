/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes over a trace: clock bounds if nothing else is known of the clocks,
 * floors if slack or negative perturbations need them, what is alike if the source's noise is to
 * be taken out of it, then the replicas. */
#include "simulate/engine/simulation.h"

#include <stdlib.h>

#include "simulate/algorithms/expand.h"
#include "simulate/passes/replicas.h"

struct simulation {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_simulation_options *options;
    struct mpg_clock_map *clocks;
    struct mpg_floors *floors;
    struct mpg_likes *likes; /* NULL: no noise is taken out */
    enum mpg_absorb absorb;
    struct mpg_graph_options graph; /* with the source's eager limit, once it is known */
    struct mpg_result *result;
    double *base_ns; /* a rank's delay without the tracer's part, against the trace */
    struct mpg_lanes_account *base_account;
    uint32_t slots; /* that the graph had, as far as a pass has told */
    int32_t expanded; /* members of the largest collective that it expanded, likewise */
    bool chooses;   /* calls may complete something else */
    bool has_paths;                /* messages take them by their ranks: */
    struct mpg_paths paths, unchanged; /* those of p, and of nothing but the tracer's part */
    int64_t evident_limit; /* the source's eager limit by the trace, the last pass says */
};

static void take_passed(struct simulation *sim, const struct mpg_passed *passed)
{
    sim->result->counts = passed->counts;
    sim->slots = passed->slots;
    sim->expanded = passed->expanded;
    sim->evident_limit = passed->evident_limit;
}

static struct mpg_course course_of(const struct simulation *sim, const char *label)
{
    return (struct mpg_course){sim->trace, sim->clocks, &sim->graph, label};
}

/* Gives every step to TAKE. */
static int pass(struct simulation *sim, const char *label, mpg_take *take, void *context,
                struct mpg_error *err)
{
    const struct mpg_course course = course_of(sim, label);
    const struct mpg_taker taker = {.take = take, .context = context};
    struct mpg_passed passed = {.evident_limit = sim->evident_limit};
    int status = mpg_pass(&course, &taker, 1, 1, &passed, err);
    take_passed(sim, &passed);
    return status;
}

static int take_bounds(void *context, const struct mpg_step *s, uint32_t slots,
                       struct mpg_error *err)
{
    (void)slots;
    if (s->kind != MPG_STEP_LEAVE)
        return 0;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        if (e->kind == MPG_EDGE_ARRIVAL && e->source != s->rank &&
            mpg_clock_bounds_add(context, e->source, s->rank, e->sent_ns, s->leave_ns, err) < 0)
            return -1;
    }
    return 0;
}

static int bound_clocks(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_clock_bounds *bounds = mpg_clock_bounds_new(mpg_trace_ranks(sim->trace), err);
    if (!bounds)
        return -1;
    int status = pass(sim, "bounding the clocks", take_bounds, bounds, err);
    if (status == 0)
        status = mpg_clock_map_bound(sim->clocks, bounds, err);
    mpg_clock_bounds_free(bounds);
    return status;
}

static int choose_absorb(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = sim->options;
    bool wants_clock = !o->absorb_given || o->absorb == MPG_ABSORB_CLOCK;
    if (wants_clock && mpg_clock_map_source(sim->clocks) == MPG_CLOCK_NONE &&
        bound_clocks(sim, err) < 0)
        return -1;
    bool comparable = mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
    if (o->absorb_given && o->absorb == MPG_ABSORB_CLOCK && !comparable)
        return mpg_error_set(err,
                             "--absorb=clock: the ranks' clocks are not known to each other and "
                             "the messages do not bound them (--absorb=wait needs no clocks)");
    sim->absorb = o->absorb_given ? o->absorb : comparable ? MPG_ABSORB_CLOCK : MPG_ABSORB_WAIT;
    return 0;
}

/* What the first pass gathers; either may be NULL. */
struct first_pass {
    struct mpg_floors *floors;
    struct mpg_likes *likes;
    bool comparable;
};

static int take_first(void *context, const struct mpg_step *s, uint32_t slots,
                      struct mpg_error *err)
{
    struct first_pass *f = context;
    (void)slots;
    if (f->likes && mpg_likes_add(f->likes, s, err) < 0)
        return -1;
    return f->floors ? mpg_floors_add(f->floors, s, f->comparable, err) : 0;
}

static bool can_speed_messages(const struct simulation *sim)
{
    return mpg_perturbation_can_speed_messages(sim->p) || (sim->has_paths && sim->paths.speeds);
}

static int find_floors(struct simulation *sim, struct mpg_error *err)
{
    bool flights = sim->absorb == MPG_ABSORB_CLOCK || can_speed_messages(sim) ||
                   sim->options->graph.expand;
    bool wanted = sim->absorb != MPG_ABSORB_NONE || flights ||
                  mpg_perturbation_call_noise_measured(sim->p);
    bool alike = mpg_perturbation_noise_alike(sim->p);
    struct mpg_floor_options floors = sim->options->floors;
    floors.less_overheads = mpg_overheads_of_both(sim->p);
    floors.knows_waits = sim->absorb == MPG_ABSORB_CLOCK;
    floors.paths = sim->has_paths ? &sim->paths : NULL;
    if ((wanted && !(sim->floors = mpg_floors_new(sim->trace, &floors, err))) ||
        (alike && !(sim->likes = mpg_likes_new(sim->p, err))))
        return -1;
    if (!wanted && !alike)
        return 0;
    /* Without `clock` floors of messages only stop negative perturbations, and are what the
     * messages of expanded collectives took. */
    struct first_pass f = {.floors = sim->floors,
                           .likes = sim->likes,
                           .comparable = flights &&
                                         mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE};
    if (pass(sim, "finding floors", take_first, &f, err) < 0 ||
        (alike && mpg_likes_finish(sim->likes, err) < 0) ||
        (wanted && mpg_floors_finish(sim->floors, err) < 0))
        return -1;
    if (alike)
        sim->result->cpu = mpg_likes_cpu(sim->likes);
    if (wanted && (f.comparable || sim->options->floors.has_source_cost))
        sim->result->floor_rule = mpg_floors_rule(sim->floors);
    return 0;
}

static bool are_comparable(const struct simulation *sim)
{
    return mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
}

/* Whether calls may complete something else, which takes absolute times: where there are none, by
 * those of one rank, when what a message was received for was complete. */
static int choose_choice(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = sim->options;
    struct mpg_passed passed = {.counts = sim->result->counts,
                                .slots = sim->slots,
                                .expanded = sim->expanded,
                                .evident_limit = sim->evident_limit};
    if (o->deterministic || sim->p->call_parts > 1 || sim->absorb == MPG_ABSORB_NONE)
        return 0;
    sim->graph.by_completion = sim->absorb == MPG_ABSORB_WAIT;
    if (mpg_pass_choices(sim->trace, sim->clocks, &sim->graph, o->horizon, &passed, err) < 0)
        return -1;
    take_passed(sim, &passed);
    sim->chooses = sim->result->chose = sim->graph.choose;
    return 0;
}

/* Which messages change their protocol: none, where there are no absolute times. */
static void choose_protocol(struct simulation *sim)
{
    const struct mpg_simulation_options *o = sim->options;
    if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_GIVEN)
        sim->graph.source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    else if (sim->absorb == MPG_ABSORB_CLOCK && o->source_limit == MPG_LIMIT_IN_TRACE)
        sim->graph.source_eager_limit_bytes = sim->evident_limit; /* of the floors' pass */
    sim->result->source_eager_limit_bytes = sim->graph.source_eager_limit_bytes;
}

/* Perturbation P in so many replicas, by what is known of the trace, for mpg_replicas_evaluate(). */
struct world {
    struct simulation *sim;
    const struct mpg_perturbation *p;
};

static void *begin_lanes(void *context, uint32_t first, uint32_t n, const bool *keeps,
                         const struct mpg_watch *watch, struct mpg_error *err)
{
    const struct world *x = context;
    struct simulation *sim = x->sim;
    struct mpg_lanes *lanes = mpg_lanes_new(sim->result->ranks, n, first, sim->absorb,
                                            are_comparable(sim), x->p, sim->floors, err);
    if (!lanes)
        return NULL;
    if (x->p == sim->p)
        mpg_lanes_use_likes(lanes, sim->likes);
    if (sim->has_paths)
        mpg_lanes_use_paths(lanes, x->p == sim->p ? &sim->paths : &sim->unchanged);
    if (!sim->chooses ||
        mpg_lanes_use_choice(lanes, sim->options->skips_polling, keeps, watch, err) == 0)
        return lanes;
    mpg_lanes_free(lanes);
    return NULL;
}

static int take_lanes(void *lanes, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return mpg_lanes_step(lanes, s, slots, err);
}

static const double *value_of(const void *lanes, uint32_t stream)
{
    return mpg_lanes_value(lanes, stream);
}

static const bool *broken_of(const void *lanes)
{
    const struct mpg_choosing *choice = mpg_lanes_choice(lanes);
    return choice ? mpg_choosing_broken_lanes(choice) : NULL;
}

static int check_lanes(const void *lanes, struct mpg_error *err)
{
    const struct mpg_choosing *choice = mpg_lanes_choice(lanes);
    return choice ? mpg_choosing_said(choice, err) : 0;
}

static void free_lanes(void *lanes)
{
    mpg_lanes_free(lanes);
}

/* Evaluates X in N replicas from FIRST on, END taking them. */
static int evaluate(struct world *x, const char *label, uint32_t first, uint32_t n,
                    void (*end)(void *, const void *, uint32_t, uint32_t),
                    const struct mpg_watch *watch, struct mpg_error *err)
{
    struct simulation *sim = x->sim;
    struct mpg_passed passed = {.evident_limit = sim->evident_limit};
    struct mpg_mode mode = {.context = x,
                            .begin = begin_lanes,
                            .take = take_lanes,
                            .value = value_of,
                            .broken = broken_of,
                            .check = check_lanes,
                            .end = end,
                            .free = free_lanes};
    struct mpg_replicas replicas = {.course = course_of(sim, label),
                                    .mode = &mode,
                                    .modes = 1,
                                    .threads = sim->options->threads,
                                    .watch = watch,
                                    .passed = &passed};
    int status = mpg_replicas_evaluate(&replicas, first, n, err);
    take_passed(sim, &passed);
    if (x->p == sim->p)
        sim->result->redone += mode.redone;
    return status;
}

static void end_base(void *context, const void *lanes, uint32_t first, uint32_t n)
{
    const struct world *x = context;
    struct simulation *sim = x->sim;
    (void)first, (void)n; /* one */
    for (int32_t i = 0; i < sim->result->ranks; i++) {
        sim->base_ns[i] = mpg_lanes_delay(lanes, i)[0];
        sim->base_account[i] = mpg_lanes_account_of(mpg_lanes_account(lanes, i));
        sim->result->tracer_taken_out = sim->result->tracer_taken_out || sim->base_ns[i] != 0;
    }
}

/* The run without what the tracer took, which is what all delays are against: its delays
 * against the trace, and their account. */
static int find_base(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_result *r = sim->result;
    struct mpg_perturbation nothing_else = {.seed = sim->p->seed,
                                            .compute_ratio = 1,
                                            .source = sim->p->source,
                                            .without_tracer = sim->p->without_tracer};
    for (int i = 0; i < MPG_OVERHEADS; i++)
        nothing_else.overhead[i] = mpg_overhead_unchanged(sim->p, (enum mpg_overhead)i);
    sim->base_ns = calloc((size_t)r->ranks, sizeof *sim->base_ns);
    sim->base_account = calloc((size_t)r->ranks, sizeof *sim->base_account);
    if (!sim->base_ns || !sim->base_account)
        return mpg_error_set(err, "out of memory for %d ranks", r->ranks);
    if (sim->has_paths)
        mpg_paths_unchanged(&sim->unchanged, &sim->paths, &nothing_else);
    bool passed = r->counts.calls > 0; /* then it is known what the tracer took */
    if (!sim->p->without_tracer || (passed && r->counts.tracer_ns + r->counts.flushed_ns == 0))
        return 0;
    const struct mpg_graph_options of_target = sim->graph;
    struct world world = {sim, &nothing_else};
    sim->graph.eager_limit_bytes = sim->graph.source_eager_limit_bytes;
    int status = evaluate(&world, "taking the tracer out", 0, 1, end_base, NULL, err);
    sim->graph = of_target;
    return status == 0 ? 0 : mpg_error_prefix(err, "the run without its tracer, by the source's eager "
                                                   "limit");
}

static void end_replicas(void *context, const void *lanes, uint32_t first, uint32_t n)
{
    const struct world *x = context;
    struct mpg_result *r = x->sim->result;
    const double *base_ns = x->sim->base_ns;
    const uint32_t begin = first - r->first_replica;
    if (x->sim->chooses)
        mpg_choices_add(&r->choices, mpg_choosing_counts(mpg_lanes_choice(lanes)));
    for (int32_t i = 0; i < r->ranks; i++) {
        const double *delay_ns = mpg_lanes_delay(lanes, i);
        r->recorded_ns[i] = mpg_lanes_traced(lanes, i);
        r->traced_ns[i] = (double)r->recorded_ns[i] + base_ns[i];
        for (uint32_t w = 0; w < n; w++)
            r->delay_ns[(size_t)i * r->replicas + begin + w] = delay_ns[w] - base_ns[i];
        mpg_result_add(r, i, begin, n, mpg_lanes_account(lanes, i));
    }
}

/* A lane's in collectives that are expanded: two worlds of it (simulate/engine/expand.c). If no pass has
 * told, they may be of all ranks. */
static double expansion_bytes(const struct simulation *sim)
{
    bool told = sim->result->counts.calls > 0;
    int32_t p = told ? sim->expanded : sim->graph.expand ? sim->result->ranks : 0;
    return 2 * sizeof(double) * (p + mpg_expansion_values(p));
}

static uint32_t lanes_a_pass(const struct simulation *sim)
{
    double bytes = mpg_lanes_bytes(sim->slots, sim->result->ranks) + expansion_bytes(sim);
    if (sim->chooses)
        bytes += ((double)sim->slots + sim->result->ranks + 1) * mpg_choosing_view_bytes();
    return mpg_replicas_a_pass(bytes);
}

static int run_all(struct simulation *sim, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = sim->options;
    struct world world = {sim, sim->p};
    for (uint32_t done = 0, n; done < o->replicas; done += n) {
        uint32_t most = lanes_a_pass(sim);
        n = o->replicas - done < most ? o->replicas - done : most;
        if (evaluate(&world, "simulating", o->first_replica + done, n, end_replicas,
                     done == 0 ? o->watch : NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* What is the tracer's is in all replicas. */
static int finish(struct simulation *sim, struct mpg_error *err)
{
    struct mpg_result *r = sim->result;
    r->absorb = sim->absorb;
    r->floors_of_source = sim->floors && mpg_floors_used_source(sim->floors);
    r->clocks = mpg_clock_map_source(sim->clocks);
    if (mpg_result_finish(r, err) < 0)
        return -1;
    for (int32_t i = 0; i < r->ranks; i++)
        mpg_lanes_account_add(&r->account[i], &sim->base_account[i], -1);
    return 0;
}

int mpg_simulate(struct mpg_trace *trace, const struct mpg_perturbation *p,
                 const struct mpg_simulation_options *options, struct mpg_result *result,
                 struct mpg_error *err)
{
    struct simulation sim = {
        .trace = trace, .p = p, .options = options, .graph = options->graph, .result = result};
    sim.graph.source_eager_limit_bytes = options->graph.eager_limit_bytes;
    sim.graph.posts = p->call_parts > 1;
    int status = -1;
    if (mpg_result_init(result, mpg_trace_ranks(trace), options->replicas, options->first_replica,
                        err) < 0)
        return -1;
    sim.has_paths = options->places || options->source_places;
    if (sim.has_paths &&
        mpg_paths_init(&sim.paths, p, options->places, options->source_places, err) < 0)
        goto out;
    sim.clocks = mpg_clock_map_from_trace(trace, err);
    if (!sim.clocks || choose_absorb(&sim, err) < 0 || find_floors(&sim, err) < 0)
        goto out;
    choose_protocol(&sim);
    if (choose_choice(&sim, err) < 0 || find_base(&sim, err) < 0 || run_all(&sim, err) < 0)
        goto out;
    status = finish(&sim, err);
out:
    free(sim.base_ns);
    free(sim.base_account);
    mpg_floors_free(sim.floors);
    mpg_likes_free(sim.likes);
    mpg_clock_map_free(sim.clocks);
    mpg_paths_clear(&sim.paths);
    if (status < 0)
        mpg_result_clear(result);
    return status;
}
