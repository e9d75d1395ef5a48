/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overhead: CPU costs of a message at the sender and at the receiver when neither waits for the other: o_s and o_r
 * of LogGP (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995), by size. A receiver that comes after the
 * message has arrived pays o_r alone (Kielmann, Bal and Verstoep, "Fast Measurement of LogP Parameters for Message
 * Passing Platforms", IPDPS 2000 workshops, section 3; Hoefler, Lichei and Rehm, "Low-Overhead LogGP Parameter
 * Assessment for Modern Interconnection Networks", IPDPS 2007, as in netgauge). */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/network.h"
#include "common/units.h"
#include "statistics/order.h"

enum { TAG = 1, ROUND_TRIPS = 5 };
enum { SEND = 2, RECEIVE, WAIT, OFF_CPU }; /* columns of a sample; column 0 is the pair number */

/* The receiver starts to receive ROUND_TRIPS_LATE median round trips plus LATE_NS after the send of the message. */
#define ROUND_TRIPS_LATE 2
#define LATE_NS 20000.0

static struct mpg_network_options opt = {
    .dir = "results", .timer = "auto", .pairs = "10", .warmup = 20,
    .confidence = 95, .median_error = 2};

static const struct mpg_option options[] = {
    {.name = "sizes", .letter = 's', .kind = MPG_OPTION_STRING, .value = &opt.sizes, .argument = "LIST",
     .help = "message sizes, like 0,8,64KiB (default: 0, 1 and powers\nof two from 8 to 4MiB, the eager"
             " limit and one byte more)"},
    MPG_NUMBER_OPTIONS(opt, "exchanges", "--max-iterations=400 --max-time=1s", "4000", "100"),
    MPG_NETWORK_OPTIONS(opt, "20"),
    {0}};

static const struct mpg_program program = {
    .name = "mpgbench overhead",
    .summary = "Measures the CPU time of a send, and of the receive of an arrived message,\n"
               "for each message size. Start it with mpirun -np 2, or more for more pairs.",
    .options = options};

/* ---- the exchange ---- */

/* Sends a message by MPI_Send if eager, else by MPI_Isend, since MPI_Send would wait for the receiver. Returns the
 * timer reading after this call. */
static uint64_t send_message(const struct mpg_bench_exchange *x)
{
    uint64_t sent;
    if (x->eager) {
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm);
        return mpg_timer_read(x->timer);
    }
    MPI_Isend(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, x->request);
    sent = mpg_timer_read(x->timer);
    MPI_Wait(x->request, MPI_STATUS_IGNORE);
    return sent;
}

/* Returns the median time of a few round trips without delay, in ticks. */
static double measure_round_trip(const struct mpg_bench_exchange *x)
{
    double took_ns[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const uint64_t start_ns = mpg_clock_ns();
        MPI_Send(x->send_buffer, x->size, MPI_BYTE, 1, TAG, x->comm);
        MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, MPI_STATUS_IGNORE);
        took_ns[i] = (double)(mpg_clock_ns() - start_ns);
    }
    mpg_sort(took_ns, ROUND_TRIPS);
    return took_ns[ROUND_TRIPS / 2];
}

/* Returns this rank's off-CPU time, ns, since the last reading of the CPU clock; 0 without a reading if both timer
 * intervals, ONE and OTHER ticks, were short. The spinning between the two intervals does not count. */
static double off_ns(const struct mpg_bench_exchange *x, uint64_t one, uint64_t other)
{
    return mpg_off_cpu_check(x->off, one > other ? one : other);
}

/* Leading rank: two messages and two answers per exchange: a late MPI_Recv receives the first answer, a late MPI_Wait for a
 * receive posted earlier the second. */
static void lead(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    MPI_Request *posted = &x->request[1];
    stamps->answer_ns = measure_round_trip(x);
    const double late_ns = ROUND_TRIPS_LATE * stamps->answer_ns + LATE_NS;
    for (int64_t i = 0; i < n; i++) {
        stamps->start[i] = mpg_timer_read(x->timer);
        stamps->sent[i] = send_message(x);
        mpg_clock_spin(late_ns);
        stamps->receive_start[i] = mpg_timer_read(x->timer);
        MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, MPI_STATUS_IGNORE);
        stamps->end[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] = off_ns(x, stamps->sent[i] - stamps->start[i],
                                   stamps->end[i] - stamps->receive_start[i]);
        MPI_Irecv(x->receive_buffer, x->size, MPI_BYTE, 1, TAG, x->comm, posted);
        send_message(x);
        mpg_clock_spin(late_ns);
        stamps->wait_start[i] = mpg_timer_read(x->timer);
        MPI_Wait(posted, MPI_STATUS_IGNORE);
        stamps->wait_end[i] = mpg_timer_read(x->timer);
        stamps->off_ns[i] += mpg_off_cpu_check(x->off, stamps->wait_end[i] - stamps->wait_start[i]);
    }
}

static void answer(const struct mpg_bench_exchange *x, uint64_t *there)
{
    MPI_Recv(x->receive_buffer, x->size, MPI_BYTE, 0, TAG, x->comm, MPI_STATUS_IGNORE);
    *there = mpg_timer_read(x->timer);
    MPI_Send(x->send_buffer, x->size, MPI_BYTE, 0, TAG, x->comm);
}

static void follow(const struct mpg_bench_exchange *x, int64_t n, struct mpg_stamps *stamps)
{
    uint64_t ignored;
    for (int i = 0; i < ROUND_TRIPS; i++)
        answer(x, &ignored);
    for (int64_t i = 0; i < n; i++) {
        answer(x, &stamps->arrived[i]);
        answer(x, &stamps->second_arrived[i]);
        stamps->off_ns[i] = 0; /* off-CPU time of this rank can only delay an answer, and exchanges with late answers are
                                  dropped */
    }
    stamps->off_ns[n] = 0;
}

static void make_row(const struct mpg_bench_cell *cell, const struct mpg_times *times, double *row)
{
    row[1] = (double)cell->size_bytes;
    row[SEND] = times->send_ns;
    row[RECEIVE] = times->total_ns;
    row[WAIT] = times->wait_ns;
    row[OFF_CPU] = times->off_ns;
}

/* ---- sizes ---- */

static int make_plan(const struct mpg_network_facts *facts, const struct mpg_plan_limits *limits,
                     struct mpg_bench_plan *plan, struct mpg_error *err)
{
    return mpg_plan_add_sizes(plan, opt.sizes, facts->eager_limit_bytes, limits, err);
}

/* ---- header lines and summary ---- */

static int describe(const struct mpg_path_results *class, struct mpg_header *header,
                    struct mpg_error *err)
{
    int64_t limit = class->eager_limit_bytes;
    if (mpg_header_add(header, err, "dropped_exchanges", "%lld exchanges whose answer may have come too late",
                       (long long)class->dropped) < 0)
        return -1;
    if (opt.no_eager || limit <= -2)
        return mpg_header_add(header, err, "send_call", "MPI_Isend (its posting)");
    if (limit == -1)
        return mpg_header_add(header, err, "send_call", "MPI_Send");
    return mpg_header_add(header, err, "send_call",
                          "MPI_Send up to %lld bytes, above that MPI_Isend (its posting)",
                          (long long)limit);
}

static int print_size(const struct mpg_path_results *class, int64_t size_bytes, struct mpg_error *err)
{
    char size[32], text[5][32];
    double *value[3] = {NULL};
    int64_t n = 0;
    for (int c = 0; c < 3 && n >= 0; c++)
        n = mpg_path_results_values(class, size_bytes, 1, SEND + c, &value[c], err);
    if (n > 0) {
        for (int c = 0; c < 3; c++)
            mpg_units_format_time(text[c], sizeof text[c],
                                  mpg_sorted_quantile(value[c], (size_t)n, 0.5));
        mpg_units_format_time(text[3], sizeof text[3],
                              mpg_sorted_quantile(value[0], (size_t)n, 0.99));
        mpg_units_format_time(text[4], sizeof text[4],
                              mpg_sorted_quantile(value[1], (size_t)n, 0.99));
        printf("%10s %8lld %10s %10s %10s %10s %10s\n",
               mpg_units_format_size(size, sizeof size, size_bytes), (long long)n, text[0],
               text[3], text[1], text[4], text[2]);
    }
    for (int c = 0; c < 3; c++)
        free(value[c]);
    return n < 0 ? -1 : 0;
}

static int print_summary(const struct mpg_path_results *class, struct mpg_error *err)
{
    struct mpg_path_cell *cell = NULL;
    int64_t n = mpg_path_results_sizes(class, 1, &cell, err);
    int status = n < 0 ? -1 : 0;
    printf("overheads by size: send, receive of an arrived message, wait for a preposted receive:"
           "\n%10s %8s %10s %10s %10s %10s %10s\n", "size", "samples", "send", "p99",
           "receive", "p99", "wait");
    for (int64_t i = 0; i < n && status == 0; i++)
        status = print_size(class, cell[i].size_bytes, err);
    free(cell);
    return status;
}

int main(int argc, char **argv)
{
    static const struct mpg_network network = {
        .name = "overhead", .program = &program, .opt = &opt,
        .full = {{4000, 16384, 200}, 60e9}, .quick = {{400, 16384, 60}, 1e9},
        .fixed_min = 100, .lead = lead, .follow = follow, .sent = true, .late = true,
        .columns = "pair size_bytes send_ns receive_ns wait_ns off_cpu_ns", .n_columns = 6,
        .decimals = {0, 0, 1, 1, 1, 0}, .plan = make_plan, .row = make_row, .describe = describe,
        .summary = print_summary};
    return mpg_network_main(&network, argc, argv);
}
