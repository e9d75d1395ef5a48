/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlap: the share of a transfer that an MPI library hides behind the computation of one of both ranks, by size: a nonblocking
 * send or receive with computation before its wait, compared with the same transfer without computation. This is the overlap of
 * osu_ibcast and the like, 1 - (both - computation) / alone, and of Intel's IMB-NBC; Lawry, Wilson, Maccabe and Brightwell,
 * "COMB: A Portable Benchmark Suite for Assessing MPI Overlap" (CLUSTER 2002), measure it for point-to-point transfers. The other
 * rank waits inside MPI. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/network.h"
#include "common/units.h"
#include "statistics/order.h"

enum { DATA = 1, READY, ARRIVED, CALIBRATIONS = 5 };
enum { SIDE = 1, SIZE, ALONE, WORK, BOTH, OFF_CPU }; /* columns of a sample; column 0 is the pair number */

/* The computing rank, in the order of the numbers in results files. */
enum side { SENDER, RECEIVER, SIDES };

static const char *const names[SIDES] = {"send", "receive"};

/* The computation takes this multiple of the transfer, so that a slower transfer still ends during the computation. */
#define WORK_FACTOR 1.5

static struct mpg_network_options opt = {
    .dir = "results", .timer = "auto", .pairs = "10", .warmup = 10,
    .confidence = 95, .median_error = 2};

static const struct mpg_option options[] = {
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes, like 8,64KiB (default: 1KiB, 8KiB, 64KiB,\n256KiB, 1MiB, 4MiB, the eager limit and one byte more)"},
    MPG_NUMBER_OPTIONS(opt, "exchanges", "--max-iterations=200 --max-time=1s", "2000", "100"),
    MPG_NETWORK_OPTIONS(opt, "10"),
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench overlap",
    .summary = "Measures the share of a transfer that progresses while the sender, or the\n"
               "receiver, computes, for each message size. Start it with mpirun -np 2, or more\n"
               "for more pairs.",
    .options = options};

/* ---- the exchange ---- */

/* A transfer from this rank, WORK_NS of computation before the wait. Sets *START and *END: from the posting of the send until the
 * receiver's word that the message has arrived. */
static void send_timed(const struct mpg_bench_exchange *x, double work_ns, uint64_t *start, uint64_t *end)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 1, READY, x->comm, MPI_STATUS_IGNORE);
    *start = mpg_timer_read(x->timer);
    MPI_Isend(x->send_buffer, x->size, MPI_BYTE, 1, DATA, x->comm, x->request);
    if (work_ns > 0)
        mpg_clock_spin(work_ns);
    MPI_Wait(x->request, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, ARRIVED, x->comm, MPI_STATUS_IGNORE);
    *end = mpg_timer_read(x->timer);
}

/* A transfer to this rank, WORK_NS of computation before the wait. Sets *START and *END: from the posting of the receive and the
 * word to the sender until the end of the wait. */
static void receive_timed(const struct mpg_bench_exchange *x, double work_ns, uint64_t *start, uint64_t *end)
{
    *start = mpg_timer_read(x->timer);
    MPI_Irecv(x->receive_buffer, x->size, MPI_BYTE, 1, DATA, x->comm, x->request);
    MPI_Send(NULL, 0, MPI_BYTE, 1, READY, x->comm);
    if (work_ns > 0)
        mpg_clock_spin(work_ns);
    MPI_Wait(x->request, MPI_STATUS_IGNORE);
    *end = mpg_timer_read(x->timer);
}

static void transfer(const struct mpg_bench_exchange *x, double work_ns, uint64_t *start, uint64_t *end)
{
    (x->operation == SENDER ? send_timed : receive_timed)(x, work_ns, start, end);
}

/* Returns the median time of a few transfers without computation, ns. */
static double calibrate(const struct mpg_bench_exchange *x)
{
    double took_ns[CALIBRATIONS];
    uint64_t ignored;
    for (int i = 0; i < CALIBRATIONS; i++) {
        const uint64_t start_ns = mpg_clock_ns();
        transfer(x, 0, &ignored, &ignored);
        took_ns[i] = (double)(mpg_clock_ns() - start_ns);
    }
    mpg_sort(took_ns, CALIBRATIONS);
    return took_ns[CALIBRATIONS / 2];
}

static void lead(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    const double work_ns = WORK_FACTOR * calibrate(x);
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        transfer(x, 0, &stamps->start[i], &stamps->sent[i]);
        transfer(x, work_ns, &stamps->wait_start[i], &stamps->end[i]);
        stamps->work_ns[i] = work_ns;
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->end[i] - before);
        before = stamps->end[i];
    }
}

static void answer(const struct mpg_bench_exchange *x)
{
    if (x->operation == SENDER) {
        MPI_Irecv(x->receive_buffer, x->size, MPI_BYTE, 0, DATA, x->comm, x->request);
        MPI_Send(NULL, 0, MPI_BYTE, 0, READY, x->comm);
        MPI_Wait(x->request, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, ARRIVED, x->comm);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, READY, x->comm, MPI_STATUS_IGNORE);
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 0, DATA, x->comm);
    }
}

static void follow(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    for (int i = 0; i < CALIBRATIONS; i++)
        answer(x);
    uint64_t before = mpg_timer_read(x->timer);
    for (int64_t i = 0; i < n; i++) {
        answer(x);
        answer(x);
        stamps->arrived[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] = mpg_off_cpu_check(x->off, stamps->arrived[i] - before);
        before = stamps->arrived[i];
    }
    stamps->off_ns[n] = 0;
}

static void make_row(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row)
{
    row[SIDE] = cell->operation;
    row[SIZE] = (double)cell->size_bytes;
    row[ALONE] = times->send_ns;
    row[WORK] = times->work_ns;
    row[BOTH] = times->wait_ns;
    row[OFF_CPU] = times->off_ns;
}

/* ---- sizes ---- */

static int add_size(int64_t size_bytes, const struct mpg_plan_limits *limits, struct mpg_bench_plan *plan, struct mpg_error *err)
{
    for (int side = 0; side < SIDES; side++)
        if (mpg_plan_add_operation(plan, side, size_bytes, limits, err) < 0)
            return -1;
    return 0;
}

static int make_plan(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                     struct mpg_bench_plan *plan, struct mpg_error *err)
{
    int64_t *size = NULL;
    const int64_t limit = opt.sizes ? 0 : facts->eager_limit_bytes;
    const int64_t n = mpg_sizes_parse(opt.sizes ? opt.sizes : "1KiB,8KiB,64KiB,256KiB,1MiB,4MiB", &size, err);
    int status = n < 0 ? -1 : 0;
    for (int64_t i = 0; i < n && status == 0; i++)
        status = size[i] > 0 ? add_size(size[i], limits, plan, err) : mpg_error_set(err, "a transfer has at least one byte");
    if (status == 0 && limit > 0 && (add_size(limit, limits, plan, err) < 0 || add_size(limit + 1, limits, plan, err) < 0))
        status = -1;
    free(size);
    return status;
}

/* ---- header lines and summary ---- */

static int describe(const struct mpg_path_results *class, struct mpg_header *header, struct mpg_error *err)
{
    (void)class;
    return mpg_header_add(header, err, "operations", "send receive");
}

/* Returns the overlap of a sample, 0 to 1. */
static double overlap_of(const double *row)
{
    return row[ALONE] > 0 ? fmax(0, fmin(1, 1 - (row[BOTH] - row[WORK]) / row[ALONE])) : 0;
}

/* Collects COLUMN of the samples of CELL (0: the overlap), ascending, into VALUE; returns the number of samples. */
static size_t pick(const struct mpg_path_results *class, const struct mpg_path_cell *cell, int column, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < class->n; i++) {
        const double *row = class->row + i * (size_t)class->n_columns;
        if ((int)row[SIDE] == cell->operation && (int64_t)row[SIZE] == cell->size_bytes)
            value[n++] = column > 0 ? row[column] : overlap_of(row);
    }
    mpg_sort(value, n);
    return n;
}

static void print_cell(const struct mpg_path_results *class, const struct mpg_path_cell *cell, double *value)
{
    static const int columns[] = {ALONE, WORK, BOTH};
    char size[32], text[3][32];
    for (int c = 0; c < 3; c++) {
        const size_t n = pick(class, cell, columns[c], value);
        if (n == 0)
            return;
        mpg_units_format_time(text[c], sizeof text[c], mpg_sorted_quantile(value, n, 0.5));
    }
    const size_t n = pick(class, cell, 0, value);
    printf("%-8s %8s %8zu %10s %11s %10s %8.0f %% %7.0f %% %4.0f %%\n", names[cell->operation],
           mpg_units_format_size(size, sizeof size, cell->size_bytes), n, text[0], text[1], text[2],
           100 * mpg_sorted_quantile(value, n, 0.5), 100 * mpg_sorted_quantile(value, n, 0.05),
           100 * mpg_sorted_quantile(value, n, 0.95));
}

static int print_summary(const struct mpg_path_results *class, struct mpg_error *err)
{
    struct mpg_path_cell *cell = NULL;
    double *value = malloc((class->n + 1) * sizeof *value);
    int64_t n = value ? mpg_path_results_sizes(class, 1, &cell, err) : mpg_error_set(err, "out of memory");
    printf("transfers by size, alone, and with computation of the sender (send) or the receiver (receive):\n"
           "%-8s %8s %8s %10s %11s %10s %10s %9s %6s\n", "side", "size", "samples", "alone", "computation", "both", "overlap",
           "p5", "p95");
    for (int64_t i = 0; i < n; i++)
        print_cell(class, &cell[i], value);
    free(cell);
    free(value);
    return n < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    static const struct mpg_network network = {
        .name = "overlap", .program = &program, .opt = &opt,
        .full = {{2000, 16384, 100}, 60e9}, .quick = {{200, 16384, 40}, 1e9},
        .fixed_min = 100, .lead = lead, .follow = follow, .sent = true, .two_parts = true, .works = true,
        .operation_names = names,
        .columns = "pair operation size_bytes alone_ns work_ns both_ns off_cpu_ns", .n_columns = 7,
        .decimals = {0, 0, 0, 1, 1, 1, 0}, .plan = make_plan, .row = make_row, .describe = describe,
        .summary = print_summary};
    return mpg_network_main(&network, argc, argv);
}
