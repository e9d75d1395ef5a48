/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sharing: transfers of several pairs of ranks at the same time, by number of pairs, direction and size: the capacity of the
 * shared memory or network port. */
#include "config.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/launch.h"
#include "bench/harness/load.h"
#include "bench/harness/machine.h"
#include "bench/harness/plan.h"
#include "bench/harness/results_file.h"
#include "bench/sharing/measure.h"
#include "common/option.h"
#include "common/output.h"
#include "common/units.h"

enum { FULL_ITERATIONS = 1000, QUICK_ITERATIONS = 100, MAX_WINDOW = 4096 };
#define FULL_NS 60e9
#define QUICK_NS 2e9
#define LATE_NS 200.0      /* minimum delay that counts as late; four timer readings if longer */
#define LATE_SHARED_NS 1e6 /* minimum delay for ranks that share cores and run in turns */
#define IN_FLIGHT_BYTES ((int64_t)8 << 20)

static struct {
    const char *dir, *sizes, *timer;
    int64_t window, iterations, max, warmup, launch, seed;
    double confidence, median_error, time_ns;
    bool quick, no_bind, iterations_given, max_given, seed_given, time_given;
} opt = {.dir = "results", .sizes = "8,4KiB,64KiB,1MiB,4MiB", .timer = "auto", .window = 64, .warmup = 5,
         .confidence = 95, .median_error = 2};

static const struct mpg_option options[] = {
    {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &opt.dir, .argument = "DIR",
     .help = "write the samples into folder DIR (default: results)"},
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes (default: 8,4KiB,64KiB,1MiB,4MiB)"},
    {.name = "window", .kind = MPG_OPTION_INT, .value = &opt.window, .argument = "N",
     .help = "messages in flight of each sender, fewer where more than\n8MiB would be in flight (default: 64)",
     .minimum = 1, .maximum = MAX_WINDOW},
    {.name = "iterations", .letter = 'i', .kind = MPG_OPTION_INT, .value = &opt.iterations, .argument = "N",
     .help = "record N repetitions of each case (default: as many as\nthe intervals below need)",
     .minimum = 1, .maximum = 1e6, .given = &opt.iterations_given},
    {.name = "max-iterations", .kind = MPG_OPTION_INT, .value = &opt.max, .argument = "N",
     .help = "at most N of them (default: 1000)", .minimum = 1, .maximum = 1e6, .given = &opt.max_given},
    {.name = "confidence", .kind = MPG_OPTION_REAL, .value = &opt.confidence, .argument = "PERCENT",
     .help = "confidence of the intervals of the stopping rule\n(default: 95)", .minimum = 50, .maximum = 99.99},
    {.name = "median-error", .kind = MPG_OPTION_REAL, .value = &opt.median_error, .argument = "PERCENT",
     .help = "half width of the median's interval, 0 for none\n(default: 2)", .maximum = 1000},
    {.name = "max-time", .kind = MPG_OPTION_TIME, .value = &opt.time_ns, .argument = "TIME",
     .help = "begin no further round after TIME (default: 60s)",
     .minimum = 1e6, .maximum = 1e15, .given = &opt.time_given},
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &opt.quick,
     .help = "--max-iterations=100 --max-time=2s"},
    {.name = "warmup", .letter = 'w', .kind = MPG_OPTION_INT, .value = &opt.warmup, .argument = "N",
     .help = "repetitions of each case before, not recorded; fewer of\nlong ones (default: 5)", .maximum = 1e8},
    {.name = "launch", .letter = 'l', .kind = MPG_OPTION_INT, .value = &opt.launch, .argument = "N",
     .help = "number of this launch, used in file names (default: 0)", .maximum = 1e9},
    {.name = "seed", .kind = MPG_OPTION_INT, .value = &opt.seed, .argument = "N",
     .help = "draws the order of each round (default: the launch)", .maximum = 1e15, .given = &opt.seed_given},
    {.name = "no-bind", .kind = MPG_OPTION_FLAG, .value = &opt.no_bind,
     .help = "do not bind ranks to cores"},
    {.name = "timer", .kind = MPG_OPTION_STRING, .value = &opt.timer, .argument = "NAME",
     .help = "auto (default), counter (the processor's), papi or clock"},
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench sharing",
    .summary = "Measures how much several pairs of MPI ranks transfer at the same time within a core\n"
               "complex, within a node and between two nodes, for each number of pairs and message\n"
               "size. Start it with mpirun -np 4 or more.",
    .options = options};

struct run {
    struct mpg_ranks ranks;
    struct mpg_timer timer;
    struct mpg_sharing_group group[MPG_PATHS];
    struct mpg_sharing_cases cases;
    struct mpg_sharing_config config;
    struct mpg_sharing_result result;
    struct mpg_load load;
    double others_ns; /* rank 0: CPU time of the other ranks on rank 0's host */
    bool usage;       /* the error is in the command line */
};

/* ---- before ---- */

static void set_defaults(void)
{
    if (opt.iterations_given)
        opt.max = opt.iterations;
    else if (!opt.max_given)
        opt.max = opt.quick ? QUICK_ITERATIONS : FULL_ITERATIONS;
    if (!opt.time_given)
        opt.time_ns = opt.quick ? QUICK_NS : FULL_NS;
    if (!opt.seed_given)
        opt.seed = opt.launch;
}

static void choose(struct run *run)
{
    char text[512];
    run->config = (struct mpg_sharing_config){
        .adaptive = !opt.iterations_given,
        .goal = {opt.confidence / 100, opt.median_error / 100, 0},
        .warmup = opt.warmup, .time_ns = opt.time_ns, .seed = (uint64_t)opt.seed,
        .oversubscribed = mpg_ranks_oversubscribed(&run->ranks, text, sizeof text)};
    run->config.late_ns = run->config.oversubscribed ? LATE_SHARED_NS
                          : 4 * run->timer.cost_ns > LATE_NS ? 4 * run->timer.cost_ns : LATE_NS;
    if (run->config.oversubscribed && run->ranks.rank == 0)
        fprintf(stderr, "mpgbench sharing: warning: %s: times include waiting for a shared core;"
                        " start at most one rank per core\n", text);
}

static int make_cases(struct run *run, struct mpg_error *err)
{
    int64_t *size = NULL, n = mpg_sizes_parse(opt.sizes, &size, err);
    int status = -1;
    run->usage = true;
    if (n < 0)
        mpg_error_prefix(err, "--sizes");
    else if (size[0] < 1)
        mpg_error_set(err, "--sizes: a message has at least one byte");
    else
        status = 0;
    if (status == 0) {
        run->usage = false;
        status = mpg_sharing_groups_find(&run->ranks, run->group, err);
    }
    if (status == 0)
        status = mpg_sharing_cases_make(run->group, size, n, opt.window, IN_FLIGHT_BYTES, opt.max, &run->cases, err);
    free(size);
    return status;
}

/* Performs all steps that can fail before the measurement. */
static int prepare(struct run *run, struct mpg_error *err)
{
    if (make_cases(run, err) < 0)
        return -1;
    if (run->cases.n == 0)
        return mpg_error_set(err, "nothing is shared by %d rank%s: two pairs need four cores of a node, or two ranks on each"
                                  " of two nodes", run->ranks.ranks, run->ranks.ranks == 1 ? "" : "s");
    if (run->ranks.rank == 0 && mpg_results_file_prepare(opt.dir, err) < 0)
        return -1;
    return mpg_timer_open(opt.timer, &run->timer, err);
}

/* ---- after ---- */

/* Counts of cases of a path class. */
struct counts {
    int64_t cases, late, unmet;
};

static struct counts count_cases(const struct run *run, enum mpg_path path)
{
    struct counts n = {0, 0, 0};
    for (size_t i = 0; i < run->cases.n; i++) {
        const struct mpg_sharing_case *c = &run->cases.item[i];
        n.cases += c->path == path;
        n.late += c->path == path ? c->late : 0;
        n.unmet += c->path == path && !c->finished;
    }
    return n;
}

static int add_stopping(const struct run *run, const struct counts *n, struct mpg_header *header, struct mpg_error *err)
{
    if (!run->config.adaptive)
        return mpg_header_add(header, err, "stopping", "after %lld repetitions of a case, or %g s",
                              (long long)opt.iterations, opt.time_ns / 1e9);
    return mpg_header_add(header, err, "stopping",
                          "%g %% intervals: median within %g %%; at most %lld repetitions of a case, and %g s; not"
                          " reached: %lld of %lld cases", opt.confidence, opt.median_error, (long long)opt.max,
                          opt.time_ns / 1e9, (long long)n->unmet, (long long)n->cases);
}

static int add_pairs(const struct run *run, enum mpg_path path, struct mpg_header *header, struct mpg_error *err)
{
    const struct mpg_sharing_group *group = &run->group[path];
    if (mpg_header_add(header, err, "path", "%s", mpg_path_name(path)) < 0 ||
        mpg_header_add(header, err, "pairs", "%d", group->pairs) < 0)
        return -1;
    for (int k = 0; k < group->pairs; k++)
        if (mpg_rank_pair_describe(&run->ranks, k, &group->pair[k], header, err) < 0)
            return -1;
    return 0;
}

static int describe(const struct run *run, enum mpg_path path, int argc, char **argv, struct mpg_header *h,
                    struct mpg_error *err)
{
    const struct counts n = count_cases(run, path);
    if (mpg_header_add(h, err, "benchmark", "sharing") < 0 ||
        mpg_machine_describe(h, &run->timer, argc, argv, err) < 0 ||
        mpg_load_describe(&run->load, run->others_ns, h, err) < 0 ||
        mpg_ranks_describe(&run->ranks, h, err) < 0 ||
        mpg_header_add(h, err, "launch", "%lld", (long long)opt.launch) < 0 ||
        mpg_header_add(h, err, "seed", "%lld", (long long)opt.seed) < 0 ||
        mpg_header_add(h, err, "warmup_repetitions", "%lld", (long long)opt.warmup) < 0 ||
        add_pairs(run, path, h, err) < 0 || add_stopping(run, &n, h, err) < 0 ||
        mpg_header_add(h, err, "rounds", "%lld", (long long)run->result.rounds) < 0 ||
        mpg_header_add(h, err, "clocks", run->result.shared ? "shared" : "synchronised") < 0 ||
        mpg_header_add(h, err, "start_error_ns", "%.1f", run->result.error_ns) < 0 ||
        mpg_header_add(h, err, "late_limit_ns", "%.1f, or %g %% of a repetition", run->config.late_ns,
                       100 * MPG_SHARING_LATE_SHARE) < 0 ||
        (run->config.oversubscribed && mpg_header_add(h, err, "off_cpu", "not looked for: ranks share cores") < 0))
        return -1;
    return mpg_header_add(h, err, "late_repetitions", "%lld", (long long)n.late);
}

static int write_class(const struct run *run, enum mpg_path path, int argc, char **argv, struct mpg_error *err)
{
    char name[96];
    struct mpg_header header = {0, NULL};
    const struct mpg_sharing_rows *rows = &run->result.rows[path];
    struct mpg_bench_samples samples = {"pairs_at_once directions size_bytes messages messages_in_flight time_ns off_cpu_ns",
                                        MPG_SHARING_COLUMNS, {0, 0, 0, 0, 0, 1, 0}, rows->n, rows->value};
    snprintf(name, sizeof name, "sharing-launch%lld-%s.samples", (long long)opt.launch, mpg_path_file(path));
    int status = describe(run, path, argc, argv, &header, err);
    if (status == 0)
        status = mpg_results_file_write(opt.dir, name, &header, &samples, err);
    mpg_header_clear(&header);
    return status;
}

static int print_class(const struct run *run, enum mpg_path path, struct mpg_error *err)
{
    const struct counts n = count_cases(run, path);
    char time[32];
    printf("sharing: launch %lld, %s, up to %d pairs at once, clocks %s (starts within %s)\n", (long long)opt.launch,
           mpg_path_name(path), run->group[path].pairs, run->result.shared ? "shared" : "synchronised",
           mpg_units_format_time(time, sizeof time, run->result.error_ns));
    if (mpg_sharing_print(&run->result, &run->cases, path, err) < 0)
        return -1;
    if (run->config.adaptive && n.unmet > 0)
        printf("%g %% intervals: median within %g %%: not of %lld of %lld; raise --max-iterations or --max-time\n",
               opt.confidence, opt.median_error, (long long)n.unmet, (long long)n.cases);
    return 0;
}

/* Rank 0: writes the files, then prints the summaries. */
static int report(const struct run *run, int argc, char **argv, struct mpg_error *err)
{
    for (int p = 0; p < MPG_PATHS; p++)
        if (run->group[p].pairs > 1 && run->result.rows[p].n == 0)
            return mpg_error_set(err, "%s: all %lld repetitions were late: in each a rank missed the common start; are"
                                      " the cores free?", mpg_path_name((enum mpg_path)p),
                                 (long long)count_cases(run, (enum mpg_path)p).late);
    for (int p = 0; p < MPG_PATHS; p++)
        if (run->group[p].pairs > 1 && write_class(run, (enum mpg_path)p, argc, argv, err) < 0)
            return -1;
    for (int p = 0; p < MPG_PATHS; p++)
        if (run->group[p].pairs > 1 && print_class(run, (enum mpg_path)p, err) < 0)
            return -1;
    return mpg_stdout_close(err);
}

/* ---- the program ---- */

/* Measures, on all ranks; returns equal status on all ranks. */
static int measure(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    if (mpg_ranks_same_arguments(&run->ranks, program.name, argc, argv, err) < 0 ||
        mpg_ranks_agree(&run->ranks, prepare(run, err), err) < 0)
        return -1;
    choose(run);
    mpg_load_start(&run->load);
    int status = mpg_sharing_measure(&run->config, &run->ranks, &run->timer, run->group, &run->cases, &run->result, err);
    mpg_load_end(&run->load);
    if (status < 0)
        return -1;
    run->others_ns = mpg_ranks_other_cpu_ns(&run->ranks, run->load.own_ns);
    if (run->ranks.rank == 0)
        status = report(run, argc, argv, err);
    return mpg_ranks_agree(&run->ranks, status, err);
}

int main(int argc, char **argv)
{
    struct mpg_error err = {""};
    struct run run = {.usage = false};
    struct mpg_launch launch;
    mpg_launch_parse(&program, argc, argv);
    set_defaults();
    mpg_launch_find(&launch);
    if (launch.rank == 0)
        mpg_results_file_on_interrupt(program.name, opt.dir, NULL);
    int status = mpg_ranks_begin(&run.ranks, !opt.no_bind, &argc, &argv, &err);
    if (status == 0)
        status = measure(&run, argc, argv, &err);
    if (status < 0 && err.text[0])
        mpg_error_print(program.name, &err);
    mpg_ranks_end(&run.ranks);
    mpg_sharing_result_clear(&run.result);
    mpg_sharing_groups_clear(run.group);
    free(run.cases.item);
    return status == 0 ? MPG_EXIT_OK : run.usage ? MPG_EXIT_USAGE : MPG_EXIT_FAILURE;
}
