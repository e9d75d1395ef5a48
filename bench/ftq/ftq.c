/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftq: measures what the operating system takes from a core. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ftq/detour.h"
#include "bench/ftq/quanta.h"
#include "bench/harness/counters.h"
#include "bench/harness/load.h"
#include "bench/harness/machine.h"
#include "bench/harness/record.h"
#include "bench/harness/statistics.h"
#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/units.h"

#define FULL_NS 60e9
#define QUICK_NS 4e9

static struct {
    const char *dir, *mode, *cores, *timer;
    double duration_ns, quantum_ns, threshold_ns;
    int64_t max_cores, max_detours;
    bool quick, duration_given;
} opt = {.dir = "results", .mode = "both", .timer = "auto", .quantum_ns = 1e6,
         .max_cores = 0, .max_detours = 1000000};

static const struct mpg_option options[] = {
    {"output", 'o', MPG_OPTION_STRING, &opt.dir, "DIR",
     "write the samples into folder DIR (default: results)", 0, 0, NULL},
    {"mode", 'm', MPG_OPTION_STRING, &opt.mode, "MODE",
     "ftq (work done in each quantum), detour (each\ninterruption by itself) or both (default)",
     0, 0, NULL},
    {"core", 'c', MPG_OPTION_STRING, &opt.cores, "LIST",
     "the cores to measure, like 0,4-7, one after the other\n(default: all this process may use)",
     0, 0, NULL},
    {"max-cores", 0, MPG_OPTION_INT, &opt.max_cores, "N",
     "measure at most N of the cores, evenly spread\n(default: 0, no limit)", 0, 65536, NULL},
    {"duration", 'd', MPG_OPTION_TIME, &opt.duration_ns, "TIME",
     "measure so long in each mode on each core (default: 60s)", 1e6, 1e15,
     &opt.duration_given},
    {"quick", 'q', MPG_OPTION_FLAG, &opt.quick, NULL, "a duration of 4s", 0, 0, NULL},
    {"quantum", 0, MPG_OPTION_TIME, &opt.quantum_ns, "TIME",
     "the fixed time quantum (default: 1ms)", 1e4, 1e10, NULL},
    {"threshold", 0, MPG_OPTION_TIME, &opt.threshold_ns, "TIME",
     "the shortest detour recorded (default: 0, four times\nround the loop, at most 100ns if"
     " that is possible)", 0, 1e9, NULL},
    {"max-detours", 0, MPG_OPTION_INT, &opt.max_detours, "N",
     "end a core's record after N detours (default: 1000000)", 1, 1e8, NULL},
    {"timer", 0, MPG_OPTION_STRING, &opt.timer, "NAME",
     "auto (default), counter (the processor's), papi or clock", 0, 0, NULL},
    {0}};

static const struct mpg_program program = {
    .name = "ftq",
    .summary = "Measures the noise of each core: how much work fits into fixed time quanta,\n"
               "and when each detour from user code started and how long it took.",
    .options = options};

/* What measuring one core in one mode shares. */
struct run {
    int argc;
    char **argv;
    struct mpg_timer timer;
    int core;
    struct mpg_header header;      /* of this core */
    double steal_ns;               /* at the start */
    struct mpg_counters counters;
    struct mpg_load load;
};

static bool wants(const char *mode)
{
    return strcmp(opt.mode, "both") == 0 || strcmp(opt.mode, mode) == 0;
}

/* The header's lines that every file of a core has. */
static int describe(struct run *run, const char *benchmark, struct mpg_error *err)
{
    double now_ns = mpg_machine_steal_ns(run->core);
    mpg_load_end(&run->load);
    mpg_header_clear(&run->header);
    if (mpg_header_add(&run->header, err, "benchmark", "%s", benchmark) < 0 ||
        mpg_machine_describe(&run->header, &run->timer, run->argc, run->argv, err) < 0 ||
        mpg_header_add(&run->header, err, "core", "%d", run->core) < 0 ||
        mpg_header_add(&run->header, err, "binding", "core %d", run->core) < 0 ||
        mpg_counters_describe(&run->counters, &run->header, err) < 0 ||
        mpg_load_describe(&run->load, 0, &run->header, err) < 0)
        return -1;
    if (run->steal_ns >= 0 && now_ns >= 0)
        return mpg_header_add(&run->header, err, "steal_ns", "%.0f", now_ns - run->steal_ns);
    return 0;
}

static int write_quanta(struct run *run, const struct mpg_quanta *q, struct mpg_error *err)
{
    char name[64];
    struct mpg_samples samples = {"start_ns work lost_ns", 3, {1, 0, 1}, q->n, q->sample};
    snprintf(name, sizeof name, "ftq-core%d.samples", run->core);
    if (mpg_header_add(&run->header, err, "quantum_ns", "%.17g", q->quantum_ns) < 0 ||
        mpg_header_add(&run->header, err, "unit_ns", "%.4f", q->unit_ns) < 0)
        return -1;
    return mpg_record_write(opt.dir, name, &run->header, &samples, err);
}

static int measure_quanta(struct run *run, struct mpg_error *err)
{
    struct mpg_quanta q = {0};
    char quantum[32], worst[32];
    run->steal_ns = mpg_machine_steal_ns(run->core);
    mpg_load_start(&run->load);
    if (mpg_quanta_measure(&run->timer, opt.quantum_ns,
                           (size_t)(opt.duration_ns / opt.quantum_ns), &run->counters, &q,
                           err) < 0)
        return -1;
    if (describe(run, "ftq", err) < 0 || write_quanta(run, &q, err) < 0) {
        mpg_quanta_clear(&q);
        return -1;
    }
    printf("core %d: ftq: %zu quanta of %s, %.4f %% lost, at most %s in one\n", run->core, q.n,
           mpg_units_format_time(quantum, sizeof quantum, q.quantum_ns),
           100 * q.lost_ns / ((double)q.n * q.quantum_ns),
           mpg_units_format_time(worst, sizeof worst, q.worst_ns));
    mpg_quanta_clear(&q);
    return 0;
}

static int write_detours(struct run *run, const struct mpg_detours *d, struct mpg_error *err)
{
    char name[64];
    struct mpg_samples samples = {"start_ns duration_ns", 2, {1, 1}, d->n, d->sample};
    snprintf(name, sizeof name, "detour-core%d.samples", run->core);
    if (mpg_header_add(&run->header, err, "threshold_ns", "%.1f", d->threshold_ns) < 0 ||
        mpg_header_add(&run->header, err, "loop_ns", "%.1f", d->loop_ns) < 0 ||
        mpg_header_add(&run->header, err, "span_ns", "%.1f", d->span_ns) < 0)
        return -1;
    if (d->full && mpg_header_add(&run->header, err, "filled",
                                  "after %zu detours, --max-detours; the record ends there",
                                  d->n) < 0)
        return -1;
    return mpg_record_write(opt.dir, name, &run->header, &samples, err);
}

static void print_detours(const struct run *run, struct mpg_detours *d)
{
    char threshold[32], span[32], median[32], longest[32];
    for (size_t i = 0; i < d->n; i++) /* the samples are written: keep durations */
        d->sample[i] = d->sample[2 * i + 1];
    mpg_sort(d->sample, d->n);
    mpg_units_format_time(threshold, sizeof threshold, d->threshold_ns);
    mpg_units_format_time(span, sizeof span, d->span_ns);
    printf("core %d: detour: %zu longer than %s in %s, %.4f %% lost", run->core, d->n, threshold,
           span, 100 * d->lost_ns / d->span_ns);
    if (d->n > 0)
        printf(", median %s, at most %s",
               mpg_units_format_time(median, sizeof median,
                                     mpg_sorted_quantile(d->sample, d->n, 0.5)),
               mpg_units_format_time(longest, sizeof longest, d->longest_ns));
    printf("%s\n", d->full ? "; the record is full" : "");
}

static int measure_detours(struct run *run, struct mpg_error *err)
{
    struct mpg_detours d = {0};
    run->steal_ns = mpg_machine_steal_ns(run->core);
    mpg_load_start(&run->load);
    if (mpg_detours_measure(&run->timer, opt.duration_ns, opt.threshold_ns,
                            (size_t)opt.max_detours, &run->counters, &d, err) < 0)
        return -1;
    if (describe(run, "detour", err) < 0 || write_detours(run, &d, err) < 0) {
        mpg_detours_clear(&d);
        return -1;
    }
    print_detours(run, &d);
    mpg_detours_clear(&d);
    return 0;
}

/* Keeps the cores of the CORES list that --core names; each must be there. */
static int select_cores(int *core, int n, struct mpg_error *err)
{
    struct mpg_rank_set set;
    char allowed[256];
    int kept = 0;
    if (mpg_rank_set_parse(opt.cores, &set, NULL) < 0)
        return mpg_error_set(err, "'%s' is not a list of cores like 0,4-7", opt.cores);
    for (size_t i = 0; i < set.count; i++) {
        int64_t found = 0, wanted = (int64_t)set.ranges[i].last - set.ranges[i].first + 1;
        for (int c = 0; c < n; c++)
            found += core[c] >= set.ranges[i].first && core[c] <= set.ranges[i].last;
        if (found < wanted) {
            mpg_rank_set_clear(&set);
            return mpg_error_set(err, "%s: this process may use cores %s only", opt.cores,
                                 mpg_cores_text(allowed, sizeof allowed));
        }
    }
    for (int c = 0; c < n; c++)
        if (mpg_rank_set_contains(&set, core[c]))
            core[kept++] = core[c];
    mpg_rank_set_clear(&set);
    return kept;
}

/* Thins the list to --max-cores, evenly spread. */
static int limit_cores(int *core, int n)
{
    int limit = opt.max_cores > 0 && opt.max_cores < n ? (int)opt.max_cores : n;
    for (int i = 0; i < limit; i++)
        core[i] = core[(int)((int64_t)i * n / limit)];
    return limit;
}

static int measure_all(struct run *run, const int *core, int n, struct mpg_error *err)
{
    char duration[32];
    int modes = wants("ftq") + wants("detour"), done = 0;
    struct mpg_progress progress;
    printf("ftq: %d %s, %d x %s each, clock %s\n", n, n == 1 ? "core" : "cores", modes,
           mpg_units_format_time(duration, sizeof duration, opt.duration_ns),
           mpg_timer_describe(&run->timer));
    mpg_progress_start(&progress, "ftq: measuring", modes * n);
    for (int i = 0; i < n; i++) {
        run->core = core[i];
        if (mpg_cores_pin(core[i], err) < 0)
            return -1;
        fflush(stdout); /* its failure is seen when stdout is closed */
        if (wants("ftq")) {
            if (measure_quanta(run, err) < 0)
                return mpg_error_prefix(err, "core %d", core[i]);
            mpg_progress_update(&progress, ++done);
        }
        if (wants("detour")) {
            if (measure_detours(run, err) < 0)
                return mpg_error_prefix(err, "core %d", core[i]);
            mpg_progress_update(&progress, ++done);
        }
    }
    mpg_progress_end(&progress);
    return 0;
}

/* Makes sense of the options together; usage errors end the program. */
static void check_options(void)
{
    if (!opt.duration_given)
        opt.duration_ns = opt.quick ? QUICK_NS : FULL_NS;
    if (!wants("ftq") && !wants("detour"))
        mpg_option_usage_error(&program, "--mode: '%s' is not ftq, detour or both", opt.mode);
    if (wants("ftq") && opt.duration_ns < opt.quantum_ns)
        mpg_option_usage_error(&program, "--duration is shorter than one quantum");
    if (wants("ftq") && opt.duration_ns / opt.quantum_ns > MPG_QUANTA_MAX)
        mpg_option_usage_error(&program, "--duration is more than %d quanta", MPG_QUANTA_MAX);
}

int main(int argc, char **argv)
{
    struct mpg_error err;
    struct run run = {.argc = argc, .argv = argv};
    int *core = NULL, status = MPG_EXIT_FAILURE;
    mpg_option_parse(&program, argc, argv);
    check_options();
    int n = mpg_cores_allowed(&core, &err);
    if (n < 0)
        goto out;
    if (opt.cores && (n = select_cores(core, n, &err)) < 0)
        mpg_option_usage_error(&program, "--core: %s", err.text);
    n = limit_cores(core, n);
    if (mpg_record_prepare(opt.dir, &err) < 0 ||
        mpg_timer_open(opt.timer, &run.timer, &err) < 0 || measure_all(&run, core, n, &err) < 0 ||
        mpg_stdout_close(&err) < 0)
        goto out;
    status = MPG_EXIT_OK;
out:
    if (status != MPG_EXIT_OK)
        mpg_error_print(program.name, &err);
    mpg_header_clear(&run.header);
    free(core);
    return status;
}
