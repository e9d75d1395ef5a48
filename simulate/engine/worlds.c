/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios as modes of replicas: the run without its tracer, and the perturbed ones. */
#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/engine/simulation_private.h"
#include "simulate/where/trail.h"

/* Perturbation P in so many replicas, by what is known of the trace, for mpg_runs_evaluate(). */
struct world {
    struct simulation *sim;
    const struct mpg_perturbation *p;
    const struct mpg_run *run;
};

static void *begin_lanes(void *context, uint32_t first, uint32_t n, const bool *keeps,
                         const struct mpg_watch *watch, struct mpg_error *err)
{
    const struct world *x = context;
    struct simulation *sim = x->sim;
    const bool comparable = mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
    struct mpg_lanes *lanes = mpg_lanes_new(sim->result->ranks, n, first, sim->absorb, comparable, x->p,
                                            sim->floors, err);
    if (!lanes)
        return NULL;
    if (x->p == sim->p)
        mpg_lanes_use_classes(lanes, sim->classes);
    mpg_lanes_use_polling(lanes, sim->options->polling_ns);
    if (sim->paths)
        mpg_lanes_use_paths(lanes, x->p == sim->p ? sim->paths : sim->unchanged);
    const struct mpg_where_wanted *where = &sim->options->where;
    const bool has_path = where->places && x->p == sim->p;
    if ((!where->places || mpg_lanes_use_tally(lanes, where->pairs, err) == 0) &&
        (!has_path || mpg_lanes_use_trail(lanes, err) == 0) &&
        (!sim->chooses || mpg_lanes_use_choice(lanes, keeps, watch, err) == 0))
        return lanes;
    mpg_lanes_free(lanes);
    return NULL;
}

static int take_lanes(void *lanes, const struct mpg_steps *steps, struct mpg_error *err)
{
    return mpg_lanes_take(lanes, steps, err);
}

static enum mpg_steps_wanted wants_of(const void *lanes)
{
    return mpg_lanes_wants(lanes);
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
    if (mpg_lanes_has_trail(lanes) && mpg_lanes_finish_trail(lanes, err) < 0)
        return -1;
    return choice ? mpg_choosing_said(choice, err) : 0;
}

static void free_lanes(void *lanes)
{
    mpg_lanes_free(lanes);
}

/* A lane's in collectives that are expanded: two worlds of it (simulate/engine/expand.c). If no pass has
 * told, they may be of all ranks. */
static double expansion_bytes(const struct simulation *sim)
{
    bool told = sim->result->counts.calls > 0;
    int32_t p = told ? sim->expanded : sim->graph.expand ? sim->result->ranks : 0;
    const bool has_trail = sim->result->where;
    return (has_trail ? 2 + MPG_CAME_TERMS : 2) * sizeof(double) * (p + mpg_expansion_values(p));
}

static double lane_bytes_of(const void *context)
{
    const struct simulation *sim = ((const struct world *)context)->sim;
    double bytes = mpg_lanes_bytes(sim->slots, sim->result->ranks) + expansion_bytes(sim);
    if (sim->result->where)
        bytes += mpg_tally_lane_bytes(sim->result->ranks, mpg_trace_site_count(sim->trace), MPG_WHERE_TERMS,
                                      sim->options->where.pairs);
    if (sim->result->where)
        bytes += mpg_trail_lane_bytes(sim->slots);
    if (sim->chooses)
        bytes += ((double)sim->slots + sim->result->ranks + 1) * mpg_choosing_view_bytes();
    return bytes;
}

static void fill_passing(const void *context, struct mpg_passed *passed)
{
    passed->evident_limit = ((const struct world *)context)->sim->evident_limit;
}

static void take_passed(void *context, const struct mpg_passed *passed)
{
    mpg_simulation_take_passed(((struct world *)context)->sim, passed);
}

/* X's run, over GRAPH, END taking its replicas. */
static struct mpg_run run_of(struct world *x, const struct mpg_graph_options *graph, const char *label,
                             void (*end)(void *, const void *, uint32_t, uint32_t))
{
    struct mpg_run run = {.course = mpg_simulation_course(x->sim, label),
                          .mode = {.context = x,
                                   .begin = begin_lanes,
                                   .take = take_lanes,
                                   .wants = wants_of,
                                   .value = value_of,
                                   .broken = broken_of,
                                   .check = check_lanes,
                                   .end = end,
                                   .free = free_lanes},
                          .lane_bytes = lane_bytes_of,
                          .told = x->sim->result->counts.calls > 0,
                          .passing = fill_passing,
                          .passed = take_passed};
    run.course.graph = graph;
    return run;
}

/* --- without the tracer --- */

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
    if (sim->result->where)
        mpg_where_take_base(sim->result->where, mpg_lanes_tallied(lanes));
}

/* What perturbs SIM's run without its tracer: nothing else. */
static struct mpg_perturbation nothing_else(struct simulation *sim)
{
    struct mpg_perturbation nothing = {.seed = sim->p->seed,
                                       .compute_ratio = 1,
                                       .source = sim->p->source,
                                       .unperturbed = true,
                                       .ignores_collectives = sim->p->ignores_collectives,
                                       .reduces = sim->p->reduces,
                                       .source_reduces = sim->p->source_reduces,
                                       .without_tracer = sim->p->without_tracer};
    for (int i = 0; i < MPG_OVERHEADS; i++)
        nothing.overhead[i] = mpg_overhead_unchanged(sim->p, (enum mpg_overhead)i);
    memcpy(nothing.meetings, sim->p->meetings, sizeof nothing.meetings); /* P's: the scales of messages */
    return nothing;
}

static bool has_tracer(const struct simulation *sim)
{
    const struct mpg_graph_counts *c = &sim->result->counts;
    bool passed = c->calls > 0; /* then it is known what the tracer took */
    return sim->p->without_tracer && (!passed || c->tracer_ns + c->flushed_ns > 0);
}

/* Whether the run without its tracer is A's, too, which has one. */
static bool same_base(const struct simulation *a, const struct simulation *b)
{
    struct mpg_course x = mpg_simulation_course(a, NULL);
    const struct mpg_course y = mpg_simulation_course(b, NULL);
    struct mpg_graph_options graph = *x.graph; /* of the traced run: no hypothesis holds in it */
    x.graph = &graph;
    graph.supposed = y.graph->supposed;
    graph.suppose = y.graph->suppose;
    const bool same_scales = !a->options->graph.wholes || a->p->target == b->p->target;
    return a->owns_base && same_scales && a->scenario->kin == b->scenario->kin && a->absorb == b->absorb &&
           a->floors == b->floors && has_tracer(a) == has_tracer(b) && mpg_course_same(&x, &y);
}

/* SIM's own, of ALL before it somebody's, or zero. */
static int begin_base(struct simulation *all, struct simulation *sim, struct mpg_error *err)
{
    const size_t ranks = (size_t)sim->result->ranks;
    for (struct simulation *x = all; x < sim; x++)
        if (same_base(x, sim)) {
            sim->base_ns = x->base_ns;
            sim->base_account = x->base_account;
            return 0;
        }
    sim->owns_base = true;
    sim->base_ns = calloc(ranks, sizeof *sim->base_ns);
    sim->base_account = calloc(ranks, sizeof *sim->base_account);
    return sim->base_ns && sim->base_account
               ? 0
               : mpg_error_set(err, "out of memory for %d ranks", sim->result->ranks);
}

/* What is evaluated of a scenario without its tracer. */
struct base {
    struct mpg_perturbation nothing;
    struct mpg_graph_options graph; /* by the source's eager limit */
    struct world world;
};

static int run_bases(struct simulation *all, size_t n, struct base *base, struct mpg_run *run,
                     struct mpg_error *err)
{
    size_t k = 0;
    for (struct simulation *sim = all; sim < all + n; sim++) {
        if (!sim->owns_base || !has_tracer(sim))
            continue;
        struct base *b = &base[k];
        b->nothing = nothing_else(sim);
        if (sim->paths)
            mpg_paths_unchanged(sim->unchanged, sim->paths, &b->nothing);
        b->graph = sim->graph;
        b->graph.ratios = NULL;
        b->graph.supposed = NULL;
        b->graph.suppose = 0;
        b->graph.eager_limit_bytes = b->graph.source_eager_limit_bytes;
        b->world = (struct world){.sim = sim, .p = &b->nothing};
        run[k++] = run_of(&b->world, &b->graph, "taking the tracer out", end_base);
    }
    if (k == 0 || mpg_runs_evaluate(run, k, 0, 1, all->options->threads, NULL, err) == 0)
        return 0;
    return mpg_error_prefix(err, "the run without its tracer, by the source's eager limit");
}

int mpg_simulation_find_bases(struct simulation *all, size_t n, struct mpg_error *err)
{
    struct base *base = calloc(n, sizeof *base);
    struct mpg_run *run = calloc(n, sizeof *run);
    int status = base && run ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++)
        status = begin_base(all, &all[i], err);
    if (status == 0)
        status = run_bases(all, n, base, run, err);
    for (size_t i = 0; i < n && status == 0; i++)
        for (int32_t r = 0; r < all[i].result->ranks; r++)
            all[i].result->tracer_taken_out |= all[i].base_ns[r] != 0;
    free(base);
    free(run);
    return status;
}

/* --- perturbed --- */

static int start(void *context, struct mpg_error *err)
{
    return mpg_result_reserve(((struct world *)context)->sim->result, err);
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
    if (!r->where)
        return;
    mpg_where_take(r->where, mpg_lanes_tallied(lanes), begin);
}

/* What is the tracer's is in all replicas. */
static int finish(void *context, struct mpg_error *err)
{
    const struct world *x = context;
    struct simulation *sim = x->sim;
    struct mpg_result *r = sim->result;
    r->redone = x->run->mode.redone;
    r->absorb = sim->absorb;
    r->floors_of_source = sim->floors && mpg_floors_used_source(sim->floors);
    r->clocks = mpg_clock_map_source(sim->clocks);
    if (mpg_result_gather(r, sim->options->replicas, sim->options->processes, err) < 0)
        return -1;
    if (!mpg_processes_first(sim->options->processes)) {
        mpg_result_clear(r);
        sim->is_done = true;
        return 0;
    }
    if (mpg_result_finish(r, err) < 0)
        return -1;
    for (int32_t i = 0; i < r->ranks; i++)
        mpg_lanes_account_add(&r->account[i], &sim->base_account[i], -1);
    sim->is_done = true;
    return sim->scenario->done ? sim->scenario->done(sim->scenario->context, err) : 0;
}

int mpg_simulation_run(struct simulation *all, size_t n, struct mpg_share share, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = all->options;
    struct world *world = calloc(n, sizeof *world);
    struct mpg_run *run = calloc(n, sizeof *run);
    int status = world && run ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        world[i] = (struct world){.sim = &all[i], .p = all[i].p, .run = &run[i]};
        run[i] = run_of(&world[i], &all[i].graph, "simulating", end_replicas);
        run[i].start = start;
        run[i].finish = finish;
    }
    if (status == 0)
        status = mpg_runs_evaluate(run, n, o->first_replica + share.begin, share.n, o->threads,
                                   share.begin == 0 ? o->watch : NULL, err);
    for (size_t i = 0; i < n && status < 0; i++)
        if (!all[i].is_done)
            mpg_result_clear(all[i].result);
    free(world);
    free(run);
    return status;
}
