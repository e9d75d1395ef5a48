/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of synthetic programs: messages of 1 KiB between P ranks.
 *
 *   ring: each rank sends to the next and receives from the previous rank: P messages
 *   alltoall: each rank receives from all others and sends to them, nonblocking, and waits for all: P(P-1)
 *     messages
 *   exchange: the same messages pairwise, with P-1 Sendrecv
 *   stencil: nearly square grid, closed to a torus, 4 neighbours, nonblocking: 4P messages
 *   tree: up a binomial tree to rank 0 and down again: 2(P-1) messages
 *   wavefront: on the same grid from its first rank: from the left and above, to the right and below
 *   workers: each rank but 0 sends a result to rank 0, in any order (Waitany), and gets work: 2(P-1) messages
 *   allreduce: one MPI_Allreduce */
#ifndef MPG_SPEED_PATTERNS_H
#define MPG_SPEED_PATTERNS_H

#include <stdint.h>

#include "common/error.h"
#include "trace/store/writer.h"

struct rank {
    struct mpg_trace_writer *writer;
    int32_t rank, ranks;
    int64_t made;      /* number of requests created so far */
    int64_t *requests; /* requests of a step; freed with the rank */
    size_t capacity;
};

struct pattern {
    const char *name;
    int64_t (*step_ns)(int32_t ranks); /* time from the begin of a step to that of the next, in ns */
    int (*write_step)(struct rank *rank, int64_t begin_ns, struct mpg_error *err);
};

extern const struct pattern patterns[]; /* the last entry has no name */
const struct pattern *pattern_by_name(const char *name); /* returns NULL for an unknown name */

/* Returns an event of call WHICH of which only the times are set. */
struct mpg_event pattern_call(enum mpg_call which, int64_t enter_ns, int64_t leave_ns);

#endif
