/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU load of this host by other processes during a benchmark. */
#ifndef MPG_LOAD_H
#define MPG_LOAD_H

#include "bench/harness/results_file.h"
#include "common/error.h"

/* After mpg_load_end(): differences between start and end of a span; -1: unknown. */
struct mpg_load {
    double wall_ns; /* elapsed time (CLOCK_MONOTONIC) */
    double busy_ns; /* busy time of all cores of the host */
    double own_ns;  /* CPU time of this process, all threads */
};

/* Starts a span on this host. */
void mpg_load_start(struct mpg_load *load);
/* Ends the span: LOAD then holds the differences. Once per start. */
void mpg_load_end(struct mpg_load *load);

/* Adds the header line "other_load": the average number of cores used by other processes of this host, with two
 * decimals, >= 0. Computed as /proc/stat's busy time (proc(5): user, nice, system, irq, softirq of all cores),
 * minus this process's CPU time, minus OTHER_RANKS_NS, the CPU time of the benchmark's other processes on this
 * host (sum of load->own_ns; 0: none). "unknown" if the system has no counts or the span is too short for
 * /proc/stat's clock ticks. Errors: out of memory. */
int mpg_load_describe(const struct mpg_load *load, double other_ranks_ns,
                      struct mpg_header *header, struct mpg_error *err);

#endif
