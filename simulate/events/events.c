/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions in simulated time: a group of replicas, each in a thread, evaluates the steps of one graph, read by a further
 * thread. */
#include "simulate/events/events.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/evaluate/prepass/prepass.h"
#include "simulate/evaluate/driver/share.h"
#include "simulate/events/replica.h"

struct run {
    struct mpg_trace *trace;
    const struct mpg_perturbation *p;
    const struct mpg_events_options *options;
    struct mpg_graph_options graph;
    struct mpg_clock_map *clocks;
    struct mpg_target target;
    struct mpg_capacities capacities;
    struct mpg_prepass prepass;
    struct mpg_result *result;
    struct mpg_extrapolation *x;
    const struct mpg_capacities *shared; /* NULL: nothing is shared */
    struct mpg_rank_use *use; /* replicas x ranks; in the first process replicas of all processes */
    double *events;           /* number of events of each replica */
};

static int prepass(struct run *x, struct mpg_error *err)
{
    const struct mpg_floor_options no_options = {0};
    const bool alike = mpg_perturbation_noise_by_class(x->p);
    struct mpg_graph_options traced = x->graph;
    const struct mpg_pass_config pass_config = {.trace = x->trace,
                                                .clocks = x->clocks,
                                                .graph = &traced,
                                                .label = "finding minimum times",
                                                .cache = x->options->simulation->cache};
    struct mpg_prepass *const own = &x->prepass;
    traced.active = 0; /* findings of the traced run, without hypotheses */
    traced.bound = NULL;
    if (mpg_prepass_init(own, x->trace, &no_options, false, alike ? x->p : NULL, x->options->simulation->removals, err) < 0)
        return -1;
    if (alike)
        mpg_classes_prefer_cpu(own->classes);
    else if (x->p->calls_cost_nothing)
        return 0; /* no call has a cost, so minimum times are not needed */
    if (mpg_prepass_find(&pass_config, &own, 1, 1, err) < 0)
        return -1;
    if (alike)
        x->result->cpu = mpg_classes_cpu(own->classes);
    return 0;
}

/* --- a replica --- */

/* Adds the account of each rank of REP to the result as replica number BEGIN of this process. */
static void add_account(struct run *x, const struct replica *rep, uint32_t begin)
{
    struct mpg_result *r = x->result;
    for (int32_t i = 0; i < rep->ranks; i++) {
        const double *of_times = mpg_evaluator_account(rep->times, i), *use = rep->rank[i].use;
        const double run_ns = *mpg_evaluator_end(rep->times, i);
        double term[MPG_ACCOUNT_TERMS] = {of_times[0], of_times[1], use[USE_CALL], use[USE_MESSAGE],
                                          use[USE_COLLECTIVE] + use[USE_BARRIER], 0, run_ns, of_times[7]};
        if (x->options->capacities) /* processors neither serve nor are shared */
            memcpy(term, of_times, sizeof term);
        else
            term[5] = run_ns - term[0] - term[1] - term[2] - term[3] - term[4];
        r->recorded_ns[i] = mpg_evaluator_traced(rep->times, i);
        r->traced_ns[i] = (double)r->recorded_ns[i];
        r->delay_ns[(size_t)i * r->replicas + begin] = run_ns - r->traced_ns[i];
        mpg_result_add(r, i, begin, 1, term);
        x->use[(size_t)begin * (size_t)rep->ranks + (size_t)i] =
            (struct mpg_rank_use){.barrier_ns = use[USE_BARRIER],
                                  .service_ns = use[USE_SERVICE],
                                  .processor_ns = use[USE_PROCESSOR],
                                  .requests = (double)rep->rank[i].requests};
    }
    x->events[begin] = (double)rep->events;
    r->shared.messages += rep->shared.messages;
    r->shared.delayed += rep->shared.delayed;
    r->shared.delay_ns += rep->shared.delay_ns;
    if (rep->counts) {
        x->x->delayed = (uint64_t)rep->shared.delayed;
        x->x->delay_ns = rep->shared.delay_ns;
    }
}

/* A replica at the end of the replica's run. */
struct finished {
    struct replica rep;
    struct mpg_capacities capacities; /* in this replica, with background traffic */
    struct mpg_evaluator *times;
};

static void free_finished(struct finished *f)
{
    if (!f)
        return;
    mpg_events_replica_clear(&f->rep);
    mpg_evaluator_free(f->times);
    free(f->capacities.link);
    free(f);
}

/* Runs replica number BEGIN of X by the steps of SOURCE. NULL with ERR on failure. */
static struct finished *run_replica(const struct run *x, struct program_source *source, uint32_t begin,
                                    struct mpg_error *err)
{
    const struct mpg_simulation_options *o = x->options->simulation;
    const uint32_t replica = x->result->first_replica + begin;
    struct mpg_times_options options = o->times;
    struct finished *f = calloc(1, sizeof *f);
    if (!f) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    options.eager_limit_bytes = x->graph.eager_limit_bytes;
    f->rep = (struct replica){.options = x->options,
                              .target = &x->target,
                              .parameters = x->x->parameters,
                              .processors = x->x->processors,
                              .capacities = x->shared,
                              .x = x->x,
                              .counts = begin == 0,
                              .blocking_get = x->options->blocking_get,
                              .replica = replica,
                              .ranks = x->result->ranks,
                              .observer = begin == 0 ? o->observer : NULL};
    if (x->shared &&
        !(f->rep.capacities = mpg_capacities_of_replica(x->shared, x->target.noise->seed, replica, &f->capacities, err))) {
        free_finished(f);
        return NULL;
    }
    if ((f->times = mpg_times_new(f->rep.ranks, 1, replica, &x->target, &options, x->prepass.floors, x->prepass.classes, err)) &&
        mpg_events_replica_run(&f->rep, source, f->times, err) == 0)
        return f;
    free_finished(f);
    return NULL;
}

/* --- a group of replicas, served by one graph --- */

/* Number of entries of the ring of steps. An entry is a sequence of the graph, so a replica has as many events as with a separate
 * graph. A replica reads the graph in bursts, when ranks run out of steps. */
enum { ENTRIES = 256 };

/* A replica of a group, and the replica's thread. */
struct member {
    const struct run *run;
    struct program_source source;
    uint32_t number;
    struct finished *finished; /* NULL: the replica has failed with ERROR */
    struct mpg_error error;
    pthread_t thread;
};

static void *run_member(void *member)
{
    struct member *m = member;
    m->finished = run_replica(m->run, &m->source, m->number, &m->error);
    if (!m->source.graph)
        mpg_step_reader_leave(&m->source.reader);
    return NULL;
}

/* Starts the threads of N members; returns the number of threads allowed by the system. The readers of the remaining members
 * leave. */
static uint32_t start_members(struct member *member, uint32_t n)
{
    uint32_t started = 0;
    while (started < n && pthread_create(&member[started].thread, NULL, run_member, &member[started]) == 0)
        started++;
    for (uint32_t i = started; i < n; i++)
        mpg_step_reader_leave(&member[i].source.reader);
    return started;
}

/* Gives all steps of GRAPH to the readers of RING. */
static void read_graph(struct mpg_graph *graph, struct mpg_step_ring *ring)
{
    struct mpg_steps steps;
    struct mpg_error err;
    int more = 1;
    while (more > 0 && (more = mpg_graph_next(graph, &steps, &err)) > 0)
        more = mpg_step_ring_put(ring, &steps);
    mpg_step_ring_end(ring, more < 0 ? &err : NULL);
}

/* Runs N members in a thread each, while this thread reads GRAPH. Returns the number of members run: fewer than N if the system
 * refuses threads; 0, with no step of GRAPH read, if there is no thread or no memory. */
static uint32_t run_in_threads(struct member *member, uint32_t n, struct mpg_graph *graph)
{
    struct mpg_error unused;
    struct mpg_step_ring *ring = mpg_step_ring_new(n, ENTRIES, 1, &unused);
    if (!ring)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        member[i].source = (struct program_source){.reader.ring = ring};
    const uint32_t started = start_members(member, n);
    if (started > 0)
        read_graph(graph, ring);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(member[i].thread, NULL);
    mpg_step_ring_free(ring);
    return started;
}

/* Adds M's replica to the result; replicas are added by number. COUNTS: the counts of the graph. */
static int take_replica(struct run *x, struct member *m, struct mpg_graph *graph, struct mpg_error *err)
{
    if (!m->finished) {
        *err = m->error;
        return -1;
    }
    add_account(x, &m->finished->rep, m->number);
    if (m->number == 0)
        x->result->counts = mpg_graph_counts(graph);
    return 0;
}

/* Runs the replicas from number BEGIN on by MEMBER[0 .. N - 1] and one graph, in threads if THREADED. Returns the number of
 * replicas run, or -1 with the error of the first failed replica; earlier replicas are in the result. */
static int64_t run_group(struct run *x, struct member *member, uint32_t begin, uint32_t n, bool threaded, struct mpg_error *err)
{
    struct mpg_graph *graph = mpg_graph_open(x->trace, x->clocks, &x->graph, err);
    int status = graph ? 0 : -1;
    for (uint32_t i = 0; i < n; i++)
        member[i] = (struct member){.run = x, .number = begin + i};
    uint32_t ran = graph && threaded ? run_in_threads(member, n, graph) : 0;
    if (graph && ran == 0) {
        member[0].source = (struct program_source){.graph = graph};
        (void)run_member(&member[0]);
        ran = 1;
    }
    for (uint32_t i = 0; i < ran; i++) {
        status = status == 0 ? take_replica(x, &member[i], graph, err) : status;
        free_finished(member[i].finished);
    }
    mpg_graph_close(graph);
    return status < 0 ? -1 : (int64_t)ran;
}

/* Runs N replicas by THREADS >= 1 threads, besides which, if THREADS > 1, one thread reads the graph. An observer may read the
 * trace, so the observed replica runs in the thread of the graph. Error: the error of the first failed replica; earlier replicas
 * are in the result. */
static int run_replicas(struct run *x, uint32_t n, unsigned threads, struct mpg_error *err)
{
    struct member *member = calloc(threads, sizeof *member);
    int64_t ran = member ? 0 : mpg_error_set(err, "out of memory");
    for (uint32_t begin = 0; begin < n && ran >= 0; begin += (uint32_t)ran) {
        const bool observed = begin == 0 && x->options->simulation->observer;
        const uint32_t left = n - begin, most = observed ? 1 : threads;
        ran = run_group(x, member, begin, left < most ? left : most, threads > 1 && !observed, err);
    }
    free(member);
    return ran < 0 ? -1 : 0;
}

/* --- all replicas --- */

static int reserve_uses(struct run *x, uint32_t own, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = x->options->simulation;
    const uint32_t n = mpg_processes_first(o->processes) ? o->replicas : own;
    x->use = calloc((size_t)n * (size_t)x->result->ranks, sizeof *x->use);
    x->events = calloc(n, sizeof *x->events);
    return x->use && x->events ? 0 : mpg_error_set(err, "out of memory");
}

/* The first process receives the uses and events of the other processes. Collective over the processes with replicas. */
static void gather_uses(struct run *x, uint32_t own)
{
    const struct mpg_processes *p = x->options->simulation->processes;
    const size_t ranks = (size_t)x->result->ranks, row = ranks * sizeof *x->use;
    if (!p || p->size == 1)
        return;
    if (p->rank > 0) {
        p->messenger->send(x->use, own, row);
        p->messenger->send(x->events, own, sizeof *x->events);
    }
    for (int i = 1; i < p->size && p->rank == 0; i++) {
        const struct mpg_share share = mpg_share_of(x->options->simulation->replicas, i, p->size);
        if (share.n == 0)
            continue;
        p->messenger->receive(i, x->use + share.begin * ranks, share.n, row, row);
        p->messenger->receive(i, x->events + share.begin, share.n, sizeof *x->events, sizeof *x->events);
    }
}

/* Computes means over all replicas, added by number. */
static void average_uses(struct run *x)
{
    const uint32_t n = x->result->replicas;
    const size_t ranks = (size_t)x->result->ranks;
    for (uint32_t k = 0; k < n; k++) {
        for (size_t i = 0; i < ranks; i++) {
            const struct mpg_rank_use *of = &x->use[k * ranks + i];
            struct mpg_rank_use *u = &x->x->use[i];
            u->barrier_ns += of->barrier_ns / n;
            u->service_ns += of->service_ns / n;
            u->processor_ns += of->processor_ns / n;
            u->requests += of->requests / n;
        }
        x->x->events += x->events[k] / n;
    }
}

static int run_all(struct run *x, struct mpg_share share, struct mpg_error *err)
{
    struct mpg_result *r = x->result;
    const struct mpg_simulation_options *o = x->options->simulation;
    mpg_result_init(r, mpg_trace_ranks(x->trace), share.n, o->first_replica + share.begin);
    r->predicted = true;
    r->shared.are = x->options->capacities != NULL;
    r->source_eager_limit_bytes = o->graph.source_eager_limit_bytes;
    r->clocks = mpg_clock_map_source(x->clocks);
    if (prepass(x, err) < 0 || mpg_result_reserve(r, err) < 0 || reserve_uses(x, share.n, err) < 0)
        return -1;
    if (run_replicas(x, share.n, o->threads, err) < 0)
        return -1;
    if (mpg_result_gather(r, o->replicas, o->processes, err) < 0)
        return -1;
    gather_uses(x, share.n);
    if (!mpg_processes_first(o->processes))
        return 0;
    average_uses(x);
    return mpg_result_finish(r, err);
}

int mpg_events_predict(struct mpg_trace *trace, const struct mpg_perturbation *p, const struct mpg_events_options *options,
                       struct mpg_result *result, struct mpg_extrapolation *x, struct mpg_error *err)
{
    const struct mpg_simulation_options *o = options->simulation;
    const struct mpg_share share = mpg_share_own(o->replicas, o->processes);
    struct run run = {.trace = trace, .p = p, .options = options, .graph = o->graph, .result = result, .x = x};
    run.graph.keeps_slots = true;
    if (share.n == 0)
        return mpg_results_await(1, o->processes, err);
    x->ranks = mpg_trace_ranks(trace);
    x->use = calloc((size_t)x->ranks, sizeof *x->use);
    int status = x->use ? 0 : mpg_error_set(err, "out of memory");
    run.clocks = status == 0 ? mpg_clock_map_from_trace(trace, err) : NULL;
    if (status == 0 && !options->capacities)
        status = mpg_capacities_of_parameters(&run.capacities, x->parameters, x->processors, err);
    run.shared = options->capacities ? options->capacities : mpg_capacities_known(&run.capacities) ? &run.capacities : NULL;
    if (status == 0 && run.clocks && mpg_target_init(&run.target, p, o->placement, err) == 0)
        status = run_all(&run, share, err);
    else
        status = -1;
    if (status < 0)
        mpg_result_clear(result);
    free(run.use);
    free(run.events);
    mpg_prepass_clear(&run.prepass);
    mpg_target_clear(&run.target);
    mpg_capacities_clear(&run.capacities);
    mpg_clock_map_free(run.clocks);
    return status;
}

void mpg_extrapolation_clear(struct mpg_extrapolation *x)
{
    free(x->use);
    x->use = NULL;
}

int mpg_events_predict_shared(struct mpg_trace *trace, const struct mpg_perturbation *p,
                              const struct mpg_simulation_options *options, struct mpg_result *result, struct mpg_error *err)
{
    /* the quantum is about Linux's slice of equal tasks, SwitchTime is measured in docs/VALIDATION.md, Ports that ranks share */
    char text[192];
    const int length = snprintf(text, sizeof text, "Policy = offload\nBarrierAlgorithm = rounds\nQuantum = 3ms\n"
                                                   "SwitchTime = 5us\nMap = cyclic\n");
    if (options->cores > 0)
        (void)snprintf(text + length, sizeof text - (size_t)length, "Processors = %" PRId32 "\n", options->cores);
    struct mpg_parameters *none = mpg_parameters_parse(text, strlen(text), "sharing", err);
    struct mpg_processors processors = {0};
    const struct mpg_events_options events = {.simulation = options, .capacities = options->capacities};
    int status = none ? mpg_processors_init(&processors, none, mpg_trace_ranks(trace), err) : -1;
    struct mpg_extrapolation x = {.parameters = none, .processors = &processors};
    if (status == 0)
        status = mpg_events_predict(trace, p, &events, result, &x, err);
    mpg_extrapolation_clear(&x);
    mpg_processors_clear(&processors);
    mpg_parameters_free(none);
    return status;
}
