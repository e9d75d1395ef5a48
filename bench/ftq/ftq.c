/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftq: noise of the operating system on each core. */
#include "bench/harness/cores.h"
#include "config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ftq/causes.h"
#include "bench/ftq/measure.h"
#include "bench/ftq/quanta.h"
#include "bench/ftq/host_cores.h"
#include "bench/ftq/conditions.h"
#include "bench/harness/launch.h"
#include "bench/harness/results_file.h"
#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/units.h"

#define FULL_NS 60e9
#define QUICK_NS 4e9

/* Words of --mode: the single modes, by number, then the words for several modes. */
enum { BOTH = MPG_NOISE_MODES, ALL };
static const char *const modes[] = {[MPG_NOISE_FTQ] = "ftq", [MPG_NOISE_FWQ] = "fwq", [MPG_NOISE_DETOUR] = "detour",
                                    [BOTH] = "both", [ALL] = "all", NULL};

static struct {
    const char *dir, *cores, *timer;
    struct mpg_option_words modes;
    double duration_ns, quantum_ns, threshold_ns;
    int64_t max_cores, max_detours;
    bool causes, together, realtime, quick, duration_given;
} opt = {.dir = "results", .timer = "auto", .quantum_ns = 1e6,
         .max_cores = 0, .max_detours = 1000000};

static const struct mpg_option options[] = {
    {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &opt.dir, .argument = "DIR",
     .help = "write the samples into folder DIR (default: results)"},
    {.name = "mode", .letter = 'm', .kind = MPG_OPTION_WORDS, .value = &opt.modes, .words = modes, .argument = "LIST",
     .help = "ftq (work done in each quantum of time), fwq (time\ntaken by each quantum of work), detour (each\n"
             "interruption by itself); both, the first and the last\n(default), or all"},
    {.name = "core", .letter = 'c', .kind = MPG_OPTION_STRING, .value = &opt.cores, .argument = "LIST",
     .help = "the cores to measure, like 0,4-7\n(default: all this process may use)"},
    {.name = "max-cores", .kind = MPG_OPTION_INT, .value = &opt.max_cores, .argument = "N",
     .help = "measure at most N of the cores, evenly spread\n(default: 0, no limit)", .maximum = 65536},
    {.name = "causes", .kind = MPG_OPTION_FLAG, .value = &opt.causes,
     .help = "find what each detour was: an interrupt, a task, or\nnothing that the kernel sees (mode detour; root)"},
    {.name = "together", .letter = 't', .kind = MPG_OPTION_FLAG, .value = &opt.together,
     .help = "measure all cores at the same time\n(default: one after the other)"},
    {.name = "realtime", .kind = MPG_OPTION_FLAG, .value = &opt.realtime,
     .help = "hold the real-time class SCHED_FIFO while measuring,\nwhere this is permitted"},
    {.name = "duration", .letter = 'd', .kind = MPG_OPTION_TIME, .value = &opt.duration_ns, .argument = "TIME",
     .help = "measure so long in each mode on each core (default: 60s)",
     .minimum = 1e6, .maximum = 1e15, .given = &opt.duration_given},
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &opt.quick,
     .help = "a duration of 4s"},
    {.name = "quantum", .kind = MPG_OPTION_TIME, .value = &opt.quantum_ns, .argument = "TIME",
     .help = "how long a quantum of time, or of work, lasts\n(default: 1ms)", .minimum = 1e4, .maximum = 1e10},
    {.name = "threshold", .kind = MPG_OPTION_TIME, .value = &opt.threshold_ns, .argument = "TIME",
     .help = "the shortest detour recorded (default: 0, four times\nround the loop, at most 100ns if"
             " that is possible)", .maximum = 1e9},
    {.name = "max-detours", .kind = MPG_OPTION_INT, .value = &opt.max_detours, .argument = "N",
     .help = "end a core's record after N detours (default: 1000000)", .minimum = 1, .maximum = 1e8},
    {.name = "timer", .kind = MPG_OPTION_STRING, .value = &opt.timer, .argument = "NAME",
     .help = "auto (default), counter (the processor's), papi or clock"},
    {0}};

static bool wanted[MPG_NOISE_MODES]; /* the modes that --mode selects */

/* Sets the defaults that depend on other options. */
static int check_options(void *unused, char **arguments, size_t n, struct mpg_error *err)
{
    (void)unused;
    (void)arguments;
    (void)n;
    if (!opt.duration_given)
        opt.duration_ns = opt.quick ? QUICK_NS : FULL_NS;
    const bool all = mpg_option_has_word(&opt.modes, ALL);
    const bool both = opt.modes.n == 0 || mpg_option_has_word(&opt.modes, BOTH);
    for (int m = 0; m < MPG_NOISE_MODES; m++)
        wanted[m] = all || (both && m != MPG_NOISE_FWQ) || mpg_option_has_word(&opt.modes, m);
    if (opt.causes && !wanted[MPG_NOISE_DETOUR])
        return mpg_error_set(err, "--causes needs --mode=detour");
    const bool quanta = wanted[MPG_NOISE_FTQ] || wanted[MPG_NOISE_FWQ];
    if (quanta && opt.duration_ns < opt.quantum_ns)
        return mpg_error_set(err, "--duration is shorter than one quantum");
    if (quanta && opt.duration_ns / opt.quantum_ns > MPG_QUANTA_MAX)
        return mpg_error_set(err, "--duration is more than %d quanta", MPG_QUANTA_MAX);
    return 0;
}

static const struct mpg_program program = {
    .name = "mpgbench ftq",
    .summary = "Measures the noise of each core: how much work fits into fixed time quanta,\n"
               "how long fixed work takes, and when each detour from user code started and\n"
               "how long it took.",
    .options = options,
    .resolve = check_options};

static const atomic_bool silent = true; /* only the first rank of a host reports a signal */

/* Determines the cores that this rank measures; the caller frees *CORES. */
static int find_cores(struct mpg_ftq_cores *division, int **cores, int *on_host, struct mpg_error *err)
{
    int n = division->n, *core = malloc((size_t)n * sizeof *core);
    if (!core)
        return mpg_error_set(err, "out of memory");
    *cores = core;
    memcpy(core, division->core, (size_t)n * sizeof *core);
    if (opt.cores && (n = mpg_cores_select(opt.cores, core, n, err)) < 0)
        mpg_launch_usage_error(&program, "--core: %s", err->text);
    *on_host = mpg_cores_limit((int)opt.max_cores, core, n);
    return mpg_ftq_cores_assign(division, core, *on_host, err);
}

static int count_modes(void)
{
    int modes = 0;
    for (int m = 0; m < MPG_NOISE_MODES; m++)
        modes += wanted[m];
    return modes;
}

static void print_first_line(const struct mpg_noise_plan *plan, int on_host)
{
    char duration[32], host[256] = "this host", ranks[320] = "";
    if (gethostname(host, sizeof host - 1) < 0)
        snprintf(host, sizeof host, "this host");
    if (plan->division->launch.ranks != 1)
        snprintf(ranks, sizeof ranks, " of %s, by %d rank%s", host, plan->division->ranks,
                 plan->division->ranks == 1 ? "" : "s");
    printf("ftq: %d %s%s%s, %d x %s each, clock %s\n", on_host, on_host == 1 ? "core" : "cores",
           ranks, opt.together ? " at once" : "", count_modes(),
           mpg_units_format_time(duration, sizeof duration, opt.duration_ns),
           mpg_timer_describe(plan->timer));
    fflush(stdout);
}

static int measure_all(const struct mpg_noise_plan *plan, const int *core, int n,
                       struct mpg_error *err)
{
    struct mpg_progress progress;
    int done = 0, at_once = opt.together ? n : 1;
    mpg_progress_start(&progress, "ftq: measuring", count_modes() * n);
    for (int i = 0; i < n; i += at_once)
        for (int m = 0; m < MPG_NOISE_MODES; m++)
            if (wanted[m]) {
                if (mpg_noise_measure(plan, (enum mpg_noise_mode)m, core + i, at_once, &progress,
                                      done, err) < 0)
                    return -1;
                mpg_progress_update(&progress, done += at_once);
            }
    mpg_progress_end(&progress);
    return 0;
}

/* Warns that SCHED_FIFO is not permitted; the measurement continues in the ordinary scheduling class. */
static void warn_realtime(void)
{
    struct mpg_error err;
    long runtime_us = -1, period_us = 1000000;
    if (mpg_realtime_permitted(&err) < 0) {
        fprintf(stderr, "mpgbench ftq: warning: %s; measuring without the real-time class\n", err.text);
        return;
    }
    mpg_realtime_throttling(&runtime_us, &period_us);
    if (runtime_us >= 0 && runtime_us < period_us)
        fprintf(stderr, "mpgbench ftq: warning: the kernel may stop real-time tasks for %ld of every %ld"
                        " us (sched_rt_runtime_us), which shows as detours\n",
                period_us - runtime_us, period_us);
}

/* Measures this rank's cores. */
static int measure_mine(struct mpg_ftq_cores *division, int argc, char **argv, const int *core, int n,
                        int on_host, struct mpg_error *err)
{
    struct mpg_timer timer;
    struct mpg_noise_plan plan = {
        .argc = argc, .argv = argv, .dir = opt.dir, .timer = &timer, .division = division,
        .duration_ns = opt.duration_ns, .quantum_ns = opt.quantum_ns,
        .threshold_ns = opt.threshold_ns, .max_detours = (size_t)opt.max_detours,
        .causes = opt.causes, .realtime = opt.realtime, .together = opt.together,
        .cores_at_once = opt.together ? on_host : division->ranks};
    if (mpg_results_file_prepare(opt.dir, err) < 0 || mpg_timer_open(opt.timer, &timer, err) < 0)
        return -1;
    if (opt.realtime && division->launch.local_rank == 0)
        warn_realtime();
    if (division->launch.local_rank == 0)
        print_first_line(&plan, on_host);
    return measure_all(&plan, core, n, err) < 0 || mpg_stdout_close(err) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    struct mpg_launch launch;
    struct mpg_ftq_cores division;
    int *core = NULL, n = 0, on_host = 0, status = -1;
    mpg_launch_parse(&program, argc, argv);
    mpg_launch_find(&launch);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* output by whole lines: lines of several ranks do not mix */
    if (mpg_ftq_cores_join(&launch, &division, &err) < 0)
        goto out;
    mpg_results_file_before_interrupt(mpg_causes_remove);
    mpg_results_file_on_interrupt(program.name, opt.dir, launch.local_rank == 0 ? mpg_host_error_reported(&division)
                                                                      : &silent);
    if ((n = find_cores(&division, &core, &on_host, &err)) < 0)
        goto out;
    if (n == 0)
        printf("ftq: rank %d: no core is left (more ranks than cores), nothing to measure\n", launch.rank);
    status = n == 0 ? 0 : measure_mine(&division, argc, argv, core, n, on_host, &err);
out:
    if (status < 0 && mpg_host_report_error(&division))
        mpg_error_print(program.name, &err);
    mpg_ftq_cores_leave(&division, status == 0);
    free(core);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
