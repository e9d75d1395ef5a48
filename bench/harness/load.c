/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's busy time compared with the benchmark's own CPU time. */
#include "config.h"

#include "bench/harness/load.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Minimum length of a span in clock ticks of /proc/stat: in shorter spans, the rounding error of a tick exceeds a
 * tenth. */
enum { MIN_UNITS = 10 };

static double clock_now_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec * 1e9 + (double)t.tv_nsec : -1;
}

/* Returns the busy time of all cores since boot; -1: unknown. Idle, I/O wait and steal are not busy; user time includes
 * guest time. */
static double busy_now_ns(void)
{
    unsigned long long user, nice, kernel, irq, softirq;
    FILE *stream = fopen("/proc/stat", "r");
    int n = stream ? fscanf(stream, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice, &kernel,
                            &irq, &softirq)
                   : 0;
    if (stream)
        fclose(stream);
    return n == 5 ? (double)(user + nice + kernel + irq + softirq) * 1e9 /
                        (double)sysconf(_SC_CLK_TCK)
                  : -1;
}

void mpg_load_start(struct mpg_load *load)
{
    load->wall_ns = clock_now_ns(CLOCK_MONOTONIC);
    load->busy_ns = busy_now_ns();
    load->own_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static double difference(double before_ns, double now_ns)
{
    return before_ns < 0 || now_ns < 0 ? -1 : now_ns - before_ns;
}

void mpg_load_end(struct mpg_load *load)
{
    load->own_ns = difference(load->own_ns, clock_now_ns(CLOCK_PROCESS_CPUTIME_ID));
    load->busy_ns = difference(load->busy_ns, busy_now_ns());
    load->wall_ns = difference(load->wall_ns, clock_now_ns(CLOCK_MONOTONIC));
}

int mpg_load_describe(const struct mpg_load *load, double other_ranks_ns,
                      struct mpg_header *header, struct mpg_error *err)
{
    double min_ns = MIN_UNITS * 1e9 / (double)sysconf(_SC_CLK_TCK);
    if (load->busy_ns < 0 || load->own_ns < 0 || load->wall_ns < min_ns)
        return mpg_header_add(header, err, "other_load", "unknown");
    double others_ns = load->busy_ns - load->own_ns - other_ranks_ns;
    return mpg_header_add(header, err, "other_load", "%.2f",
                          others_ns > 0 ? others_ns / load->wall_ns : 0.0);
}
