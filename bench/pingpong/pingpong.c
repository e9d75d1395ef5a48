/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pingpong: round-trip and one-way times of messages between pairs of ranks. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/network.h"
#include "common/units.h"
#include "statistics/order.h"

enum { TAG = 1 };
enum { RTT = 2, FORWARD, BACKWARD, OFF_CPU }; /* columns of a sample; column 0 is the pair number, column 1 the message size */

static struct mpg_network_options opt = {
    .dir = "results", .timer = "auto", .pairs = "10", .warmup = 200,
    .confidence = 95, .median_error = 2, .tail_error = 10};

static const struct mpg_option options[] = {
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes, like 0,8,64KiB (default: 0, 1 and powers\nof two from 8 to 4MiB, the eager"
             " limit and one byte more)"},
    MPG_NUMBER_OPTIONS(opt, "exchanges", "--max-iterations=1000 --max-time=1s", "10000", "200"),
    {.name = "tail-error", .kind = MPG_OPTION_REAL, .value = &opt.tail_error, .argument = "PERCENT",
     .help = "half width of the 99th percentile's interval, 0 for none\n(default: 10)", .maximum = 1000},
    MPG_MEMORY_OPTION(opt),
    MPG_NETWORK_OPTIONS(opt, "200"),
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench pingpong",
    .summary = "Measures round-trip and one-way times between pairs of MPI ranks, for each message\n"
               "size, until they are precise enough, and finds the eager limit. Start it with mpirun\n"
               "-np 2, or more for more pairs.",
    .options = options};

/* ---- the exchange ---- */

static void lead(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        stamps->start[i] = mpg_timer_read(x->timer);
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm);
        MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, MPI_STATUS_IGNORE);
        stamps->end[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->end[i] - before);
        before = stamps->end[i];
    }
}

static void follow(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 0, TAG, x->comm, MPI_STATUS_IGNORE);
        stamps->arrived[i] = mpg_timer_read(x->timer);
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 0, TAG, x->comm);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->arrived[i] - before);
        before = stamps->arrived[i];
    }
    stamps->off_ns[n] = mpg_off_cpu_check(x->off, mpg_timer_read(x->timer) - before);
}

/* Times are rounded here to one decimal, as in the file: forward and backward time in the file must add up to the round trip. */
static void make_row(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row)
{
    row[1] = (double)cell->size_bytes;
    row[RTT] = round(10 * times->total_ns) / 10;
    row[FORWARD] = round(10 * times->forward_ns) / 10;
    row[BACKWARD] = row[RTT] - row[FORWARD];
    row[OFF_CPU] = times->off_ns;
}

static int make_plan(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                     struct mpg_bench_plan *plan, struct mpg_error *err)
{
    return mpg_plan_add_sizes(plan, opt.sizes, facts->eager_limit_bytes, limits, err);
}

/* ---- the summary ---- */

static int print_size(const struct mpg_path_results *class, int64_t size_bytes, struct mpg_error *err)
{
    char size[32], low[32], median[32], high[32], way[32];
    double *rtt = NULL, *forward = NULL;
    int64_t n = mpg_path_results_values(class, size_bytes, 1, RTT, &rtt, err);
    int status = n < 0 || mpg_path_results_values(class, size_bytes, 1, FORWARD, &forward, err) < 0
                     ? -1 : 0;
    if (status == 0)
        printf("%10s %8lld %10s %10s %10s %10s\n",
               mpg_units_format_size(size, sizeof size, size_bytes), (long long)n,
               mpg_units_format_time(low, sizeof low, rtt[0]),
               mpg_units_format_time(median, sizeof median,
                                     mpg_sorted_quantile(rtt, (size_t)n, 0.5)),
               mpg_units_format_time(high, sizeof high,
                                     mpg_sorted_quantile(rtt, (size_t)n, 0.99)),
               mpg_units_format_time(way, sizeof way,
                                     mpg_sorted_quantile(forward, (size_t)n, 0.5)));
    free(rtt);
    free(forward);
    return status;
}

static int print_summary(const struct mpg_path_results *class, struct mpg_error *err)
{
    struct mpg_path_cell *cell = NULL;
    int64_t n = mpg_path_results_sizes(class, 1, &cell, err);
    int status = n < 0 ? -1 : 0;
    printf("round-trip and one-way times by size:\n%10s %8s %10s %10s %10s %10s\n", "size",
           "samples", "min", "median", "p99", "one way");
    for (int64_t i = 0; i < n && status == 0; i++)
        status = print_size(class, cell[i].size_bytes, err);
    free(cell);
    return status;
}

int main(int argc, char **argv)
{
    static const struct mpg_network network = {
        .name = "pingpong", .program = &program, .opt = &opt,
        .full = {{10000, 16384, 1000}, 60e9}, .quick = {{1000, 16384, 200}, 1e9},
        .fixed_min = 200, .lead = lead, .follow = follow,
        .columns = "pair size_bytes rtt_ns forward_ns backward_ns off_cpu_ns", .n_columns = 6,
        .decimals = {0, 0, 1, 1, 1, 0}, .plan = make_plan, .row = make_row, .tail = true,
        .summary = print_summary};
    return mpg_network_main(&network, argc, argv);
}
