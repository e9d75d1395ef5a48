/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bandwidth: measures the time of messages, mostly large, in one direction between two ranks: a single message, and several
 * messages in flight. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/network.h"
#include "common/units.h"
#include "statistics/order.h"

enum { TAG = 1, EMPTY_BLOCK = 200 };
enum { WINDOW = 2, TIME, SEND, TRANSFER, OFF_CPU }; /* columns of a sample; column 0 is the pair number, column 1 the message
                                                       size */
#define SMALLEST_BYTES 1024
#define LARGEST_BYTES ((int64_t)16 << 20)
#define FLIGHT_BYTES ((int64_t)64 << 20) /* a stream has at most this many bytes in flight */

static int64_t window = 64;

static struct mpg_network_options opt = {
    .dir = "results", .timer = "auto", .pairs = "10", .warmup = 200,
    .confidence = 95, .median_error = 2};

static const struct mpg_option options[] = {
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes, like 64KiB,1MiB (default: 8, 64 and 512\nbytes, powers of two from 1KiB to"
             " 16MiB, and sizes around\nthe eager limit, L2 and L3)"},
    {.name = "window", .kind = MPG_OPTION_INT, .value = &window, .argument = "N",
     .help = "messages in flight when streaming, 1 for no streaming\n(default: 64)",
     .minimum = 1, .maximum = MPG_WINDOW_MAX},
    {.name = "quick", .letter = 'q', .kind = MPG_OPTION_FLAG, .value = &opt.quick,
     .help = "--max-iterations=400 --max-time=2s"},
    {.name = "max-iterations", .kind = MPG_OPTION_INT, .value = &opt.max, .argument = "N",
     .help = "samples at most of each size up to 256KiB; fewer of\nlarger ones (default: 2000)",
     .minimum = 1, .maximum = 1e8, .given = &opt.max_given},
    {.name = "max-time", .kind = MPG_OPTION_TIME, .value = &opt.time_ns, .argument = "TIME",
     .help = "measure no longer than about TIME in all (default: 60s)",
     .minimum = 1e6, .maximum = 1e15, .given = &opt.time_given},
    {.name = "iterations", .letter = 'i', .kind = MPG_OPTION_INT, .value = &opt.iterations, .argument = "N",
     .help = "record N samples of each size up to 256KiB, fewer of\nlarger ones but at least 100,"
             " whatever the precision", .minimum = 1, .maximum = 1e8, .given = &opt.iterations_given},
    MPG_MEMORY_OPTION(opt),
    MPG_NETWORK_OPTIONS(opt, "200"),
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench bandwidth",
    .summary = "Measures how long messages take from one MPI rank to another, from the send\n"
               "to the acknowledgement, one at a time and streaming, for each message size. Start\n"
               "it with mpirun -np 2, or more for more pairs.",
    .options = options};

/* ---- the exchange ---- */

/* Leading rank: sends x->window messages from one buffer, then waits for the other rank's acknowledgement, as osu_bw. */
static void send_window(const struct mpg_bench_exchange *x)
{
    if (x->window == 1) {
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm);
        return;
    }
    for (int w = 0; w < x->window; w++)
        MPI_Isend(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, &x->request[w]);
    MPI_Waitall(x->window, x->request, MPI_STATUSES_IGNORE);
}

static void receive_window(const struct mpg_bench_exchange *x)
{
    if (x->window == 1) {
        MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 0, TAG, x->comm, MPI_STATUS_IGNORE);
        return;
    }
    for (int w = 0; w < x->window; w++)
        MPI_Irecv(x->receive_buffer, x->size, MPI_BYTE, 0, TAG, x->comm, &x->request[w]);
    MPI_Waitall(x->window, x->request, MPI_STATUSES_IGNORE);
}

static void lead(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        stamps->start[i] = mpg_timer_read(x->timer);
        send_window(x);
        stamps->sent[i] = mpg_timer_read(x->timer);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, x->comm, MPI_STATUS_IGNORE);
        stamps->end[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->end[i] - before);
        before = stamps->end[i];
    }
}

static void follow(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        receive_window(x);
        stamps->arrived[i] = mpg_timer_read(x->timer);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, x->comm);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->arrived[i] - before);
        before = stamps->arrived[i];
    }
    stamps->off_ns[n] = mpg_off_cpu_check(x->off, mpg_timer_read(x->timer) - before);
}

static void make_row(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row)
{
    row[1] = (double)cell->size_bytes;
    row[WINDOW] = (double)cell->window;
    row[TIME] = times->total_ns;
    row[SEND] = times->send_ns;
    row[TRANSFER] = times->forward_ns;
    row[OFF_CPU] = times->off_ns;
}

/* ---- sizes ---- */

/* Returns the number of messages of SIZE_BYTES to keep in flight: --window, or fewer if limited by FLIGHT_BYTES. */
static int64_t window_of(int64_t size_bytes)
{
    int64_t fits = size_bytes > 0 ? FLIGHT_BYTES / size_bytes : window;
    return fits < 1 ? 1 : fits < window ? fits : window;
}

static int add_size(int64_t size_bytes, const struct mpg_plan_limits *limits,
                    struct mpg_bench_plan *plan, struct mpg_error *err)
{
    if (mpg_plan_add(plan, size_bytes, 1, limits, err) < 0)
        return -1;
    return size_bytes > 0 ? mpg_plan_add(plan, size_bytes, window_of(size_bytes), limits, err) : 0;
}

/* Adds the default sizes: small sizes for LogGP's g; powers of two; the eager limit and a byte more; 0.75 and 1.5 times
 * the sizes of the L2 and L3 caches. */
static int add_default_sizes(const struct mpg_network_facts *facts,
                             const struct mpg_plan_limits *limits, struct mpg_bench_plan *plan,
                             struct mpg_error *err)
{
    int64_t eager = facts->eager_limit_bytes, l2 = facts->l2_bytes, l3 = facts->l3_bytes;
    int64_t extra[] = {8, 64, 512, eager, eager > 0 ? eager + 1 : 0, l2 / 4 * 3, l2 / 2 * 3, l3 / 4 * 3,
                       l3 / 2 * 3};
    for (int64_t size = SMALLEST_BYTES; size <= LARGEST_BYTES; size *= 2)
        if (add_size(size, limits, plan, err) < 0)
            return -1;
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++)
        if (extra[i] > 0 && extra[i] <= LARGEST_BYTES &&
            add_size(extra[i], limits, plan, err) < 0)
            return -1;
    return 0;
}

static int make_plan(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                     struct mpg_bench_plan *plan, struct mpg_error *err)
{
    int64_t *size = NULL, n = 0;
    int status = mpg_plan_add(plan, 0, 1, limits, err); /* an exchange of an empty message, to measure the fixed cost of an
                                                         * exchange */
    if (status == 0 && plan->cell[0].max >= EMPTY_BLOCK)
        plan->cell[0].block = EMPTY_BLOCK; /* the time of the empty exchange is deducted from all other times: longer blocks make
                                            * this time precise */
    if (status == 0 && !opt.sizes)
        status = add_default_sizes(facts, limits, plan, err);
    else if (status == 0 && (n = mpg_sizes_parse(opt.sizes, &size, err)) < 0)
        status = -1;
    for (int64_t i = 0; i < n && status == 0; i++)
        status = add_size(size[i], limits, plan, err);
    free(size);
    return status;
}

/* ---- header lines and summary ---- */

static int describe(const struct mpg_path_results *class, struct mpg_header *header,
                    struct mpg_error *err)
{
    (void)class;
    return mpg_header_add(header, err, "messages_in_flight", "%lld, fewer where more than 64MiB would be in"
                                                 " flight", (long long)window);
}

/* Sets *MEDIAN to the median of COLUMN over the *N samples of CELL's size and window (0 without samples). Returns -1 if
 * memory is out. */
static int column_median(const struct mpg_path_results *class, const struct mpg_path_cell *cell,
                         int column, double *median, int64_t *n, struct mpg_error *err)
{
    double *value = NULL;
    *n = mpg_path_results_values(class, cell->size_bytes, cell->window, column, &value, err);
    *median = *n > 0 ? mpg_sorted_quantile(value, (size_t)*n, 0.5) : 0;
    free(value);
    return *n < 0 ? -1 : 0;
}

static double megabytes_per_second(double bytes, double time_ns)
{
    return time_ns > 0 ? 1e3 * bytes / time_ns : 0;
}

static int print_size(const struct mpg_path_results *class, const struct mpg_path_cell *cell,
                      struct mpg_error *err)
{
    char size[32], median[32], sent[32];
    double time_ns, send_ns, way_ns, stream_ns = 0;
    struct mpg_path_cell stream = *cell;
    int64_t n, unused;
    stream.window = window_of(cell->size_bytes);
    if (column_median(class, cell, TIME, &time_ns, &n, err) < 0 ||
        column_median(class, cell, SEND, &send_ns, &unused, err) < 0 ||
        column_median(class, cell, TRANSFER, &way_ns, &unused, err) < 0 ||
        (stream.window > 1 && column_median(class, &stream, TIME, &stream_ns, &unused, err) < 0))
        return -1;
    printf("%10s %8lld %10s %10s %10.1f", mpg_units_format_size(size, sizeof size, cell->size_bytes),
           (long long)n, mpg_units_format_time(median, sizeof median, time_ns),
           mpg_units_format_time(sent, sizeof sent, send_ns),
           megabytes_per_second((double)cell->size_bytes, way_ns));
    if (stream_ns > 0)
        printf(" %10.1f %6lld",
               megabytes_per_second((double)(cell->size_bytes * stream.window), stream_ns),
               (long long)stream.window);
    putchar('\n');
    return 0;
}

static int print_summary(const struct mpg_path_results *class, struct mpg_error *err)
{
    struct mpg_path_cell *cell = NULL;
    int64_t n = mpg_path_results_sizes(class, 1, &cell, err);
    int status = n < 0 ? -1 : 0;
    printf("messages by size, medians; size 0 is the empty exchange:\n"
           "%10s %8s %10s %10s %10s %10s %6s\n",
           "size", "samples", "to ack", "sending", "MB/s", "streaming", "window");
    for (int64_t i = 0; i < n && status == 0; i++)
        status = print_size(class, &cell[i], err);
    free(cell);
    return status;
}

int main(int argc, char **argv)
{
    static const struct mpg_network network = {
        .name = "bandwidth", .program = &program, .opt = &opt,
        .full = {{2000, 262144, 100}, 60e9}, .quick = {{400, 262144, 50}, 2e9},
        .fixed_min = 100, .lead = lead, .follow = follow, .sent = true,
        .columns = "pair size_bytes messages_in_flight time_ns send_ns transfer_ns off_cpu_ns", .n_columns = 7,
        .decimals = {0, 0, 0, 1, 1, 1, 0}, .plan = make_plan, .row = make_row,
        .describe = describe, .window_column = WINDOW, .summary = print_summary};
    return mpg_network_main(&network, argc, argv);
}
