/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns scenarios into runs of replicas: the run without the tracer's time, and the perturbed replicas. */
#include <stdlib.h>
#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/evaluate/driver/simulation_private.h"
#include "simulate/attribution/provenance.h"

/* A scenario with perturbation P as a run of replicas, for mpg_runs_evaluate(). */
struct scenario_run {
    struct simulation *sim;
    const struct mpg_perturbation *p;
    const struct mpg_run *run;
};

static struct mpg_evaluator *new_delays(const struct scenario_run *x, uint32_t first, uint32_t n, struct mpg_error *err)
{
    const struct simulation *sim = x->sim;
    const bool comparable = mpg_clock_map_source(sim->clocks) != MPG_CLOCK_NONE;
    struct mpg_evaluator *e = mpg_delays_new(sim->result->ranks, n, first, sim->absorb, comparable, x->p, sim->prepass.floors,
                                             x->p == sim->p ? sim->prepass.classes : NULL, err);
    if (!e)
        return NULL;
    mpg_delays_use_polling(e, sim->options->polling_ns);
    if (sim->paths)
        mpg_delays_use_paths(e, x->p == sim->p ? sim->paths : sim->unchanged);
    return e;
}

static struct mpg_evaluator *new_times(const struct scenario_run *x, uint32_t first, uint32_t n, struct mpg_error *err)
{
    const struct simulation *sim = x->sim;
    struct mpg_times_options options = sim->options->times;
    options.eager_limit_bytes = sim->graph.eager_limit_bytes;
    return mpg_times_new(sim->result->ranks, n, first, &sim->target, &options, sim->prepass.floors, sim->prepass.classes, err);
}

static struct mpg_evaluator *begin(void *context, uint32_t first, uint32_t n, const bool *keeps,
                                   const struct mpg_observer *observer,
                   struct mpg_error *err)
{
    const struct scenario_run *x = context;
    const struct simulation *sim = x->sim;
    const struct mpg_attribution_wanted *where = &sim->options->where;
    struct mpg_critical *path = sim->options->predicts ? sim->options->path : NULL;
    struct mpg_evaluator *e = (sim->options->predicts ? new_times : new_delays)(x, first, n, err);
    const bool has_paths = where->places && x->p == sim->p;
    if (!e || ((!where->places || mpg_evaluator_use_tally(e, where->pairs, err) == 0) &&
               (!has_paths || mpg_evaluator_use_recorder(e, err) == 0) && (!path || mpg_times_use_path(e, path, err) == 0) &&
               (!sim->graph.choose || mpg_evaluator_use_choice(e, keeps, observer, err) == 0)))
        return e;
    mpg_evaluator_free(e);
    return NULL;
}

/* Returns the memory of a lane for expanded collectives, bytes; in perturb mode each lane is evaluated twice
 * (simulate/evaluate/delays/expand.c). Before the first pass, assumes collectives of all ranks. */
static double expansion_bytes(const struct simulation *sim)
{
    const bool has_findings = sim->prepass.is_done || sim->passed.counts.calls > 0;
    const int32_t p = has_findings ? sim->passed.expanded : sim->graph.expand ? sim->result->ranks : 0;
    const int evaluations = sim->options->predicts ? 1 : 2;
    return (evaluations + (sim->result->where ? MPG_PROVENANCE_TERMS : 0)) * sizeof(double) * (p + mpg_expansion_values(p));
}

static double lane_bytes_of(const void *context)
{
    const struct simulation *sim = ((const struct scenario_run *)context)->sim;
    const int32_t ranks = sim->result->ranks;
    double bytes = (sim->options->predicts ? mpg_times_bytes : mpg_delays_bytes)(sim->passed.slots, ranks) + expansion_bytes(sim);
    if (sim->result->where)
        bytes += mpg_tally_lane_bytes(ranks, mpg_trace_site_count(sim->trace), MPG_ATTRIBUTION_TERMS, sim->options->where.pairs) +
                 mpg_provenance_lane_bytes(sim->passed.slots);
    if (sim->graph.choose)
        bytes += ((double)sim->passed.slots + ranks + 1) * (double)mpg_choosing_view_bytes();
    return bytes;
}

/* Returns the run of replicas for X, with graph options GRAPH; END receives the evaluated replicas. */
static struct mpg_run run_of(struct scenario_run *x, const struct mpg_graph_options *graph, const char *label,
                             void (*end)(void *, const struct mpg_evaluator *, uint32_t, uint32_t))
{
    struct mpg_run run = {.context = x,
                          .pass_config = mpg_simulation_pass_config(x->sim, label),
                          .begin = begin,
                          .end = end,
                          .lane_bytes = lane_bytes_of,
                          .has_findings = x->sim->prepass.is_done || x->sim->passed.counts.calls > 0,
                          .passed = &x->sim->passed};
    run.pass_config.graph = graph;
    return run;
}

/* --- the run without the tracer's time --- */

static void end_base(void *context, const struct mpg_evaluator *evaluator, uint32_t first, uint32_t n)
{
    const struct scenario_run *x = context;
    struct simulation *sim = x->sim;
    (void)first, (void)n; /* a single lane */
    for (int32_t i = 0; i < sim->result->ranks; i++) {
        if (!mpg_evaluator_has(evaluator, i))
            continue;
        sim->base_ns[i] = mpg_evaluator_end(evaluator, i)[0];
        sim->base_account[i] = mpg_delay_account_of(mpg_evaluator_account(evaluator, i));
        sim->result->tracer_taken_out = sim->result->tracer_taken_out || sim->base_ns[i] != 0;
        if (sim->options->without_replicas) {
            sim->result->recorded_ns[i] = mpg_evaluator_traced(evaluator, i);
            sim->result->traced_ns[i] = (double)sim->result->recorded_ns[i] + sim->base_ns[i];
        }
    }
    if (sim->result->where)
        mpg_attribution_take_base(sim->result->where, mpg_evaluator_tallied(evaluator));
}

/* Returns a perturbation that only removes the tracer's time from the run of SIM. */
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
    /* the measured collectives of P, from which the scales of messages come */
    memcpy(nothing.meetings, sim->p->meetings, sizeof nothing.meetings);
    return nothing;
}

static bool has_tracer(const struct simulation *sim)
{
    const struct mpg_graph_counts *c = &sim->passed.counts;
    bool passed = c->calls > 0; /* an earlier pass has counted the tracer's time */
    return sim->p->without_tracer && (!passed || c->tracer_ns + c->flushed_ns > 0);
}

/* Returns true if A owns a run without the tracer's time (base_ns), which B can share. */
static bool same_base(const struct simulation *a, const struct simulation *b)
{
    struct mpg_pass_config x = mpg_simulation_pass_config(a, NULL);
    const struct mpg_pass_config y = mpg_simulation_pass_config(b, NULL);
    struct mpg_graph_options graph = *x.graph; /* the run without the tracer's time applies no hypotheses: these are not
                                                * compared */
    x.graph = &graph;
    graph.bound = y.graph->bound;
    graph.active = y.graph->active;
    const bool same_scales = !a->options->graph.unexpanded || a->p->target == b->p->target;
    return a->owns_base && same_scales && a->scenario->family == b->scenario->family && a->absorb == b->absorb &&
           a->prepass.floors == b->prepass.floors && has_tracer(a) == has_tracer(b) && mpg_pass_config_same(&x, &y);
}

/* Lets SIM share base_ns of an earlier simulation in ALL, or allocates it, zeroed. */
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
    if (sim->options->without_replicas && mpg_result_reserve(sim->result, err) < 0)
        return -1;
    sim->base_ns = calloc(ranks, sizeof *sim->base_ns);
    sim->base_account = calloc(ranks, sizeof *sim->base_account);
    return sim->base_ns && sim->base_account
               ? 0
               : mpg_error_set(err, "out of memory for %d ranks", sim->result->ranks);
}

/* The run of a scenario without the tracer's time. */
struct base {
    struct mpg_perturbation nothing;
    struct mpg_graph_options graph; /* options of the graph, with the source's eager limit */
    struct scenario_run scenario;
};

/* Completes N runs in the first process, if processes share the ranks. */
static int gather_bases(const struct base *base, size_t n, struct mpg_error *err)
{
    struct mpg_together *together = base->scenario.sim->together;
    if (mpg_processes_agree(together->processes, 0, 0, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct simulation *sim = base[i].scenario.sim;
        mpg_together_gather(together, sim->base_ns, sizeof *sim->base_ns);
        mpg_together_gather(together, sim->base_account, sizeof *sim->base_account);
    }
    return 0;
}

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
        b->graph.bound = NULL;
        b->graph.active = 0;
        b->graph.eager_limit_bytes = b->graph.source_eager_limit_bytes;
        b->scenario = (struct scenario_run){.sim = sim, .p = &b->nothing};
        run[k++] = run_of(&b->scenario, &b->graph, "taking the tracer out", end_base);
    }
    if (k == 0)
        return 0;
    if (mpg_runs_evaluate(run, k, 0, 1, all->options->threads, NULL, err) == 0)
        return all->together ? gather_bases(base, k, err) : 0;
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

/* --- perturbed replicas --- */

static int start(void *context, struct mpg_error *err)
{
    return mpg_result_reserve(((struct scenario_run *)context)->sim->result, err);
}

static void end_replicas(void *context, const struct mpg_evaluator *evaluator, uint32_t first, uint32_t n)
{
    const struct scenario_run *x = context;
    struct mpg_result *r = x->sim->result;
    const double *base_ns = x->sim->base_ns; /* NULL in predict mode, where values are times */
    const uint32_t begin = first - r->first_replica;
    if (x->sim->graph.choose)
        mpg_choices_add(&r->choices, mpg_choosing_counts(mpg_evaluator_choice(evaluator)));
    for (int32_t i = 0; i < r->ranks; i++) {
        if (!mpg_evaluator_has(evaluator, i))
            continue;
        const double *end_ns = mpg_evaluator_end(evaluator, i);
        r->recorded_ns[i] = mpg_evaluator_traced(evaluator, i);
        r->traced_ns[i] = (double)r->recorded_ns[i] + (base_ns ? base_ns[i] : 0);
        const double against_ns = base_ns ? base_ns[i] : r->traced_ns[i];
        for (uint32_t w = 0; w < n; w++)
            r->delay_ns[(size_t)i * r->replicas + begin + w] = end_ns[w] - against_ns;
        mpg_result_add(r, i, begin, n, mpg_evaluator_account(evaluator, i));
    }
    if (x->sim->options->predicts && x->sim->options->path)
        mpg_times_end_path(evaluator, x->sim->options->path);
    if (r->where)
        mpg_attribution_take(r->where, mpg_evaluator_tallied(evaluator), begin);
}

/* Completes the result: combines the shares of all processes, and subtracts the account of the tracer's time, contained in all
 * replicas. */
static int finish(void *context, struct mpg_error *err)
{
    const struct scenario_run *x = context;
    struct simulation *sim = x->sim;
    struct mpg_result *r = sim->result;
    r->counts = sim->passed.counts;
    r->redone = x->run->redone;
    r->undivided = x->run->undivided ? x->run->undivided : sim->undivided;
    r->absorb = sim->absorb;
    r->floors_of_source = !r->predicted && sim->prepass.floors && mpg_floors_used_source(sim->prepass.floors);
    r->clocks = mpg_clock_map_source(sim->clocks);
    if ((sim->together ? mpg_result_gather_ranks(r, sim->together, err)
                       : mpg_result_gather(r, sim->options->replicas, sim->options->processes, err)) < 0)
        return -1;
    if (!mpg_processes_first(sim->options->processes)) {
        mpg_result_clear(r);
        sim->is_done = true;
        return 0;
    }
    if (mpg_result_finish(r, err) < 0)
        return -1;
    for (int32_t i = 0; i < r->ranks && sim->base_account; i++)
        mpg_delay_account_add(&r->account[i], &sim->base_account[i], -1);
    sim->is_done = true;
    return sim->scenario->done ? sim->scenario->done(sim->scenario->context, err) : 0;
}

int mpg_simulation_run(struct simulation *all, size_t n, struct mpg_share share, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = all->options;
    struct scenario_run *scenario = calloc(n, sizeof *scenario);
    struct mpg_run *run = calloc(n, sizeof *run);
    int status = scenario && run ? 0 : mpg_error_set(err, "out of memory");
    for (size_t i = 0; i < n && status == 0; i++) {
        scenario[i] = (struct scenario_run){.sim = &all[i], .p = all[i].p, .run = &run[i]};
        run[i] = run_of(&scenario[i], &all[i].graph, all[i].options->predicts ? "predicting" : "simulating", end_replicas);
        run[i].start = start;
        run[i].finish = finish;
    }
    if (status == 0)
        status = mpg_runs_evaluate(run, n, o->first_replica + share.begin, share.n, o->threads,
                                   share.begin == 0 ? o->observer : NULL, err);
    for (size_t i = 0; i < n && status < 0; i++)
        if (!all[i].is_done)
            mpg_result_clear(all[i].result);
    free(scenario);
    free(run);
    return status;
}
