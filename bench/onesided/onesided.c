/* SPDX-License-Identifier: GPL-3.0-or-later */
/* onesided: times of one-sided operations between two ranks (MPI-3.1 chapter 11): the call that starts the operation, and the
 * call that completes it. Corresponds to osu_put_latency, osu_get_latency, osu_acc_latency and osu_fop_latency, which time both
 * calls together, with flush, lock or fence. The target waits inside MPI, in a receive or a fence. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/network.h"
#include "common/units.h"
#include "statistics/order.h"

enum { TAG = 1 };
enum { OPERATION = 1, SIZE, CALL, COMPLETE, OFF_CPU }; /* columns of a sample; column 0 is the pair number */

/* The operations, in the order of their numbers in results files. The second half are synchronisations, with a put. */
enum operation { PUT, GET, ACCUMULATE, FETCH_AND_OP, LOCK, FENCE, OPERATIONS };

static const char *const names[OPERATIONS] = {"put", "get", "accumulate", "fetch_and_op", "lock", "fence"};

static const char *operations = "put,get,accumulate,fetch_and_op,lock,fence";

static bool creates; /* windows of MPI_Win_create */

static struct mpg_network_options opt = {
    .dir = "results", .timer = "auto", .pairs = "10", .warmup = 20, .no_eager = true,
    .confidence = 95, .median_error = 2};

static const struct mpg_option options[] = {
    {.name = "operations", .kind = MPG_OPTION_STRING, .value = &operations, .argument = "LIST",
     .help = "of put, get, accumulate, fetch_and_op, lock and fence\n(default: all)"},
    {.name = "create", .kind = MPG_OPTION_FLAG, .value = &creates,
     .help = "windows by MPI_Win_create, in place of MPI_Win_allocate"},
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "sizes, multiples of 8 for accumulate, like 8,64KiB\n(default: 8,64,512,4KiB,32KiB,256KiB,1MiB,4MiB)"},
    MPG_NUMBER_OPTIONS(opt, "operations", "--max-iterations=400 --max-time=1s", "4000", "100"),
    MPG_PAIR_OPTIONS(opt, "20"),
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench onesided",
    .summary = "Measures one-sided operations between two MPI ranks: the call that starts them\n"
               "and the call that completes them, for each size. Start it with mpirun -np 2, or\n"
               "more for more pairs.",
    .options = options};

/* ---- the exchange ---- */

/* Starts an operation on rank 1. */
static void start_operation(const struct mpg_bench_exchange *x)
{
    const int doubles = x->size / (int)sizeof(double);
    switch (x->operation) {
    case GET:
        MPI_Get(x->receive_buffer, x->size, MPI_BYTE, 1, 0, x->size, MPI_BYTE, x->win);
        break;
    case ACCUMULATE:
        MPI_Accumulate(x->send_buffer, doubles, MPI_DOUBLE, 1, 0, doubles, MPI_DOUBLE, MPI_SUM, x->win);
        break;
    case FETCH_AND_OP:
        MPI_Fetch_and_op(x->send_buffer, x->receive_buffer, MPI_INT64_T, 1, 0, MPI_SUM, x->win);
        break;
    default:
        MPI_Put(x->send_buffer, x->size, MPI_BYTE, 1, 0, x->size, MPI_BYTE, x->win);
    }
}

/* Performs a timed operation in two parts: the starting and the completing call; for a lock: the lock, a put, and the unlock. */
static void operate(const struct mpg_bench_exchange *x, int64_t i, struct mpg_stamps *stamps)
{
    stamps->start[i] = mpg_timer_read(x->timer);
    if (x->operation == LOCK) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, x->win);
        stamps->sent[i] = mpg_timer_read(x->timer);
        start_operation(x);
        stamps->wait_start[i] = mpg_timer_read(x->timer);
        MPI_Win_unlock(1, x->win);
    } else {
        start_operation(x);
        stamps->wait_start[i] = stamps->sent[i] = mpg_timer_read(x->timer);
        if (x->operation == FENCE)
            MPI_Win_fence(0, x->win);
        else
            MPI_Win_flush(1, x->win);
    }
    stamps->end[i] = mpg_timer_read(x->timer);
}

static bool is_flushed(const struct mpg_bench_exchange *x)
{
    return x->operation != LOCK && x->operation != FENCE;
}

static void lead(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    if (x->operation == FENCE)
        MPI_Win_fence(0, x->win);
    else
        MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, x->comm, MPI_STATUS_IGNORE);
    if (is_flushed(x))
        MPI_Win_lock_all(0, x->win);
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        operate(x, i, stamps);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->end[i] - before);
        before = stamps->end[i];
    }
    if (is_flushed(x))
        MPI_Win_unlock_all(x->win);
    if (x->operation == FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, x->win);
    else
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, x->comm);
}

/* The target: makes the fences, else waits inside MPI until the block ends. Off-CPU time of the target counts only for fences,
 * which wait for the target. */
static void follow(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    const bool fence = x->operation == FENCE;
    if (fence) {
        MPI_Win_fence(0, x->win);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, x->comm);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, x->comm, MPI_STATUS_IGNORE);
    }
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        if (fence)
            MPI_Win_fence(0, x->win);
        stamps->arrived[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] = fence ? mpg_off_cpu_check(x->off, stamps->arrived[i] - before) : 0;
        before = stamps->arrived[i];
    }
    stamps->off_ns[n] = 0;
    if (fence)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, x->win);
}

static void make_row(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row)
{
    row[OPERATION] = cell->operation;
    row[SIZE] = (double)cell->size_bytes;
    row[CALL] = times->send_ns;
    row[COMPLETE] = times->wait_ns;
    row[OFF_CPU] = times->off_ns;
}

/* ---- operations and sizes ---- */

static int add_size(enum operation o, int64_t size_bytes, const struct mpg_plan_limits *limits, struct mpg_bench_plan *plan,
                    struct mpg_error *err)
{
    if (o == FETCH_AND_OP)
        size_bytes = (int64_t)sizeof(int64_t); /* one number; an equal cell is added once */
    if (o == ACCUMULATE && size_bytes % (int64_t)sizeof(double) != 0)
        return mpg_error_set(err, "--sizes: %lld is no multiple of 8, as accumulate adds up doubles; leave it out by"
                                  " --operations", (long long)size_bytes);
    return mpg_plan_add_operation(plan, (int)o, size_bytes, limits, err);
}

static int make_plan(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                     struct mpg_bench_plan *plan, struct mpg_error *err)
{
    static const char all[] = "8,64,512,4KiB,32KiB,256KiB,1MiB,4MiB";
    bool wanted[OPERATIONS] = {false};
    int64_t *size = NULL, n;
    (void)facts;
    int status = mpg_names_parse(operations, names, OPERATIONS, wanted, err);
    if (status < 0)
        return mpg_error_prefix(err, "--operations");
    n = mpg_sizes_parse(opt.sizes ? opt.sizes : all, &size, err);
    if (n < 0)
        return -1;
    for (int64_t i = 0; i < n && status == 0; i++)
        if (size[i] < 1)
            status = mpg_error_set(err, "--sizes: an operation has at least one byte");
    for (int o = 0; o < OPERATIONS; o++)
        for (int64_t i = 0; i < n && wanted[o] && status == 0; i++)
            status = add_size((enum operation)o, size[i], limits, plan, err);
    if (status == 0 && wanted[FETCH_AND_OP] && plan->max_bytes < (int64_t)sizeof(int64_t))
        plan->max_bytes = (int64_t)sizeof(int64_t);
    free(size);
    return status;
}

/* ---- header lines and summary ---- */

static int describe(const struct mpg_path_results *class, struct mpg_header *header, struct mpg_error *err)
{
    (void)class;
    if (mpg_header_add(header, err, "window_call", creates ? "MPI_Win_create" : "MPI_Win_allocate") < 0)
        return -1;
    return mpg_header_add(header, err, "operations", "put get accumulate fetch_and_op lock fence");
}

/* Collects COLUMN of the samples of CELL, ascending, into VALUE; returns the number of samples. */
static size_t pick(const struct mpg_path_results *class, const struct mpg_path_cell *cell, int column, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < class->n; i++) {
        const double *row = class->row + i * (size_t)class->n_columns;
        if ((int)row[OPERATION] == cell->operation && (int64_t)row[SIZE] == cell->size_bytes)
            value[n++] = row[column];
    }
    mpg_sort(value, n);
    return n;
}

static void print_cell(const struct mpg_path_results *class, const struct mpg_path_cell *cell, double *value)
{
    char size[32], text[4][32];
    size_t n = 0;
    for (int c = 0; c < 2; c++) {
        n = pick(class, cell, c == 0 ? CALL : COMPLETE, value);
        if (n == 0)
            return;
        mpg_units_format_time(text[2 * c], sizeof text[0], mpg_sorted_quantile(value, n, 0.5));
        mpg_units_format_time(text[2 * c + 1], sizeof text[0], mpg_sorted_quantile(value, n, 0.99));
    }
    printf("%-12s %8s %8zu %10s %10s %10s %10s\n", names[cell->operation],
           mpg_units_format_size(size, sizeof size, cell->size_bytes), n, text[0], text[1], text[2], text[3]);
}

static int print_summary(const struct mpg_path_results *class, struct mpg_error *err)
{
    struct mpg_path_cell *cell = NULL;
    double *value = malloc((class->n + 1) * sizeof *value);
    int64_t n = value ? mpg_path_results_sizes(class, 1, &cell, err) : mpg_error_set(err, "out of memory");
    printf("operations by size: the starting call (the lock), and the flush, unlock or fence:\n"
           "%-12s %8s %8s %10s %10s %10s %10s\n", "operation", "size", "samples", "call", "p99", "complete", "p99");
    for (int64_t i = 0; i < n; i++)
        print_cell(class, &cell[i], value);
    free(cell);
    free(value);
    return n < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    static const struct mpg_network network = {
        .name = "onesided", .program = &program, .opt = &opt,
        .full = {{4000, 16384, 200}, 60e9}, .quick = {{400, 16384, 60}, 1e9},
        .fixed_min = 100, .lead = lead, .follow = follow, .sent = true, .two_parts = true, .opens_window = true,
        .creates_window = &creates,
        .operation_names = names,
        .columns = "pair operation size_bytes call_ns complete_ns off_cpu_ns", .n_columns = 6,
        .decimals = {0, 0, 0, 1, 1, 0}, .plan = make_plan, .row = make_row, .describe = describe,
        .summary = print_summary};
    return mpg_network_main(&network, argc, argv);
}
