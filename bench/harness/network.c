/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Main program of pair benchmarks: draws pairs, measures pair after pair, collects on rank 0, writes results. */
#include "config.h"

#include "bench/harness/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/eager.h"
#include "bench/harness/launch.h"
#include "bench/harness/load.h"
#include "bench/harness/machine.h"
#include "bench/harness/outliers.h"
#include "common/output.h"
#include "common/units.h"
#include "statistics/order.h"

#define EAGER_MAX_BYTES ((int64_t)4 << 20)
#define MIN_MAD 0.01 /* minimum relative error assumed for medians when pairs are compared */
enum { DEFAULT_PAIRS = 10, TAG = 5, CHUNK = 1 << 24 };

const char *const mpg_network_memories[] = {"host", "device", NULL};

/* State of a launch. */
struct run {
    const struct mpg_network *net;
    struct mpg_network_options *opt;
    struct mpg_ranks ranks;
    struct mpg_timer timer;
    struct mpg_device device; /* open with --memory=device */
    struct mpg_network_effort effort;
    bool own_core; /* each rank has a separate core; if ranks share cores, off-CPU time is not noise and is not measured */
    int64_t pairs; /* number of pairs, all path classes together */
    struct mpg_rank_pair *rank_pair;
    bool eager_known[MPG_PATHS];
    int64_t eager_limit_bytes[MPG_PATHS];
    struct mpg_progress progress;
    struct mpg_path_results class[MPG_PATHS]; /* rank 0 only; indexed by path class */
    struct mpg_load load;              /* load of this host by other processes */
    double others_ns;                  /* rank 0: CPU time of the other ranks on rank 0's host */
};

/* Results of a pair on the leading rank, to be sent to rank 0. */
struct pair_results {
    struct mpg_measured measured;
    struct mpg_bench_plan plan;
    struct mpg_path_cell *cell; /* an element for each cell of the plan */
    double *row;
};

struct summary {
    int64_t rows, cells, rounds, dropped;
    double error_ns, drift;
    int64_t shared;
};

static void clear_results(struct pair_results *y)
{
    mpg_measured_clear(&y->measured);
    mpg_plan_clear(&y->plan);
    free(y->cell);
    free(y->row);
}

/* ---- a pair ---- */

/* Returns the largest message size known to be eager on PATH; negative: none. */
static int64_t known_limit(const struct run *run, enum mpg_path path)
{
    int64_t limit = run->eager_known[path] ? run->eager_limit_bytes[path] : -2;
    return limit == -1 ? EAGER_MAX_BYTES : limit;
}

static int plan_pair(const struct run *run, enum mpg_path path, struct mpg_bench_plan *plan,
                     struct mpg_error *err)
{
    struct mpg_network_facts facts = {
        .eager_limit_bytes = run->eager_known[path] && run->eager_limit_bytes[path] > 0
                                 ? run->eager_limit_bytes[path] : 0,
        .l2_bytes = mpg_topology_cache_bytes(run->ranks.topology, 2),
        .l3_bytes = mpg_topology_cache_bytes(run->ranks.topology, 3)};
    int status = run->net->plan(&facts, &run->effort.limits, plan, err);
    if (status < 0)
        mpg_plan_clear(plan);
    return status;
}

/* Broadcasts the leading rank's plan to both ranks: plans depend on cache sizes, which may differ between the ranks. */
static int share_plan(const struct run *run, const struct mpg_pair *pair, enum mpg_path path,
                      struct mpg_bench_plan *plan, struct mpg_error *err)
{
    int status = pair->rank == 0 ? plan_pair(run, path, plan, err) : 0;
    if (mpg_pair_agree(pair, status, err) < 0)
        return -1;
    struct mpg_bench_cell *own = plan->cell;
    MPI_Bcast(plan, sizeof *plan, MPI_BYTE, 0, pair->comm);
    size_t size = plan->n * sizeof *plan->cell;
    plan->cell = pair->rank == 0 ? own : malloc(size);
    status = plan->cell ? 0 : mpg_error_set(err, "out of memory");
    if (mpg_pair_agree(pair, status, err) < 0)
        return -1;
    MPI_Bcast(plan->cell, (int)size, MPI_BYTE, 0, pair->comm);
    return 0;
}

static double median_total(const struct mpg_measured *m, size_t cell, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->times[i].cell == cell)
            scratch[n++] = m->times[i].total_ns;
    mpg_sort(scratch, n);
    return n > 0 ? mpg_sorted_quantile(scratch, n, 0.5) : 0;
}

/* Makes y->row (samples of pair NUMBER) and y->cell (medians and unmet goals) from y->measured. */
static int make_rows(const struct run *run, int64_t number, struct pair_results *y,
                     struct mpg_error *err)
{
    const struct mpg_measured *m = &y->measured;
    size_t columns = (size_t)run->net->n_columns;
    double *scratch = malloc((m->n + 1) * sizeof *scratch);
    y->row = malloc((m->n + 1) * columns * sizeof *y->row);
    y->cell = calloc(y->plan.n, sizeof *y->cell);
    int status = scratch && y->row && y->cell
                     ? 0 : mpg_error_set(err, "out of memory for %zu samples", m->n);
    for (size_t i = 0; i < m->n && status == 0; i++) {
        double *row = y->row + i * columns;
        row[0] = (double)number;
        run->net->row(&y->plan.cell[m->times[i].cell], &m->times[i], row);
    }
    for (size_t i = 0; i < y->plan.n && status == 0; i++)
        y->cell[i] = (struct mpg_path_cell){number, y->plan.cell[i].size_bytes,
                                             y->plan.cell[i].window, y->plan.cell[i].operation,
                                             median_total(m, i, scratch), m->unmet[i]};
    free(scratch);
    return status;
}

/* Measures pair K of the launch, number NUMBER of the path class. Called by both ranks of the pair. */
static int measure_pair(struct run *run, int64_t k, int64_t number, struct pair_results *y,
                        struct mpg_error *err)
{
    const struct mpg_rank_pair *rank_pair = &run->rank_pair[k];
    const struct mpg_network_options *opt = run->opt;
    enum mpg_path path = rank_pair->path;
    struct mpg_pair pair;
    mpg_pair_begin(&pair, &run->ranks, rank_pair, opt->memory == MPG_MEMORY_DEVICE ? &run->device : NULL);
    int status = 0;
    if (!opt->no_eager && !run->eager_known[path]) {
        status = mpg_pair_agree(&pair, mpg_pair_allocate(&pair, EAGER_MAX_BYTES, err), err);
        if (status == 0)
            run->eager_limit_bytes[path] = mpg_eager_limit(&pair, EAGER_MAX_BYTES);
        run->eager_known[path] = status == 0;
    }
    if (status == 0)
        status = share_plan(run, &pair, path, &y->plan, err);
    if (status == 0)
        status = mpg_pair_agree(&pair, mpg_pair_allocate(&pair, y->plan.max_bytes, err), err);
    if (status == 0 && run->net->opens_window)
        status = mpg_pair_agree(&pair, mpg_pair_open_window(&pair, y->plan.max_bytes, *run->net->creates_window, err), err);
    struct mpg_rounds rounds = {
        .lead = run->net->lead, .follow = run->net->follow, .sent = run->net->sent,
        .late = run->net->late, .two_parts = run->net->two_parts, .works = run->net->works,
        .off_cpu = run->own_core,
        .eager_limit_bytes = known_limit(run, path),
        .adaptive = !opt->iterations_given,
        .goal = {opt->confidence / 100, opt->median_error / 100,
                 run->net->tail ? opt->tail_error / 100 : 0},
        .warmup = opt->warmup, .time_ns = run->effort.time_ns / (double)run->pairs,
        .seed = (uint64_t)opt->seed + (uint64_t)k,
        .progress = run->ranks.rank == 0 ? &run->progress : NULL, .done = (double)k};
    if (status == 0)
        status = mpg_rounds_measure(&rounds, &pair, &y->plan, &run->timer, &y->measured, err);
    if (status == 0 && pair.rank == 0)
        status = make_rows(run, number, y, err);
    mpg_pair_end(&pair);
    return status;
}

/* ---- all pairs ---- */

static void send_rows(const double *row, size_t n)
{
    for (size_t done = 0; done < n; done += CHUNK)
        MPI_Send(row + done, (int)(n - done < CHUNK ? n - done : CHUNK), MPI_DOUBLE, 0, TAG,
                 MPI_COMM_WORLD);
}

static void receive_rows(double *row, size_t n, int from)
{
    for (size_t done = 0; done < n; done += CHUNK)
        MPI_Recv(row + done, (int)(n - done < CHUNK ? n - done : CHUNK), MPI_DOUBLE, from, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0: adds the results of the pair to the pair's path class: Y if rank 0 is the leading rank, else results received from the
 * leading rank. */
static void take(struct run *run, const struct mpg_rank_pair *rank_pair, const struct summary *s,
                 const struct pair_results *y)
{
    struct mpg_path_results *class = &run->class[rank_pair->path];
    double *row = class->row + class->n * (size_t)class->n_columns;
    struct mpg_path_cell *cell = class->cell + class->cells;
    size_t values = (size_t)s->rows * (size_t)class->n_columns;
    if (rank_pair->a == 0) {
        memcpy(row, y->row, values * sizeof *row);
        memcpy(cell, y->cell, (size_t)s->cells * sizeof *cell);
    } else {
        MPI_Recv(cell, (int)((size_t)s->cells * sizeof *cell), MPI_BYTE, rank_pair->a, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive_rows(row, values, rank_pair->a);
    }
    class->rank_pair[class->pairs++] = *rank_pair;
    class->n += (size_t)s->rows;
    class->cells += (size_t)s->cells;
    class->synchronised = class->synchronised || !s->shared;
    class->error_ns = s->error_ns > class->error_ns ? s->error_ns : class->error_ns;
    class->drift = fabs(s->drift) > fabs(class->drift) ? s->drift : class->drift;
    class->rounds = s->rounds > class->rounds ? s->rounds : class->rounds;
    class->dropped += s->dropped;
}

/* Collects the results Y of a pair on rank 0; collective over all ranks. */
static int collect(struct run *run, const struct mpg_rank_pair *rank_pair, const struct pair_results *y,
                   struct mpg_error *err)
{
    int rank = run->ranks.rank, status = 0;
    struct summary s = {(int64_t)y->measured.n, (int64_t)y->plan.n, y->measured.rounds,
                        y->measured.dropped,
                        y->measured.error_ns, y->measured.drift, y->measured.shared};
    if (rank == rank_pair->a && rank != 0)
        MPI_Send(&s, sizeof s, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    if (rank == 0) {
        if (rank_pair->a != 0)
            MPI_Recv(&s, sizeof s, MPI_BYTE, rank_pair->a, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        status = mpg_path_results_reserve(&run->class[rank_pair->path], (size_t)s.rows, (size_t)s.cells,
                                   err);
    }
    if (mpg_ranks_agree(&run->ranks, status, err) < 0)
        return -1;
    if (rank == 0)
        take(run, rank_pair, &s, y);
    if (rank == rank_pair->a && rank != 0) {
        MPI_Send(y->cell, (int)(y->plan.n * sizeof *y->cell), MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        send_rows(y->row, y->measured.n * (size_t)run->net->n_columns);
    }
    return 0;
}

static int measure(struct run *run, struct mpg_error *err)
{
    int64_t number[MPG_PATHS] = {0};
    int rank = run->ranks.rank, status = 0;
    for (int64_t k = 0; k < run->pairs && status == 0; k++) {
        const struct mpg_rank_pair *rank_pair = &run->rank_pair[k];
        struct pair_results y = {.row = NULL};
        bool mine = rank == rank_pair->a || rank == rank_pair->b;
        if (mine)
            status = measure_pair(run, k, number[rank_pair->path], &y, err);
        status = mpg_ranks_agree(&run->ranks, status, err);
        if (status == 0 && !run->opt->no_eager) {
            run->eager_limit_bytes[rank_pair->path] = mpg_ranks_maximum(
                &run->ranks, mine ? run->eager_limit_bytes[rank_pair->path] : INT64_MIN);
            run->eager_known[rank_pair->path] = true;
        }
        if (status == 0)
            status = collect(run, rank_pair, &y, err);
        number[rank_pair->path]++;
        clear_results(&y);
        if (rank == 0)
            mpg_progress_update(&run->progress, (double)(k + 1));
    }
    return status;
}

/* ---- preparation and report ---- */

/* Performs all steps that can fail before the measurement. */
static int prepare(struct run *run, struct mpg_error *err)
{
    int status = mpg_timer_open(run->opt->timer, &run->timer, err);
    if (status == 0 && run->opt->memory == MPG_MEMORY_DEVICE)
        status = mpg_device_open(&run->device, run->ranks.rank, err);
    if (status == 0 && run->ranks.rank == 0)
        status = mpg_results_file_prepare(run->opt->dir, err);
    for (int p = 0; p < MPG_PATHS; p++) {
        run->class[p].path = (enum mpg_path)p;
        run->class[p].n_columns = run->net->n_columns;
        run->class[p].window_column = run->net->window_column;
        run->class[p].operation_names = run->net->operation_names;
    }
    if (status == 0) {
        int64_t wanted = DEFAULT_PAIRS;
        if (strcmp(run->opt->pairs, "all") == 0)
            wanted = INT64_MAX;
        else
            wanted = strtoll(run->opt->pairs, NULL, 10);
        run->pairs = mpg_rank_pairs_draw(&run->ranks, wanted, (uint64_t)run->opt->seed,
                                      &run->rank_pair, err);
        status = run->pairs < 0 ? -1 : 0;
    }
    return mpg_ranks_agree(&run->ranks, status, err);
}

static int describe_goal(const struct run *run, const struct mpg_path_results *class,
                         struct mpg_header *header, struct mpg_error *err)
{
    const struct mpg_network_options *opt = run->opt;
    const struct mpg_network_effort *effort = &run->effort;
    char limit[64] = "", unmet[512], tail[64] = "", time[32];
    if (effort->time_ns > 0)
        snprintf(limit, sizeof limit, " or %s for all pairs",
                 mpg_units_format_time(time, sizeof time, effort->time_ns));
    if (opt->iterations_given)
        return mpg_header_add(header, err, "stopping", "after %lld exchanges of a size%s",
                              (long long)effort->limits.max, limit);
    mpg_path_results_unconverged(class, unmet, sizeof unmet);
    if (run->net->tail)
        snprintf(tail, sizeof tail, " and p99 within %g %%", opt->tail_error);
    return mpg_header_add(header, err, "stopping",
                          "%g %% intervals: median within %g %%%s; at most %lld exchanges of a"
                          " size%s; not reached: %s",
                          opt->confidence, opt->median_error, tail,
                          (long long)effort->limits.max, limit, unmet);
}

static int describe_eager(const struct run *run, const struct mpg_path_results *class,
                          struct mpg_header *header, struct mpg_error *err)
{
    static const char *const why[] = {"not looked for", "even 4 MiB went eagerly",
                                      "even an empty message waits", "no clear limit"};
    if (!run->opt->no_eager && class->eager_limit_bytes >= 0)
        return mpg_header_add(header, err, "eager_limit_bytes", "%lld",
                              (long long)class->eager_limit_bytes);
    return mpg_header_add(header, err, "eager_limit", "not detected (%s)",
                          why[run->opt->no_eager ? 0 : -class->eager_limit_bytes]);
}

static int describe_pairs(const struct run *run, const struct mpg_path_results *class,
                          struct mpg_header *header, struct mpg_error *err)
{
    if (mpg_header_add(header, err, "path", "%s", mpg_path_name(class->path)) < 0 ||
        mpg_header_add(header, err, "pairs", "%lld", (long long)class->pairs) < 0)
        return -1;
    for (int64_t p = 0; p < class->pairs; p++)
        if (mpg_rank_pair_describe(&run->ranks, p, &class->rank_pair[p], header, err) < 0)
            return -1;
    return 0;
}

static int describe(const struct run *run, const struct mpg_path_results *class, int argc, char **argv,
                    struct mpg_header *header, struct mpg_error *err)
{
    const struct mpg_network_options *opt = run->opt;
    return mpg_header_add(header, err, "benchmark", "%s", run->net->name) < 0 ||
                   mpg_machine_describe(header, &run->timer, argc, argv, err) < 0 ||
                   mpg_load_describe(&run->load, run->others_ns, header, err) < 0 ||
                   mpg_header_add(header, err, "timer_cost_removed",
                                  "one reading of each rank's timer from times between two"
                                  " readings of one rank, half of both else") < 0 ||
                   (opt->memory == MPG_MEMORY_DEVICE &&
                    mpg_header_add(header, err, "memory", "device (%s)", run->device.kind) < 0) ||
                   mpg_header_add(header, err, "launch", "%lld", (long long)opt->launch) < 0 ||
                   mpg_header_add(header, err, "seed", "%lld", (long long)opt->seed) < 0 ||
                   mpg_header_add(header, err, "warmup_repetitions", "%lld", (long long)opt->warmup) < 0 ||
                   mpg_ranks_describe(&run->ranks, header, err) < 0 ||
                   describe_pairs(run, class, header, err) < 0 ||
                   (!run->net->opens_window && describe_eager(run, class, header, err) < 0) ||
                   mpg_header_add(header, err, "clocks", "%s",
                                  class->synchronised ? "synchronised" : "shared") < 0 ||
                   mpg_header_add(header, err, "one_way_error_ns", "%.1f", class->error_ns) < 0 ||
                   (class->synchronised && mpg_header_add(header, err, "peer_drift_ppm", "%.3f",
                                                          1e6 * class->drift) < 0) ||
                   mpg_header_add(header, err, "rounds", "%lld", (long long)class->rounds) < 0 ||
                   describe_goal(run, class, header, err) < 0 ||
                   (!run->own_core &&
                    mpg_header_add(header, err, "off_cpu", "not looked for: ranks share cores") < 0) ||
                   (run->net->describe && run->net->describe(class, header, err) < 0)
               ? -1
               : 0;
}

static int write_class(const struct run *run, const struct mpg_path_results *class, int argc,
                       char **argv, struct mpg_error *err)
{
    char name[96];
    struct mpg_header header = {0, NULL};
    struct mpg_bench_samples samples = {run->net->columns, run->net->n_columns, {0}, class->n,
                                  class->row};
    memcpy(samples.decimals, run->net->decimals, sizeof samples.decimals);
    snprintf(name, sizeof name, "%s%s-launch%lld-%s.samples", run->net->name,
             run->opt->memory == MPG_MEMORY_DEVICE ? "-device" : "", (long long)run->opt->launch, mpg_path_file(class->path));
    int status = describe(run, class, argc, argv, &header, err);
    if (status == 0)
        status = mpg_results_file_write(run->opt->dir, name, &header, &samples, err);
    mpg_header_clear(&header);
    return status;
}

/* Prints the goal, and the number of cells (message sizes of a pair) that missed the goal. */
static void print_exactness(const struct run *run, const struct mpg_path_results *class)
{
    size_t medians = 0, tails = 0;
    for (size_t i = 0; i < class->cells; i++) {
        medians += class->cell[i].unmet.median;
        tails += class->cell[i].unmet.tail;
    }
    printf("precision: %g %% confidence intervals, goal: median +-%g %%", run->opt->confidence, run->opt->median_error);
    if (medians > 0)
        printf(" (missed for %zu of %zu sizes and pairs)", medians, class->cells);
    if (run->net->tail)
        printf(", p99 +-%g %%", run->opt->tail_error);
    if (tails > 0)
        printf(" (missed for %zu of %zu sizes and pairs)", tails, class->cells);
    puts(medians + tails > 0 ? "; raise --max-iterations or --max-time" : ": reached");
}

static int print_class(const struct run *run, const struct mpg_path_results *class,
                       struct mpg_error *err)
{
    char time[32];
    printf("%s%s: launch %lld, %s, %lld pair%s, clocks %s (one-way times within %s)\n", run->net->name,
           run->opt->memory == MPG_MEMORY_DEVICE ? ", device memory" : "", (long long)run->opt->launch,
           mpg_path_name(class->path), (long long)class->pairs, class->pairs == 1 ? "" : "s",
           class->synchronised ? "synchronised" : "shared",
           mpg_units_format_time(time, sizeof time, class->error_ns));
    if (run->net->summary(class, err) < 0)
        return -1;
    if (!run->opt->no_eager && class->eager_limit_bytes >= 0)
        printf("eager limit: %lld bytes\n", (long long)class->eager_limit_bytes);
    else if (!run->opt->no_eager)
        printf("eager limit: not detected\n");
    if (!run->opt->iterations_given)
        print_exactness(run, class);
    return 0;
}

/* Rank 0: writes the files, then prints the summary. */
static int report(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    for (int p = 0; p < MPG_PATHS; p++) {
        run->class[p].eager_limit_bytes = run->eager_limit_bytes[p];
        if (run->class[p].pairs > 0 && write_class(run, &run->class[p], argc, argv, err) < 0)
            return -1;
    }
    for (int p = 0; p < MPG_PATHS; p++)
        if (run->class[p].pairs > 0 && print_class(run, &run->class[p], err) < 0)
            return -1;
    if (run->pairs > 1 &&
        mpg_outliers_print(run->class, &run->ranks, fmax(run->opt->median_error / 100, MIN_MAD),
                           err) < 0)
        return -1;
    return mpg_stdout_close(err);
}

static void warn(struct run *run)
{
    char text[512];
    run->own_core = !mpg_ranks_oversubscribed(&run->ranks, text, sizeof text);
    if (run->ranks.rank == 0 && !run->own_core)
        fprintf(stderr, "%s: warning: %s: times include waiting for a shared core;"
                        " start at most one rank per core\n",
                run->net->program->name, text);
}

/* Measures and reports, on all ranks after MPI_Init. Returns equal status on all ranks. */
static int run_all(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    if (run->ranks.ranks < 2)
        return mpg_error_set(err, "needs two ranks, was started with one: use mpirun -np 2");
    if (mpg_ranks_same_arguments(&run->ranks, run->net->program->name, argc, argv, err) < 0)
        return -1;
    warn(run);
    if (prepare(run, err) < 0)
        return -1;
    mpg_progress_start(&run->progress, run->net->name, (double)run->pairs);
    mpg_load_start(&run->load);
    int status = measure(run, err);
    mpg_load_end(&run->load);
    run->others_ns = mpg_ranks_other_cpu_ns(&run->ranks, run->load.own_ns);
    mpg_progress_end(&run->progress);
    if (status == 0 && run->ranks.rank == 0)
        status = report(run, argc, argv, err);
    return mpg_ranks_agree(&run->ranks, status, err);
}

/* ---- the command line ---- */

/* Sets the defaults of interdependent options; exits on a usage error. */
static void settle(struct run *run)
{
    const struct mpg_network *net = run->net;
    struct mpg_network_options *opt = run->opt;
    struct mpg_network_facts nothing = {0, 0, 0};
    struct mpg_bench_plan plan = {0};
    struct mpg_error err = {""};
    run->effort = opt->quick ? net->quick : net->full;
    if (opt->max_given)
        run->effort.limits.max = opt->max;
    if (opt->iterations_given) {
        run->effort.limits.max = opt->iterations;
        run->effort.limits.min = net->fixed_min;
        run->effort.time_ns = 0;
    }
    if (opt->time_given)
        run->effort.time_ns = opt->time_ns;
    if (!opt->seed_given)
        opt->seed = opt->launch;
    size_t digits = strspn(opt->pairs, "0123456789");
    if (strcmp(opt->pairs, "all") != 0 &&
        (digits == 0 || digits > 9 || opt->pairs[digits] || atoi(opt->pairs) == 0))
        mpg_launch_usage_error(net->program, "--pairs: '%s' is neither 'all' nor a whole number"
                                             " from 1", opt->pairs);
    if (net->plan(&nothing, &run->effort.limits, &plan, &err) < 0)
        mpg_launch_usage_error(net->program, "%s%s", strncmp(err.text, "--", 2) == 0 ? "" : "--sizes: ", err.text);
    mpg_plan_clear(&plan);
}

int mpg_network_main(const struct mpg_network *network, int argc, char **argv)
{
    struct mpg_error err = {""};
    struct run run = {.net = network, .opt = network->opt};
    struct mpg_launch launch;
    mpg_launch_parse(network->program, argc, argv);
    settle(&run);
    mpg_launch_find(&launch);
    if (launch.rank == 0)
        mpg_results_file_on_interrupt(network->program->name, run.opt->dir, NULL);
    int status = mpg_ranks_begin(&run.ranks, !run.opt->no_bind, &argc, &argv, &err);
    if (status == 0)
        status = run_all(&run, argc, argv, &err);
    if (status < 0 && err.text[0])
        mpg_error_print(network->program->name, &err);
    mpg_ranks_end(&run.ranks);
    for (int p = 0; p < MPG_PATHS; p++)
        mpg_path_results_clear(&run.class[p]);
    free(run.rank_pair);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
