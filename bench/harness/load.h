/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How busy others kept this host while a benchmark measured. */
#ifndef MPG_LOAD_H
#define MPG_LOAD_H

#include "bench/harness/record.h"
#include "common/error.h"

/* Between start and end; -1 where the system does not say. */
struct mpg_load {
    double wall_ns; /* CLOCK_MONOTONIC */
    double busy_ns; /* of all the host's cores together */
    double own_ns;  /* CPU time of this process, all threads */
};

/* Begins a span on this host. */
void mpg_load_start(struct mpg_load *load);
/* Ends it: LOAD then holds the differences. Once per start. */
void mpg_load_end(struct mpg_load *load);

/* Adds the line "other_load": how many cores' worth of time others used on this
 * host meanwhile, with two decimals, 0.00 the least. It is what /proc/stat
 * (proc(5): user, nice, system, irq, softirq, of all cores) counted, less the CPU
 * time of this process and OTHER_RANKS_NS, that of the benchmark's other
 * processes on this host (the sum of their load->own_ns; 0 when there are none).
 * "unknown" when the system does not say, and for spans too short for
 * /proc/stat's unit of time. Fails only when out of memory. */
int mpg_load_describe(const struct mpg_load *load, double other_ranks_ns,
                      struct mpg_header *header, struct mpg_error *err);

#endif
