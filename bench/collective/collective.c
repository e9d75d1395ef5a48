/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collective: times of MPI's collective operations and of the arithmetic of reductions, by process count and size. */
#include "config.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/collective/cases.h"
#include "bench/collective/timing.h"
#include "bench/harness/launch.h"
#include "bench/harness/load.h"
#include "bench/harness/machine.h"
#include "bench/harness/ranks.h"
#include "bench/harness/results_file.h"
#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"
#include "common/units.h"

enum { FULL_ITERATIONS = 10000, QUICK_ITERATIONS = 200 };
#define FULL_NS 60e9
#define QUICK_NS 3e9
#define LATE_NS 200.0      /* a repetition does not count if a rank starts later than this, or than the time of four timer
                            * readings if longer */
#define LATE_SHARED_NS 1e6 /* as LATE_NS, if ranks share cores and therefore run in turns */

static struct {
    const char *dir, *operations, *processes, *sizes, *timer;
    int64_t iterations, max, warmup, launch, seed;
    double confidence, median_error, tail_error, time_ns;
    bool quick, no_bind, iterations_given, max_given, seed_given, time_given;
} opt = {.dir = "results", .operations = MPG_OPERATIONS_ALL,
         .sizes = "8,32,128,512,2KiB,8KiB,32KiB,64KiB,256KiB,1MiB", .timer = "auto", .warmup = 20,
         .confidence = 95, .median_error = 2, .tail_error = 10};

static const struct mpg_option options[] = {
    {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &opt.dir, .argument = "DIR",
     .help = "write the samples into folder DIR (default: results)"},
    {.name = "operations", .kind = MPG_OPTION_STRING, .value = &opt.operations, .argument = "LIST",
     .help = "operations (default: all: barrier,bcast,allreduce,alltoall,\nreduce,gather,scatter,allgather,scan,alltoallv,"
             "\nreduce_scatter,reduce_local,reduce_sent)"},
    {.name = "processes", .letter = 'p', .kind = MPG_OPTION_STRING, .value = &opt.processes, .argument = "LIST",
     .help = "process counts, like 2,4,7 (default: powers of two, and\nall ranks)"},
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes (default: powers of 4 from 8 to 32KiB,\n64KiB, 256KiB and 1MiB)"},
    {.name = "iterations", .letter = 'i', .kind = MPG_OPTION_INT, .value = &opt.iterations, .argument = "N",
     .help = "record N repetitions of sizes up to 32KiB, fewer of\nlarger ones, at least 50 (default: "
             "as many as the\nintervals below need)",
     .minimum = 1, .maximum = 1e8, .given = &opt.iterations_given},
    {.name = "max-iterations", .kind = MPG_OPTION_INT, .value = &opt.max, .argument = "N",
     .help = "at most N of them (default: 10000)", .minimum = 1, .maximum = 1e8, .given = &opt.max_given},
    {.name = "confidence", .kind = MPG_OPTION_REAL, .value = &opt.confidence, .argument = "PERCENT",
     .help = "confidence of the intervals of the stopping rule\n(default: 95)", .minimum = 50, .maximum = 99.99},
    {.name = "median-error", .kind = MPG_OPTION_REAL, .value = &opt.median_error, .argument = "PERCENT",
     .help = "half width of the median's interval, 0 for none\n(default: 2)", .maximum = 1000},
    {.name = "tail-error", .kind = MPG_OPTION_REAL, .value = &opt.tail_error, .argument = "PERCENT",
     .help = "the same of the 99th percentile (default: 10)", .maximum = 1000},
    {.name = "max-time", .kind = MPG_OPTION_TIME, .value = &opt.time_ns, .argument = "TIME",
     .help = "begin no further round after TIME (default: 60s)",
     .minimum = 1e6, .maximum = 1e15, .given = &opt.time_given},
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &opt.quick,
     .help = "--max-iterations=200 --max-time=3s"},
    {.name = "warmup", .letter = 'w', .kind = MPG_OPTION_INT, .value = &opt.warmup, .argument = "N",
     .help = "repetitions of each case before, not recorded\n(default: 20)", .maximum = 1e8},
    {.name = "launch", .letter = 'l', .kind = MPG_OPTION_INT, .value = &opt.launch, .argument = "N",
     .help = "number of this launch, used in the file name (default: 0)", .maximum = 1e9},
    {.name = "seed", .kind = MPG_OPTION_INT, .value = &opt.seed, .argument = "N",
     .help = "draws the order of each round (default: the launch)", .maximum = 1e15, .given = &opt.seed_given},
    {.name = "no-bind", .kind = MPG_OPTION_FLAG, .value = &opt.no_bind,
     .help = "do not bind ranks to cores"},
    {.name = "timer", .kind = MPG_OPTION_STRING, .value = &opt.timer, .argument = "NAME",
     .help = "auto (default), counter (the processor's), papi or clock"},
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench collective",
    .summary = "Measures how long MPI's collective operations take, for each number of processes and\n"
               "message size, from synchronised starts, and the arithmetic of reductions.\n"
               "Start it with mpirun.",
    .options = options};

struct run {
    struct mpg_ranks ranks;
    struct mpg_timer timer;
    struct mpg_cases cases;
    struct mpg_buffers buffers;
    struct mpg_timing config;
    struct mpg_timing_result result;
    struct mpg_header header;
    char oversubscribed[512];
    bool usage; /* the error is in the command line: exit status 2 */
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
    run->config = (struct mpg_timing){
        .adaptive = !opt.iterations_given,
        .goal = {opt.confidence / 100, opt.median_error / 100, opt.tail_error / 100},
        .warmup = opt.warmup, .time_ns = opt.time_ns, .seed = (uint64_t)opt.seed,
        .yield = mpg_ranks_oversubscribed(&run->ranks, run->oversubscribed,
                                          sizeof run->oversubscribed)};
    run->config.late_ns = run->config.yield ? LATE_SHARED_NS
                       : 4 * run->timer.cost_ns > LATE_NS ? 4 * run->timer.cost_ns : LATE_NS;
    if (run->config.yield && run->ranks.rank == 0)
        fprintf(stderr, "mpgbench collective: warning: %s: times mostly measure the scheduler;"
                        " start at most one rank per core\n", run->oversubscribed);
}

/* Performs all steps that can fail before the measurement: cases, results folder, timer, buffers. */
static int prepare(struct run *run, struct mpg_error *err)
{
    if (run->ranks.ranks < 2)
        return mpg_error_set(err, "needs two ranks or more, was started with one: use mpirun"
                                  " -np N");
    if (mpg_cases_make(opt.operations, opt.processes, opt.sizes, opt.max, run->ranks.ranks,
                       &run->cases, err) < 0) {
        run->usage = true;
        return -1;
    }
    if (run->cases.n == 0) {
        run->usage = true;
        return mpg_error_set(err, "--sizes: nothing is left to measure: alltoall, gather, scatter and"
                                  " allgather are left out where a rank sends or receives more"
                                  " than 16 MiB");
    }
    if (run->ranks.rank == 0 && mpg_results_file_prepare(opt.dir, err) < 0)
        return -1;
    if (mpg_timer_open(opt.timer, &run->timer, err) < 0)
        return -1;
    return mpg_buffers_make(&run->buffers, run->cases.bytes, run->ranks.ranks, err);
}

/* ---- after ---- */

static int64_t count_invalid(const struct mpg_cases *cases)
{
    int64_t invalid = 0;
    for (size_t i = 0; i < cases->n; i++)
        invalid += cases->item[i].invalid;
    return invalid;
}

static int add_operations(struct mpg_header *header, struct mpg_error *err)
{
    char text[256] = "";
    for (int o = 0; o < MPG_OPERATIONS; o++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", o ? " " : "",
                 mpg_operation_name((enum mpg_bench_operation)o));
    return mpg_header_add(header, err, "operations", "%s", text);
}

static int add_stopping(struct mpg_header *header, const struct run *run, struct mpg_error *err)
{
    if (!run->config.adaptive)
        return mpg_header_add(header, err, "stopping", "%lld iterations",
                              (long long)opt.iterations);
    return mpg_header_add(header, err, "stopping",
                          "median to %g %%, p99 to %g %%, confidence %g %%, at most %lld"
                          " iterations and %g s; %lld rounds", opt.median_error, opt.tail_error,
                          opt.confidence, (long long)opt.max, opt.time_ns / 1e9,
                          (long long)run->result.rounds);
}

static int describe(struct run *run, int argc, char **argv, const struct mpg_load *load,
                    double others_ns, struct mpg_error *err)
{
    struct mpg_header *h = &run->header;
    if (mpg_header_add(h, err, "benchmark", "collective") < 0 ||
        mpg_machine_describe(h, &run->timer, argc, argv, err) < 0 ||
        mpg_load_describe(load, others_ns, h, err) < 0 ||
        mpg_ranks_describe(&run->ranks, h, err) < 0 ||
        mpg_header_add(h, err, "launch", "%lld", (long long)opt.launch) < 0 ||
        mpg_header_add(h, err, "seed", "%lld", (long long)opt.seed) < 0 ||
        mpg_header_add(h, err, "warmup_repetitions", "%lld", (long long)opt.warmup) < 0 ||
        add_operations(h, err) < 0 || add_stopping(h, run, err) < 0 ||
        mpg_header_add(h, err, "clocks", run->result.shared ? "shared" : "synchronised") < 0 ||
        mpg_header_add(h, err, "start_error_ns", "%.1f", run->result.error_ns) < 0 ||
        mpg_header_add(h, err, "late_limit_ns", "%.1f", run->config.late_ns) < 0 ||
        (run->config.yield &&
         mpg_header_add(h, err, "off_cpu", "not looked for: ranks share cores") < 0))
        return -1;
    return mpg_header_add(h, err, "late_repetitions", "%lld", (long long)count_invalid(&run->cases));
}

static int write_samples(struct run *run, struct mpg_error *err)
{
    char name[64];
    struct mpg_bench_samples samples = {"operation processes size_bytes time_ns off_cpu_ns", MPG_TIMING_COLUMNS,
                                  {0, 0, 0, 1, 0}, run->result.n, run->result.value};
    snprintf(name, sizeof name, "collective-launch%lld.samples", (long long)opt.launch);
    return mpg_results_file_write(opt.dir, name, &run->header, &samples, err);
}

/* Rank 0: writes the file, then prints the summary. */
static int report(struct run *run, struct mpg_error *err)
{
    if (run->result.n == 0)
        return mpg_error_set(err, "all %lld repetitions were discarded: in each a process missed the common start;"
                                  " free the cores of other work", (long long)count_invalid(&run->cases));
    if (write_samples(run, err) < 0 ||
        mpg_timing_print(&run->result, &run->cases, opt.launch, err) < 0)
        return -1;
    return mpg_stdout_close(err);
}

/* ---- the program ---- */

static int measure(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    struct mpg_load load;
    if (mpg_ranks_same_arguments(&run->ranks, program.name, argc, argv, err) < 0 ||
        mpg_ranks_agree(&run->ranks, prepare(run, err), err) < 0)
        return -1;
    choose(run);
    mpg_load_start(&load);
    int status = mpg_timing_measure(&run->config, &run->ranks, &run->timer, &run->buffers,
                                     &run->cases, &run->result, err);
    mpg_load_end(&load);
    if (status < 0)
        return -1;
    double others_ns = mpg_ranks_other_cpu_ns(&run->ranks, load.own_ns);
    if (run->ranks.rank == 0) {
        status = describe(run, argc, argv, &load, others_ns, err);
        if (status == 0)
            status = report(run, err);
    }
    return mpg_ranks_agree(&run->ranks, status, err);
}

int main(int argc, char **argv)
{
    struct mpg_error err = {""};
    struct run run = {0};
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
    mpg_header_clear(&run.header);
    mpg_timing_clear(&run.result);
    mpg_buffers_clear(&run.buffers);
    mpg_cases_clear(&run.cases);
    return status == 0 ? MPG_EXIT_OK : run.usage ? MPG_EXIT_USAGE : MPG_EXIT_FAILURE;
}
