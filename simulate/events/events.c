/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions in simulated time: each replica reads a graph by itself; threads share the replicas. */
#include "simulate/events/events.h"

#include <math.h>
#include <pthread.h>
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
    double *events;           /* number of events of each of these replicas */
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

/* A replica at the end of its run. */
struct finished {
    struct replica rep;
    struct mpg_capacities capacities; /* in this replica, with background traffic */
    struct mpg_graph *graph;
    struct mpg_evaluator *times;
};

static void free_finished(struct finished *f)
{
    mpg_events_replica_clear(&f->rep);
    mpg_evaluator_free(f->times);
    mpg_graph_close(f->graph);
    free(f->capacities.link);
    free(f);
}

/* Runs replica number BEGIN of X with TRACE, which no other thread uses. NULL with ERR on failure. */
static struct finished *run_replica(const struct run *x, struct mpg_trace *trace, uint32_t begin, struct mpg_error *err)
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
    if ((f->graph = mpg_graph_open(trace, x->clocks, &x->graph, err)) &&
        (f->times = mpg_times_new(f->rep.ranks, 1, replica, &x->target, &options, x->prepass.floors, x->prepass.classes, err)) &&
        mpg_events_replica_run(&f->rep, f->graph, f->times, err) == 0)
        return f;
    free_finished(f);
    return NULL;
}

/* Adds F, replica number BEGIN, to the result; replicas are added in their order, by one thread at a time. */
static void take_replica(struct run *x, struct finished *f, uint32_t begin)
{
    add_account(x, &f->rep, begin);
    if (begin == 0)
        x->result->counts = mpg_graph_counts(f->graph);
    free_finished(f);
}

/* --- threads with a trace reader each --- */

struct work {
    struct run *run;
    uint32_t n;
    pthread_mutex_t mutex; /* protects all fields below */
    pthread_cond_t changed;
    uint32_t begun, taken; /* number of replicas begun, and added to the result; after a failure no replica is begun */
    uint32_t failed;       /* the first replica that failed; n: none */
    struct mpg_error error;
};

struct worker {
    struct work *work;
    struct mpg_trace *trace;
    pthread_t thread;
};

/* Sets *I to the next replica to run. Returns false if all replicas are begun, or a replica has failed. */
static bool begin_replica(struct work *x, uint32_t *i)
{
    pthread_mutex_lock(&x->mutex);
    *i = x->begun;
    const bool is_there = *i < x->n && x->failed == x->n;
    x->begun += is_there;
    pthread_mutex_unlock(&x->mutex);
    return is_there;
}

/* Adds replica I, with outcome CAME_TO, to the result, after all earlier replicas. CAME_TO is NULL if the replica
 * failed with ERR. */
static void end_replica(struct work *x, uint32_t i, struct finished *came_to, const struct mpg_error *err)
{
    pthread_mutex_lock(&x->mutex);
    while (x->taken < i)
        pthread_cond_wait(&x->changed, &x->mutex);
    if (came_to)
        take_replica(x->run, came_to, i);
    else if (x->failed == x->n) {
        x->failed = i;
        x->error = *err;
    }
    x->taken++;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->mutex);
}

static void *work(void *worker)
{
    const struct worker *rep = worker;
    struct work *x = rep->work;
    uint32_t i;
    while (begin_replica(x, &i)) {
        struct mpg_error err;
        struct finished *came_to = run_replica(x->run, rep->trace, i, &err);
        end_replica(x, i, came_to, &err);
    }
    return NULL;
}

/* Starts up to N threads, as many as the system allows; returns their number. */
static unsigned start_workers(struct worker *worker, unsigned n, struct work *x, const struct mpg_trace *trace)
{
    struct mpg_error unused;
    unsigned i = 0;
    for (; i < n; i++) {
        worker[i] = (struct worker){.work = x, .trace = mpg_trace_open_again(trace, &unused)};
        if (!worker[i].trace || pthread_create(&worker[i].thread, NULL, work, &worker[i]) != 0) {
            mpg_trace_close(worker[i].trace);
            break;
        }
    }
    return i;
}

/* Runs N replicas by THREADS >= 1 threads: this thread with the run's trace, each other thread with the trace opened
 * again. Fewer threads run if the system refuses a thread. Error: the error of the first failed replica;
 * earlier replicas are in the result. */
static int run_replicas(struct run *run, uint32_t n, unsigned threads, struct mpg_error *err)
{
    struct mpg_trace *trace = run->trace;
    struct work x = {.run = run, .n = n, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                     .failed = n};
    struct worker own = {.work = &x, .trace = trace};
    const unsigned max = threads < n ? threads : n;
    const unsigned more = max - 1;
    struct worker *worker = more > 0 ? calloc(more, sizeof *worker) : NULL;
    const unsigned started = worker ? start_workers(worker, more, &x, trace) : 0;
    work(&own);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(worker[i].thread, NULL);
        mpg_trace_close(worker[i].trace);
    }
    free(worker);
    if (x.failed < n)
        *err = x.error;
    return x.failed < n ? -1 : 0;
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

/* The first process receives the uses and events of the other processes. Collective over the processes that have replicas. */
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

/* Computes means over all replicas, added in their order. */
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
    static const char text[] = "Policy = offload\nBarrierAlgorithm = rounds\n";
    struct mpg_parameters *none = mpg_parameters_parse(text, sizeof text - 1, "sharing", err);
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
