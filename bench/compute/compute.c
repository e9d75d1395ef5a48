/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compute: speed of computation and memory access, for each core alone and for all cores at once. */
#include "bench/harness/cores.h"
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compute/kernels.h"
#include "bench/compute/threads.h"
#include "bench/compute/workspace.h"
#include "bench/harness/load.h"
#include "bench/harness/machine.h"
#include "bench/harness/random.h"
#include "bench/harness/results_file.h"
#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/units.h"

#define FULL_NS 5e9
#define QUICK_NS 0.6e9
#define FULL_SET ((int64_t)1 << 30)
#define QUICK_SET ((int64_t)1 << 28)

/* Number of turns into which the time of each kernel is divided. */
enum { ROUNDS = 10 };

static struct {
    const char *dir, *cores, *timer;
    double duration_ns;
    int64_t max_cores, launch, seed, working_bytes;
    bool quick, duration_given, launch_given;
} opt = {.dir = "results", .timer = "auto"};

static const struct mpg_option options[] = {
    {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &opt.dir, .argument = "DIR",
     .help = "write the samples into folder DIR (default: results)"},
    {.name = "core", .letter = 'c', .kind = MPG_OPTION_STRING, .value = &opt.cores, .argument = "LIST",
     .help = "the cores to measure, like 0,4-7 (default: all this\nprocess may use)"},
    {.name = "max-cores", .kind = MPG_OPTION_INT, .value = &opt.max_cores, .argument = "N",
     .help = "measure at most N of them one by one, evenly spread\n(default: 0, no limit);"
             " several at once are measured in any case", .maximum = 65536},
    {.name = "duration", .letter = 'd', .kind = MPG_OPTION_TIME, .value = &opt.duration_ns, .argument = "TIME",
     .help = "measure each kernel for TIME on each core, and again on\neach number of cores at once (default: 5s)",
     .minimum = 1e6, .maximum = 1e13, .given = &opt.duration_given},
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &opt.quick,
     .help = "a duration of 600ms, and working sets of at most 256MiB"},
    {.name = "working-set", .kind = MPG_OPTION_SIZE, .value = &opt.working_bytes, .argument = "SIZE",
     .help = "working set of each of the two memory kernels on each core\n(default: 0, four times"
             " the last-level cache, at most 1GiB,\nat most a quarter of the free memory divided"
             " by the cores)", .maximum = (double)((int64_t)1 << 37)},
    {.name = "launch", .letter = 'l', .kind = MPG_OPTION_INT, .value = &opt.launch, .argument = "N",
     .help = "number of this launch, used in file names (default: a single\nlaunch)", .maximum = 1e9,
     .given = &opt.launch_given},
    {.name = "seed", .kind = MPG_OPTION_INT, .value = &opt.seed, .argument = "N",
     .help = "seed of the kernels' order, pointers and keys (default: 0)", .maximum = 1e15},
    {.name = "timer", .kind = MPG_OPTION_STRING, .value = &opt.timer, .argument = "NAME",
     .help = "auto (default), counter (the processor's), papi or clock"},
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench compute",
    .summary = "Measures how fast each core computes and reaches memory, alone and with 2, 4, ...\n"
               "and all cores at once: floating point, memory bandwidth, memory latency, branchy integer work.",
    .options = options};

struct run {
    int argc;
    char **argv;
    struct mpg_timer timer;
    int *core, n;        /* the n measured cores, by the system's numbers */
    int *alone, n_alone; /* indices in CORE of the n_alone cores that are measured alone */
    int64_t cache_bytes; /* size of the last-level cache; 0: unknown */
    double *steal_ns;    /* steal time of each core in CORE: first the count at the start, then the difference; negative:
                            unknown */
    struct mpg_load load;
    struct mpg_compute_threads *threads;
};

/* ---- measuring ---- */

/* Measures all kernels on COUNT cores at once from core FIRST on, in turns of random order, to keep machine drift from looking
 * like a difference between kernels. */
static int measure_kernels(struct run *run, int first, int count, uint64_t *state, double *done,
                           struct mpg_progress *progress, struct mpg_error *err)
{
    size_t order[MPG_KERNELS];
    for (int round = 0; round < ROUNDS; round++) {
        mpg_random_order(state, order, MPG_KERNELS);
        for (int k = 0; k < MPG_KERNELS; k++) {
            if (mpg_compute_threads_measure(run->threads, (enum mpg_kernel)order[k], first, count,
                                            opt.duration_ns / ROUNDS, err) < 0)
                return -1;
            mpg_progress_update(progress, ++*done);
        }
    }
    return 0;
}

static int measure_all(struct run *run, struct mpg_error *err)
{
    uint64_t state = (uint64_t)opt.seed;
    double done = 0;
    int turns = run->n_alone, status = 0;
    struct mpg_progress progress;
    for (int n = mpg_compute_next_count(1, run->n); n <= run->n; n = mpg_compute_next_count(n, run->n))
        turns++;
    mpg_progress_start(&progress, "compute: measuring", turns * ROUNDS * MPG_KERNELS);
    mpg_load_start(&run->load);
    for (int i = 0; i < run->n; i++)
        run->steal_ns[i] = mpg_machine_steal_ns(run->core[i]);
    for (int i = 0; i < run->n_alone && status == 0; i++)
        status = measure_kernels(run, run->alone[i], 1, &state, &done, &progress, err);
    for (int n = mpg_compute_next_count(1, run->n); n <= run->n && status == 0; n = mpg_compute_next_count(n, run->n))
        status = measure_kernels(run, 0, n, &state, &done, &progress, err);
    mpg_load_end(&run->load);
    for (int i = 0; i < run->n; i++)
        run->steal_ns[i] = run->steal_ns[i] < 0
                               ? -1 : mpg_machine_steal_ns(run->core[i]) - run->steal_ns[i];
    mpg_progress_end(&progress);
    return status;
}

/* ---- writing ---- */

/* Adds header line KEY to HEADER: NAME(kernel) for each kernel, separated by blanks. */
static int add_list(struct mpg_header *header, const char *key,
                    const char *(*name)(enum mpg_kernel), struct mpg_error *err)
{
    char text[256] = "";
    for (int k = 0; k < MPG_KERNELS; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? " " : "",
                 name((enum mpg_kernel)k));
    return mpg_header_add(header, err, key, "%s", text);
}

static int describe(struct run *run, int i, struct mpg_header *header, struct mpg_error *err)
{
    char all[256];
    int core = run->core[i];
    const struct mpg_chains *chains = mpg_chains_best();
    if (mpg_header_add(header, err, "benchmark", "compute") < 0 ||
        mpg_machine_describe(header, &run->timer, run->argc, run->argv, err) < 0 ||
        mpg_header_add(header, err, "core", "%d", core) < 0 ||
        (opt.launch_given && mpg_header_add(header, err, "launch", "%lld", (long long)opt.launch) < 0) ||
        mpg_header_add(header, err, "binding", "core %d", core) < 0 ||
        mpg_header_add(header, err, "cores_allowed", "%s", mpg_cores_text(all, sizeof all)) < 0 ||
        add_list(header, "kernels", mpg_kernel_name, err) < 0 ||
        add_list(header, "kernel_units", mpg_kernel_unit, err) < 0 ||
        mpg_header_add(header, err, "vector", "%d doubles, %s", chains->doubles, chains->name) <
            0 ||
        mpg_header_add(header, err, "working_set_bytes", "%lld", (long long)opt.working_bytes) <
            0 ||
        mpg_header_add(header, err, "seed", "%lld", (long long)opt.seed) < 0 ||
        mpg_header_add(header, err, "compiler", "%s", __VERSION__) < 0 ||
        mpg_load_describe(&run->load, 0, header, err) < 0 ||
        (run->steal_ns[i] >= 0 &&
         mpg_header_add(header, err, "steal_ns", "%.0f", run->steal_ns[i]) < 0))
        return -1;
    if (run->cache_bytes > 0)
        return mpg_header_add(header, err, "last_level_cache_bytes", "%lld",
                              (long long)run->cache_bytes);
    return mpg_header_add(header, err, "last_level_cache_bytes", "unknown");
}

static int write_core(struct run *run, int i, struct mpg_error *err)
{
    char name[64];
    struct mpg_header header = {0, NULL};
    const struct mpg_rates *rates = mpg_compute_threads_rates(run->threads, i);
    struct mpg_bench_samples samples = {"kernel cores_at_once rate", MPG_COMPUTE_COLUMNS, {0, 0, 1}, rates->n,
                                  rates->value};
    if (opt.launch_given)
        snprintf(name, sizeof name, "compute-launch%lld-core%d.samples", (long long)opt.launch, run->core[i]);
    else
        snprintf(name, sizeof name, "compute-core%d.samples", run->core[i]);
    int status = describe(run, i, &header, err);
    if (status == 0)
        status = mpg_results_file_write(opt.dir, name, &header, &samples, err);
    mpg_header_clear(&header);
    return status;
}

/* ---- the program ---- */

/* Determines the cores to measure and the working set of the memory kernels. */
static int prepare(struct run *run, struct mpg_error *err)
{
    char set[32], cache[32];
    run->n = mpg_cores_allowed(&run->core, err);
    if (run->n < 0)
        return -1;
    if (opt.cores && (run->n = mpg_cores_select(opt.cores, run->core, run->n, err)) < 0)
        mpg_option_usage_error(&program, "--core: %s", err->text);
    run->alone = malloc((size_t)run->n * sizeof *run->alone);
    run->steal_ns = malloc((size_t)run->n * sizeof *run->steal_ns);
    if (!run->alone || !run->steal_ns)
        return mpg_error_set(err, "out of memory");
    for (int i = 0; i < run->n; i++)
        run->alone[i] = i;
    run->n_alone = mpg_cores_limit((int)opt.max_cores, run->alone, run->n);
    run->cache_bytes = mpg_cache_bytes(run->core[0]);
    if (opt.working_bytes == 0)
        opt.working_bytes = mpg_workspace_bytes(run->cache_bytes, mpg_memory_available(),
                                                opt.quick ? QUICK_SET : FULL_SET, run->n);
    opt.working_bytes -= opt.working_bytes % 4096;
    if (opt.working_bytes < 2 * run->cache_bytes)
        fprintf(stderr, "mpgbench compute: warning: working sets of %s, last-level cache of %s: memory"
                        " rates include cache hits; raise --working-set\n",
                mpg_units_format_size(set, sizeof set, opt.working_bytes),
                mpg_units_format_size(cache, sizeof cache, run->cache_bytes));
    if (mpg_results_file_prepare(opt.dir, err) < 0 || mpg_timer_open(opt.timer, &run->timer, err) < 0)
        return -1;
    run->threads = mpg_compute_threads_new(run->core, run->n, opt.working_bytes, (uint64_t)opt.seed,
                             &run->timer, err);
    return run->threads ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    struct run run = {.argc = argc, .argv = argv};
    mpg_option_parse(&program, argc, argv);
    if (!opt.duration_given)
        opt.duration_ns = opt.quick ? QUICK_NS : FULL_NS;
    if (opt.working_bytes != 0 && opt.working_bytes < 4096)
        mpg_option_usage_error(&program, "--working-set is less than 4KiB");
    mpg_results_file_on_interrupt(program.name, opt.dir, NULL);
    int status = prepare(&run, &err);
    if (status == 0)
        status = measure_all(&run, &err);
    for (int i = 0; i < run.n && status == 0; i++)
        status = write_core(&run, i, &err);
    if (status == 0)
        status = mpg_compute_threads_print(run.threads, run.n, &err);
    if (status == 0)
        status = mpg_stdout_close(&err);
    if (status < 0)
        mpg_error_print(program.name, &err);
    mpg_compute_threads_free(run.threads);
    free(run.steal_ns);
    free(run.alone);
    free(run.core);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
