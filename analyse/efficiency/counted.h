/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor counters of the computation of a traced run by region: for predictions of computation on another machine. */
#ifndef MPG_EFFICIENCY_COUNTED_H
#define MPG_EFFICIENCY_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/reader.h"

/* Sums over all ranks and threads, of the computation in one region, or outside of all regions. */
struct mpg_counted_region {
    int32_t string;      /* name of the innermost open region; -1: outside of all regions */
    double time_ns;      /* time between calls, without the time off the CPU if recorded */
    double instructions, cycles;
    double misses;       /* misses of the last level of cache */
    double floating;     /* floating-point instructions; 0 if not counted */
};

struct mpg_counted {
    size_t n;            /* number of regions; 0: not all ranks recorded instructions, cycles and last-level misses */
    struct mpg_counted_region *region;
    bool knows_floating; /* all ranks counted floating-point instructions */
    /* Largest number of instructions per cycle of a class of computation, where a class is the computation before one
     * callsite in one region. Only classes with at least a hundredth of all cycles count. 0: no cycles. */
    double best_ipc;
};

/* Reads all events of TRACE if its ranks have the counters. Returns 0, or -1 with ERR. The caller clears COUNTED, even after an
 * error. */
int mpg_count_regions(struct mpg_trace *trace, struct mpg_counted *counted, struct mpg_error *err);
void mpg_counted_clear(struct mpg_counted *counted);

#endif
