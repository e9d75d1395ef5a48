/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bandwidth: times of large messages in one direction between two ranks. */
#include "config.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/launch.h"
#include "bench/harness/machine.h"
#include "bench/harness/pair.h"
#include "bench/harness/plan.h"
#include "bench/harness/record.h"
#include "bench/harness/statistics.h"
#include "bench/harness/timer.h"
#include "common/option.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/units.h"

enum {
    FULL_ITERATIONS = 2000,
    QUICK_ITERATIONS = 400,
    LEAST_ITERATIONS = 100,
    ACK_ITERATIONS = 2001,
    ACK_WARMUP = 200,
    TAG = 1
};
#define FULL_BYTES 262144

static struct {
    const char *dir, *sizes, *timer;
    int64_t iterations, warmup, launch, seed;
    bool quick, iterations_given, seed_given;
} opt = {.dir = "results",
         .sizes = "1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,"
                  "4MiB,8MiB,16MiB",
         .timer = "auto", .warmup = 50};

static const struct mpg_option options[] = {
    {"output", 'o', MPG_OPTION_STRING, &opt.dir, "DIR",
     "write the samples into folder DIR (default: results)", 0, 0, NULL},
    {"sizes", 's', MPG_OPTION_STRING, &opt.sizes, "LIST",
     "message sizes, like 64KiB,1MiB (default: powers of two\nfrom 1KiB to 16MiB)", 0, 0, NULL},
    {"iterations", 'i', MPG_OPTION_INT, &opt.iterations, "N",
     "messages recorded of each size up to 256KiB; fewer of\nlarger ones, at least 100"
     " (default: 2000)", 1, 1e8, &opt.iterations_given},
    {"quick", 'q', MPG_OPTION_FLAG, &opt.quick, NULL, "400 iterations", 0, 0, NULL},
    {"warmup", 'w', MPG_OPTION_INT, &opt.warmup, "N",
     "messages of each size before, not recorded (default: 50)", 0, 1e8, NULL},
    {"launch", 'l', MPG_OPTION_INT, &opt.launch, "N",
     "which launch this is; it names the file (default: 0)", 0, 1e9, NULL},
    {"seed", 0, MPG_OPTION_INT, &opt.seed, "N",
     "draws the order of the sizes (default: the launch)", 0, 1e15, &opt.seed_given},
    {"timer", 0, MPG_OPTION_STRING, &opt.timer, "NAME",
     "auto (default), tsc, papi or clock", 0, 0, NULL},
    {0}};

static const struct mpg_program program = {
    .name = "bandwidth",
    .summary = "Measures how long large messages take from one MPI rank to another, from the send\n"
               "to the acknowledgement, for each message size. Start it with mpirun -np 2.",
    .options = options};

struct run {
    struct mpg_pair pair;
    struct mpg_plan plan;
    struct mpg_timer timer;
    struct mpg_header header;
    double ack_ns;  /* median round trip of empty messages */
    double *sample; /* rank 0: size_bytes, time_ns, ack_ns */
};

/* ITERATIONS messages to rank 1, which acknowledges each with an empty one;
 * rank 0 notes each in ROW unless that is NULL. */
static void transfer(const struct run *run, int64_t size_bytes, int64_t iterations, double *row)
{
    const struct mpg_pair *pair = &run->pair;
    char *buffer = pair->buffer;
    int size = (int)size_bytes;
    if (pair->rank == 1) {
        for (int64_t i = 0; i < iterations; i++) {
            MPI_Recv(buffer, size, MPI_BYTE, 0, TAG, pair->comm, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, pair->comm);
        }
        return;
    }
    for (int64_t i = 0; i < iterations; i++) {
        uint64_t start = mpg_timer_read(run->timer.kind);
        MPI_Send(buffer, size, MPI_BYTE, 1, TAG, pair->comm);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, pair->comm, MPI_STATUS_IGNORE);
        uint64_t end = mpg_timer_read(run->timer.kind);
        if (row) {
            row[3 * i] = (double)size_bytes;
            row[3 * i + 1] = (double)(end - start) * run->timer.ns_per_tick;
            row[3 * i + 2] = run->ack_ns;
        }
    }
}

/* The median empty exchange. SAMPLE has room for what it takes. */
static void measure_ack(struct run *run)
{
    double *row = run->sample;
    transfer(run, 0, ACK_WARMUP, NULL);
    transfer(run, 0, ACK_ITERATIONS, row);
    for (int i = 0; row && i < ACK_ITERATIONS; i++)
        row[i] = row[3 * i + 1];
    if (!row)
        return;
    mpg_sort(row, ACK_ITERATIONS);
    run->ack_ns = mpg_sorted_quantile(row, ACK_ITERATIONS, 0.5);
}

static void measure(struct run *run)
{
    double *row = run->sample;
    struct mpg_progress progress;
    mpg_progress_start(&progress, "bandwidth: measuring", (double)run->plan.n);
    progress.enabled = progress.enabled && run->pair.rank == 0;
    for (size_t i = 0; i < run->plan.n; i++) {
        const struct mpg_plan_step *step = &run->plan.step[i];
        MPI_Barrier(run->pair.comm);
        transfer(run, step->size_bytes, opt.warmup, NULL);
        transfer(run, step->size_bytes, step->iterations, row);
        if (row)
            row += 3 * step->iterations;
        mpg_progress_update(&progress, (double)(i + 1));
    }
    mpg_progress_end(&progress);
}

/* What either rank can fail at before anything is measured. */
static int prepare(struct run *run, struct mpg_error *err)
{
    size_t rows = run->plan.samples > ACK_ITERATIONS ? run->plan.samples : ACK_ITERATIONS;
    size_t size = 3 * rows * sizeof *run->sample;
    if (mpg_timer_open(opt.timer, &run->timer, err) < 0 ||
        mpg_pair_allocate(&run->pair, run->plan.max_bytes, err) < 0)
        return -1;
    if (run->pair.rank != 0)
        return 0;
    if (mpg_record_prepare(opt.dir, err) < 0)
        return -1;
    run->sample = malloc(size);
    if (!run->sample)
        return mpg_error_set(err, "out of memory for %zu samples", run->plan.samples);
    memset(run->sample, 1, size); /* no page fault later */
    return 0;
}

static int describe(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    struct mpg_header *header = &run->header;
    if (mpg_header_add(header, err, "benchmark", "bandwidth") < 0 ||
        mpg_machine_describe(header, &run->timer, argc, argv, err) < 0 ||
        mpg_header_add(header, err, "launch", "%lld", (long long)opt.launch) < 0 ||
        mpg_header_add(header, err, "seed", "%lld", (long long)opt.seed) < 0 ||
        mpg_header_add(header, err, "warmup", "%lld", (long long)opt.warmup) < 0)
        return -1;
    return 0;
}

static int write_samples(struct run *run, struct mpg_error *err)
{
    char name[64];
    struct mpg_samples samples = {"size_bytes time_ns ack_ns", 3, {0, 1, 1}, run->plan.samples,
                                  run->sample};
    snprintf(name, sizeof name, "bandwidth-launch%lld.samples", (long long)opt.launch);
    return mpg_record_write(opt.dir, name, &run->header, &samples, err);
}

static void print_summary(struct run *run)
{
    char size[32], median[32], ack[32];
    mpg_plan_sort(&run->plan);
    printf("bandwidth: launch %lld, empty exchange %s, messages by size:\n%10s %8s %10s %12s\n",
           (long long)opt.launch, mpg_units_format_time(ack, sizeof ack, run->ack_ns), "size",
           "samples", "median", "MB/s");
    for (size_t i = 0; i < run->plan.n; i++) {
        const struct mpg_plan_step *step = &run->plan.step[i];
        size_t n = (size_t)step->iterations;
        double *row = run->sample + 3 * step->first;
        for (size_t k = 0; k < n; k++) /* the samples are written: keep times one way */
            row[k] = row[3 * k + 1] - run->ack_ns / 2;
        mpg_sort(row, n);
        double middle_ns = mpg_sorted_quantile(row, n, 0.5);
        printf("%10s %8zu %10s %12.1f\n",
               mpg_units_format_size(size, sizeof size, step->size_bytes), n,
               mpg_units_format_time(median, sizeof median, middle_ns),
               middle_ns > 0 ? 1e3 * (double)step->size_bytes / middle_ns : 0.0);
    }
}

/* What both ranks of the pair do; both return the same. */
static int run_pair(struct run *run, int argc, char **argv, struct mpg_error *err)
{
    struct mpg_pair *pair = &run->pair;
    int status = prepare(run, err);
    if (status == 0)
        status = describe(run, argc, argv, err);
    if (mpg_pair_agree(pair, status, err) < 0 ||
        mpg_pair_agree(pair, mpg_pair_describe(pair, &run->header, err), err) < 0)
        return -1;
    measure_ack(run);
    measure(run);
    if (pair->rank == 0) {
        status = write_samples(run, err);
        if (status == 0)
            print_summary(run);
        if (status == 0)
            status = mpg_stdout_close(err);
    }
    return mpg_pair_agree(pair, status, err);
}

int main(int argc, char **argv)
{
    struct mpg_error err = {""};
    struct run run = {0};
    mpg_launch_parse(&program, argc, argv);
    if (!opt.iterations_given)
        opt.iterations = opt.quick ? QUICK_ITERATIONS : FULL_ITERATIONS;
    if (!opt.seed_given)
        opt.seed = opt.launch;
    if (mpg_plan_make(opt.sizes, opt.iterations, FULL_BYTES, LEAST_ITERATIONS,
                      (uint64_t)opt.seed, &run.plan, &err) < 0)
        mpg_launch_usage_error(&program, "--sizes: %s", err.text);
    int status = mpg_pair_begin(&run.pair, &argc, &argv, &err);
    if (status == 0 && run.pair.comm != MPI_COMM_NULL)
        status = run_pair(&run, argc, argv, &err);
    if (status < 0 && err.text[0])
        mpg_error_print(program.name, &err);
    mpg_pair_end(&run.pair);
    mpg_header_clear(&run.header);
    mpg_plan_clear(&run.plan);
    free(run.sample);
    return status < 0 ? MPG_EXIT_FAILURE : MPG_EXIT_OK;
}
